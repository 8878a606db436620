// Draws what lies over the lanes: arrows, marks, the selected area, what is chosen or under the pointer.

import type { Flows, Hit, Slice } from "../../api/client";
import { duration } from "../../format";
import type { Drag } from "./board";
import type { Theme } from "./colours";
import { valueAt, valueText } from "./counters";
import type { Hover } from "./hit";
import type { Area, Mark } from "./kept";
import { placeAt, RULER_HEIGHT, screenTop, seen, slicePlace, TICKS_HEIGHT } from "./layout";
import { frameOf, type Scene } from "./scene";
import type { TimeRange } from "../../scope";

export interface OverlayScene extends Pick<Scene, "view" | "width" | "height" | "layout" | "scroll" | "ranks" | "offsets"> {
  theme: Theme;
  chosen: (Slice & { rank: number }) | null;
  hover: Hover | null;
  cursor: { x: number; y: number } | null;
  drag: Drag | null;
  area: Area | null;
  marks: Mark[];
  hits: Hit[];
  arrows: { rank: number; flows: Flows["flows"] }[];
}

const FONT = "11px system-ui, sans-serif";

export function drawOverlay(context: CanvasRenderingContext2D, scene: OverlayScene) {
  context.clearRect(0, 0, scene.width, scene.height);
  context.font = FONT;
  context.textBaseline = "middle";
  drawArea(context, scene);
  drawHits(context, scene);
  drawMarks(context, scene);
  context.save();
  context.beginPath();
  context.rect(0, RULER_HEIGHT, scene.width, scene.height - RULER_HEIGHT);
  context.clip();
  for (const { rank, flows } of scene.arrows) {
    for (const flow of flows) drawArrow(context, scene, rank, flow.source, flow.target, 0.45);
  }
  drawChosen(context, scene);
  drawHover(context, scene);
  context.restore();
  drawCursor(context, scene);
  drawDrag(context, scene);
}

function pixel(scene: OverlayScene, time: number): number {
  return ((time - scene.view.begin) / (scene.view.end - scene.view.begin)) * scene.width;
}

/** The edges of a stretch of a rank's own time. */
function edges(scene: OverlayScene, rank: number, stretch: TimeRange): [number, number] {
  const offset = scene.offsets.get(rank) ?? 0;
  return [pixel(scene, stretch.begin - offset), pixel(scene, stretch.end - offset)];
}

function drawArea(context: CanvasRenderingContext2D, scene: OverlayScene) {
  const { area, theme } = scene;
  if (!area) return;
  const [left, right] = [pixel(scene, area.begin), pixel(scene, area.end)];
  const lanes = new Set(area.ranks.flatMap(({ rank, lanes }) => lanes.map((lane) => `${rank}/${lane}`)));
  context.fillStyle = theme.accent;
  for (const place of seen(scene.layout, scene.scroll, scene.height)) {
    const isIn =
      place.node.lanes.some((lane) => lanes.has(`${place.node.rank}/${lane.id}`)) ||
      (place.node.kind === "rank" && !place.node.isExpanded && area.ranks.some(({ rank }) => rank === place.node.rank));
    if (!isIn || (place.node.kind === "process" && place.node.isExpanded)) continue;
    const top = Math.max(screenTop(scene.layout, place, scene.scroll), RULER_HEIGHT);
    context.globalAlpha = 0.13;
    context.fillRect(left, top, Math.max(right - left, 1), screenTop(scene.layout, place, scene.scroll) + place.height - top);
  }
  context.globalAlpha = 1;
  drawSpan(context, scene, left, right, theme.accent, duration(area.end - area.begin));
}

/** A stretch with its length, on the ruler and as lines through the lanes. */
function drawSpan(
  context: CanvasRenderingContext2D,
  scene: OverlayScene,
  left: number,
  right: number,
  colour: string,
  text: string,
) {
  context.fillStyle = colour;
  context.globalAlpha = 0.8;
  context.fillRect(Math.round(left), RULER_HEIGHT - 3, 1, scene.height);
  context.fillRect(Math.round(right) - 1, RULER_HEIGHT - 3, 1, scene.height);
  context.globalAlpha = 1;
  context.fillRect(left, RULER_HEIGHT - 3, right - left, 3);
  tag(context, scene, (Math.max(left, 0) + Math.min(right, scene.width)) / 2, TICKS_HEIGHT / 2, text, colour, true);
}

