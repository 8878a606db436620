// The table of the pipeline as bars.

import type { Table } from "../../api/table";

export type PassKind = "forward" | "backward" | "send" | "recv" | "bubble" | "idle";

export interface Pass {
  row: number;
  kind: PassKind;
  name: string;
  microBatch: number | null;
  begin: number;
  end: number;
}

/** Whether nothing is done: the rank waits to receive, or is between passes. */
export const isWait = ({ kind }: Pick<Pass, "kind">) => kind === "bubble" || kind === "idle";

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
  const order = (pass: Pass) => (isWait(pass) ? 1 : pass.kind === "send" || pass.kind === "recv" ? 2 : 0);
  return { rows, passes: passes.sort((one, other) => order(one) - order(other)) };
}

/** The share of bubbles in the time in which there are passes, bubbles or idle times, by row. Bubbles may be inside passes. */
export function bubbleShares(passes: Pass[]): { row: number; share: number }[] {
  const rows = new Map<number, Pass[]>();
  for (const pass of passes) {
    if (pass.kind === "send" || pass.kind === "recv") continue;
    const of = rows.get(pass.row);
    if (of) of.push(pass);
    else rows.set(pass.row, [pass]);
  }
  const shares = [...rows].map(([row, of]) => ({ row, share: covered(of.filter(({ kind }) => kind === "bubble")) / (covered(of) || 1) }));
  return shares.sort((one, other) => one.row - other.row);
}

/** The time in which at least one of them runs. */
function covered(passes: Pass[]): number {
  let [sum, until] = [0, -Infinity];
  for (const { begin, end } of [...passes].sort((one, other) => one.begin - other.begin)) {
    sum += Math.max(0, end - Math.max(begin, until));
    until = Math.max(until, end);
  }
  return sum;
}
