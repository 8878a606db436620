// What is under the pointer.

import type { Lane } from "../../api/client";
import { eachBar, FirstFit, mergedBars } from "./bars";
import { type Place, placeAt, screenTop } from "./layout";
import type { OpenRank } from "./rank";
import { frameOf, type Scene } from "./scene";

/** A slice under the pointer, or several drawn as one. */
export interface Hover {
  rank: number;
  lane: Lane;
  /** The slice; of several the longest. */
  slice: number;
  name: string;
  slices: number;
  left: number;
  right: number;
  top: number;
  height: number;
}

/** Bars thinner than the pointer can hit are hit within this many pixels. */
const NEAR = 1.5;

type Where = Pick<Scene, "view" | "width" | "offsets" | "layout" | "scroll" | "ranks">;

/** The slice at a place of the canvas. */
export function hitTest(scene: Where, x: number, y: number): Hover | null {
  const place = placeAt(scene.layout, y, scene.scroll);
  const rank = place && scene.ranks.get(place.node.rank);
  if (!place || !rank) return null;
  const top = screenTop(scene.layout, place, scene.scroll) + 1;
  switch (place.node.kind) {
    case "lane":
      return inLane(scene, rank, place, place.node.lanes[0] as Lane, x, y, top, place.row);
    case "merged":
      return inMerged(scene, rank, place, x, y, top);
    case "process":
      return place.node.isExpanded ? null : inFolded(scene, rank, place, x, y, top);
    default:
      return null;
  }
}

function inLane(
  scene: Where,
  rank: OpenRank,
  place: Place,
  lane: Lane,
  x: number,
  y: number,
  top: number,
  row: number,
): Hover | null {
  let found: Hover | null = null;
  let best = NEAR;
  eachBar(rank.bars, lane.id, frameOf(scene, rank.rank), (left, right, at, slice, name, slices) => {
    if (Math.floor((y - top) / row) !== at) return;
    const distance = x < left ? left - x : x > Math.max(right, left + 1) ? x - right : 0;
    if (distance > best || (found && distance === best && best > 0)) return;
    best = distance;
    found = {
      rank: rank.rank,
      lane,
      slice,
      name: rank.names[name] ?? "",
      slices,
      left,
      right,
      top: top + at * row,
      height: Math.min(row, place.height),
    };
  });
  return found;
}

function inMerged(scene: Where, rank: OpenRank, place: Place, x: number, y: number, top: number): Hover | null {
  const fit = new FirstFit();
  for (const bar of mergedBars(rank.bars, place.node.lanes, frameOf(scene, rank.rank))) {
    const at = fit.row(bar.left, bar.right);
    if (Math.floor((y - top) / place.row) !== at || x < bar.left - NEAR || x > bar.right + NEAR) continue;
    return {
      rank: rank.rank,
      lane: bar.lane,
      slice: bar.slice,
      name: rank.names[bar.name] ?? "",
      slices: bar.slices,
      left: bar.left,
      right: bar.right,
      top: top + at * place.row,
      height: place.row,
    };
  }
  return null;
}

/** The lanes of a closed process are drawn below each other, as `gatherFolded` does. */
function inFolded(scene: Where, rank: OpenRank, place: Place, x: number, y: number, top: number): Hover | null {
  const rows = place.node.lanes.reduce((sum, lane) => sum + lane.rows, 0);
  const row = (place.height - 8) / Math.max(rows, 3);
  let above = 0;
  for (const lane of place.node.lanes) {
    const from = top + 3 + above * row;
    if (y >= from && y < from + lane.rows * row) return inLane(scene, rank, place, lane, x, y, from, row);
    above += lane.rows;
  }
  return null;
}