/** A short text on a ground of its own. */
function tag(
  context: CanvasRenderingContext2D,
  scene: OverlayScene,
  x: number,
  y: number,
  text: string,
  colour: string,
  isCentred: boolean,
) {
  const width = context.measureText(text).width + 10;
  const left = Math.min(Math.max(isCentred ? x - width / 2 : x, 1), scene.width - width - 1);
  context.fillStyle = scene.theme.paper;
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(Math.round(left) + 0.5, Math.round(y - 8) + 0.5, Math.round(width), 16, 4);
  context.fill();
  context.stroke();
  context.fillStyle = scene.theme.ink;
  context.fillText(text, Math.round(left) + 5, y + 1);
}

function drawHits(context: CanvasRenderingContext2D, scene: OverlayScene) {
  context.fillStyle = scene.theme.category.exposed;
  let last = -2;
  for (const hit of scene.hits) {
    const [left] = edges(scene, hit.rank, hit);
    if (left < 0 || left > scene.width || Math.abs(left - last) < 1) continue;
    last = left;
    context.fillRect(Math.round(left) - 1, RULER_HEIGHT - 7, 2, 6);
  }
}

function drawMarks(context: CanvasRenderingContext2D, scene: OverlayScene) {
  for (const mark of scene.marks) {
    const left = Math.round(pixel(scene, mark.begin));
    const right = mark.end === null ? left : Math.round(pixel(scene, mark.end));
    if (right < -100 || left > scene.width) continue;
    const colour = scene.theme.marks[mark.colour % scene.theme.marks.length] as string;
    context.fillStyle = colour;
    if (mark.end !== null) {
      context.globalAlpha = 0.08;
      context.fillRect(left, RULER_HEIGHT, right - left, scene.height);
      context.globalAlpha = 1;
      context.fillRect(left, TICKS_HEIGHT + 1, right - left, 3);
      context.fillRect(right - 1, TICKS_HEIGHT + 1, 1, scene.height);
    }
    context.fillRect(left, TICKS_HEIGHT + 1, 1, scene.height);
    context.beginPath();
    context.moveTo(left, TICKS_HEIGHT + 2);
    context.lineTo(left + 10, TICKS_HEIGHT + 6);
    context.lineTo(left, TICKS_HEIGHT + 10);
    context.fill();
    if (mark.name !== "") tag(context, scene, left + 12, TICKS_HEIGHT + 10, mark.name, colour, false);
  }
}

interface End extends TimeRange {
  lane: number;
  row: number;
}

/** An arrow from the end of what comes first to the begin of what follows. */
function drawArrow(
  context: CanvasRenderingContext2D,
  scene: OverlayScene,
  rank: number,
  source: End,
  target: End,
  alpha: number,
) {
  const from = slicePlace(scene.layout, rank, source.lane, source.row, scene.scroll);
  const to = slicePlace(scene.layout, rank, target.lane, target.row, scene.scroll);
  if (!from || !to) return;
  const x0 = edges(scene, rank, source)[source.end <= target.begin ? 1 : 0];
  const x1 = edges(scene, rank, target)[0];
  if (Math.max(x0, x1) < -50 || Math.min(x0, x1) > scene.width + 50) return;
  const bend = Math.min(Math.max(Math.abs(x1 - x0) * 0.5, 14), 160);
  context.globalAlpha = alpha;
  context.strokeStyle = scene.theme.ink;
  context.lineWidth = alpha > 0.5 ? 1.5 : 1;
  context.beginPath();
  context.moveTo(x0, from.y);
  context.bezierCurveTo(x0 + bend, from.y, x1 - bend, to.y, x1, to.y);
  context.stroke();
  context.fillStyle = scene.theme.ink;
  context.beginPath();
  context.moveTo(x1, to.y);
  context.lineTo(x1 - 6, to.y - 3.5);
  context.lineTo(x1 - 6, to.y + 3.5);
  context.fill();
  context.globalAlpha = 1;
}

