// Draws ranks as a grid.

import { useMemo } from "preact/hooks";
import type { Inset, Range } from "../../components/axis";
import { channels, inkOn, kindColour, ramp } from "../../components/colours";
import { type Paper, Plot, type Point, type Size } from "../../components/Plot";
import { listed, texts } from "../../texts";
import { type Dimension, DIMENSIONS, type GridLayout, groupsOf, hasLayout, layoutOf, type Place } from "./places";
import { clusterText } from "./texts";

const t = texts({
  en: { label: "{metric} of {count} {count:rank|ranks} by position", caption: "Click a rank to see its groups.", outside: "Cells without color are outside the range." },
  zh: { label: "{count} 个 rank 的{metric}（按并行布局排列）", caption: "单击 rank 查看其通信组。", outside: "没有颜色的格子超出范围。" },
});

interface Props {
  places: Place[];
  values: Map<number, number>;
  scale: Range;
  valueName: string;
  format: (value: number) => string;
  /** The dimension whose groups have frames. */
  frames: Dimension | null;
  about: (rank: number) => [string, string][];
  chosen: number | null;
  onPick: (rank: number) => void;
}

const INSET: Inset = { left: 44, top: 18, right: 8, bottom: 4 };

const MOST_CELL = 52;

/** Cells are as wide as there is room for, and no higher than need be. */
function cellSize(layout: GridLayout, width: number): number {
  return Math.min(MOST_CELL, (width - INSET.left - INSET.right) / layout.width);
}

/** Height for a usual window; cells are at most this high. */
function heightOf(layout: GridLayout): number {
  return INSET.top + INSET.bottom + Math.ceil(layout.height * Math.min(MOST_CELL, 1100 / layout.width));
}

export function GridChart({ places, values, scale, valueName, format, frames, about, chosen, onPick }: Props) {
  const layout = useMemo(() => layoutOf(places), [places]);
  const groups = useMemo(() => (frames ? groupsOf(places, frames) : null), [places, frames]);
  const at = (point: Point, size: Size) => {
    const cell = cellSize(layout, size.width);
    const [x, y] = [(point.x - INSET.left) / cell, (point.y - INSET.top) / cell];
    return layout.cells.find((one) => x >= one.x && x < one.x + 1 && y >= one.y && y < one.y + 1) ?? null;
  };
  return (
    <Plot
      label={t("label", { metric: valueName, count: places.length })}
      caption={
        <>
          {t("caption")} {t("outside")}{" "}
          <span class="scale">
            {valueName} {format(scale.begin)} <span class="strip" /> {format(scale.end)}
          </span>
        </>
      }
      height={heightOf(layout)}
      most={620}
      inset={INSET}
      draw={(paper) => {
        const cell = cellSize(layout, paper.width);
        drawBlocks(paper, layout, cell, groups === null);
        drawCells(paper, layout, cell, values, scale, groups, chosen);
      }}
      of={[layout, values, scale.begin, scale.end, groups, chosen]}
      readout={(point, size) => {
        const found = at(point, size);
        if (!found) return null;
        const { rank } = found.place;
        const cell = cellSize(layout, size.width);
        const known = hasLayout(places) ? DIMENSIONS.filter((name) => !Number.isNaN(found.place[name])) : [];
        const place: [string, string][] = known.length > 0 ? [["", listed(known.map((name) => `${name} ${found.place[name]}`))]] : [];
        return {
          title: clusterText("rank", { rank }),
          lines: [...place, [valueName, format(values.get(rank) ?? NaN)], ...about(rank)],
          box: { x: INSET.left + found.x * cell, y: INSET.top + found.y * cell, width: cell, height: cell },
        };
      }}
      onPick={(point, size) => {
        const found = at(point, size);
        if (found) onPick(found.place.rank);
      }}
      home={(size) => {
        const cell = cellSize(layout, size.width);
        return { x: INSET.left - cell / 2, y: INSET.top + cell / 2 };
      }}
      stride={(size) => {
        const cell = cellSize(layout, size.width);
        return { x: cell, y: cell };
      }}
    />
  );
}

function drawBlocks({ context, colour }: Paper, layout: GridLayout, cell: number, hasFrames: boolean) {
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.fillStyle = colour("var(--soft)");
  for (const band of layout.bands) context.fillText(band.name, 2, INSET.top + (band.y + band.height / 2) * cell);
  context.textBaseline = "bottom";
  context.strokeStyle = colour("var(--soft)");
  context.lineWidth = 1;
  for (const block of layout.blocks) {
    const [x, y] = [INSET.left + block.x * cell, INSET.top + block.y * cell];
    if (hasFrames) context.strokeRect(x - 1.5, y - 1.5, block.width * cell + 2, block.height * cell + 2);
    if (cell >= 26 && block.y === 0) context.fillText(block.name, x, y - 3);
  }
}

function drawCells(
  { context, colour }: Paper,
  layout: GridLayout,
  cell: number,
  values: Map<number, number>,
  scale: Range,
  groups: Map<number, string> | null,
  chosen: number | null,
) {
  const colours = ramp(colour);
  const indices = new Map([...new Set(groups?.values())].map((group, at) => [group, at]));
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const { place, x, y } of layout.cells) {
    const [left, top] = [INSET.left + x * cell, INSET.top + y * cell];
    const value = values.get(place.rank) ?? NaN;
    const isInside = value >= scale.begin && value <= scale.end;
    const word = colours[Math.round(((value - scale.begin) / (scale.end - scale.begin || 1)) * (colours.length - 1))] ?? 0;
    const fill = isInside ? `rgb(${word & 255}, ${(word >> 8) & 255}, ${(word >> 16) & 255})` : colour("var(--paper)");
    context.fillStyle = fill;
    context.fillRect(left, top, cell - 1, cell - 1);
    if (groups) {
      context.strokeStyle = colour(kindColour(indices.get(groups.get(place.rank) ?? "") ?? 0));
      context.lineWidth = Math.min(3, Math.max(1, cell / 12));
      const half = context.lineWidth / 2;
      context.strokeRect(left + half, top + half, cell - 1 - 2 * half, cell - 1 - 2 * half);
    }
    if (cell >= 20) {
      context.fillStyle = channels(fill).some((channel) => channel > 0) ? inkOn(fill) : colour("var(--ink)");
      context.fillText(String(place.rank), left + cell / 2, top + cell / 2);
    }
    if (place.rank === chosen) {
      context.strokeStyle = colour("var(--ink)");
      context.lineWidth = 3;
      context.strokeRect(left, top, cell - 1, cell - 1);
    }
  }
}
