// Curves over time, on a true scale: samples as steps, the room between two curves shaded, peaks marked, stretches of
// time as bands.

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { time as timeText } from "../format";
import { between, type Inset, pixelOf, type Range, type Ruler, timeRuler, valueAt } from "./axis";
import { curveValue, peakIn, sampleAt, type Samples } from "./curves";
import { type Named, type Paper, Plot, type Point, type Size } from "./Plot";
import { drawAcross, drawUp } from "./rulers";

export interface Curve extends Named, Samples {
  /** Lengths of dashes and gaps; a line without. */
  dashes?: number[];
}

/** A point that is named on the plot. */
export interface Mark {
  time: number;
  value: number;
  text: string;
}

interface Props {
  label: string;
  caption?: ComponentChildren;
  curves: Curve[];
  /** Which colour means what; of all curves if it is not given. */
  legend?: Named[];
  /** Pairs of curves with room between them that means something. */
  shades?: { upper: Curve; lower: Curve }[];
  /** Stretches of time, or moments if they begin when they end. */
  bands?: { range: Range; name: string }[];
  marks?: Mark[];
  range: Range;
  zoom: Range | null;
  onZoom: (range: Range | null) => void;
  onPick?: (time: number) => void;
  format: (value: number) => string;
  ruler: (range: Range, most: number) => Ruler;
  height?: number;
}

const INSET: Inset = { left: 70, top: 16, right: 12, bottom: 22 };

/** Most curves whose values are read out at once. */
const MOST_READ = 12;

export function CurveChart({ label, caption, curves, legend = curves, shades, bands, marks, range, zoom, onZoom, onPick, format, ruler, height = 300 }: Props) {
  const shown = zoom ?? range;
  const most = useMemo(
    () => Math.max(...curves.map((curve) => peakIn(curve, shown)?.value ?? 0), 0) * 1.06 || 1,
    [curves, shown.begin, shown.end],
  );
  const values = { begin: 0, end: most };
  const timeAt = (point: Point, size: Size) => valueAt(point.x, shown, INSET.left, size.width - INSET.right);
  const draw = (paper: Paper) => {
    const place = placer(paper, shown, values);
    drawBands(paper, bands ?? [], place.x);
    drawUp(paper, ruler(values, 5), values, INSET);
    drawAcross(paper, timeRuler(shown, (paper.width - INSET.left) / 90), shown, INSET);
    const { context, width } = paper;
    context.save();
    context.beginPath();
    context.rect(INSET.left, 0, width - INSET.left - INSET.right, height - INSET.bottom + 1);
    context.clip();
    for (const { upper, lower } of shades ?? []) drawShade(paper, upper, lower, shown, place);
    for (const curve of curves) drawCurve(paper, curve, shown, place);
    for (const mark of marks ?? []) drawMark(paper, mark, place);
    context.restore();
  };
  return (
    <Plot
      label={label}
      caption={caption}
      legend={legend}
      height={height}
      inset={INSET}
      draw={draw}
      of={[curves, shades, bands, marks, shown.begin, shown.end, most]}
      readout={(point, size) => {
        if (point.x < INSET.left || point.x > size.width - INSET.right) return null;
        const time = timeAt(point, size);
        const values = curves
          .map((curve) => ({ name: curve.name, value: curveValue(curve, time) }))
          .filter(({ value }) => !Number.isNaN(value))
          .sort((one, other) => other.value - one.value);
        return {
          title: timeText(time),
          lines: values.slice(0, MOST_READ).map(({ name, value }) => [name, format(value)]),
          box: { x: point.x, y: INSET.top, width: 0, height: size.height - INSET.top - INSET.bottom },
        };
      }}
      onPick={onPick && ((point, size) => onPick(Math.round(timeAt(point, size))))}
      onBrush={(from, to, size) => onZoom(between(timeAt(from, size), timeAt(to, size), shown))}
      onReset={() => onZoom(null)}
    />
  );
}

