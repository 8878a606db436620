import { expect, it } from "vitest";
import { between, byteRuler, extent, pixelOf, shareRuler, ticks, timeRuler, valueAt, widened } from "./axis";

it("a value and its pixel are each other's inverse", () => {
  const range = { begin: 100, end: 300 };
  expect(pixelOf(200, range, 10, 110)).toBe(60);
  expect(valueAt(60, range, 10, 110)).toBe(200);
});

it("ticks are round, inside the range and not too many", () => {
  expect(ticks({ begin: 3, end: 47 }, 5)).toEqual([10, 20, 30, 40]);
  expect(ticks({ begin: 0, end: 1 }, 2)).toEqual([0, 0.5, 1]);
  expect(ticks({ begin: 5, end: 5 }, 4)).toEqual([5]);
});

it("rulers name values in the unit that suits the greatest, with the digits the distance needs", () => {
  const times = timeRuler({ begin: 1.2e9, end: 1.25e9 }, 5);
  expect(times.at.map(times.label)).toEqual(["1.20 s", "1.21 s", "1.22 s", "1.23 s", "1.24 s", "1.25 s"]);
  const sizes = byteRuler({ begin: 0, end: 3 * 2 ** 30 }, 3);
  expect(sizes.at.map(sizes.label)).toEqual(["0 GiB", "1 GiB", "2 GiB", "3 GiB"]);
  expect(shareRuler({ begin: 0, end: 1 }, 2).label(0.5)).toBe("50 %");
});

it("a brush gives the range between its ends, inside the whole", () => {
  expect(between(90, -5, { begin: 0, end: 50 })).toEqual({ begin: 0, end: 50 });
});

it("the extent leaves out what is no number", () => {
  expect(extent([3, NaN, -1, Infinity])).toEqual({ begin: -1, end: 3 });
  expect(extent([])).toBeNull();
});

it("a scale of values that are nearly the same is widened", () => {
  expect(widened({ begin: 99, end: 100 }, 0.1)).toEqual({ begin: 90, end: 100 });
  expect(widened({ begin: 10, end: 100 }, 0.1)).toEqual({ begin: 10, end: 100 });
});
