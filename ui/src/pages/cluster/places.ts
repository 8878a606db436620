// Ranks as a grid: a band for each pipeline stage, in it a block for each data-parallel index, in it tensor-parallel ranks
// across and context-parallel ones down. Without a layout ranks are in order.

import type { Table } from "../../api/table";

export const DIMENSIONS = ["tp", "cp", "ep", "dp", "pp"] as const;

export type Dimension = (typeof DIMENSIONS)[number];

/** A rank and its place; NaN where it is not known. */
export type Place = { rank: number } & Record<Dimension, number>;

export interface Block {
  x: number;
  y: number;
  width: number;
  height: number;
  name: string;
}

/** Where ranks are, in cells. */
export interface GridLayout {
  width: number;
  height: number;
  cells: { place: Place; x: number; y: number }[];
  /** Blocks of ranks that have pipeline and data-parallel index in common. */
  blocks: Block[];
  bands: { y: number; height: number; name: string }[];
}

/** Cells across, about. */
const ACROSS = 64;

/** Room between blocks, in cells. */
const GAP = 0.5;

export function placesOf(ranks: Table): Place[] {
  const columns = Object.fromEntries(["rank", ...DIMENSIONS].map((name) => [name, ranks.numbers(name)])) as Record<"rank" | Dimension, Float64Array>;
  const places = Array.from(columns.rank, (rank, at) => {
    const of = (dimension: Dimension) => columns[dimension][at] ?? NaN;
    return { rank, tp: of("tp"), cp: of("cp"), ep: of("ep"), dp: of("dp"), pp: of("pp") };
  });
  return places.sort((one, other) => one.rank - other.rank);
}

export function hasLayout(places: Place[]): boolean {
  return places.length > 0 && places.every(({ pp, dp, tp }) => ![pp, dp, tp].some(Number.isNaN));
}

export function layoutOf(places: Place[]): GridLayout {
  return hasLayout(places) ? blocksOf(places) : inOrder(places);
}

function inOrder(places: Place[]): GridLayout {
  const across = Math.min(places.length, Math.max(8, Math.min(ACROSS, Math.ceil(Math.sqrt(places.length * 3)))));
  const cells = places.map((place, at) => ({ place, x: at % across, y: Math.floor(at / across) }));
  return { width: across, height: Math.ceil(places.length / across), cells, blocks: [], bands: [] };
}

function blocksOf(places: Place[]): GridLayout {
  const indices = (dimension: Dimension) => [...new Set(places.map((place) => place[dimension] || 0))].sort((one, other) => one - other);
  const [tp, cp, dp, pp] = [indices("tp"), indices("cp"), indices("dp"), indices("pp")];
  const [wide, high] = [tp.length + GAP, cp.length + GAP];
  const lines = Math.ceil(dp.length / Math.max(1, Math.floor(ACROSS / wide)));
  const perLine = Math.ceil(dp.length / lines);
  const band = lines * high + GAP;
  const at = (place: Place) => {
    const block = dp.indexOf(place.dp);
    return { x: (block % perLine) * wide, y: pp.indexOf(place.pp) * band + Math.floor(block / perLine) * high };
  };
  const blocks = new Map<string, Block>();
  const cells = places.map((place) => {
    const { x, y } = at(place);
    blocks.set(`${x}/${y}`, { x, y, width: tp.length, height: cp.length, name: `dp ${place.dp}` });
    return { place, x: x + tp.indexOf(place.tp), y: y + cp.indexOf(place.cp || 0) };
  });
  return {
    width: perLine * wide - GAP,
    height: pp.length * band - 2 * GAP,
    cells,
    blocks: [...blocks.values()],
    bands: pp.map((stage, at) => ({ y: at * band, height: band - 2 * GAP, name: `pp ${stage}` })),
  };
}

/** The group of each rank in a dimension: ranks of a group differ in that index and in nothing else. */
export function groupsOf(places: Place[], dimension: Dimension): Map<number, string> {
  const others = DIMENSIONS.filter((other) => other !== dimension && other !== "ep");
  const seen = new Map<string, number>();
  return new Map(
    places.map((place) => {
      if (dimension !== "ep") return [place.rank, others.map((other) => place[other]).join("/")];
      // Experts are spread over ranks of a stage in their order: each group has every index once.
      const key = `${place.pp}/${place.ep}`;
      const group = seen.get(key) ?? 0;
      seen.set(key, group + 1);
      return [place.rank, `${place.pp}/${group}`];
    }),
  );
}

/** The ranks of a rank's group. */
export function peersOf(places: Place[], rank: number, dimension: Dimension): number[] {
  const groups = groupsOf(places, dimension);
  return places.map((place) => place.rank).filter((other) => groups.get(other) === groups.get(rank));
}