interface Placer {
  x: (time: number) => number;
  y: (value: number) => number;
}

function placer({ width, height }: Size, shown: Range, values: Range): Placer {
  return {
    x: (time) => pixelOf(time, shown, INSET.left, width - INSET.right),
    y: (value) => pixelOf(value, values, height - INSET.bottom, INSET.top),
  };
}

/** The samples that a stretch of time needs, from the one before it to the one after it. */
function needed(times: ArrayLike<number>, shown: Range): [number, number] {
  return [Math.max(0, sampleAt(times, shown.begin)), Math.min(times.length, sampleAt(times, shown.end) + 2)];
}

/** Adds a curve to the path as steps. */
function trace(context: CanvasRenderingContext2D, curve: Samples, shown: Range, { x, y }: Placer) {
  const [first, end] = needed(curve.times, shown);
  let before = NaN;
  for (let at = first; at < end; at++) {
    const value = curve.values[at]!;
    const place = x(curve.times[at]!);
    if (Number.isNaN(value)) {
      before = NaN;
      continue;
    }
    if (Number.isNaN(before)) context.moveTo(place, y(value));
    else {
      context.lineTo(place, y(before));
      context.lineTo(place, y(value));
    }
    before = value;
  }
  // The last sample holds on.
  if (end === curve.times.length && !Number.isNaN(before)) context.lineTo(x(shown.end), y(before));
}

function drawCurve({ context, colour }: Paper, curve: Curve, shown: Range, place: Placer) {
  context.strokeStyle = colour(curve.colour);
  context.lineWidth = 1.5;
  context.setLineDash(curve.dashes ?? []);
  context.beginPath();
  trace(context, curve, shown, place);
  context.stroke();
  context.setLineDash([]);
}

/** Shades the room between two curves that have the same times. */
function drawShade({ context, colour }: Paper, upper: Curve, lower: Curve, shown: Range, { x, y }: Placer) {
  context.fillStyle = colour(upper.colour);
  context.globalAlpha = 0.16;
  const [first, end] = needed(upper.times, shown);
  for (let at = first; at < end; at++) {
    const [high, low] = [upper.values[at]!, lower.values[at]!];
    if (!(high > low)) continue;
    const left = x(upper.times[at]!);
    const right = x(upper.times[at + 1] ?? shown.end);
    context.fillRect(left, y(high), right - left, y(low) - y(high));
  }
  context.globalAlpha = 1;
}

function drawBands({ context, height, width, colour }: Paper, bands: { range: Range; name: string }[], x: Placer["x"]) {
  for (const { range, name } of bands) {
    const left = Math.max(INSET.left, x(range.begin));
    const right = Math.min(width - INSET.right, x(range.end));
    if (right < left) continue;
    const isMoment = range.begin === range.end;
    context.globalAlpha = isMoment ? 1 : 0.14;
    context.fillStyle = colour("var(--accent)");
    context.fillRect(left, INSET.top, isMoment ? 1.5 : right - left, height - INSET.top - INSET.bottom);
    context.globalAlpha = 1;
    context.fillStyle = colour("var(--soft)");
    context.textAlign = "left";
    context.textBaseline = "bottom";
    context.fillText(name, left + 2, INSET.top - 2);
  }
}

function drawMark({ context, width, colour }: Paper, mark: Mark, { x, y }: Placer) {
  const [left, top] = [x(mark.time), y(mark.value)];
  context.fillStyle = colour("var(--bad)");
  context.beginPath();
  context.arc(left, top, 3.5, 0, 2 * Math.PI);
  context.fill();
  context.fillStyle = colour("var(--ink)");
  const isRight = left > width / 2;
  context.textAlign = isRight ? "right" : "left";
  context.textBaseline = "bottom";
  context.fillText(mark.text, left + (isRight ? -6 : 6), Math.max(top - 2, 12));
}
