// Actions on nodes of the tree: open, pin, hide, merge.

import type { Lane } from "../../api/client";
import type { Board } from "./board";
import type { Node } from "./lanes";

/** Opens or closes a group, or draws a lane large or small. */
export function toggle(board: Board, node: Node) {
  const toggled = new Set(board.kept.value.toggled);
  if (!toggled.delete(node.key)) toggled.add(node.key);
  board.keep({ toggled: [...toggled] });
}

/** Puts a node to the top, or back. */
export function pin(board: Board, node: Node) {
  const { pins } = board.kept.value;
  board.keep({ pins: node.isPinned ? pins.filter((key) => key !== node.key) : [...pins, node.key] });
}

export function hide(board: Board, node: Node) {
  board.keep({ hidden: [...board.kept.value.hidden, node.key] });
}

/** Chooses a lane for merging, or no longer. */
export function tick(board: Board, node: Node) {
  const ticked = new Set(board.ticked.value);
  if (!ticked.delete(node.key)) ticked.add(node.key);
  board.ticked.value = ticked;
}

/** Draws the ticked lanes of each rank as one. */
export function merge(board: Board) {
  const byRank = new Map<number, Lane[]>();
  for (const { node } of board.layout.value.byKey.values()) {
    if (node.kind !== "lane" || !board.ticked.value.has(node.key)) continue;
    byRank.set(node.rank, [...(byRank.get(node.rank) ?? []), ...node.lanes]);
  }
  const merges = [...byRank]
    .filter(([, lanes]) => lanes.length > 1)
    .map(([rank, lanes]) => ({ rank, lanes: lanes.map((lane) => lane.id) }));
  board.ticked.value = new Set();
  if (merges.length > 0) board.keep({ merges: [...board.kept.value.merges, ...merges] });
}

/** Draws merged lanes each by itself again. */
export function unmerge(board: Board, node: Node) {
  const lanes = node.lanes.map((lane) => lane.id).join();
  board.keep({ merges: board.kept.value.merges.filter((merge) => merge.rank !== node.rank || merge.lanes.join() !== lanes) });
}
