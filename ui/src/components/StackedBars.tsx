// Upright bars of parts on top of each other: how ranks or steps spend their time. A thousand of them are drawn as well
// as eight.

import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { type Inset, pixelOf, type Ruler, type Range } from "./axis";
import { type Named, type Paper, Plot, type Point, type Size } from "./Plot";
import { drawNames, drawUp } from "./rulers";

export interface Part extends Named {
  values: ArrayLike<number>;
}

interface Props {
  label: string;
  caption?: ComponentChildren;
  names: string[];
  parts: Part[];
  format: (value: number) => string;
  ruler: (range: Range, most: number) => Ruler;
  total: string;
  onPick?: (bar: number) => void;
  height?: number;
}

const INSET: Inset = { left: 64, top: 6, right: 8, bottom: 22 };

/** What a bar has in all. */
export function totals(parts: Part[], bars: number): number[] {
  return Array.from({ length: bars }, (_, bar) => parts.reduce((sum, part) => sum + Math.max(0, part.values[bar] || 0), 0));
}

export function StackedBars({ label, caption, names, parts, format, ruler, total, onPick, height = 240 }: Props) {
  const sums = useMemo(() => totals(parts, names.length), [parts, names]);
  const range = { begin: 0, end: Math.max(...sums, 0) || 1 };
  const at = (point: Point, size: Size) => {
    const each = (size.width - INSET.left - INSET.right) / names.length;
    const bar = Math.floor((point.x - INSET.left) / each);
    return bar >= 0 && bar < names.length ? { bar, each } : null;
  };
  const draw = (paper: Paper) => {
    drawUp(paper, ruler(range, 5), range, INSET);
    drawNames(paper, "bottom", (bar) => names[bar] ?? "", 0, names.length, INSET);
    drawStacks(paper, parts, names.length, range);
  };
  return (
    <Plot
      label={label}
      caption={caption}
      legend={parts}
      height={height}
      inset={INSET}
      draw={draw}
      of={[names, parts, range.end, height]}
      readout={(point, size) => {
        const found = at(point, size);
        if (!found) return null;
        const lines = parts.map((part): [string, string] => [part.name, format(part.values[found.bar] ?? NaN)]);
        return {
          title: names[found.bar] ?? "",
          lines: [...lines.reverse(), [total, format(sums[found.bar] ?? NaN)]],
          box: { x: INSET.left + found.bar * found.each, y: INSET.top, width: found.each, height: size.height - INSET.top - INSET.bottom },
        };
      }}
      onPick={
        onPick &&
        ((point, size) => {
          const found = at(point, size);
          if (found) onPick(found.bar);
        })
      }
      stride={(size) => ({ x: Math.max(1, (size.width - INSET.left - INSET.right) / names.length), y: 0 })}
    />
  );
}

function drawStacks({ context, width, height, colour }: Paper, parts: Part[], bars: number, range: Range) {
  const each = (width - INSET.left - INSET.right) / bars;
  const wide = Math.min(each > 4 ? each * 0.82 : each, 48);
  // Edges on whole dots: bars of less than a few dots would else make a pattern that is not there.
  const dots = context.canvas.width / width;
  const whole = (x: number) => Math.round(x * dots) / dots;
  const base = height - INSET.bottom;
  const sums = new Float64Array(bars);
  for (const part of parts) {
    context.fillStyle = colour(part.colour);
    for (let bar = 0; bar < bars; bar++) {
      const value = Math.max(0, part.values[bar] || 0);
      if (value === 0) continue;
      const from = pixelOf(sums[bar]!, range, base, INSET.top);
      const to = pixelOf(sums[bar]! + value, range, base, INSET.top);
      sums[bar]! += value;
      const middle = INSET.left + (bar + 0.5) * each;
      const left = whole(middle - wide / 2);
      context.fillRect(left, to, Math.max(whole(middle + wide / 2) - left, 1 / dots), from - to);
    }
  }
}
