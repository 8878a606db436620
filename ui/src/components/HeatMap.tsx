// A heat map: a value for each row and column, drawn pixel by pixel, so that a million cells are quick.

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { extent, type Inset, type Range, timeRuler } from "./axis";
import { inkOn, ramp } from "./colours";
import { type Paper, Plot, type Point, type Size } from "./Plot";
import { type Cells, cellAt, painted, rasterized } from "./raster";
import { drawAcross, drawNames, roomFor } from "./rulers";
import { listed } from "../texts";

interface Props {
  label: string;
  caption?: ComponentChildren;
  columns: number;
  rows: number;
  /** Row after row; what is no number is absent. */
  values: ArrayLike<number>;
  columnName: (column: number) => string;
  rowName: (row: number) => string;
  format: (value: number) => string;
  /** The times that all columns span, if columns are time. */
  time?: Range;
  /** Values of the ends of the colours; the extent of the values if it is not given. */
  scale?: Range;
  /** More lines of the readout of a cell. */
  about?: (column: number, row: number) => [string, string][];
  valueName: string;
  onPick?: (column: number, row: number) => void;
  zoom?: Cells | null;
  onZoom?: (cells: Cells | null) => void;
  height?: number;
}

const EDGES: Inset = { left: 0, top: 4, right: 8, bottom: 22 };

export function HeatMap(props: Props) {
  const { columns, rows, values, columnName, rowName, format, time, about, valueName, onPick, onZoom } = props;
  const cells = inside(props.zoom, columns, rows);
  const inset = { ...EDGES, left: roomFor(rowName, rows) };
  const height = props.height ?? EDGES.top + EDGES.bottom + Math.min(480, Math.max(80, rows * 22));
  const scale = useMemo(() => props.scale ?? extent(Array.from(values)) ?? { begin: 0, end: 1 }, [values, props.scale]);
  const at = (point: Point, size: Size) =>
    cellAt(point.x - inset.left, point.y - inset.top, cells, size.width - inset.left - inset.right, size.height - inset.top - inset.bottom);

  const draw = (paper: Paper) => {
    const drawn = { values, columns, cells, scale, inset };
    drawCells(paper, drawn);
    drawTexts(paper, drawn, format);
    drawNames(paper, "left", rowName, cells.y0, cells.y1, inset);
    if (time) {
      const range = timesOf(cells, columns, time);
      drawAcross(paper, timeRuler(range, (paper.width - inset.left) / 90), range, inset, { isFull: true });
    } else drawNames(paper, "bottom", columnName, cells.x0, cells.x1, inset);
  };
  return (
    <Plot
      label={props.label}
      caption={
        <>
          {props.caption}{" "}
          <span class="scale">
            {valueName} {format(scale.begin)} <span class="strip" /> {format(scale.end)}
          </span>
        </>
      }
      height={height}
      inset={inset}
      draw={draw}
      of={[values, columns, rows, cells.x0, cells.x1, cells.y0, cells.y1, scale.begin, scale.end, time?.begin, time?.end, format, rowName, columnName]}
      readout={(point, size) => {
        const cell = at(point, size);
        if (!cell) return null;
        const value = values[cell.row * columns + cell.column] ?? NaN;
        return {
          title: listed([rowName(cell.row), columnName(cell.column)]),
          lines: [[valueName, format(value)], ...(about?.(cell.column, cell.row) ?? [])],
          box: boxOf(cell, cells, size, inset),
        };
      }}
      onPick={
        onPick &&
        ((point, size) => {
          const cell = at(point, size);
          if (cell) onPick(cell.column, cell.row);
        })
      }
      brush="both"
      onBrush={
        onZoom &&
        ((from, to, size) => {
          const [one, other] = [at(nudged(from, size, inset), size), at(nudged(to, size, inset), size)];
          if (!one || !other) return;
          onZoom({
            x0: Math.min(one.column, other.column),
            y0: Math.min(one.row, other.row),
            x1: Math.max(one.column, other.column) + 1,
            y1: Math.max(one.row, other.row) + 1,
          });
        })
      }
      onReset={onZoom && (() => onZoom(null))}
      stride={(size) => {
        const cell = boxOf({ column: cells.x0, row: cells.y0 }, cells, size, inset);
        return { x: Math.max(cell.width, 1), y: Math.max(cell.height, 1) };
      }}
    />
  );
}

