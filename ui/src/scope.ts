// What is looked at, in the address after the #.

import type { View } from "./view";

export const PAGES = ["overview", "timeline"] as const;

export type Page = (typeof PAGES)[number];

export interface Scope {
  page: Page;
  rank: number | null;
  view: View | null;
  slice: number | null;
}

export function readHash(hash: string): Scope {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const values = new URLSearchParams(query);
  const number = (name: string) => {
    const value = values.get(name);
    return value !== null && /^-?\d+$/.test(value) ? Number(value) : null;
  };
  const [begin, end] = (values.get("t") ?? "").split(",").map(Number);
  const isView = begin !== undefined && end !== undefined && Number.isFinite(begin) && begin < end;
  return {
    page: PAGES.find((page) => page === path) ?? "overview",
    rank: number("rank"),
    slice: number("slice"),
    view: isView ? { begin, end } : null,
  };
}

export function writeHash(scope: Scope): string {
  const values = new URLSearchParams();
  if (scope.rank !== null) values.set("rank", String(scope.rank));
  if (scope.view) values.set("t", `${Math.round(scope.view.begin)},${Math.round(scope.view.end)}`);
  if (scope.slice !== null) values.set("slice", String(scope.slice));
  return `#/${scope.page}?${values}`;
}
