// The values of curves of samples at a time: each sample holds until the next.

import type { Range } from "./axis";

/** Samples in order of time. */
export interface Samples {
  times: ArrayLike<number>;
  values: ArrayLike<number>;
}

/** The last sample at or before a time; -1 if the curve begins later. */
export function sampleAt(times: ArrayLike<number>, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The value of a curve at a time; NaN before it begins. */
export function curveValue(curve: Samples, time: number): number {
  return curve.values[sampleAt(curve.times, time)] ?? NaN;
}

/** The greatest value of a curve in a stretch of time, and when it was first reached; null if it has none there. */
export function peakIn(curve: Samples, range: Range): { time: number; value: number } | null {
  let peak: { time: number; value: number } | null = null;
  for (let at = Math.max(0, sampleAt(curve.times, range.begin)); at < curve.times.length; at++) {
    const time = curve.times[at]!;
    if (time > range.end) break;
    const value = curve.values[at]!;
    if (!Number.isNaN(value) && (peak === null || value > peak.value)) peak = { time: Math.max(time, range.begin), value };
  }
  return peak;
}
