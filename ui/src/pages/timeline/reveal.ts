// Brings lanes into sight.

import type { Board } from "./board";
import { type Place, RULER_HEIGHT } from "./layout";
import { toggle } from "./actions";

/** Where a lane is drawn: by itself, merged, or in a group that is closed. */
function placeOf(board: Board, rank: number, lane: number): Place | undefined {
  const { byKey, laneKeys } = board.layout.value;
  return byKey.get(laneKeys.get(`${rank}/${lane}`) ?? "");
}

/** Opens nodes of the tree that are closed, the outer ones first. */
export function openNodes(board: Board, keys: string[]) {
  for (const key of keys) {
    const node = board.tree.value.nodes.find((node) => node.key === key);
    if (node?.isExpandable && !node.isExpanded) toggle(board, node);
  }
}

/** Opens and shows what a lane is in, and scrolls to it. */
export function reveal(board: Board, rank: number, lane: number, row: number) {
  const found = board.rank(rank).timeline.lanes.find((other) => other.id === lane);
  if (!found) return;
  const before = placeOf(board, rank, lane);
  if (!before || before.node.kind === "process") {
    const keys = [`${rank}`, `${rank}.p${found.process}`];
    const hidden = new Set([...keys, `${rank}.l${lane}`]);
    board.keep({
      hidden: board.kept.value.hidden.filter((key) => !hidden.has(key)),
      filter: before ? board.kept.value.filter : "",
    });
    openNodes(board, keys);
  }
  const place = placeOf(board, rank, lane);
  if (!place || place.node.isPinned) return;
  const room = board.size.value.height - RULER_HEIGHT - board.layout.value.pinnedHeight;
  const top = place.top + Math.min(row * place.row, place.height);
  const isSeen = top >= board.scroll.value && top + place.row <= board.scroll.value + room;
  if (!isSeen) board.scrollTo(top - room / 3);
}