/** The times that the columns of a zoom span. */
export function timesOf(cells: Cells, columns: number, time: Range): Range {
  const each = (time.end - time.begin) / columns;
  return { begin: time.begin + cells.x0 * each, end: time.begin + cells.x1 * each };
}

/** A zoom kept inside the map; all of it without one. */
function inside(zoom: Cells | null | undefined, columns: number, rows: number): Cells {
  const all = { x0: 0, y0: 0, x1: columns, y1: rows };
  if (!zoom) return all;
  const cells = { x0: Math.max(zoom.x0, 0), y0: Math.max(zoom.y0, 0), x1: Math.min(zoom.x1, columns), y1: Math.min(zoom.y1, rows) };
  return cells.x0 < cells.x1 && cells.y0 < cells.y1 ? cells : all;
}

/** A place on the last edge counts as the cell before it. */
function nudged(point: Point, size: Size, inset: Inset): Point {
  return { x: Math.min(point.x, size.width - inset.right - 0.5), y: Math.min(point.y, size.height - inset.bottom - 0.5) };
}

function boxOf(cell: { column: number; row: number }, cells: Cells, size: Size, inset: Inset) {
  const width = (size.width - inset.left - inset.right) / (cells.x1 - cells.x0);
  const height = (size.height - inset.top - inset.bottom) / (cells.y1 - cells.y0);
  return { x: inset.left + (cell.column - cells.x0) * width, y: inset.top + (cell.row - cells.y0) * height, width, height };
}

interface Drawn {
  values: ArrayLike<number>;
  columns: number;
  cells: Cells;
  scale: Range;
  inset: Inset;
}

function drawCells({ context, width, height, colour }: Paper, { values, columns, cells, scale, inset }: Drawn) {
  const dots = context.canvas.width / width;
  const across = Math.max(1, Math.round((width - inset.left - inset.right) * dots));
  const down = Math.max(1, Math.round((height - inset.top - inset.bottom) * dots));
  const words = painted(rasterized(values, columns, cells, across, down), scale, ramp(colour));
  const image = new ImageData(new Uint8ClampedArray(words.buffer as ArrayBuffer), across, down);
  context.putImageData(image, Math.round(inset.left * dots), Math.round(inset.top * dots));
}

/** Values inside cells that have room for them. */
function drawTexts({ context, width, height, colour }: Paper, { values, columns, cells, scale, inset }: Drawn, format: (value: number) => string) {
  const box = boxOf({ column: cells.x0, row: cells.y0 }, cells, { width, height }, inset);
  if (box.width < 44 || box.height < 15) return;
  const colours = ramp(colour);
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let row = cells.y0; row < cells.y1; row++) {
    for (let column = cells.x0; column < cells.x1; column++) {
      const value = values[row * columns + column] ?? NaN;
      const text = format(value);
      if (Number.isNaN(value) || context.measureText(text).width > box.width - 4) continue;
      const share = (value - scale.begin) / (scale.end - scale.begin || 1);
      const word = colours[Math.round(Math.max(0, Math.min(1, share)) * (colours.length - 1))]!;
      context.fillStyle = inkOn(`rgb(${word & 255}, ${(word >> 8) & 255}, ${(word >> 16) & 255})`);
      context.fillText(text, box.x + (column - cells.x0 + 0.5) * box.width, box.y + (row - cells.y0 + 0.5) * box.height);
    }
  }
}
