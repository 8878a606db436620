// The stretch of time in view, and what moves it.

import { roundStep } from "../../components/axis";
import type { TimeRange } from "../../scope";

/** The shortest stretch that is shown. */
const SHORTEST_NS = 10;

/** The view zoomed by a factor about a time, which stays where it is. */
export function zoomed(view: TimeRange, factor: number, about: number, whole: TimeRange): TimeRange {
  const length = Math.min(Math.max((view.end - view.begin) * factor, SHORTEST_NS), whole.end - whole.begin);
  const share = (about - view.begin) / (view.end - view.begin);
  const begin = about - share * length;
  return clamped({ begin, end: begin + length }, whole);
}

/** The view moved by a share of its length. */
export function panned(view: TimeRange, share: number, whole: TimeRange): TimeRange {
  const shift = (view.end - view.begin) * share;
  return clamped({ begin: view.begin + shift, end: view.end + shift }, whole);
}

/** The view moved so that it is inside the whole. */
export function clamped(view: TimeRange, whole: TimeRange): TimeRange {
  const length = Math.min(view.end - view.begin, whole.end - whole.begin);
  const begin = Math.min(Math.max(view.begin, whole.begin), whole.end - length);
  return { begin, end: begin + length };
}

/** A view with a stretch in the middle of it, at a fifth of its length at most. */
export function around(stretch: TimeRange, whole: TimeRange): TimeRange {
  const margin = Math.max((stretch.end - stretch.begin) * 2, 1000);
  return clamped({ begin: stretch.begin - margin, end: stretch.end + margin }, whole);
}

/** A view that a stretch fills but for a little at the sides. */
export function fitted(stretch: TimeRange, whole: TimeRange): TimeRange {
  const margin = Math.max((stretch.end - stretch.begin) * 0.05, SHORTEST_NS / 2);
  return clamped({ begin: stretch.begin - margin, end: stretch.end + margin }, whole);
}

/** The view moved, not zoomed, to have a stretch in sight; zoomed only if the stretch is longer than it or too short to see. */
export function showing(stretch: TimeRange, view: TimeRange, whole: TimeRange): TimeRange {
  const length = view.end - view.begin;
  const shown = stretch.end - stretch.begin;
  if (shown > length || shown < length / 2000) return around(stretch, whole);
  if (stretch.begin >= view.begin && stretch.end <= view.end) return view;
  const begin = (stretch.begin + stretch.end - length) / 2;
  return clamped({ begin, end: begin + length }, whole);
}

/** Views that were left, for undo and redo. */
export class ViewHistory {
  private past: TimeRange[] = [];
  private future: TimeRange[] = [];

  /** Remembers the view that is left. */
  leave(view: TimeRange) {
    this.past.push(view);
    if (this.past.length > 200) this.past.shift();
    this.future = [];
  }

  /** The view before this one. */
  back(view: TimeRange): TimeRange | null {
    const found = this.past.pop();
    if (found) this.future.push(view);
    return found ?? null;
  }

  /** The view that `back` left. */
  forward(view: TimeRange): TimeRange | null {
    const found = this.future.pop();
    if (found) this.past.push(view);
    return found ?? null;
  }
}

const UNITS: [string, number][] = [
  ["s", 1e9],
  ["ms", 1e6],
  ["µs", 1e3],
  ["ns", 1],
];

/** What a ruler says: ticks, relative to a base where whole times would have too many digits. */
export interface Ticks {
  /** The time that ticks are relative to; null if that is the origin. */
  base: string | null;
  ticks: { time: number; label: string }[];
}

/** The ticks of a view, at least `wanted` ns apart. */
export function ticksOf(view: TimeRange, wanted: number): Ticks {
  const distance = Math.max(roundStep(wanted), 1);
  const far = Math.max(Math.abs(view.begin), Math.abs(view.end));
  const isFar = far / distance >= 10_000;
  const base = isFar ? Math.floor(view.begin / (distance * 1000)) * distance * 1000 : 0;
  const largest = isFar ? distance * 999 : far;
  const [unit, size] = UNITS.find(([, size]) => largest >= size && distance >= size / 1000) ?? ["ns", 1];
  const digits = Math.max(0, Math.round(Math.log10(size / distance) + 0.49));
  const ticks = [];
  const first = Math.ceil(view.begin / distance);
  const last = Math.floor(view.end / distance);
  for (let at = first; at <= last; at++) {
    const value = (at * distance - base) / size;
    ticks.push({ time: at * distance, label: `${isFar ? "+" : ""}${value.toFixed(digits)} ${unit}` });
  }
  return { base: isFar ? exact(base) : null, ticks };
}

/** A time with all its digits that are not 0, in seconds or what is smaller. */
function exact(ns: number): string {
  const [unit, size] = UNITS.find(([, size]) => Math.abs(ns) >= size) ?? ["ns", 1];
  return `${Number((ns / size).toFixed(9))} ${unit}`;
}

const TIME_UNITS: Record<string, number> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, "": 1e9 };

/** What a user means by where to go: a time such as `12.5ms` (seconds without a unit), or a step such as `step 5` or `#5`. */
export function placeOf(text: string): { time: number } | { step: number } | null {
  const step = /^(?:#|step|第)\s*(\d+)\s*步?$/i.exec(text.trim());
  if (step) return { step: Number(step[1]) };
  const time = /^(-?\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s|)$/i.exec(text.trim());
  return time ? { time: Number(time[1]) * (TIME_UNITS[(time[2] as string).toLowerCase()] as number) } : null;
}
