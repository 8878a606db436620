// Memory of a static graph by node.

import type { Table } from "../../api/table";

/** The number that stands for the end of the graph. */
const END = 4294967295;

/** Bytes alive at each node that begins or ends a life, on the first rank that has the graph. */
export function aliveByNode(table: Table, graph: string): { node: number; bytes: number }[] {
  const [graphs, ranks, sizes] = [table.texts("graph"), table.texts("rank"), table.numbers("bytes")];
  const [starts, ends] = [table.numbers("node_start"), table.numbers("node_end")];
  const rank = ranks[graphs.indexOf(graph)];
  const changes = new Map<number, number>();
  const change = (node: number, bytes: number) => changes.set(node, (changes.get(node) ?? 0) + bytes);
  for (let row = 0; row < table.length; row++) {
    if (graphs[row] !== graph || ranks[row] !== rank || Number.isNaN(starts[row]!)) continue;
    change(starts[row]!, sizes[row] || 0);
    if (ends[row]! < END) change(ends[row]! + 1, -(sizes[row] || 0));
  }
  let alive = 0;
  return [...changes].sort(([one], [other]) => one - other).map(([node, bytes]) => {
    alive += bytes;
    return { node, bytes: alive };
  });
}
