// The bars of lanes in view, with their edges in pixels.

import type { Lane } from "../../api/client";
import type { LaneBars } from "./tiles";
import { tileLength } from "./tiles";
import { nearest, type TileStore } from "./store";

/** What is drawn: a stretch of time in the own time of a rank, and at which detail. */
export interface Frame {
  begin: number;
  perPixel: number;
  width: number;
  level: number;
  indices: number[];
}

/** Called with a bar: edges in pixels, row, slice, index of its name, slices that it stands for. */
export type UseBar = (left: number, right: number, row: number, slice: number, name: number, slices: number) => void;

/** The bars that are open on rows, by row: they may go on in the next tile. Columns, made once: bars are many. */
const open = { left: [] as number[], right: [] as number[], slice: [] as number[], name: [] as number[], slices: [] as number[] };
const NONE = -1;

/** Calls `use` for every bar of a lane in view. A slice that reaches over several tiles is one bar. */
export function eachBar(store: TileStore<LaneBars>, lane: number, frame: Frame, use: UseBar) {
  const { begin, perPixel, width } = frame;
  const wanted = tileLength(frame.level);
  open.slice.length = 0;
  for (const index of frame.indices) {
    const clipLeft = Math.max((index * wanted - begin) / perPixel, -10);
    const clipRight = Math.min(((index + 1) * wanted - begin) / perPixel, width + 10);
    for (const tile of nearest(store, frame.level, index, lane)) {
      const bars = tile.value;
      const length = tileLength(tile.level);
      const start = (tile.index * length - begin) / perPixel;
      const scale = length / perPixel / 65536;
      for (let at = 0; at < bars.count; at++) {
        const from = start + (bars.begin[at] as number) * scale;
        // The last of 65536 parts is the edge of the tile.
        const last = bars.end[at] as number;
        const to = start + (last === 65535 ? 65536 : last) * scale;
        if (to < clipLeft || from >= clipRight) continue;
        const left = Math.max(from, clipLeft);
        const right = Math.min(to, clipRight);
        const row = bars.row[at] as number;
        const slice = bars.slice[at] as number;
        while (open.slice.length <= row) open.slice.push(NONE);
        if (open.slice[row] === slice && left - (open.right[row] as number) < 1) {
          open.right[row] = Math.max(open.right[row] as number, right);
          open.slices[row] = Math.max(open.slices[row] as number, bars.slices[at] as number);
          continue;
        }
        close(row, use);
        open.left[row] = left;
        open.right[row] = right;
        open.slice[row] = slice;
        open.name[row] = bars.name[at] as number;
        open.slices[row] = bars.slices[at] as number;
      }
    }
  }
  for (let row = 0; row < open.slice.length; row++) close(row, use);
}

/** Hands on the bar that is open on a row. */
function close(row: number, use: UseBar) {
  if (open.slice[row] === NONE) return;
  use(
    open.left[row] as number,
    open.right[row] as number,
    row,
    open.slice[row] as number,
    open.name[row] as number,
    open.slices[row] as number,
  );
}

/** How many bars the tiles of a lane have in view. */
export function barCount(store: TileStore<LaneBars>, lane: number, level: number, indices: number[]): number {
  let count = 0;
  for (const index of indices) count += store.get(level, index, lane)?.count ?? 0;
  return count;
}

/** A bar of one of several lanes. */
export interface MergedBar {
  lane: Lane;
  left: number;
  right: number;
  slice: number;
  name: number;
  slices: number;
}

/** The bars of several lanes in order of time. */
export function mergedBars(store: TileStore<LaneBars>, lanes: Lane[], frame: Frame): MergedBar[] {
  const bars: MergedBar[] = [];
  for (const lane of lanes) {
    eachBar(store, lane.id, frame, (left, right, _, slice, name, slices) =>
      bars.push({ lane, left, right, slice, name, slices }),
    );
  }
  return bars.sort((a, b) => a.left - b.left || b.right - a.right);
}

/** Puts bars of several lanes onto rows, each onto the first that is free. They come in order of their left edges. */
export class FirstFit {
  private ends: number[] = [];

  row(left: number, right: number): number {
    const free = this.ends.findIndex((end) => end <= left + 0.01);
    const row = free < 0 ? this.ends.length : free;
    this.ends[row] = Math.max(right, left + 0.02);
    return row;
  }

  get rows(): number {
    return this.ends.length;
  }
}
