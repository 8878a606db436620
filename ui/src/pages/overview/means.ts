// The mean of the parts of steps, by rank or by step.

import type { Table } from "../../api/table";
import { tableOf } from "../../components/derived";

/** Parts of a step, none of which covers another. */
export const PARTS = ["computing", "overlapped", "exposed", "free"] as const;

/** The means of the parts of steps, by a column. */
export function meansBy(steps: Table, by: "rank" | "step"): Table {
  const keys = steps.numbers(by);
  const overlapped = steps.numbers("overlapped_communication");
  const values: Record<(typeof PARTS)[number], Float64Array> = {
    // The server counts what overlaps communication as computing, too.
    computing: steps.numbers("computing").map((ns, at) => Math.max(0, ns - (overlapped[at] || 0))),
    overlapped,
    exposed: steps.numbers("exposed_communication"),
    free: steps.numbers("free"),
  };
  const distinct = [...new Set(keys)].sort((a, b) => a - b);
  const places = new Map(distinct.map((key, at) => [key, at]));
  const place = Array.from(keys, (key) => places.get(key) as number);
  const counts = new Float64Array(distinct.length);
  for (const at of place) counts[at]! += 1;
  const mean = (column: Float64Array) => {
    const sums = new Float64Array(distinct.length);
    column.forEach((value, row) => (sums[place[row]!]! += value || 0));
    return sums.map((sum, at) => sum / counts[at]!);
  };
  return tableOf({ [by]: distinct, ...Object.fromEntries(PARTS.map((part) => [part, mean(values[part])])) });
}
