import { expect, it } from "vitest";
import { tableOf } from "../../components/derived";
import { splitByRank } from "./split";

it("parts of a rank add up to its time", () => {
  const table = tableOf({ rank: [3, 1, 3, 1], elapsed: [99, 99, 99, 8], transit: [1, 2, 3, null], wait: [10, 20, 30, null], synchronization: [4, 5, 6, null], idle: [7, null, 9, null] });
  expect(splitByRank(table)).toEqual({ ranks: [1, 3], transit: [2, 4], synchronization: [5, 10], wait: [15, 30], idle: [0, 16], undivided: [8, 0] });
});
