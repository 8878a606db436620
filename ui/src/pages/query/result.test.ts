import { expect, test } from "vitest";
import { tableOf } from "../../components/derived";
import { exact, isNumeric, isTime, lacksForLane, timesFrom } from "./result";

const TABLE = tableOf({ rank: [0, 1], start: [1767225600000001000n, 1767225600000001500n], name: ["a", null], ms: [1.5, null] });

test("columns of numbers", () => {
  expect(["rank", "start", "name", "ms"].map((name) => isNumeric(TABLE, name))).toEqual([true, true, false, true]);
});

test("times lose no digit", () => {
  expect(isTime(TABLE, "start")).toBe(true);
  expect(isTime(TABLE, "ms")).toBe(false);
  expect([...timesFrom(TABLE, "start", "1767225600000000000")]).toEqual([1000, 1500]);
});

test("what a lane needs", () => {
  expect(lacksForLane(TABLE)).toEqual(["duration"]);
});

test("values as they are", () => {
  expect([1.25, null, 12n, Float64Array.of(1, 2)].map(exact)).toEqual(["1.25", "–", "12", "1, 2"]);
});
