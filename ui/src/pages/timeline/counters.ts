// Draws counters: a line of values with what is between the least and the greatest filled.

import type { Counter } from "../../api/client";
import { bytes, number, share } from "../../format";
import type { Frame } from "./bars";
import { nearest, type TileStore } from "./store";
import { type CounterPoints, tileLength } from "./tiles";

/** Calls `use` for every point of a counter in view, in order of time. */
export function eachPoint(
  store: TileStore<CounterPoints>,
  counter: number,
  frame: Frame,
  use: (x: number, min: number, max: number, last: number) => void,
) {
  let drawnTo = -Infinity;
  for (const index of frame.indices) {
    for (const tile of nearest(store, frame.level, index, counter)) {
      const length = tileLength(tile.level);
      const start = (tile.index * length - frame.begin) / frame.perPixel;
      const scale = length / frame.perPixel / 65536;
      const points = tile.value;
      for (let at = 0; at < points.count; at++) {
        const x = start + (points.time[at] as number) * scale;
        if (x < drawnTo) continue;
        drawnTo = x;
        use(x, points.min[at] as number, points.max[at] as number, points.last[at] as number);
      }
    }
  }
}

/** The least and the greatest value on the axis of a counter: 0 is on it unless that would flatten the line. */
export function axisOf(counter: Counter): { low: number; high: number } {
  const { min, max } = counter;
  const low = min >= 0 && min < max * 0.8 ? 0 : min;
  return { low: low === max ? low - 1 : low, high: max };
}

/** Draws a counter into a box. */
export function drawCounter(
  context: CanvasRenderingContext2D,
  store: TileStore<CounterPoints>,
  counter: Counter,
  frame: Frame,
  top: number,
  height: number,
  colour: string,
) {
  const { low, high } = axisOf(counter);
  const y = (value: number) => top + height - ((Math.min(Math.max(value, low), high) - low) / (high - low)) * height;
  const line = new Path2D();
  const fill = new Path2D();
  const ranges = new Path2D();
  const bottom = top + height;
  let before: { x: number; y: number } | null = null;
  eachPoint(store, counter.id, frame, (x, min, max, last) => {
    const now = { x: Math.min(Math.max(x, -2), frame.width + 2), y: y(last) };
    if (before) {
      fill.rect(before.x, before.y, now.x - before.x, bottom - before.y);
      line.lineTo(now.x, before.y);
      line.lineTo(now.x, now.y);
    } else {
      line.moveTo(now.x, now.y);
    }
    if (max > min) ranges.rect(now.x - 0.5, y(max), 1, Math.max(y(min) - y(max), 1));
    before = now;
  });
  if (before) {
    const { x, y } = before as { x: number; y: number };
    fill.rect(x, y, frame.width - x, bottom - y);
    line.lineTo(frame.width, y);
  }
  context.fillStyle = colour;
  context.strokeStyle = colour;
  context.globalAlpha = 0.22;
  context.fill(fill);
  context.globalAlpha = 0.5;
  context.fill(ranges);
  context.globalAlpha = 1;
  context.lineWidth = 1;
  context.stroke(line);
}

/** The value of a counter at a pixel: the last point before it. */
export function valueAt(store: TileStore<CounterPoints>, counter: Counter, frame: Frame, x: number): number | null {
  let found: number | null = null;
  eachPoint(store, counter.id, frame, (at, _, __, last) => {
    if (at <= x) found = last;
  });
  return found;
}

const SIZES: Record<string, number> = { b: 1, byte: 1, bytes: 1, kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30 };

/** A value with its unit. */
export function valueText(value: number, unit: string | null): string {
  const [amount = "", per] = (unit ?? "").split("/");
  const size = SIZES[amount.toLowerCase()];
  if (size !== undefined) return bytes(value * size) + (per === undefined ? "" : `/${per}`);
  if (unit === "%") return share(value / 100);
  return unit ? `${number(value)} ${unit}` : number(value);
}
