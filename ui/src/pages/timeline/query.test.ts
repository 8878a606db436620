import { expect, it } from "vitest";
import { Table } from "../../api/table";
import { querySlices } from "./query";

it("rows of a query are slices by rank, relative to the origin", () => {
  const table = new Table(
    new Map<string, ArrayLike<unknown>>([
      ["rank", [1, 0, null]],
      ["start", [1_763_270_000_000_000_500n, 1_763_270_000_000_000_100n, 1_763_270_000_000_000_050n]],
      ["duration", [10, 20n, null]],
      ["name", ["a", "b", null]],
    ]),
  );
  const found = querySlices(table, 1_763_270_000_000_000_000n, 0);
  expect(found.get(1)).toEqual([{ name: "a", begin: 500, end: 510 }]);
  expect(found.get(0)).toEqual([
    { name: "", begin: 50, end: 50 },
    { name: "b", begin: 100, end: 120 },
  ]);
});
