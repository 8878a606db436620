import { expect, it } from "vitest";
import { clamped, duration, panned, tickDistance, zoomed } from "./view";

const whole = { begin: 0, end: 1000 };

it("zooming keeps the time under the pointer where it is", () => {
  const view = zoomed({ begin: 200, end: 600 }, 0.5, 300, whole);
  expect(view).toEqual({ begin: 250, end: 450 });
});

it("a view never leaves the whole", () => {
  expect(zoomed({ begin: 0, end: 900 }, 2, 100, whole)).toEqual(whole);
  expect(panned({ begin: 800, end: 1000 }, 1, whole)).toEqual({ begin: 800, end: 1000 });
  expect(clamped({ begin: -50, end: 50 }, whole)).toEqual({ begin: 0, end: 100 });
});

it("ticks are round and not too close", () => {
  expect([0.3, 3, 20, 21, 600].map(tickDistance)).toEqual([1, 5, 20, 50, 1000]);
});

it("durations have the unit that suits them", () => {
  expect([5, 1500, 2_500_000, 3e9].map(duration)).toEqual(["5 ns", "1.5 µs", "2.5 ms", "3 s"]);
});
