import { expect, it } from "vitest";
import { distinct, grouped, hasAny, rowsThat, sum, tableOf } from "./derived";

const table = tableOf({ rank: [10, 2, 2], kind: ["a", "b", null], time: [1, NaN, 3] });

it("keeps the rows that pass", () => {
  const kept = rowsThat(table, (row) => row > 0);
  expect(kept.length).toBe(2);
  expect(kept.texts("kind")).toEqual(["b", ""]);
  expect(rowsThat(table, () => true)).toBe(table);
  expect(rowsThat(table, () => false).names).toEqual(table.names);
});

it("groups rows and names what there is", () => {
  expect(distinct(table, "rank")).toEqual(["2", "10"]);
  expect(distinct(table, "kind")).toEqual(["a", "b"]);
  expect([...grouped(table, ["rank"])]).toEqual([["10", [0]], ["2", [1, 2]]]);
  expect(sum(table.numbers("time"), [0, 1, 2])).toBe(4);
});

it("knows columns without a value", () => {
  expect([hasAny(table, "kind"), hasAny(tableOf({ kind: [null, ""] }), "kind"), hasAny(table, "nothing")]).toEqual([true, false, false]);
});
