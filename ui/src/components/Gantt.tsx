// Bars in time, row under row: collectives of ranks, stages of a pipeline, stages of reinforcement learning.

import type { ComponentChildren } from "preact";
import { between, type Inset, pixelOf, type Range, timeRuler, valueAt } from "./axis";
import { inkOn } from "./colours";
import { type Named, type Paper, Plot, type Point, type Size } from "./Plot";
import { drawAcross, drawNames, fitted, roomFor } from "./rulers";

export interface GanttBar {
  row: number;
  begin: number;
  end: number;
  colour: string;
  name: string;
  /** What is written on it; the name if it is not given. */
  text?: string;
  /** The text is at the end, not at the beginning. */
  isTextLast?: boolean;
  /** Drawn hollow, over what else is there: nothing was done in this time. */
  hollow?: boolean;
  /** Drawn as a strip along the lower edge of the row, over what else is there. */
  thin?: boolean;
}

interface Props {
  label: string;
  caption?: ComponentChildren;
  legend?: Named[];
  rows: string[];
  bars: GanttBar[];
  range: Range;
  zoom: Range | null;
  onZoom: (range: Range | null) => void;
  about: (bar: number) => [string, string][];
  onPick?: (bar: number) => void;
  /** The bar that is chosen. */
  chosen?: number | null;
}

/** Height beyond which the chart scrolls. */
const MOST = 520;

/** Share of a row that thin bars take. */
const THIN = 0.34;

const EDGES: Inset = { left: 0, top: 4, right: 10, bottom: 22 };

export function Gantt({ label, caption, legend, rows, bars, range, zoom, onZoom, about, onPick, chosen }: Props) {
  const shown = zoom ?? range;
  const rowHeight = Math.max(2, Math.min(22, (MOST - 2 * EDGES.bottom) / Math.max(rows.length, 1)));
  // A chart that scrolls has times above it, too.
  const isTall = rowHeight * rows.length > MOST - 2 * EDGES.bottom + 1;
  const inset = { ...EDGES, top: isTall ? EDGES.bottom : EDGES.top, left: roomFor((row) => rows[row] ?? "", rows.length) };
  const height = Math.round(inset.top + inset.bottom + rowHeight * rows.length);
  const draw = (paper: Paper) => {
    const ruler = timeRuler(shown, (paper.width - inset.left) / 90);
    drawAcross(paper, ruler, shown, inset);
    if (isTall) drawAcross(paper, ruler, shown, inset, { isTop: true });
    drawNames(paper, "left", (row) => rows[row] ?? "", 0, rows.length, inset);
    drawBars(paper, { bars, shown, rowHeight, inset, chosen: chosen ?? null });
  };
  const at = (point: Point, size: Size) => {
    const place = (point.y - inset.top) / rowHeight;
    const row = Math.floor(place);
    const from = inset.left;
    const to = size.width - inset.right;
    if (point.x < from || point.x > to) return null;
    const reach = valueAt(from + 1.5, shown, from, to) - shown.begin;
    return barAt(bars, row, valueAt(point.x, shown, from, to), reach, place - row >= 1 - THIN);
  };
  return (
    <Plot
      label={label}
      caption={caption}
      legend={legend}
      height={height}
      most={MOST}
      inset={inset}
      draw={draw}
      of={[rows, bars, shown.begin, shown.end, chosen]}
      readout={(point, size) => {
        const found = at(point, size);
        if (found === null) return null;
        const bar = bars[found]!;
        const { x, width } = pixels(bar, shown, size.width, inset);
        return {
          title: bar.name,
          lines: [["", rows[bar.row] ?? ""], ...about(found)],
          box: { x, y: inset.top + bar.row * rowHeight, width, height: rowHeight },
        };
      }}
      onPick={
        onPick &&
        ((point, size) => {
          const found = at(point, size);
          if (found !== null) onPick(found);
        })
      }
      onBrush={(from, to, size) => {
        const time = (point: Point) => valueAt(point.x, shown, inset.left, size.width - inset.right);
        onZoom(between(time(from), time(to), shown));
      }}
      onReset={() => onZoom(null)}
      stride={() => ({ x: 6, y: rowHeight })}
    />
  );
}

/** The last drawn bar of a row that is at a time, or that is no farther from it than `reach`; thin ones only if `isLow`. */
export function barAt(bars: GanttBar[], row: number, time: number, reach: number, isLow: boolean): number | null {
  let near: number | null = null;
  for (let at = bars.length - 1; at >= 0; at--) {
    const bar = bars[at]!;
    if (bar.row !== row || (bar.thin && !isLow)) continue;
    if (bar.begin <= time && time < bar.end) return at;
    if (near === null && bar.begin - reach <= time && time <= bar.end + reach) near = at;
  }
  return near;
}

function pixels(bar: GanttBar, shown: Range, width: number, inset: Inset) {
  const left = inset.left;
  const right = width - inset.right;
  const x = Math.max(left, pixelOf(bar.begin, shown, left, right));
  const end = Math.min(right, pixelOf(bar.end, shown, left, right));
  return { x, width: Math.max(1, end - x), seen: bar.end >= shown.begin && bar.begin <= shown.end };
}

interface Drawn {
  bars: GanttBar[];
  shown: Range;
  rowHeight: number;
  inset: Inset;
  chosen: number | null;
}

function drawBars({ context, width, colour }: Paper, { bars, shown, rowHeight, inset, chosen }: Drawn) {
  const gap = rowHeight >= 8 ? 2 : rowHeight >= 4 ? 1 : 0;
  const deep = rowHeight - gap;
  context.textBaseline = "middle";
  context.lineWidth = 1;
  bars.forEach((bar, at) => {
    const { x, width: wide, seen } = pixels(bar, shown, width, inset);
    if (!seen) return;
    const top = inset.top + bar.row * rowHeight + gap / 2;
    const high = bar.thin ? Math.max(1, deep * THIN) : deep;
    const y = top + deep - high;
    const fill = colour(bar.colour);
    if (bar.hollow) {
      context.fillStyle = colour("var(--paper)");
      context.fillRect(x, y, wide, high);
      context.strokeStyle = fill;
      context.strokeRect(x + 0.5, y + 0.5, Math.max(wide - 1, 1), high - 1);
    } else {
      context.fillStyle = fill;
      context.fillRect(x, y, wide > 3 ? wide - 0.5 : wide, high);
    }
    const text = bar.text ?? bar.name;
    if (text !== "" && wide > (text.length > 2 ? 30 : 12) && high >= 11) {
      context.textAlign = bar.isTextLast ? "right" : "left";
      context.fillStyle = bar.hollow ? colour("var(--soft)") : inkOn(fill);
      context.fillText(fitted(context, text, wide - 6), bar.isTextLast ? x + wide - 4 : x + 3, y + high / 2 + 0.5);
    }
    if (at === chosen) {
      context.strokeStyle = colour("var(--ink)");
      context.lineWidth = 2;
      context.strokeRect(x, y, wide, high);
      context.lineWidth = 1;
    }
  });
}
