import { expect, test } from "vitest";
import { bytes, count, duration, NOTHING, number, parseQuantity, share, time } from "./format";

test("durations", () => {
  expect([0, 999, 1500, 2.5e6, 1.23456e9, -3e6].map(duration)).toEqual(["0 ns", "999 ns", "1.5 µs", "2.5 ms", "1.235 s", "-3 ms"]);
});

test("sizes", () => {
  expect([0, 1023, 1024, 1.5 * 2 ** 30].map(bytes)).toEqual(["0 B", "1023 B", "1 KiB", "1.5 GiB"]);
});

test("counts, shares, numbers, times", () => {
  expect(count(1234567)).toBe("1,234,567");
  expect([0, 0.1234, 0.9999, 1].map(share)).toEqual(["0.0 %", "12.3 %", "100 %", "100 %"]);
  expect([0.000123456, 12.3456, 123456.7].map(number)).toEqual(["0.0001235", "12.35", "123,457"]);
  expect(time(1_234_567_890)).toBe("1.234 568 s");
});

test("what is not known", () => {
  expect([duration, bytes, count, share, number, time].map((format) => format(Number.NaN))).toEqual(Array(6).fill(NOTHING));
});

test("quantities are read back", () => {
  expect(["1.5ms", "3 us", "2GB", "50%", "7", "1e3", "-1s"].map(parseQuantity)).toEqual([1.5e6, 3e3, 2 ** 31, 0.5, 7, 1000, -1e9]);
  expect(["", "ms", "3 parsecs", "1.2.3"].map(parseQuantity)).toEqual([null, null, null, null]);
});
