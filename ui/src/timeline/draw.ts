// Draws lanes on a canvas.

import type { Lane } from "../api";
import { duration, tickDistance, type View } from "../view";
import type { TileStore } from "./store";
import { levelFor, tileLength, tilesFor } from "./tiles";

export const ROW_HEIGHT = 18;
export const LANE_GAP = 6;
export const RULER_HEIGHT = 24;

/** A lane and where it is drawn. */
export interface PlacedLane {
  lane: Lane;
  top: number;
  height: number;
}

/** Something under the pointer. */
export interface Hit {
  lane: number;
  slice: number;
  name: string;
  slices: number;
}

export interface Scene {
  lanes: PlacedLane[];
  names: string[];
  store: TileStore;
  view: View;
  selected: number | null;
  scroll: number;
  dark: boolean;
}

/** Places lanes below each other. */
export function placed(lanes: Lane[]): PlacedLane[] {
  let top = 0;
  return lanes.map((lane) => {
    const height = lane.rows * ROW_HEIGHT;
    const place = { lane, top, height };
    top += height + LANE_GAP;
    return place;
  });
}

/** A colour that is the same for a name wherever it is drawn: Okabe and Ito's, which people tell apart. */
const PALETTE = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a68c4", "#8c6d31"];

export function colour(name: string): string {
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = (Math.imul(hash, 31) + name.charCodeAt(at)) | 0;
  return PALETTE[(hash >>> 0) % PALETTE.length] as string;
}

/** Calls `use` for every bar of the lanes in view, with its edges in pixels. */
function eachBar(
  scene: Scene,
  width: number,
  height: number,
  use: (place: PlacedLane, bar: { left: number; right: number; top: number; slice: number; name: string; slices: number }) => void,
) {
  const { view, store, scroll } = scene;
  const perPixel = (view.end - view.begin) / width;
  const level = levelFor(perPixel);
  const indices = tilesFor(view.begin, view.end, level);
  store.want(level, indices);
  for (const place of scene.lanes) {
    const laneTop = RULER_HEIGHT + place.top - scroll;
    if (laneTop + place.height < RULER_HEIGHT || laneTop > height) continue;
    for (const index of indices) {
      // While a tile is on its way, a coarser one is drawn in its place.
      let shown = { level, index };
      while (!store.bars(shown.level, shown.index, place.lane.id) && shown.level < level + 6) {
        shown = { level: shown.level + 1, index: Math.floor(shown.index / 2) };
      }
      const bars = store.bars(shown.level, shown.index, place.lane.id);
      if (!bars) continue;
      const length = tileLength(shown.level);
      const start = shown.index * length;
      const clip = { left: (index * tileLength(level) - view.begin) / perPixel, right: ((index + 1) * tileLength(level) - view.begin) / perPixel };
      for (let at = 0; at < bars.count; at++) {
        const left = Math.max((start + ((bars.begin[at] as number) / 65536) * length - view.begin) / perPixel, clip.left);
        const right = Math.min((start + ((bars.end[at] as number) / 65536) * length - view.begin) / perPixel, clip.right);
        if (right < clip.left || left > clip.right || right < 0 || left > width) continue;
        use(place, {
          left,
          right: Math.max(right, left + 1),
          top: laneTop + (bars.row[at] as number) * ROW_HEIGHT,
          slice: bars.slice[at] as number,
          name: scene.names[bars.name[at] as number] ?? "",
          slices: bars.slices[at] as number,
        });
      }
    }
  }
}

export function draw(context: CanvasRenderingContext2D, scene: Scene, width: number, height: number) {
  const ink = scene.dark ? "#e6e8eb" : "#1c2126";
  context.clearRect(0, 0, width, height);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (const place of scene.lanes) {
    const top = RULER_HEIGHT + place.top - scene.scroll;
    if (top + place.height < RULER_HEIGHT || top > height) continue;
    context.fillStyle = scene.dark ? "#1d2329" : "#f2f4f6";
    context.fillRect(0, top, width, place.height);
  }
  eachBar(scene, width, height, (_, bar) => {
    context.globalAlpha = bar.slices > 1 ? 0.65 : 1;
    context.fillStyle = colour(bar.name);
    context.fillRect(bar.left, bar.top, bar.right - bar.left, ROW_HEIGHT - 2);
    context.globalAlpha = 1;
    if (bar.slice === scene.selected) {
      context.strokeStyle = ink;
      context.lineWidth = 2;
      context.strokeRect(bar.left, bar.top, bar.right - bar.left, ROW_HEIGHT - 2);
    }
    const from = Math.max(bar.left, 0);
    if (bar.slices === 1 && bar.right - from > 30) {
      context.save();
      context.beginPath();
      context.rect(from, bar.top, bar.right - from - 3, ROW_HEIGHT);
      context.clip();
      context.fillStyle = "#ffffff";
      context.fillText(bar.name, from + 4, bar.top + ROW_HEIGHT / 2 - 1);
      context.restore();
    }
  });
  drawRuler(context, scene.view, width, ink, scene.dark ? "#14181c" : "#ffffff");
}

function drawRuler(context: CanvasRenderingContext2D, view: View, width: number, ink: string, paper: string) {
  context.fillStyle = paper;
  context.fillRect(0, 0, width, RULER_HEIGHT);
  context.fillStyle = ink;
  context.strokeStyle = ink;
  context.lineWidth = 1;
  const perPixel = (view.end - view.begin) / width;
  const distance = tickDistance(perPixel * 110);
  for (let time = Math.ceil(view.begin / distance) * distance; time < view.end; time += distance) {
    const x = Math.round((time - view.begin) / perPixel) + 0.5;
    context.globalAlpha = 0.3;
    context.beginPath();
    context.moveTo(x, RULER_HEIGHT - 6);
    context.lineTo(x, RULER_HEIGHT);
    context.stroke();
    context.globalAlpha = 1;
    context.fillText(duration(time), x + 3, RULER_HEIGHT / 2);
  }
}

/** What is at a place of the canvas. */
export function hitTest(scene: Scene, x: number, y: number, width: number, height: number): Hit | null {
  let found: Hit | null = null;
  if (y < RULER_HEIGHT) return null;
  eachBar(scene, width, height, (place, bar) => {
    if (x >= bar.left && x <= bar.right && y >= bar.top && y < bar.top + ROW_HEIGHT) {
      found = { lane: place.lane.id, slice: bar.slice, name: bar.name, slices: bar.slices };
    }
  });
  return found;
}
