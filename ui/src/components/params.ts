// The choices of a page, kept in the address.

import { go, link, scope } from "../scope";
import type { Range } from "./axis";
import type { Cells } from "./raster";

/** A choice of the page; empty if it was not made. */
export function param(name: string): string {
  return scope.value.params[name] ?? "";
}

/** A choice out of some; the first if none was made. */
export function choice<V extends string>(name: string, values: readonly [V, ...V[]]): V {
  return values.find((value) => value === param(name)) ?? values[0];
}

/** The params after changes; null takes a choice back. */
function changed(changes: Record<string, string | null>): Record<string, string> {
  const params = { ...scope.value.params };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") delete params[name];
    else params[name] = value;
  }
  return params;
}

/** Makes choices. */
export function choose(changes: Record<string, string | null>) {
  go({ params: changed(changes) });
}

/** The address of the page with other choices. */
export function choiceLink(changes: Record<string, string | null>): string {
  return link({ params: changed(changes) });
}

function numbers(name: string, count: number): number[] | null {
  const parts = param(name) === "" ? [] : param(name).split(",").map(Number);
  return parts.length === count && parts.every(Number.isFinite) ? parts : null;
}

/** A stretch that was chosen. */
export function chosenRange(name: string): Range | null {
  const [begin, end] = numbers(name, 2) ?? [];
  return begin !== undefined && end !== undefined && begin < end ? { begin, end } : null;
}

export function chooseRange(name: string, range: Range | null) {
  choose({ [name]: range && `${Math.round(range.begin)},${Math.round(range.end)}` });
}

/** Cells of a heat map that were chosen. */
export function chosenCells(name: string): Cells | null {
  const [x0, y0, x1, y1] = numbers(name, 4) ?? [];
  return x0 === undefined || y0 === undefined || x1 === undefined || y1 === undefined ? null : { x0, y0, x1, y1 };
}

export function chooseCells(name: string, cells: Cells | null) {
  choose({ [name]: cells && [cells.x0, cells.y0, cells.x1, cells.y1].join(",") });
}

/** A whole number that was chosen. */
export function chosenNumber(name: string): number | null {
  return numbers(name, 1)?.[0] ?? null;
}
