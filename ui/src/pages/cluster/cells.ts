// The table of the heat map as cells.

import type { Table } from "../../api/table";
import type { Range } from "../../components/axis";

export const MEASURES = ["computing", "exposed_communication", "communication", "idle"] as const;

export type Measure = (typeof MEASURES)[number];

export interface HeatCells {
  ranks: number[];
  buckets: number;
  /** The times that all buckets span. */
  times: Range;
  /** Row after row, a row for each rank; NaN where nothing is known. */
  values: Record<Measure, Float32Array>;
}

export function heatOf(table: Table): HeatCells {
  const [rankOf, bucketOf, begins] = [table.numbers("rank"), table.numbers("bucket"), table.numbers("begin")];
  const ranks = [...new Set(rankOf)].sort((one, other) => one - other);
  const rowOf = new Map(ranks.map((rank, row) => [rank, row]));
  const buckets = bucketOf.reduce((most, bucket) => Math.max(most, bucket + 1), 0);
  const cells = Array.from(rankOf, (rank, at) => rowOf.get(rank)! * buckets + bucketOf[at]!);
  const spread = (values: Float64Array) => {
    const spread = new Float32Array(ranks.length * buckets).fill(NaN);
    cells.forEach((cell, at) => (spread[cell] = values[at]!));
    return spread;
  };
  const [computing, exposed] = [table.numbers("computing"), table.numbers("exposed_communication")];
  return {
    ranks,
    buckets,
    times: timesOf(begins, bucketOf, buckets),
    values: {
      computing: spread(computing),
      exposed_communication: spread(exposed),
      communication: spread(table.numbers("communication")),
      idle: spread(computing.map((share, at) => Math.max(0, 1 - share - exposed[at]!))),
    },
  };
}

/** The span of buckets that are equally long. */
function timesOf(begins: Float64Array, bucketOf: Float64Array, buckets: number): Range {
  const first = bucketOf.indexOf(0);
  const last = bucketOf.indexOf(buckets - 1);
  const begin = begins[first] ?? 0;
  const each = buckets > 1 && last >= 0 ? (begins[last]! - begin) / (buckets - 1) : 1;
  return { begin, end: begin + each * Math.max(buckets, 1) };
}
