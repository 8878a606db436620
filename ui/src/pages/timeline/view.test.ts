import { expect, it } from "vitest";
import { around, clamped, fitted, panned, placeOf, showing, ticksOf, ViewHistory, zoomed } from "./view";

const whole = { begin: 0, end: 1_000_000 };

it("zooming keeps the time under the pointer where it is", () => {
  const view = zoomed({ begin: 200, end: 600 }, 0.5, 300, whole);
  expect(view).toEqual({ begin: 250, end: 450 });
});

it("a view never leaves the whole", () => {
  const small = { begin: 0, end: 1000 };
  expect(zoomed({ begin: 0, end: 900 }, 2, 100, small)).toEqual(small);
  expect(panned({ begin: 800, end: 1000 }, 1, small)).toEqual({ begin: 800, end: 1000 });
  expect(clamped({ begin: -50, end: 50 }, small)).toEqual({ begin: 0, end: 100 });
  expect(around({ begin: 10, end: 20 }, small)).toEqual(small);
});

it("a stretch is shown without zooming where that can be", () => {
  const view = { begin: 0, end: 10_000 };
  expect(showing({ begin: 100, end: 200 }, view, whole)).toBe(view);
  expect(showing({ begin: 50_000, end: 51_000 }, view, whole)).toEqual({ begin: 45_500, end: 55_500 });
  expect(showing({ begin: 0, end: 50_000 }, view, whole)).toEqual({ begin: 0, end: 250_000 });
  expect(fitted({ begin: 1000, end: 2000 }, whole)).toEqual({ begin: 950, end: 2050 });
});

it("views are undone and done again", () => {
  const history = new ViewHistory();
  const [a, b, c] = [1, 2, 3].map((begin) => ({ begin, end: 10 })) as [typeof whole, typeof whole, typeof whole];
  history.leave(a);
  history.leave(b);
  expect(history.back(c)).toBe(b);
  expect(history.back(b)).toBe(a);
  expect(history.back(a)).toBeNull();
  expect(history.forward(a)).toBe(b);
  expect(history.forward(b)).toBe(c);
  expect(history.forward(c)).toBeNull();
});

it("ticks have one unit, and are relative to a base where they would be long", () => {
  expect(ticksOf({ begin: 0, end: 3e6 }, 9e5).ticks.map((tick) => tick.label)).toEqual(["0 ms", "1 ms", "2 ms", "3 ms"]);
  expect(ticksOf({ begin: 0, end: 1.1e6 }, 4e5).ticks.map((tick) => tick.label)).toEqual(["0.0 ms", "0.5 ms", "1.0 ms"]);
  const far = ticksOf({ begin: 5_000_123_456, end: 5_000_126_000 }, 900);
  expect(far.base).toBe("5 s");
  expect(far.ticks.map((tick) => tick.label)).toEqual(["+124 µs", "+125 µs", "+126 µs"]);
});

it("a place is a time or a step", () => {
  expect(placeOf("12.5ms")).toEqual({ time: 12_500_000 });
  expect(placeOf(" 3 us")).toEqual({ time: 3000 });
  expect(placeOf("2")).toEqual({ time: 2e9 });
  expect(placeOf("step 5")).toEqual({ step: 5 });
  expect(placeOf("第 7 步")).toEqual({ step: 7 });
  expect(placeOf("soon")).toBeNull();
});
