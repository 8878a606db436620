// Draws the edges of charts.

import { type Inset, pixelOf, type Range, type Ruler } from "./axis";
import type { Paper } from "./Plot";

/** How names along an edge are drawn. */
interface Edge {
  /** The plot is full: no lines go through it. */
  isFull?: boolean;
  /** Names are at the upper edge. */
  isTop?: boolean;
}

/** Names along the lower or upper edge, with lines through the plot. */
export function drawAcross({ context, width, height, colour }: Paper, ruler: Ruler, range: Range, inset: Inset, edge: Edge = {}) {
  const bottom = height - inset.bottom;
  context.strokeStyle = colour("var(--line)");
  context.fillStyle = colour("var(--soft)");
  context.lineWidth = 1;
  context.textBaseline = edge.isTop ? "bottom" : "top";
  context.beginPath();
  for (const value of ruler.at) {
    const x = Math.round(pixelOf(value, range, inset.left, width - inset.right)) + 0.5;
    context.moveTo(x, edge.isFull ? bottom : inset.top);
    context.lineTo(x, bottom + 4);
    const text = ruler.label(value);
    const half = context.measureText(text).width / 2;
    context.textAlign = x - half < 0 ? "left" : x + half > width ? "right" : "center";
    context.fillText(text, context.textAlign === "left" ? 0 : context.textAlign === "right" ? width : x, edge.isTop ? inset.top - 4 : bottom + 6);
  }
  context.moveTo(inset.left, bottom + 0.5);
  context.lineTo(width - inset.right, bottom + 0.5);
  context.stroke();
}

/** Names along the left edge, with lines through the plot. */
export function drawUp({ context, width, height, colour }: Paper, ruler: Ruler, range: Range, inset: Inset) {
  context.strokeStyle = colour("var(--line)");
  context.fillStyle = colour("var(--soft)");
  context.lineWidth = 1;
  context.textBaseline = "middle";
  context.textAlign = "right";
  context.beginPath();
  for (const value of ruler.at) {
    const y = Math.round(pixelOf(value, range, height - inset.bottom, inset.top)) + 0.5;
    context.moveTo(inset.left, y);
    context.lineTo(width - inset.right, y);
    context.fillText(ruler.label(value), inset.left - 6, y);
  }
  context.stroke();
}

/** Width that names of columns are cut to if they have no more room, in pixels. */
const MOST_NAME = 90;

/** Names of rows or columns `from` up to `to`, as many as have room. */
export function drawNames(paper: Paper, side: "left" | "bottom", name: (at: number) => string, from: number, to: number, inset: Inset) {
  const { context, width, height, colour } = paper;
  const isLeft = side === "left";
  const length = isLeft ? height - inset.top - inset.bottom : width - inset.left - inset.right;
  const each = length / (to - from || 1);
  const every = namedEvery(each, isLeft ? 13 : 10 + Math.min(MOST_NAME, widest(context, name, from, to)));
  context.fillStyle = colour("var(--soft)");
  context.textAlign = isLeft ? "right" : "center";
  context.textBaseline = isLeft ? "middle" : "top";
  for (let at = Math.ceil(from / every) * every; at < to; at += every) {
    const middle = (at - from + 0.5) * each;
    if (isLeft) context.fillText(fitted(context, name(at), inset.left - 8), inset.left - 6, inset.top + middle);
    else context.fillText(fitted(context, name(at), Math.max(MOST_NAME, each - 4)), inset.left + middle, height - inset.bottom + 6);
  }
}

/** Room for the names of rows on the left, in pixels: for the longest of some, and not too much. */
export function roomFor(name: (at: number) => string, count: number): number {
  let longest = 0;
  const skip = Math.max(1, Math.floor(count / 50));
  for (let at = 0; at < count; at += skip) longest = Math.max(longest, name(at).length);
  return Math.min(220, Math.max(48, 16 + 6.2 * longest));
}

/** Every how many rows have a name, if one needs `room` pixels. */
export function namedEvery(each: number, room: number): number {
  let every = 1;
  for (let at = 0; every * each < room && at < 30; at++) every = [1, 2, 5][(at + 1) % 3]! * 10 ** Math.floor((at + 1) / 3);
  return every;
}

function widest(context: CanvasRenderingContext2D, name: (at: number) => string, from: number, to: number): number {
  let most = 0;
  const skip = Math.max(1, Math.floor((to - from) / 20));
  for (let at = from; at < to; at += skip) most = Math.max(most, context.measureText(name(at)).width);
  return most;
}

/** Text cut to a width, with an ellipsis if something is left out. */
export function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let keep = Math.max(0, Math.min(text.length, Math.floor(width / 5)));
  while (keep > 0 && context.measureText(`${text.slice(0, keep)}…`).width > width) keep--;
  return keep > 0 ? `${text.slice(0, keep)}…` : "";
}
