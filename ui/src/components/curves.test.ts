import { expect, it } from "vitest";
import { curveValue, peakIn, sampleAt } from "./curves";

const curve = { times: [10, 20, 30, 40], values: [1, 5, NaN, 3] };

it("a sample holds until the next", () => {
  expect([9, 10, 19, 20, 99].map((time) => sampleAt(curve.times, time))).toEqual([-1, 0, 0, 1, 3]);
  expect(curveValue(curve, 25)).toBe(5);
  expect(curveValue(curve, 5)).toBeNaN();
});

it("the peak of a stretch may have begun before it", () => {
  expect(peakIn(curve, { begin: 0, end: 100 })).toEqual({ time: 20, value: 5 });
  expect(peakIn(curve, { begin: 25, end: 35 })).toEqual({ time: 25, value: 5 });
  expect(peakIn(curve, { begin: 0, end: 5 })).toBeNull();
});
