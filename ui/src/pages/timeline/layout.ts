// Where nodes of the tree are drawn: pinned ones at the top, the others below each other and scrolled.

import type { Node, Tree } from "./lanes";

export const ROW_HEIGHT = 18;
/** Ticks and, below them, steps and marks. */
export const RULER_HEIGHT = 42;
export const TICKS_HEIGHT = 22;
const HEAD_HEIGHT = 24;
const STRIP_HEIGHT = 30;
const COUNTER_HEIGHT = 40;
/** A lane drawn small has at most this height. */
const COMPACT_HEIGHT = 36;
const GAP = 3;

/** A node and where it is. Tops are relative to the top of the pinned or of the scrolled nodes. */
export interface Place {
  node: Node;
  top: number;
  height: number;
  /** Height of a row of slices. */
  row: number;
}

/** All nodes in their places. */
export interface Layout {
  pinned: Place[];
  pinnedHeight: number;
  places: Place[];
  height: number;
  /** Places by key, pinned or not. */
  byKey: Map<string, Place>;
  /** Keys of what draws a lane, by rank and lane. */
  laneKeys: Map<string, string>;
}

/** How many rows merged lanes need, by key: what drawing them found. */
export type MergedRows = Map<string, number>;

function sized(node: Node, mergedRows: MergedRows): { height: number; row: number } {
  switch (node.kind) {
    case "rank":
      return { height: node.isExpanded ? HEAD_HEIGHT : STRIP_HEIGHT, row: 0 };
    case "process":
      return { height: node.isExpanded ? HEAD_HEIGHT : STRIP_HEIGHT, row: 0 };
    case "counter":
      return { height: COUNTER_HEIGHT, row: 0 };
    case "note":
    case "more":
      return { height: HEAD_HEIGHT, row: 0 };
    default: {
      const rows =
        node.kind === "merged" ? (mergedRows.get(node.key) ?? 1) : node.kind === "query" ? 1 : (node.lanes[0]?.rows ?? 1);
      const isSmall = node.isExpandable && !node.isExpanded;
      const row = isSmall ? Math.max(Math.min(ROW_HEIGHT, Math.floor(COMPACT_HEIGHT / rows)), 1) : ROW_HEIGHT;
      return { height: Math.max(Math.min(rows * row, isSmall ? COMPACT_HEIGHT : Infinity), ROW_HEIGHT) + GAP, row };
    }
  }
}

/** Places the nodes of a tree. */
export function placed(tree: Tree, mergedRows: MergedRows): Layout {
  const byKey = new Map<string, Place>();
  const laneKeys = new Map<string, string>();
  const place = (nodes: Node[]): [Place[], number] => {
    let top = 0;
    const places = nodes.map((node) => {
      const found: Place = { node, top, ...sized(node, mergedRows) };
      byKey.set(node.key, found);
      if (node.kind !== "process" || !node.isExpanded) {
        for (const lane of node.lanes) {
          const key = `${node.rank}/${lane.id}`;
          if (node.kind !== "process" || !laneKeys.has(key)) laneKeys.set(key, node.key);
        }
      }
      top += found.height;
      return found;
    });
    return [places, top];
  };
  const [pinned, pinnedHeight] = place(tree.pinned);
  const [places, height] = place(tree.nodes);
  return { pinned, pinnedHeight, places, height, byKey, laneKeys };
}

/** The top of a place on the canvas. */
export function screenTop(layout: Layout, place: Place, scroll: number): number {
  return RULER_HEIGHT + place.top + (place.node.isPinned ? 0 : layout.pinnedHeight - scroll);
}

/** The places that reach into `from..to`, both from the top of the scrolled nodes. */
export function between(places: Place[], from: number, to: number): Place[] {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const place = places[middle] as Place;
    if (place.top + place.height <= from) low = middle + 1;
    else high = middle;
  }
  let last = low;
  while (last < places.length && (places[last] as Place).top < to) last++;
  return places.slice(low, last);
}

/** The places that are seen on a canvas of a height, pinned ones first. */
export function seen(layout: Layout, scroll: number, height: number): Place[] {
  return [...layout.pinned, ...between(layout.places, scroll, scroll + height - RULER_HEIGHT - layout.pinnedHeight)];
}

/** The place at a height of the canvas. */
export function placeAt(layout: Layout, y: number, scroll: number): Place | null {
  if (y < RULER_HEIGHT) return null;
  const below = y - RULER_HEIGHT;
  const isPinned = below < layout.pinnedHeight;
  const at = isPinned ? below : below - layout.pinnedHeight + scroll;
  return between(isPinned ? layout.pinned : layout.places, at, at + 1)[0] ?? null;
}

/** Where a slice of a lane is drawn: the middle of its row, or of the group that its lane is folded into. */
export function slicePlace(
  layout: Layout,
  rank: number,
  lane: number,
  row: number,
  scroll: number,
): { y: number; place: Place } | null {
  const key = layout.laneKeys.get(`${rank}/${lane}`) ?? `${rank}`;
  const place = layout.byKey.get(key);
  if (!place) return null;
  const inside = place.node.kind === "lane" ? Math.min((row + 0.5) * place.row, place.height - 2) : place.height / 2;
  return { y: screenTop(layout, place, scroll) + inside, place };
}
