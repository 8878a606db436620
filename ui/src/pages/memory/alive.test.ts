import { expect, it } from "vitest";
import { tableOf } from "../../components/derived";
import { aliveByNode } from "./alive";

it("adds up what is alive, up to the end of the graph", () => {
  const table = tableOf({
    rank: [0, 0, 1, 0],
    graph: [1, 1, 1, 2],
    bytes: [10, 5, 99, 99],
    node_start: [1, 2, 1, 1],
    node_end: [3, 4294967295, 9, 9],
  });
  expect(aliveByNode(table, "1")).toEqual([
    { node: 1, bytes: 10 },
    { node: 2, bytes: 15 },
    { node: 4, bytes: 5 },
  ]);
});
