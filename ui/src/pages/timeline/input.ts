// The pointer and the wheel on the canvas.

import type { Board, Cursor } from "./board";
import type { Hover } from "./hit";
import type { Area } from "./kept";
import { type Layout, type Place, RULER_HEIGHT, seen, screenTop, TICKS_HEIGHT } from "./layout";
import { fitted, panned } from "./view";
import type { TimeRange } from "../../scope";

/** A pointer that moved less than this has clicked. */
const CLICK_PIXELS = 4;

/** The width of the flag of a mark, in pixels. */
const FLAG_PIXELS = 12;

/** The lanes between two heights of the canvas, by rank. */
export function lanesBetween(
  layout: Layout,
  scroll: number,
  height: number,
  from: number,
  to: number,
  lanesOf: (rank: number) => number[],
): Area["ranks"] {
  const found = new Map<number, Set<number>>();
  const add = (place: Place, lanes: number[]) => {
    const before = found.get(place.node.rank) ?? new Set();
    for (const lane of lanes) before.add(lane);
    if (before.size > 0) found.set(place.node.rank, before);
  };
  for (const place of seen(layout, scroll, height)) {
    const top = screenTop(layout, place, scroll);
    if (top >= to || top + place.height <= from) continue;
    const { node } = place;
    if (node.kind === "rank" && !node.isExpanded) add(place, lanesOf(node.rank));
    else if (node.kind !== "process" || !node.isExpanded)
      add(
        place,
        node.lanes.map((lane) => lane.id),
      );
  }
  return [...found].map(([rank, lanes]) => ({ rank, lanes: [...lanes] }));
}

/** What the pointer does on the canvas. */
export class Pointer {
  private panFrom: TimeRange | null = null;

  constructor(
    private readonly board: Board,
    private readonly hit: (at: Cursor) => Hover | null,
    private readonly menu: (at: Cursor, hover: Hover | null) => void,
  ) {}

  down = (event: PointerEvent) => {
    const at = placeOf(event);
    if (event.button > 1) return;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    const isPan = event.button === 1 || event.ctrlKey || event.metaKey;
    const mode = isPan ? "pan" : event.altKey || at.y < RULER_HEIGHT ? "zoom" : "select";
    this.panFrom = this.board.view.value;
    this.board.hover.value = null;
    this.board.drag.value = { mode, from: at, to: at };
    if (event.button === 1) event.preventDefault();
  };

  move = (event: PointerEvent) => {
    const at = placeOf(event);
    const { board } = this;
    board.cursor.value = at;
    const { drag } = board;
    if (!drag.value) {
      board.hover.value = this.hit(at);
      return;
    }
    drag.value = { ...drag.value, to: at };
    if (drag.value.mode === "pan" && this.panFrom) {
      const share = (drag.value.from.x - at.x) / board.size.value.width;
      board.show(panned(this.panFrom, share, board.whole.value), false);
    }
  };

  up = (event: PointerEvent) => {
    const { board } = this;
    const drag = board.drag.value;
    if (!drag) return;
    board.drag.value = null;
    const isClick = Math.abs(drag.to.x - drag.from.x) < CLICK_PIXELS && Math.abs(drag.to.y - drag.from.y) < CLICK_PIXELS;
    if (isClick) {
      if (event.button === 0) this.click(drag.from);
      return;
    }
    const [begin, end] = [drag.from.x, drag.to.x].sort((a, b) => a - b).map((x) => board.timeAt(x)) as [number, number];
    if (drag.mode === "zoom" && end > begin) board.show({ begin, end });
    if (drag.mode === "select" && drag.to.x !== drag.from.x) {
      const [top, bottom] = [drag.from.y, drag.to.y].sort((a, b) => a - b) as [number, number];
      const lanesOf = (rank: number) => board.rank(rank).timeline.lanes.map((lane) => lane.id);
      const ranks = lanesBetween(board.layout.value, board.scroll.value, board.size.value.height, top, bottom, lanesOf);
      board.selectArea(ranks.length > 0 ? { begin, end, ranks } : null);
    }
  };

  leave = () => {
    this.board.cursor.value = null;
    this.board.hover.value = null;
  };

  private click(at: Cursor) {
    const { board } = this;
    if (at.y < RULER_HEIGHT) {
      const time = board.timeAt(at.x);
      const near = board.timeAt(at.x) - board.timeAt(at.x - FLAG_PIXELS);
      if (at.y >= TICKS_HEIGHT && board.kept.value.marks.some((mark) => mark.begin <= time && time - mark.begin < near)) {
        board.keep({}, {}, { tab: "marks", panel: "" });
        return;
      }
      const step = at.y >= TICKS_HEIGHT && board.steps.value.find((step) => step.begin <= time && time < step.end);
      if (step) board.show(fitted(step, board.whole.value));
      return;
    }
    const hover = this.hit(at);
    if (hover) board.choose({ rank: hover.rank, slice: hover.slice });
    else if (board.kept.value.area) board.selectArea(null);
    else if (board.chosen.value) board.choose(null);
  }

  double = (event: MouseEvent) => {
    const hover = this.hit(placeOf(event));
    const { board } = this;
    if (hover) board.show(fitted({ begin: board.timeAt(hover.left), end: board.timeAt(hover.right) }, board.whole.value));
  };

  context = (event: MouseEvent) => {
    event.preventDefault();
    const at = placeOf(event);
    if (at.y >= RULER_HEIGHT) this.menu(at, this.hit(at));
  };

  wheel = (event: WheelEvent) => {
    const { board } = this;
    const at = placeOf(event);
    event.preventDefault();
    const delta = event.deltaMode === 1 ? 20 : 1;
    if (event.ctrlKey || event.metaKey) {
      board.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * delta * 0.0025))), board.timeAt(at.x));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      board.pan(((event.deltaX || event.deltaY) * delta) / board.size.value.width);
    } else {
      board.scroller?.scrollBy({ top: event.deltaY * delta, behavior: "instant" });
    }
  };
}

function placeOf(event: MouseEvent): Cursor {
  const box = (event.currentTarget as Element).getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}
