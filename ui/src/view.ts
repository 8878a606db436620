// The stretch of time in view, and what moves it.

/** Times are ns from the origin of the run. */
export interface View {
  begin: number;
  end: number;
}

/** The shortest stretch that is shown. */
const SHORTEST_NS = 10;

/** The view zoomed by a factor about a time, which stays where it is. */
export function zoomed(view: View, factor: number, about: number, whole: View): View {
  const length = Math.min(Math.max((view.end - view.begin) * factor, SHORTEST_NS), whole.end - whole.begin);
  const share = (about - view.begin) / (view.end - view.begin);
  const begin = about - share * length;
  return clamped({ begin, end: begin + length }, whole);
}

/** The view moved by a share of its length. */
export function panned(view: View, share: number, whole: View): View {
  const shift = (view.end - view.begin) * share;
  return clamped({ begin: view.begin + shift, end: view.end + shift }, whole);
}

/** The view moved so that it is inside the whole. */
export function clamped(view: View, whole: View): View {
  const length = Math.min(view.end - view.begin, whole.end - whole.begin);
  const begin = Math.min(Math.max(view.begin, whole.begin), whole.end - length);
  return { begin, end: begin + length };
}

/** Distances of ticks of a ruler: 1, 2 and 5 times powers of ten, the least that is at least `wanted` ns. */
export function tickDistance(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 1)));
  return [1, 2, 5, 10].map((times) => times * power).find((distance) => distance >= wanted) ?? 10 * power;
}

/** A duration in a unit that suits it. */
export function duration(ns: number): string {
  const [unit, size] = ns >= 1e9 ? ["s", 1e9] : ns >= 1e6 ? ["ms", 1e6] : ns >= 1e3 ? ["µs", 1e3] : ["ns", 1];
  const value = ns / (size as number);
  return `${Number(value.toPrecision(4))} ${unit}`;
}
