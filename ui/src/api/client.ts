// What can be asked of the server, and what it answers. The same question always has the same URL (params in a fixed
// order, left out when null), because a report keeps answers by URL. Times are ns from the origin of the profile.

import type { Scope, TimeRange } from "../scope";
import { messageText, texts } from "../texts";
import { isReport, kept } from "./report";
import { Table } from "./table";
import type {
  AlignAnswer,
  CollectiveAnswer,
  Diagnosis,
  ErrorAnswer,
  Flows,
  GapAnswer,
  Health,
  Hits,
  ListedSlices,
  Missing,
  MissingAnswer,
  NameStatistics,
  Progress,
  Profile,
  SchemaTable,
  Slice,
  Timeline,
} from "./types.generated";

export type {
  CollectiveAnswer as Collective,
  Counter,
  Diagnosis,
  Finding,
  Flows,
  GapAnswer as Gap,
  GapCause,
  Health,
  Hit,
  Hits,
  Lane,
  Layer,
  ListedSlice as Instance,
  Missing,
  NameStatistics,
  NotCollected,
  Progress,
  RankHealth,
  Profile,
  SchemaTable,
  Slice,
  Timeline,
} from "./types.generated";

const NOT_INCLUDED = "not in this report";

const t = texts({
  en: { gone: "No response from npuscope view. If it is no longer running, start it again." },
  zh: { gone: "npuscope view 没有响应。如果它已退出，请重新启动。" },
});

/** An answer that says why there is none. Its message is in the language that the page has when it is read. */
export class ApiError extends Error {
  constructor(
    why: () => string,
    readonly missing?: Missing,
    readonly status?: number,
  ) {
    super();
    Object.defineProperty(this, "message", { get: why });
  }

  /** The page is a report, and this was not put into it. */
  get isNotIncluded(): boolean {
    return this.message === NOT_INCLUDED;
  }
}

/** The server does not answer. */
function noResponse(): ApiError {
  return new ApiError(() => t("gone"));
}

/** How Chromium and Firefox, Safari, and Vite say that a module or its styles could not be fetched. */
const NOT_FETCHED = /dynamically imported module|importing a module script failed|unable to preload/i;

/** Part of the page, fetched when it is needed; that the server does not answer is said as for every other question. */
export async function fetched<T>(module: () => Promise<T>): Promise<T> {
  return module().catch((error) => {
    throw NOT_FETCHED.test(reason(error)) ? noResponse() : error;
  });
}

/** Why something failed, in the language of the page. Keep the error and ask when it is shown: the language may change. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The params of each view, in the order in which they are written. */
const VIEWS = {
  ranks: [],
  steps: [],
  heat: ["buckets"],
  operators: ["group"],
  kernels: ["op_type", "name", "core", "stream", "input_shapes", "limit"],
  host_ops: ["kind"],
  overall: [],
  dispatch: ["limit"],
  copies: [],
  memory_curve: [],
  allocations: ["name", "limit", "at"],
  memory_peak: ["at"],
  static_memory: [],
  communication: ["by"],
  collectives: ["limit"],
  comm_matrix: ["group", "kind"],
  packets: [],
  bandwidth: [],
  slow_ranks: [],
  slow_links: [],
  pipeline: [],
  experts: [],
  stages: [],
  stage_summary: [],
} as const satisfies Record<string, readonly string[]>;

export type ViewName = keyof typeof VIEWS;

/** What a table is about; a whole scope will do. */
export type Asked = Partial<Pick<Scope, "ranks" | "step" | "view">>;

type Params = [name: string, value: string | number | null | undefined][];

/** Answers that are kept, so that going back to a page shows it at once. */
const KEPT = 100;
const answered = new Map<string, Promise<unknown>>();

function url(path: string, params: Params = []): string {
  const given = params.filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = given.map(([name, value]) => {
    const text = typeof value === "number" ? String(Math.round(value)) : String(value);
    return `${name}=${encodeURIComponent(text).replaceAll("%2C", ",")}`;
  });
  return query.length === 0 ? path : `${path}?${query.join("&")}`;
}

