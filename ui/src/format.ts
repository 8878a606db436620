// Numbers as people read them: durations, sizes, counts, shares, times; and what they write, read back.

/** Shown where a number is not known. */
export const NOTHING = "–";

const DURATIONS: [string, number][] = [
  ["s", 1e9],
  ["ms", 1e6],
  ["µs", 1e3],
  ["ns", 1],
];

const SIZES: [string, number][] = [
  ["TiB", 2 ** 40],
  ["GiB", 2 ** 30],
  ["MiB", 2 ** 20],
  ["KiB", 2 ** 10],
  ["B", 1],
];

/** A number with four digits that count. */
function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}

function scaled(value: number, units: [string, number][]): string {
  if (!Number.isFinite(value)) return NOTHING;
  const [unit, size] = units.find(([, size]) => Math.abs(value) >= size) ?? (units.at(-1) as [string, number]);
  return `${short(value / size)} ${unit}`;
}

/** A duration in a unit that suits it: `1.234 ms`. */
export function duration(ns: number): string {
  return scaled(ns, DURATIONS);
}

/** A size in a unit that suits it, in powers of 1024: `1.5 GiB`. */
export function bytes(size: number): string {
  return scaled(size, SIZES);
}

/** A whole number with thousands apart: `12,345`. */
export function count(value: number): string {
  return Number.isFinite(value) ? Math.round(value).toLocaleString("en") : NOTHING;
}

/** A share of one in percent: `12.3 %`. */
export function share(value: number): string {
  if (!Number.isFinite(value)) return NOTHING;
  const percent = value * 100;
  return `${Math.abs(percent) >= 99.95 ? Math.round(percent) : percent.toFixed(1)} %`;
}

/** Any number, with four digits that count. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return NOTHING;
  return Math.abs(value) >= 1e4 ? Math.round(value).toLocaleString("en") : short(value);
}

/** A moment of the profile, in seconds from its origin, to the µs: `1.234 567 s`. */
export function time(ns: number): string {
  if (!Number.isFinite(ns)) return NOTHING;
  const [whole = "", parts = ""] = (ns / 1e9).toFixed(6).split(".");
  return `${whole}.${parts.slice(0, 3)} ${parts.slice(3)} s`;
}

const UNITS: Record<string, number> = {
  "": 1,
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  "%": 0.01,
  b: 1,
  kb: 2 ** 10,
  mb: 2 ** 20,
  gb: 2 ** 30,
  tb: 2 ** 40,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** What a number with a unit means in the base unit (ns, bytes, a share of one): `1.5ms` is 1500000. */
export function parseQuantity(text: string): number | null {
  const [, digits, unit] = /^\s*(-?[\d.]+(?:e[+-]?\d+)?)\s*(\D*?)\s*$/i.exec(text) ?? [];
  const size = UNITS[(unit ?? "").toLowerCase()];
  if (digits === undefined || size === undefined || !Number.isFinite(Number(digits))) return null;
  return Number(digits) * size;
}
