// Selection kernels are looked at: those that compute, or the collectives that are kernels to the scheduler.

import type { Table } from "../../api/table";
import { rowsThat, tableOf } from "../../components/derived";

export const SELECTIONS = ["computing", "communication", "all"] as const;

export type Selection = (typeof SELECTIONS)[number];

/** What the core of a collective is called. */
const COMMUNICATION = ["HCCL", "COMMUNICATION"];

const made = new WeakMap<Table, Map<Selection, Table>>();

/** The groups of these kernels, with shares of their time. Groups without a core are left as they are. */
export function kernelsOf(table: Table, which: Selection): Table {
  if (which === "all" || !table.has("core")) return table;
  const known = made.get(table) ?? new Map<Selection, Table>();
  made.set(table, known);
  let found = known.get(which);
  if (!found) {
    found = chosen(table, which === "communication");
    known.set(which, found);
  }
  return found;
}

function chosen(table: Table, isCommunication: boolean): Table {
  const cores = table.texts("core");
  const kept = rowsThat(table, (row) => COMMUNICATION.includes(cores[row]!) === isCommunication);
  const totals = kept.numbers("total");
  const all = totals.reduce((sum, total) => sum + total, 0) || 1;
  const columns = Object.fromEntries(kept.names.map((name) => [name, kept.column(name)]));
  return tableOf({ ...columns, share: totals.map((total) => total / all) });
}
