// Keys of the timeline. They do nothing while one types.

import { isTyping } from "../../shell/keys";
import { scope } from "../../scope";
import type { Board } from "./board";
import { addMark } from "./marks";
import type { Search } from "./search";
import { align, explainGap, explainGapAfter, follow, neighbour, selectRange } from "./slices";

const ZOOM = 0.65;
const PAN = 0.15;

/** What keys do, by name: `w`, `ctrl+0`, `shift+z`. */
function actionsOf(board: Board, search: Search, focusGoTo: () => void): Record<string, () => void> {
  const scroll = (by: number) => board.scroller?.scrollBy(0, by);
  return {
    w: () => board.zoom(ZOOM),
    s: () => board.zoom(1 / ZOOM),
    a: () => board.pan(-PAN),
    d: () => board.pan(PAN),
    arrowleft: () => board.pan(-PAN),
    arrowright: () => board.pan(PAN),
    arrowup: () => scroll(-60),
    arrowdown: () => scroll(60),
    "0": () => board.showAll(),
    "ctrl+0": () => board.showAll(),
    f: () => board.fit(),
    "shift+z": () => board.fit(),
    backspace: () => board.undo(),
    "shift+backspace": () => board.redo(),
    ",": () => void neighbour(board, -1),
    ".": () => void neighbour(board, 1),
    "[": () => follow(board, false),
    "]": () => follow(board, true),
    m: () => selectRange(board),
    k: () => addMark(board),
    l: () => void align(board, "start"),
    r: () => void align(board, "end"),
    e: () => {
      const cursor = board.cursor.value;
      if (cursor) explainGap(board, cursor.x, cursor.y);
      else explainGapAfter(board);
    },
    q: () => board.keep({}, {}, { panel: scope.value.params.panel === "closed" ? "" : "closed" }),
    n: () => search.step(1),
    "shift+n": () => search.step(-1),
    g: focusGoTo,
    escape: () => (board.kept.value.area ? board.selectArea(null) : board.choose(null)),
  };
}

/** Listens to keys. The answer stops that. */
export function onTimelineKeys(board: Board, search: Search, focusGoTo: () => void): () => void {
  const actions = actionsOf(board, search, focusGoTo);
  const listen = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.altKey || isTyping(event.target)) return;
    // What has keys of its own uses arrows and the like itself.
    const hasOwn =
      event.target instanceof Element && event.target.closest("[role=slider], [role=treegrid], [role=menu], .scroll") !== null;
    if (hasOwn && /^(Arrow|Backspace)/.test(event.key)) return;
    const isLetter = /^[a-z]$/i.test(event.key);
    const name = [
      event.ctrlKey || event.metaKey ? "ctrl+" : "",
      event.shiftKey && (isLetter || event.key.length > 1) ? "shift+" : "",
      event.key.toLowerCase(),
    ].join("");
    const action = actions[name];
    if (!action) return;
    event.preventDefault();
    action();
  };
  addEventListener("keydown", listen);
  return () => removeEventListener("keydown", listen);
}
