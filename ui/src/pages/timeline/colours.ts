// Colours of slices: by what they are, by name, or by how long they are.

import type { Layer } from "../../api/client";
import { channels, inkOn, resolver } from "../../components/colours";

export type Colouring = "category" | "name" | "duration";

/** What a slice is. */
export type Category =
  | "computing"
  | "communication"
  | "exposed"
  | "copy"
  | "wait"
  | "free"
  | "framework"
  | "runtime"
  | "range"
  | "collection"
  | "other";

export const CATEGORIES: Category[] = [
  "computing",
  "communication",
  "exposed",
  "copy",
  "wait",
  "free",
  "framework",
  "runtime",
  "range",
  "collection",
  "other",
];

const WAIT = /(^|[^a-z])(event|notify)?_?wait|record|synchroni[sz]e|^capture/i;
const COPY = /memcpy|memset|sdma|tensormove/i;
const COLLECTIVE = /hcom_|hccl|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|broadcast|barrier/i;

/** What a slice of a lane is, by its name. */
export function categoryOf(layer: Layer, name: string): Category {
  switch (layer) {
    case "overlap":
      if (/not overlapped|未掩盖/i.test(name)) return "exposed";
      if (/communication|通信/i.test(name)) return "communication";
      return /free|空闲/i.test(name) ? "free" : "computing";
    case "communication":
      return /wait/i.test(name) ? "wait" : "communication";
    case "hardware":
      if (COPY.test(name)) return "copy";
      if (COLLECTIVE.test(name)) return "communication";
      return WAIT.test(name) ? "wait" : "computing";
    case "framework":
      return "framework";
    case "cann":
      return /synchroni[sz]e/i.test(name) ? "wait" : "runtime";
    case "mstx":
      return "range";
    case "gc":
      return "collection";
    default:
      return "other";
  }
}

/** A number that is the same for a name wherever it is. */
export function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** A colour and what is read on it. */
export interface Style {
  fill: string;
  ink: string;
}

/** What the canvas is drawn with, as CSS says it for light or dark. */
export interface Theme {
  paper: string;
  raised: string;
  ink: string;
  soft: string;
  line: string;
  accent: string;
  category: Record<Category, string>;
  marks: string[];
}

/** How many colours marks have. */
export const MARK_COLOURS = 5;

/** The theme that an element sees. */
export function themeOf(element: HTMLElement): Theme {
  const colour = resolver(element);
  const category = Object.fromEntries(CATEGORIES.map((name) => [name, colour(`var(--slice-${name})`)])) as Record<
    Category,
    string
  >;
  return {
    paper: colour("var(--paper)"),
    raised: colour("var(--raised)"),
    ink: colour("var(--ink)"),
    soft: colour("var(--soft)"),
    line: colour("var(--line)"),
    accent: colour("var(--accent)"),
    category,
    marks: Array.from({ length: MARK_COLOURS }, (_, at) => colour(`var(--mark-${at})`)),
  };
}

/** Shades of a category, away from the colour of its text: neighbours with other names can be distinguished. */
const SHADES = [0, 0.12, 0.24];
/** Hues of names, apart from each other for those who do not see all of them. */
const NAME_HUES = [205, 28, 160, 325, 45, 240, 100, 5, 185, 275, 60, 130];
/** Colours of durations: each is for twice to four times the one before. */
const DURATION_STEPS = 12;

function shaded(colour: string, share: number): string {
  const target = inkOn(colour) === "#ffffff" ? 0 : 255;
  const parts = channels(colour).map((value) => Math.round(value + (target - value) * share));
  return `rgb(${parts.join(",")})`;
}

function styled(fill: string): Style {
  return { fill, ink: inkOn(fill) };
}

/** The styles of slices in a theme. A style is known by its index, so that those alike can be drawn together. */
export class Palette {
  readonly styles: Style[] = [];
  private readonly byName = new WeakMap<string[], Map<Layer, Int16Array>>();
  private readonly firstName: number;
  private readonly firstDuration: number;

  constructor(
    readonly theme: Theme,
    private readonly colouring: Colouring,
  ) {
    for (const category of CATEGORIES)
      for (const share of SHADES) this.styles.push(styled(shaded(theme.category[category], share)));
    this.firstName = this.styles.length;
    for (const hue of NAME_HUES) for (const light of [44, 58]) this.styles.push(styled(hsl(hue, 62, light)));
    this.firstDuration = this.styles.length;
    for (let at = 0; at < DURATION_STEPS; at++) this.styles.push(styled(hsl(250 - at * 20, 60, 35 + at * 2.5)));
  }

  /** The style of a slice: its lane's layer, the names of the rank, the index of its name, its ns. */
  style(layer: Layer, names: string[], name: number, ns: number): number {
    if (this.colouring === "duration") {
      const step = Math.floor(Math.log2(Math.max(ns, 1000) / 1000) / 1.5);
      return this.firstDuration + Math.min(step, DURATION_STEPS - 1);
    }
    let layers = this.byName.get(names);
    if (!layers) {
      layers = new Map();
      this.byName.set(names, layers);
    }
    let known = layers.get(layer);
    if (!known) {
      known = new Int16Array(names.length).fill(-1);
      layers.set(layer, known);
    }
    let style = known[name] ?? -1;
    if (style < 0) {
      style = this.styleOf(layer, names[name] ?? "");
      known[name] = style;
    }
    return style;
  }

  /** The style of a name that is in no list. */
  styleOf(layer: Layer, name: string): number {
    // Names differ by numbers that say nothing, such as the count of a collective.
    const hash = hashOf(name.replace(/\d+/g, ""));
    if (this.colouring === "name") return this.firstName + (hash % (NAME_HUES.length * 2));
    return CATEGORIES.indexOf(categoryOf(layer, name)) * SHADES.length + (hash % SHADES.length);
  }
}

function hsl(hue: number, saturation: number, light: number): string {
  const chroma = ((1 - Math.abs((2 * light) / 100 - 1)) * saturation) / 100;
  const part = (offset: number) => {
    const at = (offset + hue / 30) % 12;
    return Math.round(255 * (light / 100 - (chroma / 2) * Math.max(-1, Math.min(at - 3, 9 - at, 1))));
  };
  return `rgb(${part(0)},${part(8)},${part(4)})`;
}
