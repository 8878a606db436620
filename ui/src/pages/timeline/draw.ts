// Draws lanes on a canvas: bars gathered by colour, then names, then the ruler.

import type { Lane } from "../../api/client";
import { barCount, eachBar, FirstFit, type Frame, mergedBars } from "./bars";
import { drawCounter } from "./counters";
import { type Place, RULER_HEIGHT, screenTop, seen } from "./layout";
import { type OpenRank, STRIP } from "./rank";
import { drawRuler, drawTicks } from "./ruler";
import { frameOf, type Renderer, type Scene } from "./scene";
import { nearest } from "./store";
import { stripPicture } from "./strips";
import { TextWidths } from "./text";
import { tileLength } from "./tiles";

/** More bars than this are not drawn in a frame; a coarser level is shown instead. */
const MOST_BARS = 20_000;
/** A name is written if its bar is at least this wide, in pixels. */
const TEXT_PIXELS = 24;
/** Bars of a closed group are drawn from a level that is coarser by this. */
const FOLDED_COARSER = 1;
/** Pixels above and below what is drawn in the strip of a group. */
const INSET = 4;
/** How solid bars are that stand for several slices. */
const FAINT = 0.72;
const FONT = "11px system-ui, sans-serif";

/** Bars of a style: left, top, width, height of each. */
type Boxes = number[];

/** A name and where it is written. */
interface Label {
  text: string;
  left: number;
  right: number;
  middle: number;
  style: number;
}

/** Draws scenes with Canvas2D. */
export class CanvasRenderer implements Renderer {
  private readonly widths: TextWidths;
  /** Levels by which lanes are drawn coarser, as too many bars were in view. */
  private coarser = 0;
  private lastView = "";

  constructor(private readonly context: CanvasRenderingContext2D) {
    this.widths = new TextWidths(context);
  }

  draw(scene: Scene): number {
    const { context } = this;
    const { width, height, layout, scroll } = scene;
    const places = seen(layout, scroll, height);
    this.chooseDetail(scene, places);
    context.fillStyle = scene.palette.theme.paper;
    context.fillRect(0, 0, width, height);
    let count = 0;
    const isPinned = (place: Place) => place.node.isPinned;
    for (const group of [places.filter((place) => !isPinned(place)), places.filter(isPinned)]) {
      if (group.length === 0) continue;
      const from = RULER_HEIGHT + (isPinned(group[0] as Place) ? 0 : layout.pinnedHeight);
      const to = isPinned(group[0] as Place) ? RULER_HEIGHT + layout.pinnedHeight : height;
      context.save();
      context.beginPath();
      context.rect(0, from, width, to - from);
      context.clip();
      this.drawBacks(scene, group);
      count += this.drawPlaces(scene, group);
      context.restore();
    }
    if (layout.pinned.length > 0) {
      context.fillStyle = scene.palette.theme.soft;
      context.fillRect(0, RULER_HEIGHT + layout.pinnedHeight - 1, width, 1);
    }
    drawRuler(context, scene);
    const ranks = new Set(places.map(({ node }) => node.rank));
    for (const rank of scene.ranks.values()) {
      if (ranks.has(rank.rank)) this.wantAhead(scene, rank, places);
      rank.bars.flush();
      rank.counters.flush();
      rank.strips.flush();
    }
    return count;
  }

  /** Asks one level coarser until few enough bars are in view. */
  private chooseDetail(scene: Scene, places: Place[]) {
    const view = `${scene.view.begin},${scene.view.end},${scene.scroll},${scene.width},${scene.height},${scene.layout.height}`;
    if (view !== this.lastView) this.coarser = 0;
    this.lastView = view;
    for (; this.coarser < 6; this.coarser++) {
      let count = 0;
      for (const { node } of places) {
        const rank = scene.ranks.get(node.rank);
        if (!rank || (node.kind === "process" && node.isExpanded)) continue;
        const frame = frameOf(scene, node.rank, this.coarser + (node.kind === "process" ? FOLDED_COARSER : 0));
        for (const lane of node.lanes) count += barCount(rank.bars, lane.id, frame.level, frame.indices);
      }
      if (count <= MOST_BARS) return;
    }
  }

  /** Stripes of lanes, heads of groups, lines of ticks. */
  private drawBacks(scene: Scene, places: Place[]) {
    const { context } = this;
    const { theme } = scene.palette;
    for (const place of places) {
      const top = screenTop(scene.layout, place, scene.scroll);
      const { node } = place;
      if (node.kind === "rank" || (node.kind === "process" && node.isExpanded)) {
        context.fillStyle = theme.raised;
        context.fillRect(0, top, scene.width, place.height);
      }
    }
    drawTicks(context, scene);
    context.fillStyle = theme.line;
    for (const place of places) {
      const top = screenTop(scene.layout, place, scene.scroll);
      context.globalAlpha = place.node.level === 3 ? 0.5 : 1;
      context.fillRect(0, top + place.height - 1, scene.width, 1);
    }
    context.globalAlpha = 1;
  }

