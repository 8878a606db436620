// What the answer to a query can be shown as.

import { asNumber, type Table } from "../../api/table";

/** Whether all values of a column that are there are numbers. */
export function isNumeric(table: Table, name: string): boolean {
  const column = table.column(name);
  let has = false;
  for (let at = 0; at < column.length; at++) {
    const value = column[at];
    if (value === null || value === undefined) continue;
    if (typeof value !== "number" && typeof value !== "bigint") return false;
    has = true;
  }
  return has;
}

/** What a lane needs. */
const LANE_COLUMNS = ["rank", "start", "duration", "name"];

/** The columns that the table lacks to be a lane of the timeline. */
export function lacksForLane(table: Table): string[] {
  return LANE_COLUMNS.filter((name) => !table.has(name));
}

/** Times since the epoch, in ns, are above this: the year 2001. */
const EPOCH_NS = 1e18;

/** Whether a column holds times since the epoch. */
export function isTime(table: Table, name: string): boolean {
  return isNumeric(table, name) && asNumber(table.column(name)[0]) > EPOCH_NS;
}

/** The column of times since the epoch as ns from the origin of the profile. */
export function timesFrom(table: Table, name: string, origin: string): Float64Array {
  const zero = BigInt(origin);
  return Float64Array.from(table.column(name) as ArrayLike<number | bigint | null>, (value) =>
    value === null ? Number.NaN : Number(BigInt(value) - zero),
  );
}

/** A value with all its digits. */
export function exact(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (ArrayBuffer.isView(value) || Array.isArray(value)) return Array.from(value as ArrayLike<unknown>).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