async function bytes(path: string, body?: unknown, signal?: AbortSignal): Promise<ArrayBuffer> {
  return (await answer(path, body, signal)).bytes;
}

/** What an answer was cut by, so that only its beginning is there. */
export type Cut = "rows" | "bytes";

async function answer(path: string, body?: unknown, signal?: AbortSignal): Promise<{ bytes: ArrayBuffer; cut: Cut | null }> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  if (isReport) {
    const answer = await kept(text === undefined ? path : `${path}\n${text}`);
    if (!answer) throw new ApiError(() => NOT_INCLUDED);
    return { bytes: answer, cut: null };
  }
  const init = text === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: text };
  const response = await fetch(path, { ...init, signal: signal ?? null }).catch((error) => {
    if (signal?.aborted) throw error;
    throw noResponse();
  });
  if (response.ok) return { bytes: await response.arrayBuffer(), cut: response.headers.get("x-npuscope-cut") as Cut | null };
  const { error }: Partial<ErrorAnswer> = await response.json().catch(() => ({}));
  const why = () => (error ? messageText(error) : `${response.status} ${response.statusText}`);
  throw new ApiError(why, undefined, response.status);
}

async function json<T>(path: string, body?: unknown): Promise<T> {
  return JSON.parse(new TextDecoder().decode(await bytes(path, body)));
}

/** A table, unless the profile lacks what it is about: then the answer is JSON that says so. */
async function table(path: string): Promise<Table> {
  const answer = await bytes(path);
  if (new Uint8Array(answer)[0] !== BRACE) return Table.fromArrow(answer);
  const { missing } = JSON.parse(new TextDecoder().decode(answer)) as MissingAnswer;
  throw new ApiError(() => messageText(missing.what), missing);
}

/** What JSON begins with, and no table does. */
const BRACE = "{".charCodeAt(0);

/** The answer to a question that was asked before, or the one to come. */
function once<T>(path: string, ask: (path: string) => Promise<T>): Promise<T> {
  const before = answered.get(path) as Promise<T> | undefined;
  if (before) return before;
  const answer = ask(path);
  answered.set(path, answer);
  answer.catch(() => answered.delete(path));
  const oldest = answered.keys().next().value;
  if (answered.size > KEPT && oldest !== undefined) answered.delete(oldest);
  return answer;
}

/** What a timeline is drawn from. Browsers keep it, so its address names the profile. */
async function drawn(path: string, params: Params, signal?: AbortSignal): Promise<ArrayBuffer> {
  const profile: Params = isReport ? [] : [["profile", (await api.profile()).key]];
  return bytes(url(path, [...params, ...profile]), undefined, signal);
}

const asked = <T>(path: string, params?: Params) => once(url(path, params), (path) => json<T>(path));

const stretch = (view: TimeRange | null | undefined): Params => [
  ["begin", view?.begin],
  ["end", view?.end],
];