  private drawPlaces(scene: Scene, places: Place[]): number {
    const boxes: Boxes[] = [];
    const faint: Boxes[] = [];
    const labels: Label[] = [];
    for (const place of places) {
      const { node } = place;
      const rank = scene.ranks.get(node.rank);
      if (!rank) continue;
      const top = screenTop(scene.layout, place, scene.scroll);
      const frame = frameOf(scene, node.rank, this.coarser);
      if (node.kind === "rank") {
        if (!node.isExpanded) this.drawStrip(scene, rank, frameOf(scene, node.rank, FOLDED_COARSER), top, place.height);
      } else if (node.kind === "process") {
        if (!node.isExpanded) this.gatherFolded(scene, rank, place, top, boxes);
      } else if (node.kind === "counter") {
        for (const counter of node.counters) this.drawCounterLane(scene, rank, counter, frame, top + 3, place.height - 6);
      } else if (node.kind === "lane" || node.kind === "merged") {
        this.gatherLanes(scene, rank, place, frame, top, boxes, faint, labels);
      } else if (node.kind === "query") {
        this.gatherQuery(scene, place, frame, top, boxes, labels);
      } else if (node.kind === "note") {
        this.drawNote(scene, rank, top + place.height / 2);
      }
    }
    const count = this.drawBoxes(scene, boxes, 1) + this.drawBoxes(scene, faint, FAINT);
    this.drawLabels(scene, labels);
    return count;
  }

  /** Why a rank has nothing to draw. */
  private drawNote(scene: Scene, rank: OpenRank, middle: number) {
    const { context } = this;
    context.font = FONT;
    context.textBaseline = "middle";
    context.fillStyle = scene.palette.theme.soft;
    context.fillText(scene.note(rank), 8, middle);
  }

  private want(rank: OpenRank, lanes: Lane[], frame: Frame) {
    for (const together of new Set(lanes.map((lane) => rank.together.get(lane.id) ?? [lane.id]))) {
      for (const index of frame.indices) rank.bars.want({ level: frame.level, index }, together);
    }
  }

  private gatherLanes(
    scene: Scene,
    rank: OpenRank,
    place: Place,
    frame: Frame,
    top: number,
    boxes: Boxes[],
    faint: Boxes[],
    labels: Label[],
  ) {
    const { node, row: rowHeight } = place;
    const { palette } = scene;
    this.want(rank, node.lanes, frame);
    const put = (lane: Lane, left: number, right: number, row: number, name: number, slices: number) => {
      const style = palette.style(lane.layer, rank.names, name, (right - left) * frame.perPixel);
      const begin = Math.round(left);
      const width = Math.max(Math.round(right) - begin, 1);
      // A line of paper between neighbours, where there is room for it.
      const gap = width > 3 ? 1 : 0;
      const y = top + 1 + row * rowHeight;
      if (y - top > place.height) return;
      const list = slices > 1 ? faint : boxes;
      list[style] ??= [];
      list[style].push(begin, y, width - gap, Math.max(rowHeight - (rowHeight > 4 ? 1 : 0), 1));
      if (width < TEXT_PIXELS || rowHeight < 12 || slices > 1) return;
      labels.push({
        text: rank.names[name] ?? "",
        left: begin,
        right: begin + width - gap,
        middle: y + (rowHeight - 1) / 2,
        style,
      });
    };
    if (node.kind === "lane") {
      const lane = node.lanes[0] as Lane;
      eachBar(rank.bars, lane.id, frame, (left, right, row, _, name, slices) => put(lane, left, right, row, name, slices));
      return;
    }
    const fit = new FirstFit();
    for (const bar of mergedBars(rank.bars, node.lanes, frame))
      put(bar.lane, bar.left, bar.right, fit.row(bar.left, bar.right), bar.name, bar.slices);
    const rows = Math.max(fit.rows, scene.mergedRows.get(node.key) ?? 1);
    scene.mergedRows.set(node.key, rows);
  }

  /** The lanes of a closed process, squeezed into its strip. */
  private gatherFolded(scene: Scene, rank: OpenRank, place: Place, top: number, boxes: Boxes[]) {
    const { node } = place;
    const frame = frameOf(scene, node.rank, this.coarser + FOLDED_COARSER);
    this.want(rank, node.lanes, frame);
    const rows = node.lanes.reduce((sum, lane) => sum + lane.rows, 0);
    const height = place.height - 2 * INSET;
    const rowHeight = height / Math.max(rows, 3);
    let above = 0;
    for (const lane of node.lanes) {
      eachBar(rank.bars, lane.id, frame, (left, right, row, _, name) => {
        const style = scene.palette.style(lane.layer, rank.names, name, (right - left) * frame.perPixel);
        const begin = Math.round(left);
        const width = Math.max(Math.round(right) - begin, 1);
        boxes[style] ??= [];
        boxes[style].push(begin, top + INSET + (above + row) * rowHeight, width, Math.max(rowHeight, 1));
      });
      above += lane.rows;
    }
    if (node.lanes.length > 0) return;
    const counters = node.counters.slice(0, 4);
    for (const counter of counters) this.drawCounterLane(scene, rank, counter, frameOf(scene, node.rank), top + INSET, height);
  }

