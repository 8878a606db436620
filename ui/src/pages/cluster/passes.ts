// The table of the pipeline as bars.

import type { Table } from "../../api/table";

export type PassKind = "forward" | "backward" | "send" | "recv" | "bubble";

export interface Pass {
  row: number;
  kind: PassKind;
  name: string;
  microBatch: number | null;
  begin: number;
  end: number;
}

export interface PipelineRow {
  rank: number;
  stage: number | null;
}

/** Passes with the row of their rank: by stage, then by rank; of each stage only the first rank if `isOneEach`. */
export function pipelineOf(table: Table, isOneEach: boolean): { rows: PipelineRow[]; passes: Pass[] } {
  const [ranks, stages] = [table.numbers("rank"), table.numbers("stage")];
  const stageOf = new Map<number, number | null>();
  ranks.forEach((rank, at) => stageOf.set(rank, Number.isNaN(stages[at]!) ? null : stages[at]!));
  let rows = [...stageOf].map(([rank, stage]) => ({ rank, stage }));
  rows.sort((one, other) => (one.stage ?? -1) - (other.stage ?? -1) || one.rank - other.rank);
  if (isOneEach) rows = rows.filter((row, at) => row.stage === null || row.stage !== rows[at - 1]?.stage);
  const rowOf = new Map(rows.map(({ rank }, at) => [rank, at]));
  const [kinds, names] = [table.texts("kind"), table.texts("name")];
  const [starts, lengths, batches] = [table.numbers("start"), table.numbers("duration"), table.numbers("micro_batch")];
  const passes: Pass[] = [];
  for (let at = 0; at < table.length; at++) {
    const row = rowOf.get(ranks[at]!);
    if (row === undefined) continue;
    passes.push({
      row,
      kind: kinds[at] as PassKind,
      name: names[at]!,
      microBatch: Number.isNaN(batches[at]!) ? null : batches[at]!,
      begin: starts[at]!,
      end: starts[at]! + lengths[at]!,
    });
  }
  // Bubbles and transfers are inside passes, and drawn over them.
  const order = (pass: Pass) => (pass.kind === "bubble" ? 1 : pass.kind === "send" || pass.kind === "recv" ? 2 : 0);
  return { rows, passes: passes.sort((one, other) => order(one) - order(other)) };
}

/** The share of bubbles in the time of passes and bubbles, by row. */
export function bubbleShares(passes: Pass[]): { row: number; share: number }[] {
  const sums = new Map<number, { bubble: number; all: number }>();
  for (const { row, kind, begin, end } of passes) {
    if (kind === "send" || kind === "recv") continue;
    const sum = sums.get(row) ?? { bubble: 0, all: 0 };
    sum.all += end - begin;
    if (kind === "bubble") sum.bubble += end - begin;
    sums.set(row, sum);
  }
  return [...sums].sort(([one], [other]) => one - other).map(([row, { bubble, all }]) => ({ row, share: all > 0 ? bubble / all : 0 }));
}
