import { expect, it } from "vitest";
import { barAt } from "./Gantt";

const bar = (row: number, begin: number, end: number, thin = false) => ({ row, begin, end, thin, colour: "", name: "" });

it("finds the bar that was drawn last, and near ones that are too short to hit", () => {
  const bars = [bar(0, 0, 100), bar(0, 50, 60), bar(1, 10, 10)];
  expect(barAt(bars, 0, 55, 1, false)).toBe(1);
  expect(barAt(bars, 0, 20, 1, false)).toBe(0);
  expect(barAt(bars, 1, 11, 2, false)).toBe(2);
  expect(barAt(bars, 1, 15, 2, false)).toBeNull();
});

it("a thin bar is hit at the lower edge of its row only", () => {
  const bars = [bar(0, 0, 100), bar(0, 50, 60, true)];
  expect(barAt(bars, 0, 55, 1, false)).toBe(0);
  expect(barAt(bars, 0, 55, 1, true)).toBe(1);
});
