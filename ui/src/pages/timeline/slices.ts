// From slice to slice: neighbours, ends of arrows, ranks aligned by a slice, the gap under the pointer.

import { api } from "../../api/client";
import type { Board } from "./board";
import { categoryOf } from "./colours";
import { placeAt } from "./layout";

/** Chooses the slice before or after the chosen one on its row: slices of a row are numbered in order of time. */
export async function neighbour(board: Board, by: 1 | -1) {
  const details = board.details.value;
  if (!details) return;
  const id = details.id + by;
  const next = id < 0 ? null : await api.slice(details.rank, id).catch(() => null);
  if (next && next.lane === details.lane && next.row === details.row)
    board.jump({ rank: details.rank, slice: id, begin: next.begin, end: next.end });
}

/** Goes along an arrow of the chosen slice: to where it comes from, or to where it leads. */
export function follow(board: Board, isOutgoing: boolean) {
  const details = board.details.value;
  const flow = details?.flows.find((flow) => flow.outgoing === isOutgoing);
  if (details && flow) board.jump({ rank: details.rank, slice: flow.slice, begin: flow.begin, end: flow.end });
}

/** Selects the time of the chosen slice on all lanes of its rank. */
export function selectRange(board: Board) {
  const details = board.details.value;
  if (!details) return;
  const lanes = board.rank(details.rank).timeline.lanes.map((lane) => lane.id);
  board.selectArea({ ...board.moved(details, details.rank), ranks: [{ rank: details.rank, lanes }] });
}

/** Shows all ranks so that the slice like the chosen one begins or ends at the same time. */
export async function align(board: Board, side: "start" | "end") {
  const details = board.details.value;
  if (!details) return;
  const { offsets } = await api.align(details.rank, details.id, side);
  const base = board.offset(details.rank);
  board.keep({ offsets: new Map(offsets.map(({ rank, offset_ns }) => [rank, offset_ns + base])) });
}

/** Asks why nothing runs after the chosen slice. */
export function explainGapAfter(board: Board) {
  const details = board.details.value;
  if (!details) return;
  // A slice of free time is the gap itself.
  const layer = board.rank(details.rank).timeline.lanes.find((lane) => lane.id === details.lane)?.layer;
  const isFree = layer !== undefined && categoryOf(layer, details.name) === "free";
  askGap(board, details.rank, details.lane, isFree ? details.begin : details.end + 1);
}

function askGap(board: Board, rank: number, lane: number, time: number) {
  board.keep({}, {}, { tab: "gap", panel: "", gap: `${rank},${lane},${Math.round(time)}` });
}

/** Asks why nothing runs at a place of the canvas. */
export function explainGap(board: Board, x: number, y: number) {
  const place = placeAt(board.layout.value, y, board.scroll.value);
  const lane = place?.node.lanes[0];
  if (!place || !lane) return;
  // Where something runs is no gap, but a slice of free time is one.
  const { hover } = board;
  if (hover.value && hover.value.lane.layer !== "overlap") return;
  askGap(board, place.node.rank, hover.value?.lane.id ?? lane.id, board.timeAt(x) + board.offset(place.node.rank));
}
