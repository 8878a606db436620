// Tables made of other tables.

import { Table } from "../api/table";

/** A table from columns. */
export function tableOf(columns: Record<string, ArrayLike<unknown>>): Table {
  return new Table(new Map(Object.entries(columns)));
}

/** The rows of a table that pass. */
export function rowsThat(table: Table, passes: (row: number) => boolean): Table {
  const rows: number[] = [];
  for (let row = 0; row < table.length; row++) if (passes(row)) rows.push(row);
  if (rows.length === table.length) return table;
  return tableOf(Object.fromEntries(table.names.map((name) => [name, rows.map((row) => table.column(name)[row])])));
}

/** Whether a column has any value. */
export function hasAny(table: Table, name: string): boolean {
  return Array.from(table.column(name)).some((value) => value !== null && value !== undefined && value !== "");
}

/** The different texts of a column, in order. */
export function distinct(table: Table, name: string): string[] {
  return [...new Set(table.texts(name))].filter((text) => text !== "").sort(new Intl.Collator("en", { numeric: true }).compare);
}

/** Rows by the texts of some columns, in the order in which the groups first occur. */
export function grouped(table: Table, names: string[]): Map<string, number[]> {
  const columns = names.map((name) => table.texts(name));
  const groups = new Map<string, number[]>();
  for (let row = 0; row < table.length; row++) {
    const key = columns.map((column) => column[row]).join("\t");
    const rows = groups.get(key);
    if (rows) rows.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

/** The sum of a column over rows; what is no number counts nothing. */
export function sum(values: ArrayLike<number>, rows: Iterable<number>): number {
  let total = 0;
  for (const row of rows) total += values[row] || 0;
  return total;
}
