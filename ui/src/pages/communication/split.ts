// The time of communication of each rank, in parts that add up.

import type { Table } from "../../api/table";
import { grouped, sum } from "../../components/derived";

export interface Split {
  ranks: number[];
  transit: number[];
  synchronization: number[];
  /** Waiting that is no synchronization. */
  wait: number[];
  idle: number[];
  /** All of it, where the source does not divide it. */
  undivided: number[];
}

/** Sums by rank, in order of rank. Synchronization is part of waiting, and is taken out of it. */
export function splitByRank(table: Table): Split {
  const [transit, wait, synchronization, idle] = ["transit", "wait", "synchronization", "idle"].map((name) => table.numbers(name));
  const elapsed = table.numbers("elapsed").map((time, row) => (Number.isNaN(transit![row]!) ? time : 0));
  const groups = [...grouped(table, ["rank"])].map(([rank, rows]) => ({ rank: Number(rank), rows }));
  groups.sort((one, other) => one.rank - other.rank);
  const sums = (values: Float64Array) => groups.map(({ rows }) => sum(values, rows));
  const synchronized = sums(synchronization!);
  return {
    ranks: groups.map(({ rank }) => rank),
    transit: sums(transit!),
    synchronization: synchronized,
    wait: sums(wait!).map((all, at) => Math.max(0, all - synchronized[at]!)),
    idle: sums(idle!),
    undivided: sums(elapsed),
  };
}
