// Sorted horizontal bars, one a row: names, lengths and values in plain elements, so that they are read and reached by
// keyboard as they are.

import type { ComponentChildren } from "preact";
import "./charts.css";

export interface Bar {
  /** Identifies the bar. */
  key: string;
  name: string;
  value: number;
  colour?: string;
  /** Text in place of the formatted value. */
  text?: string;
  /** A value to compare with, marked on the track. */
  reference?: number;
}

interface Props {
  label: string;
  caption?: ComponentChildren;
  bars: Bar[];
  format: (value: number) => string;
  /** The value of a full track; the greatest if it is not given. */
  full?: number;
  chosen?: string | null;
  onPick?: (bar: Bar) => void;
}

export function BarChart({ label, caption, bars, format, full, chosen, onPick }: Props) {
  const most = full ?? bars.reduce((most, bar) => Math.max(most, bar.value, bar.reference ?? 0), 0);
  return (
    <figure class="chart" aria-label={label}>
      {caption && <figcaption>{caption}</figcaption>}
      <ol class="bars">
        {bars.map((bar) => {
          const share = most > 0 ? Math.min(bar.value / most, 1) : 0;
          const inner = (
            <>
              <span class="name" title={bar.name}>
                {bar.name}
              </span>
              <span class="track">
                <span class="fill" style={{ width: `${share * 100}%`, background: bar.colour ?? "var(--kind-0)" }} />
                {bar.reference !== undefined && most > 0 && <span class="reference" style={{ left: `${(bar.reference / most) * 100}%` }} />}
              </span>
              <span class="value">{bar.text ?? format(bar.value)}</span>
            </>
          );
          return (
            <li key={bar.key}>
              {onPick ? (
                <button type="button" class="bar" aria-pressed={bar.key === chosen} onClick={() => onPick(bar)}>
                  {inner}
                </button>
              ) : (
                <div class="bar">{inner}</div>
              )}
            </li>
          );
        })}
      </ol>
    </figure>
  );
}
