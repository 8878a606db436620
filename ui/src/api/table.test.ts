import { columnFromArray, int64, list, tableFromColumns, tableToIPC, uint64, utf8 } from "@uwdata/flechette";
import { expect, test } from "vitest";
import { Table } from "./table";

test("an Arrow stream is a table", () => {
  const arrow = tableFromColumns({
    name: columnFromArray(["a", null, "<script>"], utf8()),
    total: columnFromArray([1n, null, 3n], int64()),
    start: columnFromArray([1767225600000001001n, 1n, 2n], int64()),
    histogram: columnFromArray([[1n, 2n], [], [3n]], list(uint64())),
  });
  const bytes = tableToIPC(arrow, { format: "stream" });
  if (!bytes) throw new Error("no bytes");
  const table = Table.fromArrow(bytes.slice().buffer as ArrayBuffer);
  expect(table.names).toEqual(["name", "total", "start", "histogram"]);
  expect(table.length).toBe(3);
  expect([...(table.column("total") as number[])]).toEqual([1, null, 3]);
  expect([...table.numbers("total")]).toEqual([1, Number.NaN, 3]);
  expect(table.column("start")[0]).toBe(1767225600000001001n);
  expect(table.texts("name")).toEqual(["a", "", "<script>"]);
  expect(table.row(2)).toEqual({ name: "<script>", total: 3, start: 2, histogram: [3] });
  expect([...table.rows()]).toHaveLength(3);
  expect([table.has("no"), table.column("no").length]).toEqual([false, 0]);
});
