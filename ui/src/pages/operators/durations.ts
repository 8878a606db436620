// Buckets of durations, as the server counts them (crates/server/src/views/statistics.rs).

import type { Bucket } from "../../components/Histogram";
import { duration } from "../../format";

/** Bucket i has durations from 2^(i + FLOOR) ns up to twice that; the first has shorter ones, too, the last longer ones. */
const FLOOR = 10;

/** A duration with two digits that count. */
function rough(ns: number): string {
  return duration(Number(ns.toPrecision(2)));
}

/** The buckets from the first to the last that have any, and the ends between them. */
export function durationBuckets(counts: ArrayLike<number>): { buckets: Bucket[]; edges: string[] } {
  const all = Array.from(counts, Number);
  const first = all.findIndex((count) => count > 0);
  if (first < 0) return { buckets: [], edges: [] };
  const last = all.findLastIndex((count) => count > 0);
  const ends = Array.from({ length: last - first + 2 }, (_, at) => {
    const bucket = first + at;
    if (bucket === 0) return "0";
    return bucket === all.length ? "∞" : rough(2 ** (bucket + FLOOR));
  });
  const buckets = all.slice(first, last + 1).map((count, at) => ({ name: `${ends[at]} – ${ends[at + 1]}`, count }));
  return { buckets, edges: ends };
}
