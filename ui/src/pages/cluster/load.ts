// The load of experts as cells.

import type { Table } from "../../api/table";
import { distinct, grouped } from "../../components/derived";

export interface Load {
  ranks: number[];
  /** Names of layers; one without a name if the profile does not distinguish them. */
  layers: string[];
  /** Row after row, a row for each layer: shares of the mean, over steps. */
  values: Float64Array;
  tokens: Float64Array;
  durations: Float64Array;
  worst: { rank: number; share: number } | null;
}

export function loadOf(table: Table): Load {
  const ranks = distinct(table, "rank").map(Number);
  const named = distinct(table, "layer");
  const layers = named.length > 0 ? named : [""];
  const columnOf = new Map(ranks.map((rank, at) => [String(rank), at]));
  const rowOf = new Map(layers.map((layer, at) => [layer, at]));
  const mean = (values: Float64Array, rows: number[]) => rows.reduce((sum, row) => sum + values[row]!, 0) / rows.length;
  const [shares, tokens, durations] = ["share_of_mean", "tokens", "duration"].map((name) => table.numbers(name)) as [
    Float64Array, Float64Array, Float64Array,
  ];
  const cells = () => new Float64Array(ranks.length * layers.length).fill(NaN);
  const load: Load = { ranks, layers, values: cells(), tokens: cells(), durations: cells(), worst: null };
  for (const [key, rows] of grouped(table, ["rank", "layer"])) {
    const [rank = "", layer = ""] = key.split("\t");
    const row = rowOf.get(layer);
    if (row === undefined) continue;
    const at = row * ranks.length + columnOf.get(rank)!;
    load.values[at] = mean(shares, rows);
    load.tokens[at] = mean(tokens, rows);
    load.durations[at] = mean(durations, rows);
    if (!load.worst || load.values[at] > load.worst.share) load.worst = { rank: Number(rank), share: load.values[at] };
  }
  return load;
}
