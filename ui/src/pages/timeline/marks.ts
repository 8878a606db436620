// Marks: moments and stretches with a name.

import { MARK_COLOURS } from "./colours";
import type { Board } from "./board";
import type { Mark } from "./kept";

/** Marks what is selected: the area, the chosen slice, or the moment at the pointer. */
export function addMark(board: Board) {
  const { marks, area } = board.kept.value;
  const details = board.details.value;
  const stretch = area ?? (details ? board.moved(details, details.rank) : null);
  const { begin, end } = board.view.value;
  const cursor = board.cursor.value;
  const at = cursor ? board.timeAt(cursor.x) : (begin + end) / 2;
  const name = area || !details ? String(marks.length + 1) : details.name;
  const mark: Mark = { begin: stretch?.begin ?? at, end: stretch?.end ?? null, colour: marks.length % MARK_COLOURS, name };
  board.keep({ marks: [...marks, mark] });
}

/** Changes a mark; null takes it away. */
export function changeMark(board: Board, at: number, changes: Partial<Mark> | null) {
  const { marks } = board.kept.value;
  board.keep({ marks: marks.flatMap((mark, index) => (index !== at ? [mark] : changes ? [{ ...mark, ...changes }] : [])) });
}
