// Tables of the server: Arrow columns.

import { tableFromIPC } from "@uwdata/flechette";

export type Row = Record<string, unknown>;

/** Columns of the same length. */
export class Table {
  readonly names: string[];
  readonly length: number;

  constructor(private readonly columns: Map<string, ArrayLike<unknown>>) {
    this.names = [...columns.keys()];
    this.length = columns.values().next().value?.length ?? 0;
  }

  /** A table from the bytes of an Arrow IPC stream. */
  static fromArrow(bytes: ArrayBuffer): Table {
    const arrow = tableFromIPC(new Uint8Array(bytes), { useBigInt: true });
    const columns = new Map<string, ArrayLike<unknown>>();
    arrow.names.forEach((name, at) => columns.set(String(name), safe(arrow.getChildAt(at).toArray())));
    return new Table(columns);
  }

  has(name: string): boolean {
    return this.columns.has(name);
  }

  /** The values of a column; of one that is not there, none. Integers that a number cannot hold are BigInts. */
  column(name: string): ArrayLike<unknown> {
    return this.columns.get(name) ?? [];
  }

  /** The values of a column as numbers; NaN where there is none. */
  numbers(name: string): Float64Array {
    return Float64Array.from(this.column(name), asNumber);
  }

  /** The values of a column as text; empty where there is none. */
  texts(name: string): string[] {
    return Array.from(this.column(name), (value) => (value === null || value === undefined ? "" : String(value)));
  }

  row(at: number): Row {
    return Object.fromEntries(this.names.map((name) => [name, this.column(name)[at]]));
  }

  *rows(): Iterable<Row> {
    for (let at = 0; at < this.length; at++) yield this.row(at);
  }
}

/** A value of a table as a number; NaN if it is none. */
export function asNumber(value: unknown): number {
  return value === null || value === undefined || value === "" ? Number.NaN : Number(value);
}

/** The column with BigInts that fit into numbers made numbers, also inside lists. */
function safe(column: ArrayLike<unknown>): ArrayLike<unknown> {
  return column instanceof BigInt64Array || column instanceof BigUint64Array || Array.isArray(column)
    ? Array.from(column as ArrayLike<unknown>, safeValue)
    : column;
}

function safeValue(value: unknown): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (value instanceof BigInt64Array || value instanceof BigUint64Array) return Array.from(value, safeValue);
  return value;
}
