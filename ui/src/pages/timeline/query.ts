// Rows of a query as slices of an extra lane.

import type { Table } from "../../api/table";
import type { QuerySlice } from "./lanes";

const integer = (value: unknown): bigint | null =>
  typeof value === "bigint" ? value : typeof value === "number" && Number.isFinite(value) ? BigInt(Math.round(value)) : null;

/** The rows of a query by rank. It has start (ns since the epoch) and, if it likes, duration, name and rank. */
export function querySlices(table: Table, origin: bigint, defaultRank: number): Map<number, QuerySlice[]> {
  const found = new Map<number, QuerySlice[]>();
  for (const row of table.rows()) {
    const start = integer(row.start);
    if (start === null) continue;
    const begin = Number(start - origin);
    const rank = row.rank === null || row.rank === undefined ? defaultRank : Number(row.rank);
    const slices = found.get(rank) ?? [];
    slices.push({ name: String(row.name ?? ""), begin, end: begin + Number(integer(row.duration) ?? 0n) });
    found.set(rank, slices);
  }
  for (const slices of found.values()) slices.sort((a, b) => a.begin - b.begin);
  return found;
}
