// Scales and rulers of charts: where a value is drawn, and which values are named along an edge.

/** A stretch of values or times. */
export interface Range {
  begin: number;
  end: number;
}

/** Where the plot lies inside its canvas, in pixels. */
export interface Inset {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The pixel of a value, if `range` fills the pixels from `from` to `to`. */
export function pixelOf(value: number, range: Range, from: number, to: number): number {
  const length = range.end - range.begin || 1;
  return from + ((value - range.begin) / length) * (to - from);
}

/** The value at a pixel: the inverse of `pixelOf`. */
export function valueAt(pixel: number, range: Range, from: number, to: number): number {
  return range.begin + ((pixel - from) / (to - from || 1)) * (range.end - range.begin);
}

/** The range between two values, whichever comes first, kept inside `whole`. */
export function between(one: number, other: number, whole: Range): Range {
  const inside = (value: number) => Math.min(Math.max(value, whole.begin), whole.end);
  return { begin: inside(Math.min(one, other)), end: inside(Math.max(one, other)) };
}

/** The least and the greatest of finite values; null if there are none. */
export function extent(values: Iterable<number>): Range | null {
  let begin = Infinity;
  let end = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < begin) begin = value;
    if (value > end) end = value;
  }
  return begin <= end ? { begin, end } : null;
}

/** A range that spans a share of its end at least, so that what is nearly the same has nearly the same colour. */
export function widened(range: Range, least: number): Range {
  return { begin: Math.min(range.begin, range.end * (1 - least)), end: range.end };
}

/** The least of 1, 2 and 5 times powers of ten that is at least `wanted`. */
export function roundStep(wanted: number): number {
  if (!(wanted > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const times = [1, 2, 5, 10].find((times) => times * power >= wanted * (1 - 1e-9)) ?? 10;
  return times * power;
}

/** Round values in a range, at most `most` of them, as multiples of a unit. */
export function ticks(range: Range, most: number, unit = 1): number[] {
  const step = roundStep((range.end - range.begin) / unit / Math.max(most, 1));
  const first = Math.ceil(range.begin / unit / step - 1e-9);
  const last = Math.floor(range.end / unit / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => (first + at) * step * unit);
}

const TIME_UNITS: [string, number][] = [
  ["s", 1e9],
  ["ms", 1e6],
  ["µs", 1e3],
  ["ns", 1],
];

const BYTE_UNITS: [string, number][] = [
  ["TiB", 2 ** 40],
  ["GiB", 2 ** 30],
  ["MiB", 2 ** 20],
  ["KiB", 2 ** 10],
  ["B", 1],
];

/** A ruler: values to name, and how. */
export interface Ruler {
  at: number[];
  label: (value: number) => string;
}

function unitRuler(range: Range, most: number, units: [string, number][]): Ruler {
  const greatest = Math.max(Math.abs(range.begin), Math.abs(range.end));
  const [name, unit] = units.find(([, size]) => greatest >= size) ?? (units.at(-1) as [string, number]);
  const at = ticks(range, most, unit);
  const step = at.length > 1 ? (at[1]! - at[0]!) / unit : 1;
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step) - 1e-9)));
  return { at, label: (value) => `${(value / unit).toFixed(digits)} ${name}` };
}

/** A ruler of times or durations, in ns. */
export function timeRuler(range: Range, most: number): Ruler {
  return unitRuler(range, most, TIME_UNITS);
}

/** A ruler of sizes, in bytes. */
export function byteRuler(range: Range, most: number): Ruler {
  return unitRuler(range, most, BYTE_UNITS);
}

/** A ruler of plain numbers. */
export function numberRuler(range: Range, most: number): Ruler {
  return { at: ticks(range, most), label: (value) => String(Number(value.toPrecision(6))) };
}

/** A ruler of shares, 0 to 1. */
export function shareRuler(range: Range, most: number): Ruler {
  return { at: ticks(range, most), label: (value) => `${Number((value * 100).toPrecision(4))} %` };
}
