// What is looked at: the page, the ranks, the step, the stretch of time. All of it is in the address after the #, so
// that any view is a link.

import { signal } from "@preact/signals";

export const PAGES = [
  "overview",
  "timeline",
  "operators",
  "memory",
  "communication",
  "cluster",
  "rl",
  "query",
  "report",
  "health",
] as const;

/** Pages under the names that they had in the version before: saved links still open them. */
const OLDER_NAMES = new Map<string, Page>([["runs", "health"]]); // older name

export type Page = (typeof PAGES)[number];

/** In ns from the origin of the profile. */
export interface TimeRange {
  begin: number;
  end: number;
}

export interface Scope {
  page: Page;
  /** The ranks that tables are about; null for all of them. */
  ranks: number[] | null;
  step: number | null;
  view: TimeRange | null;
  /** The first rank of the timeline. */
  rank: number | null;
  slice: number | null;
  /** What only the page knows of: how a table is sorted, the SQL, what is pinned. */
  params: Record<string, string>;
}

const EVERYTHING: Scope = { page: "overview", ranks: null, step: null, view: null, rank: null, slice: null, params: {} };

/** Names that params cannot have. */
const OWN_NAMES = ["ranks", "step", "t", "rank", "slice"];

/** The address is written at most this often while a view moves: browsers refuse more. */
const WRITE_MS = 200;

/** Most ranks that one range may name. */
const MOST_RANKS = 1_000_000;

/** What is looked at now. Read it anywhere; change it with `go`. */
export const scope = signal<Scope>(typeof location === "undefined" ? EVERYTHING : readHash(location.hash));

let writing: ReturnType<typeof setTimeout> | null = null;

/** Writes the address if it lags behind. */
function flush() {
  if (writing === null) return;
  clearTimeout(writing);
  writing = null;
  history.replaceState(null, "", writeHash(scope.value));
}

if (typeof window !== "undefined") {
  addEventListener("hashchange", () => {
    if (writing !== null) clearTimeout(writing);
    writing = null;
    if (location.hash !== writeHash(scope.value)) scope.value = readHash(location.hash);
  });
  // A link leaves the entry of the history behind: it must say what was seen last.
  addEventListener("click", flush, true);
}

/** The scope after a change. Another page starts with no params and no slice unless the change gives them. */
function changed(changes: Partial<Scope>): Scope {
  const now = scope.value;
  const isOther = changes.page !== undefined && changes.page !== now.page;
  return { ...now, ...(isOther ? { params: {}, slice: null } : {}), ...changes };
}

/** Changes what is looked at. A new page, rank or step is a new entry of the history; the rest replaces the last. */
export function go(changes: Partial<Scope>) {
  const before = scope.value;
  const next = changed(changes);
  const isPlace =
    next.page !== before.page ||
    next.step !== before.step ||
    next.rank !== before.rank ||
    formatRanks(next.ranks) !== formatRanks(before.ranks);
  if (isPlace) {
    flush();
    scope.value = next;
    history.pushState(null, "", writeHash(next));
  } else {
    scope.value = next;
    writing ??= setTimeout(flush, WRITE_MS);
  }
}

/** The address of what `go` would show. */
export function link(changes: Partial<Scope>): string {
  return writeHash(changed(changes));
}

/** The address of a place on the timeline, with as much before and after it. */
export function linkToTime(rank: number, begin: number, end: number, slice: number | null = null): string {
  const margin = Math.max(end - begin, 1000);
  return link({ page: "timeline", step: null, rank, slice, view: { begin: begin - margin, end: end + margin }, params: {} });
}

export function readHash(hash: string): Scope {
  const [path = "", ...query] = hash.replace(/^#\/?/, "").split("?");
  const values = new URLSearchParams(query.join("?"));
  const number = (name: string) => {
    const value = values.get(name);
    return value !== null && /^-?\d+$/.test(value) ? Number(value) : null;
  };
  const [begin, end] = (values.get("t") ?? "").split(",").map(Number);
  const isView = begin !== undefined && end !== undefined && Number.isFinite(begin) && begin < end;
  return {
    page: PAGES.find((page) => page === path) ?? OLDER_NAMES.get(path) ?? "overview",
    ranks: parseRanks(values.get("ranks") ?? ""),
    step: number("step"),
    view: isView ? { begin, end } : null,
    rank: number("rank"),
    slice: number("slice"),
    params: Object.fromEntries([...values].filter(([name]) => !OWN_NAMES.includes(name))),
  };
}

export function writeHash(scope: Scope): string {
  const values = new URLSearchParams();
  if (scope.ranks) values.set("ranks", formatRanks(scope.ranks));
  if (scope.step !== null) values.set("step", String(scope.step));
  if (scope.view) values.set("t", `${Math.round(scope.view.begin)},${Math.round(scope.view.end)}`);
  if (scope.rank !== null) values.set("rank", String(scope.rank));
  if (scope.slice !== null) values.set("slice", String(scope.slice));
  for (const [name, value] of Object.entries(scope.params)) if (value !== "") values.set(name, value);
  const query = values.toString().replaceAll("%2C", ",");
  return query === "" ? `#/${scope.page}` : `#/${scope.page}?${query}`;
}

/** Ranks from text like `0-7,12`; null if it names none or is not understood. */
export function parseRanks(text: string): number[] | null {
  const ranks = new Set<number>();
  for (const part of text.split(/[,，\s]+/).filter((part) => part !== "")) {
    const [, first, last] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (first === undefined) return null;
    const end = Number(last ?? first);
    if (end - Number(first) > MOST_RANKS) return null;
    for (let rank = Number(first); rank <= end; rank++) ranks.add(rank);
  }
  return ranks.size === 0 ? null : [...ranks].sort((a, b) => a - b);
}

/** The shortest text that `parseRanks` reads back. */
export function formatRanks(ranks: number[] | null): string {
  const parts: string[] = [];
  const sorted = [...(ranks ?? [])].sort((a, b) => a - b);
  for (let at = 0; at < sorted.length; ) {
    let last = at;
    while (last + 1 < sorted.length && sorted[last + 1] === (sorted[last] as number) + 1) last++;
    if (last - at < 2) {
      for (; at <= last; at++) parts.push(String(sorted[at]));
    } else {
      parts.push(`${sorted[at]}-${sorted[last]}`);
      at = last + 1;
    }
  }
  return parts.join(",");
}
