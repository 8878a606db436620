// Which rows of a table are shown and in which order, and what they are as csv.

import type { Table } from "../api/table";
import { asNumber } from "../api/table";
import { bytes, count, duration, NOTHING, number, parseQuantity, share, time } from "../format";

export type Kind = "text" | "duration" | "bytes" | "count" | "share" | "number" | "time";

export interface Sort {
  name: string;
  isDescending: boolean;
}

const FORMATS = { duration, bytes, count, share, number, time };

/** A value as it is shown. */
export function shown(value: unknown, kind: Kind): string {
  if (value === null || value === undefined || value === "") return NOTHING;
  if (kind === "text") return String(value);
  const asIs = asNumber(value);
  return Number.isNaN(asIs) ? String(value) : FORMATS[kind](asIs);
}

/** Whether a value passes a filter: `>1ms`, `<=5`, `=3` compare, anything else is looked for in what is shown. */
function passes(filter: string, kind: Kind): (value: unknown) => boolean {
  const [, operator, quantity] = /^\s*(>=|<=|>|<|=)\s*(.+)$/.exec(filter) ?? [];
  const limit = quantity === undefined || kind === "text" ? null : parseQuantity(quantity);
  if (limit !== null) {
    return (value) => {
      const number = asNumber(value);
      if (operator === ">") return number > limit;
      if (operator === ">=") return number >= limit;
      if (operator === "<") return number < limit;
      if (operator === "<=") return number <= limit;
      return number === limit;
    };
  }
  const text = filter.trim().toLowerCase();
  return (value) => shown(value, kind).toLowerCase().includes(text) || String(value ?? "").toLowerCase().includes(text);
}

/** The rows that pass all filters, in order; rows without a value come last. */
export function ordered(table: Table, kinds: Record<string, Kind>, filters: Record<string, string>, sort: Sort | null): number[] {
  const tests = Object.entries(filters)
    .filter(([name, filter]) => filter.trim() !== "" && table.has(name))
    .map(([name, filter]) => ({ column: table.column(name), test: passes(filter, kinds[name] ?? "text") }));
  const rows: number[] = [];
  for (let at = 0; at < table.length; at++) if (tests.every(({ column, test }) => test(column[at]))) rows.push(at);
  if (!sort || !table.has(sort.name)) return rows;
  const way = sort.isDescending ? -1 : 1;
  if (kinds[sort.name] === "text") {
    const texts = table.texts(sort.name);
    const collator = new Intl.Collator("en", { numeric: true });
    return rows.sort((a, b) => {
      const [left, right] = [texts[a] as string, texts[b] as string];
      if (left === "" || right === "") return left === right ? a - b : left === "" ? 1 : -1;
      return way * collator.compare(left, right) || a - b;
    });
  }
  const numbers = table.numbers(sort.name);
  return rows.sort((a, b) => {
    const [left, right] = [numbers[a] as number, numbers[b] as number];
    if (Number.isNaN(left) || Number.isNaN(right)) return Number.isNaN(left) ? (Number.isNaN(right) ? a - b : 1) : -1;
    return way * (left - right) || a - b;
  });
}

/** The rows as text, with the raw values: ns, bytes, shares of one. */
export function written(table: Table, names: string[], rows: number[], separator: "," | "\t"): string {
  const cell = (value: unknown) => {
    if (value === null || value === undefined) return "";
    const plain = ArrayBuffer.isView(value) || Array.isArray(value) ? Array.from(value as ArrayLike<unknown>).join(" ") : String(value);
    // What a profile calls things must not be a formula to a spreadsheet.
    const text = typeof value === "string" && /^[=+\-@]/.test(plain) ? `'${plain}` : plain;
    if (separator === "\t") return text.replace(/[\t\r\n]+/g, " ");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const columns = names.map((name) => table.column(name));
  const lines = [names.map(cell), ...rows.map((row) => columns.map((column) => cell(column[row])))];
  return lines.map((line) => `${line.join(separator)}\n`).join("");
}
