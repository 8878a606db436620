// How ranks spend the time of steps.

import type { Table } from "../../api/table";
import { grouped } from "../../components/derived";

export const METRICS = ["computing", "duration", "exposed_communication", "free", "bubble"] as const;

export type Metric = (typeof METRICS)[number];

/** Parts of the device time, none of which covers another. The preparing time is not one of them: it lies before the device
 * time of its step, and is free time of the step before. */
export const PARTS = ["alone", "overlapped_communication", "exposed_communication", "free"] as const;

export type Part = (typeof PARTS)[number];

/** Means over the rows of a rank or step. */
export interface Breakdown {
  /** The rank or step; NaN for the whole profile of ranks without step markers. */
  key: number;
  /** Computing that no communication overlaps. */
  alone: number;
  computing: number;
  overlapped_communication: number;
  exposed_communication: number;
  free: number;
  bubble: number;
  duration: number;
}

const COLUMNS = ["computing", "overlapped_communication", "exposed_communication", "free", "bubble", "duration"] as const;

/** Means by rank over steps, or by step over ranks; what is not known is NaN. */
export function breakdownBy(table: Table, by: "rank" | "step"): Breakdown[] {
  const columns = COLUMNS.map((name) => [name, table.numbers(name)] as const);
  const all = [...grouped(table, [by])].map(([key, rows]) => {
    const mean = (values: Float64Array) => {
      const known = rows.map((row) => values[row] ?? NaN).filter((value) => !Number.isNaN(value));
      return known.length === 0 ? NaN : known.reduce((sum, value) => sum + value, 0) / known.length;
    };
    const means = Object.fromEntries(columns.map(([name, values]) => [name, mean(values)])) as Omit<Breakdown, "key" | "alone">;
    return { key: key === "" ? NaN : Number(key), alone: Math.max(0, means.computing - (means.overlapped_communication || 0)), ...means };
  });
  return all.sort((one, other) => one.key - other.key || 0);
}
