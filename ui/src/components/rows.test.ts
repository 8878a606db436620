import { expect, test } from "vitest";
import { tableOf } from "./derived";
import { type Kind, ordered, shown, written } from "./rows";

const TABLE = tableOf({
  name: ["op10", "op9", null, 'say "hi", all'],
  total: [2e6, null, 5e5, 3e6],
  counts: [[1, 2], [3], [], [4]],
});
const KINDS: Record<string, Kind> = { name: "text", total: "duration" };

test("sorts numbers and names, with those that have none last", () => {
  expect(ordered(TABLE, KINDS, {}, { name: "total", isDescending: true })).toEqual([3, 0, 2, 1]);
  expect(ordered(TABLE, KINDS, {}, { name: "total", isDescending: false })).toEqual([2, 0, 3, 1]);
  expect(ordered(TABLE, KINDS, {}, { name: "name", isDescending: false })).toEqual([1, 0, 3, 2]);
});

test("filters by text and by quantity", () => {
  expect(ordered(TABLE, KINDS, { name: "OP" }, null)).toEqual([0, 1]);
  expect(ordered(TABLE, KINDS, { total: ">1ms" }, null)).toEqual([0, 3]);
  expect(ordered(TABLE, KINDS, { total: "<=500us" }, null)).toEqual([2]);
  expect(ordered(TABLE, KINDS, { name: "op", total: ">0" }, null)).toEqual([0]);
  expect(ordered(TABLE, KINDS, { total: ">" }, null)).toEqual([]);
});

test("shows values by kind", () => {
  expect([shown(2e6, "duration"), shown(null, "bytes"), shown("x", "number"), shown(0.5, "share")]).toEqual(["2 ms", "–", "x", "50.0 %"]);
});

test("writes csv with raw values", () => {
  expect(written(TABLE, ["name", "total", "counts"], [3, 1], ",")).toBe('name,total,counts\n"say ""hi"", all",3000000,4\nop9,,3\n');
  expect(written(TABLE, ["name", "total"], [0], "\t")).toBe("name\ttotal\nop10\t2000000\n");
});
