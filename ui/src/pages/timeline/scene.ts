// What is drawn, and by what: anything that can draw a scene can be put in the place of the canvas renderer.

import type { Palette } from "./colours";
import type { Frame } from "./bars";
import type { Layout, MergedRows } from "./layout";
import type { OpenRank } from "./rank";
import { levelFor, tilesFor } from "./tiles";
import type { TimeRange } from "../../scope";

/** A step of the profile, as the ruler shows it. */
export interface Step extends TimeRange {
  step: number;
}

/** All that decides how the lanes look. */
export interface Scene {
  width: number;
  height: number;
  view: TimeRange;
  layout: Layout;
  scroll: number;
  ranks: Map<number, OpenRank>;
  offsets: Map<number, number>;
  steps: Step[];
  palette: Palette;
  /** What bars of merged lanes need; the renderer fills it in. */
  mergedRows: MergedRows;
  /** Texts on nodes that have nothing to draw. */
  note: (rank: OpenRank) => string;
}

/** Draws scenes. */
export interface Renderer {
  /** Draws a scene; says how many bars that took. */
  draw(scene: Scene): number;
}

/** What a rank shows in a scene: its own time is later by its offset. */
export function frameOf(scene: Pick<Scene, "view" | "width" | "offsets" | "ranks">, rank: number, coarser = 0): Frame {
  const offset = scene.offsets.get(rank) ?? 0;
  const begin = scene.view.begin + offset;
  const perPixel = (scene.view.end - scene.view.begin) / Math.max(scene.width, 1);
  const level = Math.min(levelFor(perPixel) + coarser, scene.ranks.get(rank)?.coarsest ?? Infinity);
  return { begin, perPixel, width: scene.width, level, indices: tilesFor(begin, scene.view.end + offset, level) };
}
