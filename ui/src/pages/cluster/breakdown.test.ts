import { expect, it } from "vitest";
import { tableOf } from "../../components/derived";
import { breakdownBy, PARTS } from "./breakdown";

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

it("the parts of a bar add up to the device time, without what the step before counts as free", () => {
  const steps = tableOf({
    rank: [0, 0],
    step: [5, 6],
    duration: [133, 133],
    device_time: [123, 133],
    computing: [60, 60],
    overlapped_communication: [20, 20],
    exposed_communication: [40, 40],
    free: [23, 33],
    preparing: [10, 14],
  });
  const [bar] = breakdownBy(steps, "rank");
  expect(PARTS.reduce((sum, part) => sum + bar![part], 0)).toBe((123 + 133) / 2);
});

it("a rank without step markers is not step 0", () => {
  expect(breakdownBy(tableOf({ rank: [0], step: [null], duration: [10] }), "step").map(({ key }) => key)).toEqual([NaN]);
});
