// The table of stages as bars.

import type { Table } from "../../api/table";

export interface Stage {
  rank: number;
  name: string;
  role: string;
  step: number | null;
  begin: number;
  end: number;
}

export function stagesOf(table: Table): Stage[] {
  const [ranks, steps, starts, lengths] = ["rank", "step", "start", "duration"].map((name) => table.numbers(name)) as [
    Float64Array, Float64Array, Float64Array, Float64Array,
  ];
  const [names, roles] = [table.texts("stage"), table.texts("role")];
  return Array.from({ length: table.length }, (_, at) => ({
    rank: ranks[at]!,
    name: names[at]!,
    role: roles[at]!,
    step: Number.isNaN(steps[at]!) ? null : steps[at]!,
    begin: starts[at]!,
    end: starts[at]! + lengths[at]!,
  }));
}

/** The longest of each stage. */
export function slowestOf(stages: Stage[]): Map<string, Stage> {
  const slowest = new Map<string, Stage>();
  for (const stage of stages) {
    const before = slowest.get(stage.name);
    if (!before || stage.end - stage.begin > before.end - before.begin) slowest.set(stage.name, stage);
  }
  return slowest;
}
