// What the address keeps of the timeline beside the scope: pins, hidden lanes, offsets, marks and the like.

import type { Colouring } from "./colours";
import type { TimeRange } from "../../scope";

/** Lanes of a rank that are drawn as one. */
export interface Merge {
  rank: number;
  lanes: number[];
}

/** A stretch of time on some lanes. */
export interface Area extends TimeRange {
  ranks: { rank: number; lanes: number[] }[];
}

/** A moment or a stretch with a name. */
export interface Mark {
  begin: number;
  /** Null for a moment. */
  end: number | null;
  /** Index into the colours of marks. */
  colour: number;
  name: string;
}

/** All that is kept. Lanes and their groups are known by the keys of the tree. */
export interface Kept {
  pins: string[];
  hidden: string[];
  /** Groups and lanes that are not as open as they are at first. */
  toggled: string[];
  merges: Merge[];
  /** Ns that a rank is shown earlier by. */
  offsets: Map<number, number>;
  marks: Mark[];
  area: Area | null;
  /** Only lanes with this in their name are shown. */
  filter: string;
  colours: Colouring;
  /** Kinds of arrows that are drawn for all slices. */
  arrows: string[];
}

// What separates parts is what addresses do not escape: , . - _ *

const list = (text: string | undefined, separator = ",") => (text ? text.split(separator) : []);
const whole = (text: string | undefined) => (text !== undefined && /^-?\d+$/.test(text) ? Number(text) : null);

/** Reads `0_1-3.5`: lanes 1, 2, 3 and 5 of rank 0. */
function lanesOf(text: string): Merge | null {
  const [rank, lanes] = text.split("_");
  const number = whole(rank);
  const found = list(lanes, ".").flatMap((part) => {
    const [first, last] = part.split("-").map(whole);
    if (first == null) return [];
    return Array.from({ length: Math.min((last ?? first) - first + 1, 100_000) }, (_, at) => first + at);
  });
  return number === null || found.length === 0 ? null : { rank: number, lanes: found };
}

/** Writes what `lanesOf` reads. */
function lanesText({ rank, lanes }: Merge): string {
  const parts: [number, number][] = [];
  for (const lane of lanes) {
    const last = parts.at(-1);
    if (last && last[1] + 1 === lane) last[1] = lane;
    else parts.push([lane, lane]);
  }
  return `${rank}_${parts.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(".")}`;
}

const COLOURINGS: Colouring[] = ["category", "name", "duration"];

/** What the parameters of the page say. */
export function readKept(params: Record<string, string>): Kept {
  const offsets = list(params.offsets).flatMap((part) => {
    const [rank, offset] = part.split("_").map(whole);
    return rank == null || offset == null || offset === 0 ? [] : [[rank, offset] as const];
  });
  const marks = list(params.marks, "*").flatMap((part): Mark[] => {
    const [begin, end, colour, ...name] = part.split("_");
    const at = whole(begin);
    return at === null ? [] : [{ begin: at, end: whole(end), colour: whole(colour) ?? 0, name: decoded(name.join("_")) }];
  });
  const [first, last, ...lanes] = list(params.area);
  const [begin, end] = [whole(first), whole(last)];
  const areas = lanes.flatMap((part) => lanesOf(part) ?? []);
  return {
    pins: list(params.pins),
    hidden: list(params.hidden),
    toggled: list(params.toggled),
    merges: list(params.merges).flatMap((part) => lanesOf(part) ?? []),
    offsets: new Map(offsets),
    marks,
    area: begin !== null && end !== null && begin < end && areas.length > 0 ? { begin, end, ranks: areas } : null,
    filter: params.filter ?? "",
    colours: COLOURINGS.find((name) => name === params.colours) ?? "category",
    arrows: list(params.arrows),
  };
}

const decoded = (text: string) => text.replaceAll("%2A", "*").replaceAll("%25", "%");
const encoded = (text: string) => text.replaceAll("%", "%25").replaceAll("*", "%2A");

/** The parameters that say it; those that say nothing are empty. */
export function writeKept(kept: Partial<Kept>): Record<string, string> {
  const params: Record<string, string> = {};
  if (kept.pins) params.pins = kept.pins.join(",");
  if (kept.hidden) params.hidden = kept.hidden.join(",");
  if (kept.toggled) params.toggled = kept.toggled.join(",");
  if (kept.merges) params.merges = kept.merges.map(lanesText).join(",");
  if (kept.offsets) {
    const offsets = [...kept.offsets].filter(([, offset]) => offset !== 0);
    params.offsets = offsets.map(([rank, offset]) => `${rank}_${Math.round(offset)}`).join(",");
  }
  if (kept.marks) {
    const text = ({ begin, end, colour, name }: Mark) =>
      [Math.round(begin), end === null ? "" : Math.round(end), colour, encoded(name)].join("_");
    params.marks = kept.marks.map(text).join("*");
  }
  if (kept.area !== undefined) {
    const { area } = kept;
    params.area = area ? [Math.round(area.begin), Math.round(area.end), ...area.ranks.map(lanesText)].join(",") : "";
  }
  if (kept.filter !== undefined) params.filter = kept.filter;
  if (kept.colours) params.colours = kept.colours === "category" ? "" : kept.colours;
  if (kept.arrows) params.arrows = kept.arrows.join(",");
  return params;
}
