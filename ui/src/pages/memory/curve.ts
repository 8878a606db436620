// Curves of a memory_curve table: which there are, and their parts.

import type { Table } from "../../api/table";
import type { Curve } from "../../components/CurveChart";
import { grouped } from "../../components/derived";
import { kindColour } from "../../components/colours";
import { peakIn } from "../../components/curves";

export const MEASURES = ["allocated", "reserved", "active"] as const;

export type Measure = (typeof MEASURES)[number];

const DASHES: Record<Measure, number[]> = { allocated: [], reserved: [6, 3], active: [1.5, 2.5] };

/** The memory of a component on a rank. */
export interface MemoryCurve {
  rank: number;
  kind: string;
  component: string;
  times: Float64Array;
  allocated: Float64Array;
  reserved: Float64Array;
  active: Float64Array;
}

/** The curves of a table, one for each rank and component. */
export function curvesOf(table: Table): MemoryCurve[] {
  const [ranks, kinds, components] = [table.numbers("rank"), table.texts("kind"), table.texts("component")];
  const times = table.numbers("time");
  const measures = MEASURES.map((name) => table.numbers(name));
  return [...grouped(table, ["rank", "kind", "component"]).values()].map((rows) => {
    rows.sort((one, other) => times[one]! - times[other]!);
    const first = rows[0]!;
    const of = (values: Float64Array) => Float64Array.from(rows, (row) => values[row] ?? NaN);
    const [allocated, reserved, active] = measures.map(of) as [Float64Array, Float64Array, Float64Array];
    return { rank: ranks[first]!, kind: kinds[first]!, component: components[first]!, times: of(times), allocated, reserved, active };
  });
}

const always = { begin: -Infinity, end: Infinity };

/** The highest sample of a measure; null if it was not sampled. */
function highestOf(curve: MemoryCurve, measure: Measure) {
  return peakIn({ times: curve.times, values: curve[measure] }, always);
}

/** The highest sample of a curve, which is not the memory peak: of what is allocated, or of what is reserved where that was not sampled. */
export function highestSample(curve: MemoryCurve) {
  return highestOf(curve, "allocated") ?? highestOf(curve, "reserved");
}

/** The component that a chart begins with: the allocator that holds most, or what holds most if there is none. */
export function firstComponent(curves: MemoryCurve[]): string {
  const most = (curve: MemoryCurve) => Math.max(...MEASURES.map((measure) => highestOf(curve, measure)?.value ?? 0));
  const isAllocator = (curve: MemoryCurve) => Number(curve.kind === "allocator" && highestOf(curve, "allocated") !== null);
  const best = curves.reduce<MemoryCurve | null>((best, curve) => {
    if (!best) return curve;
    return isAllocator(curve) - isAllocator(best) > 0 || (isAllocator(curve) === isAllocator(best) && most(curve) > most(best)) ? curve : best;
  }, null);
  return best?.component ?? "";
}

/** What is drawn of curves: a line for each measure; colours distinguish ranks, or measures if there is one rank. */
export function linesOf(curves: MemoryCurve[], measures: readonly Measure[], name: (rank: number, measure: Measure) => string) {
  const isOne = new Set(curves.map((curve) => curve.rank)).size === 1;
  const lines: Curve[] = [];
  const shades: { upper: Curve; lower: Curve }[] = [];
  curves.forEach((curve, at) => {
    const made = new Map<Measure, Curve>();
    measures.forEach((measure) => {
      if (highestOf(curve, measure) === null) return;
      const place = MEASURES.indexOf(measure);
      made.set(measure, {
        name: name(curve.rank, measure),
        colour: kindColour(isOne ? place : at),
        dashes: DASHES[measure],
        times: curve.times,
        values: curve[measure],
      });
    });
    const [upper, lower] = [made.get("reserved"), made.get("allocated")];
    if (upper && lower) shades.push({ upper, lower });
    lines.push(...made.values());
  });
  const legend = isOne ? lines : curves.map((curve, at) => ({ name: `rank ${curve.rank}`, colour: kindColour(at) }));
  return { lines, shades, legend };
}