function drawChosen(context: CanvasRenderingContext2D, scene: OverlayScene) {
  const { chosen, theme } = scene;
  if (!chosen) return;
  const place = slicePlace(scene.layout, chosen.rank, chosen.lane, chosen.row, scene.scroll);
  if (!place) return;
  for (const flow of chosen.flows) {
    const [source, target] = flow.outgoing ? [chosen, flow] : [flow, chosen];
    drawArrow(context, scene, chosen.rank, source, target, 0.9);
  }
  const [left, right] = edges(scene, chosen.rank, chosen);
  if (right < 0 || left > scene.width) return;
  const isLane = place.place.node.kind === "lane" && place.place.row > 3;
  const height = isLane ? place.place.row : place.place.height - 4;
  const top = place.y - height / 2 + (isLane ? 1 : 0);
  const [from, to] = [Math.max(left, -5), Math.min(right, scene.width + 5)];
  context.strokeStyle = theme.paper;
  context.lineWidth = 4;
  context.strokeRect(from, top, Math.max(to - from - 1, 2), height - 1);
  context.strokeStyle = theme.ink;
  context.lineWidth = 2;
  context.strokeRect(from, top, Math.max(to - from - 1, 2), height - 1);
}

function drawHover(context: CanvasRenderingContext2D, scene: OverlayScene) {
  const { hover } = scene;
  if (!hover || scene.drag) return;
  context.fillStyle = scene.theme.ink;
  context.globalAlpha = 0.16;
  context.fillRect(hover.left, hover.top, Math.max(hover.right - hover.left, 2), Math.max(hover.height - 1, 2));
  context.globalAlpha = 1;
}

function drawCursor(context: CanvasRenderingContext2D, scene: OverlayScene) {
  const { cursor, theme } = scene;
  if (!cursor || scene.drag) return;
  context.fillStyle = theme.soft;
  context.globalAlpha = 0.5;
  context.fillRect(Math.round(cursor.x), RULER_HEIGHT, 1, scene.height);
  context.globalAlpha = 1;
  const time = scene.view.begin + (cursor.x / scene.width) * (scene.view.end - scene.view.begin);
  tag(context, scene, cursor.x, TICKS_HEIGHT / 2, timeText(time, scene.view), theme.soft, true);
  const place = placeAt(scene.layout, cursor.y, scene.scroll);
  const rank = place && scene.ranks.get(place.node.rank);
  const counter = place?.node.kind === "counter" ? place.node.counters[0] : undefined;
  if (!place || !rank || !counter) return;
  const value = valueAt(rank.counters, counter, frameOf(scene, rank.rank), cursor.x);
  if (value === null) return;
  tag(
    context,
    scene,
    cursor.x + 8,
    screenTop(scene.layout, place, scene.scroll) + place.height / 2,
    valueText(value, counter.unit),
    theme.accent,
    false,
  );
}

/** A time with as many digits as the view can resolve. */
export function timeText(time: number, view: TimeRange): string {
  const [unit, size] = Math.abs(view.end) >= 1e9 ? ["s", 1e9] : Math.abs(view.end) >= 1e6 ? ["ms", 1e6] : ["µs", 1e3];
  const digits = Math.ceil(Math.log10(size / Math.max((view.end - view.begin) / 1000, 1)));
  return `${(time / size).toFixed(Math.min(Math.max(digits, 0), 9))} ${unit}`;
}

function drawDrag(context: CanvasRenderingContext2D, scene: OverlayScene) {
  const { drag, theme } = scene;
  if (!drag || drag.mode === "pan") return;
  const [left, right] = [Math.min(drag.from.x, drag.to.x), Math.max(drag.from.x, drag.to.x)];
  const isWhole = drag.mode === "zoom";
  const top = isWhole ? 0 : Math.max(Math.min(drag.from.y, drag.to.y), RULER_HEIGHT);
  const bottom = isWhole ? scene.height : Math.max(drag.from.y, drag.to.y);
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.15;
  context.fillRect(left, top, right - left, bottom - top);
  context.globalAlpha = 1;
  context.strokeStyle = theme.accent;
  context.lineWidth = 1;
  context.strokeRect(Math.round(left) + 0.5, Math.round(top) + 0.5, right - left, bottom - top);
  const length = ((right - left) / scene.width) * (scene.view.end - scene.view.begin);
  tag(context, scene, (left + right) / 2, TICKS_HEIGHT / 2, duration(length), theme.accent, true);
}
