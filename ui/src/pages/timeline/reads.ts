// What the board reads by itself when something else is looked at: steps, the query lane, arrows.

import { api } from "../../api/client";
import type { Board } from "./board";
import { querySlices } from "./query";

/** Reads the steps of the first rank. */
export function readSteps(board: Board) {
  const first = board.shown.value[0];
  if (first === undefined || board.profile.steps.length === 0) return;
  api.table("steps").then(
    (table) => {
      // A rank without step markers has a row without a step.
      const rows = [...table.rows()].filter((row) => Number(row.rank) === first && row.step !== null);
      const found = rows.map((row) => ({
        step: Number(row.step),
        begin: Number(row.start),
        end: Number(row.start) + Number(row.duration),
      }));
      board.steps.value = found.filter((step) => Number.isFinite(step.begin) && step.end > step.begin);
    },
    () => (board.steps.value = []),
  );
}

/** Reads the rows of the query that is shown as a lane. */
export function readQuery(board: Board) {
  const sql = board.sql.value;
  const shown = board.shown.value;
  board.queryError.value = null;
  board.queryElsewhere.value = [];
  if (sql === "") {
    for (const rank of board.ranks.values()) rank.query = [];
    board.opened.value = board.opened.peek() + 1;
    return;
  }
  api.query(sql).then(
    (table) => {
      const found = querySlices(table, BigInt(board.profile.origin), shown[0] ?? 0);
      board.queryElsewhere.value = shown.some((rank) => found.has(rank)) ? [] : [...found.keys()];
      for (const rank of shown) board.rank(rank).query = found.get(rank) ?? [];
      board.opened.value++;
      board.scrollTo(0);
    },
    (error) => (board.queryError.value = error),
  );
}

/** Arrows are read when the view has rested this long, in ms. */
const REST_MS = 150;

/** Reads the arrows of the chosen kinds that have an end in view. Call the returned function to stop. */
export function readArrows(board: Board): (() => void) | undefined {
  const kinds = board.kept.value.arrows;
  const view = board.view.value;
  board.opened.value;
  if (kinds.length === 0) {
    board.arrows.value = [];
    return;
  }
  const timer = setTimeout(async () => {
    const ready = board.shown.value.filter((rank) => board.rank(rank).state === "ready");
    const ofRank = async (rank: number) => {
      const offset = board.offset(rank);
      const window = { begin: view.begin + offset, end: view.end + offset };
      return { rank, flows: (await api.flows(rank, window, kinds)).flows };
    };
    const found = await Promise.all(ready.map(ofRank)).catch(() => []);
    if (board.view.peek() === view) board.arrows.value = found;
  }, REST_MS);
  return () => clearTimeout(timer);
}