  private drawCounterLane(
    scene: Scene,
    rank: OpenRank,
    counter: OpenRank["timeline"]["counters"][number],
    frame: Frame,
    top: number,
    height: number,
  ) {
    const ids = rank.timeline.counters.filter((other) => other.process === counter.process).map((other) => other.id);
    for (const index of frame.indices) rank.counters.want({ level: frame.level, index }, ids.length <= 32 ? ids : [counter.id]);
    drawCounter(this.context, rank.counters, counter, frame, top, height, scene.palette.theme.accent);
  }

  private gatherQuery(scene: Scene, place: Place, frame: Frame, top: number, boxes: Boxes[], labels: Label[]) {
    for (const slice of place.node.query) {
      const left = (slice.begin - frame.begin) / frame.perPixel;
      const right = (slice.end - frame.begin) / frame.perPixel;
      if (right < 0 || left > scene.width) continue;
      const style = scene.palette.styleOf("mstx", slice.name);
      const begin = Math.round(Math.max(left, -4));
      const width = Math.max(Math.round(Math.min(right, scene.width + 4)) - begin, 1);
      boxes[style] ??= [];
      boxes[style].push(begin, top + 1, width - (width > 3 ? 1 : 0), place.row - 1);
      if (width >= TEXT_PIXELS)
        labels.push({ text: slice.name, left: begin, right: begin + width, middle: top + place.row / 2, style });
    }
  }

  private drawStrip(scene: Scene, rank: OpenRank, frame: Frame, top: number, height: number) {
    const length = tileLength(frame.level);
    this.context.imageSmoothingEnabled = false;
    for (const index of frame.indices) {
      rank.strips.want({ level: frame.level, index }, [STRIP]);
      for (const tile of nearest(rank.strips, frame.level, index, STRIP)) {
        const picture = stripPicture(tile.value, scene.palette.theme);
        const own = tileLength(tile.level);
        // Of a coarser tile only the part is drawn that this one covers.
        const from = Math.max(index * length, tile.index * own);
        const to = Math.min((index + 1) * length, (tile.index + 1) * own);
        const left = (from - frame.begin) / frame.perPixel;
        const right = (to - frame.begin) / frame.perPixel;
        const scale = picture.width / own;
        this.context.drawImage(
          picture,
          (from - tile.index * own) * scale,
          0,
          (to - from) * scale,
          picture.height,
          left,
          top + INSET,
          right - left,
          height - 2 * INSET,
        );
      }
    }
  }

  /** Says which tiles might be drawn soon: those beside, and those of the level above and below. */
  private wantAhead(scene: Scene, rank: OpenRank, places: Place[]) {
    const lanes = places
      .filter(({ node }) => node.rank === rank.rank && (node.kind === "lane" || node.kind === "merged"))
      .flatMap(({ node }) => node.lanes);
    const ids = new Set(lanes.flatMap((lane) => rank.together.get(lane.id) ?? []));
    if (ids.size === 0) return;
    const { level, indices } = frameOf(scene, rank.rank, this.coarser);
    const first = indices[0] as number;
    const last = indices.at(-1) as number;
    const soon = (level: number, index: number) => rank.bars.want({ level, index }, ids, true);
    soon(level, first - 1);
    soon(level, last + 1);
    for (let index = Math.floor(first / 2); index <= Math.floor(last / 2); index++) soon(level + 1, index);
    const middle = first + last;
    if (level > 0) for (let index = middle - 1; index <= middle + 2; index++) soon(level - 1, index);
  }

  private drawBoxes(scene: Scene, boxes: Boxes[], alpha: number): number {
    const { context } = this;
    let count = 0;
    context.globalAlpha = alpha;
    boxes.forEach((list, style) => {
      context.fillStyle = scene.palette.styles[style]?.fill ?? "";
      for (let at = 0; at < list.length; at += 4) {
        context.fillRect(list[at] as number, list[at + 1] as number, list[at + 2] as number, list[at + 3] as number);
      }
      count += list.length / 4;
    });
    context.globalAlpha = 1;
    return count;
  }

  private drawLabels(scene: Scene, labels: Label[]) {
    const { context } = this;
    context.font = FONT;
    context.textBaseline = "middle";
    labels.sort((a, b) => a.style - b.style);
    let style = -1;
    for (const label of labels) {
      if (label.style !== style) {
        style = label.style;
        context.fillStyle = scene.palette.styles[style]?.ink ?? "";
      }
      // The name of a slice that begins left of the view stays in view.
      const left = Math.max(label.left, 0) + 4;
      const text = this.widths.cut(label.text, Math.min(label.right, scene.width) - left - 3);
      if (text !== "") context.fillText(text, left, label.middle + 0.5);
    }
  }
}