export const api = {
  profile: () => asked<Profile>("api/profile"),
  health: () => asked<Health>("api/health"),
  diagnosis: () => asked<Diagnosis>("api/diagnosis"),
  schema: () => asked<SchemaTable[]>("api/schema"),

  /** A view as a table. `own` are the params that only this view has. */
  table<V extends ViewName>(
    view: V,
    about: Asked = {},
    own: Partial<Record<(typeof VIEWS)[V][number], string | number | null>> = {},
  ): Promise<Table> {
    const names: readonly (typeof VIEWS)[V][number][] = VIEWS[view];
    const path = url(`api/tables/${view}`, [
      // A report has answers for all that it is about.
      ["ranks", isReport ? null : about.ranks?.join(",")],
      ["step", about.step],
      ...stretch(isReport ? null : about.view),
      ...names.map((name): Params[number] => [name, own[name]]),
    ]);
    return once(path, table);
  },

  /** The answer to SQL, at most `limit` rows of it. */
  query: async (sql: string, limit = 100_000) => Table.fromArrow(await bytes("api/query", { sql, limit })),

  /** The same, with what it was cut by. The server stops the query when `signal` does. */
  stoppableQuery: async (sql: string, limit: number, signal: AbortSignal) => {
    const { bytes, cut } = await answer("api/query", { sql, limit }, signal);
    return { table: Table.fromArrow(bytes), cut };
  },

  timeline: (rank: number) => asked<Timeline>(`api/ranks/${rank}/timeline`),
  names: (rank: number) => asked<string[]>(`api/ranks/${rank}/names`),
  slice: (rank: number, slice: number) => asked<Slice>(`api/ranks/${rank}/slices/${slice}`),

  /** The slices that reach into an area, or begin in it; those of one name if it is given. */
  slices: (rank: number, lanes: number[], view: TimeRange, name: string | null = null, limit = 200, isBegun = false) =>
    asked<ListedSlices>(`api/ranks/${rank}/slices`, [
      ["lanes", lanes.join(",")],
      ...stretch(view),
      ["name", name],
      ["begins", isBegun ? "true" : null],
      ["limit", limit],
    ]),

  /** Arrows with an end in view; of all kinds if `kinds` is null. */
  flows: (rank: number, view: TimeRange, kinds: string[] | null = null, limit = 2000) =>
    asked<Flows>(`api/ranks/${rank}/flows`, [...stretch(view), ["kinds", kinds?.join(",")], ["limit", limit]]),

  /** Slices whose names hold the text, 1000 of them from the `from`th on. */
  search: (text: string, ranks: number[] | null = null, from = 0) =>
    asked<Hits>("api/search", [
      ["text", text],
      ["ranks", ranks?.join(",")],
      ["from", from],
    ]),

  /** What the slices of an area add up to. `offset` is how far a rank is shown from where it is. */
  statistics: (ranks: { rank: number; lanes: number[]; offset: number }[], begin: number, end: number) =>
    json<NameStatistics[]>("api/statistics", {
      ranks: ranks.map((lanes) => ({ ...lanes, offset: Math.round(lanes.offset) })),
      begin: Math.round(begin),
      end: Math.round(end),
    }),

  /** Why nothing runs on a lane at a time. */
  gap: (rank: number, time: number, lane: number) =>
    asked<GapAnswer>(`api/ranks/${rank}/gap`, [
      ["time", time],
      ["lane", lane],
    ]),

  /** The collective that a slice is part of, on all ranks of its group. */
  collective: (rank: number, slice: number) =>
    asked<CollectiveAnswer>("api/collective", [
      ["rank", rank],
      ["slice", slice],
    ]),

  /** How far ranks are off if the slice like this one is to be at the same time on all of them. */
  align: (rank: number, slice: number, side: "start" | "end", ranks: number[] | null = null) =>
    asked<AlignAnswer>("api/align", [
      ["rank", rank],
      ["slice", slice],
      ["side", side],
      ["ranks", ranks?.join(",")],
    ]),

  tile: (rank: number, level: number, index: number, lanes: number[], signal: AbortSignal) =>
    drawn(`api/ranks/${rank}/tiles/${level}/${index}`, [["lanes", lanes.join(",")]], signal),

  counters: (rank: number, level: number, index: number, counters: number[], signal: AbortSignal) =>
    drawn(`api/ranks/${rank}/counters/${level}/${index}`, [["counters", counters.join(",")]], signal),

  /** Per bucket the shares of it that are computing, overlapped and exposed communication. */
  overview: async (rank: number, buckets: number, view: TimeRange | null = null, signal?: AbortSignal) =>
    new Float32Array(await drawn(`api/ranks/${rank}/overview`, [["buckets", buckets], ...stretch(view)], signal)),

  /** A report as the bytes of an html file. */
  report: (ranks: number[], steps: number[], findings: string[]) => bytes("api/report", { ranks, steps, findings }),

  /** Calls `report` while ranks are read; call the returned function to stop. */
  progress(report: (progress: Progress) => void): () => void {
    if (isReport || typeof EventSource === "undefined") return () => {};
    const source = new EventSource("api/progress");
    source.onmessage = (event) => report(JSON.parse(event.data));
    return () => source.close();
  },
};
