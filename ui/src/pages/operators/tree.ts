// Parts of categories with a row for each category above them.

import type { Table } from "../../api/table";
import { grouped, sum, tableOf } from "../../components/derived";

/** The rows by category, each category first as a row of its own with no part: the sums of its parts. */
export function treeOf(table: Table): Table {
  const numbers = (name: string) => table.numbers(name);
  const [total, perStep, share, count] = [numbers("total"), numbers("per_step"), numbers("share"), numbers("count")];
  const [average, min, max] = [numbers("average"), numbers("min"), numbers("max")];
  const durations = average.map((mean, at) => (mean || 0) * (count[at] || 0));
  const rows: Record<string, unknown>[] = [];
  for (const [category, places] of grouped(table, ["category"])) {
    const all = { total: sum(total, places), per_step: sum(perStep, places), share: sum(share, places), count: sum(count, places) };
    const known = (values: Float64Array) => places.map((place) => values[place]!).filter((value) => !Number.isNaN(value));
    rows.push({
      category,
      part: "",
      group: null,
      ...all,
      average: all.count > 0 ? sum(durations, places) / all.count : null,
      min: known(min).length > 0 ? Math.min(...known(min)) : null,
      max: known(max).length > 0 ? Math.max(...known(max)) : null,
    });
    // A part that is the category says nothing more.
    for (const place of places) if (places.length > 1 || table.column("part")[place] !== category) rows.push(table.row(place));
  }
  const names = ["category", "part", "group", "total", "per_step", "share", "count", "average", "min", "max"];
  return tableOf(Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])])));
}
