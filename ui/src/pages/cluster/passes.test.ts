import { expect, it } from "vitest";
import { tableOf } from "../../components/derived";
import { bubbleShares, pipelineOf } from "./passes";

const table = tableOf({
  rank: [4, 0, 1, 0],
  stage: [1, 0, 0, 0],
  kind: ["forward", "forward", "backward", "bubble"],
  name: ["FP", "FP", "BP", "bubble"],
  micro_batch: [0, 0, 1, null],
  start: [10, 0, 5, 30],
  duration: [10, 30, 5, 10],
});

it("rows are by stage, and one rank of each stage is enough", () => {
  expect(pipelineOf(table, false).rows.map(({ rank }) => rank)).toEqual([0, 1, 4]);
  const { rows, passes } = pipelineOf(table, true);
  expect(rows.map(({ rank }) => rank)).toEqual([0, 4]);
  expect(passes.map(({ row, end }) => [row, end])).toEqual([
    [1, 20],
    [0, 30],
    [0, 40],
  ]);
  expect(bubbleShares(passes)).toEqual([
    { row: 0, share: 0.25 },
    { row: 1, share: 0 },
  ]);
});

it("a bubble inside a pass is not counted twice", () => {
  const pass = { row: 0, name: "", microBatch: null };
  const passes = [
    { ...pass, kind: "forward" as const, begin: 0, end: 40 },
    { ...pass, kind: "bubble" as const, begin: 10, end: 30 },
  ];
  expect(bubbleShares(passes)).toEqual([{ row: 0, share: 0.5 }]);
});
