import { expect, it } from "vitest";
import { tableOf } from "../../components/derived";
import { breakdownBy } from "./breakdown";

const table = tableOf({
  rank: [1, 0, 1],
  step: [5, 5, 6],
  duration: [10, 20, 30],
  computing: [8, 9, 10],
  overlapped_communication: [3, null, 5],
  bubble: [null, null, null],
});

it("means are by rank over steps or by step over ranks", () => {
  expect(breakdownBy(table, "rank").map(({ key, duration, alone }) => [key, duration, alone])).toEqual([
    [0, 20, 9],
    [1, 20, 5],
  ]);
  expect(breakdownBy(table, "step").map(({ key, duration }) => [key, duration])).toEqual([
    [5, 15],
    [6, 30],
  ]);
  expect(breakdownBy(table, "rank")[0]!.bubble).toBeNaN();
});

it("a rank without step markers is not step 0", () => {
  expect(breakdownBy(tableOf({ rank: [0], step: [null], duration: [10] }), "step").map(({ key }) => key)).toEqual([NaN]);
});
