import { expect, it } from "vitest";
import { tableOf } from "../../components/derived";
import { treeOf } from "./tree";

it("a category comes before its parts and sums them up", () => {
  const tree = treeOf(
    tableOf({
      category: ["computing", "computing", "free"],
      part: ["matmul", "vector", "free"],
      group: [null, null, null],
      total: [30, 10, 5],
      per_step: [15, 5, 2.5],
      share: [0.6, 0.2, 0.1],
      count: [3, 1, 2],
      average: [11, 10, 2.5],
      min: [5, 10, 1],
      max: [15, 10, 4],
    }),
  );
  expect([...tree.rows()].map((row) => [row.category, row.part, row.total])).toEqual([
    ["computing", "", 40],
    ["computing", "matmul", 30],
    ["computing", "vector", 10],
    ["free", "", 5],
  ]);
  expect(tree.row(0)).toMatchObject({ per_step: 20, count: 4, average: 10.75, min: 5, max: 15 });
});
