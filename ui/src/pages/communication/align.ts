// Collectives of all ranks, and how far ranks must be moved for one of them to be at the same time everywhere.

import type { Table } from "../../api/table";

export interface Operation {
  rank: number;
  name: string;
  kind: string;
  group: string;
  begin: number;
  end: number;
  bytes: number;
}

/** The operations of a table. */
export function operationsOf(table: Table): Operation[] {
  const [ranks, starts, lengths, sizes] = ["rank", "start", "duration", "bytes"].map((name) => table.numbers(name)) as [
    Float64Array, Float64Array, Float64Array, Float64Array,
  ];
  const [names, kinds, groups] = [table.texts("name"), table.texts("kind"), table.texts("group_name")];
  return Array.from({ length: table.length }, (_, at) => ({
    rank: ranks[at]!,
    name: names[at]!,
    kind: kinds[at]!,
    group: groups[at]!,
    begin: starts[at]!,
    end: starts[at]! + (lengths[at] || 0),
    bytes: sizes[at]!,
  }));
}

/** What is to be at the same time. */
export type Side = "start" | "end";

/**
 * How far each rank is moved for the operation like `base` to be at its time: of the same name and group, and the one
 * that begins closest to it.
 */
export function offsets(operations: Operation[], base: Operation, side: Side): Map<number, number> {
  const closest = new Map<number, Operation>();
  for (const one of operations) {
    if (one.name !== base.name || one.group !== base.group) continue;
    const before = closest.get(one.rank);
    if (!before || Math.abs(one.begin - base.begin) < Math.abs(before.begin - base.begin)) closest.set(one.rank, one);
  }
  const time = (one: Operation) => (side === "start" ? one.begin : one.end);
  return new Map([...closest].map(([rank, one]) => [rank, time(base) - time(one)]));
}
