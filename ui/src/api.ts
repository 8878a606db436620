// What the server answers.

export interface Rank {
  rank: number;
  name: string;
  bytes: number;
}

export interface Run {
  name: string | null;
  /** What times are told from, in ns since the epoch; more digits than a number has. */
  origin: string;
  ranks: Rank[];
}

export interface Process {
  name: string;
  pid: number;
  labels: string[];
}

export interface Lane {
  id: number;
  process: number;
  name: string;
  tid: number;
  rows: number;
  slices: number;
}

export interface Counter {
  id: number;
  process: number | null;
  name: string;
  unit: string | null;
}

export interface Timeline {
  processes: Process[];
  lanes: Lane[];
  counters: Counter[];
  /** In ns from the origin of the run; null if the rank has nothing to draw. */
  span: [number, number] | null;
}

export interface Flow {
  kind: string;
  outgoing: boolean;
  slice: number;
  name: string;
  lane: number;
  row: number;
  begin: number;
  end: number;
}

export interface Slice {
  id: number;
  name: string;
  begin: number;
  end: number;
  row: number;
  lane: number;
  lane_name: string;
  process: string;
  table: string;
  self_ns: number;
  args: Record<string, unknown>;
  flows: Flow[];
}

export interface Hit {
  rank: number;
  slice: number;
  name: string;
  lane: number;
  begin: number;
  end: number;
}

export interface NameStatistics {
  name: string;
  count: number;
  total_ns: number;
  average_ns: number;
  min_ns: number;
  max_ns: number;
  p50_ns: number;
  p95_ns: number;
  p99_ns: number;
}

export interface Evidence {
  rank: number;
  step: number | null;
  start_ns: number;
  end_ns: number;
  what: string;
}

export interface Finding {
  id: string;
  severity: "info" | "warning" | "critical";
  claim: string;
  numbers: [string, number, string][];
  share_of_step: number | null;
  confidence: number;
  ranks: number[];
  evidence: Evidence[];
  suggestion: string;
}

export interface Diagnosis {
  ranks: number;
  steps: number;
  step_ms: number;
  step_ms_without: number;
  layout: string;
  findings: Finding[];
  problems: string[];
}

/** An answer that says why there is none. */
export class ApiError extends Error {}

async function answer(response: Response): Promise<Response> {
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  throw new ApiError(body.error ?? `${response.status} ${response.statusText}`);
}

async function json<T>(path: string, init?: RequestInit): Promise<T> {
  return (await answer(await fetch(path, init))).json();
}

export const api = {
  run: () => json<Run>("api/run"),
  diagnosis: () => json<Diagnosis>("api/diagnosis"),
  timeline: (rank: number) => json<Timeline>(`api/ranks/${rank}/timeline`),
  names: (rank: number) => json<string[]>(`api/ranks/${rank}/names`),
  slice: (rank: number, slice: number) => json<Slice>(`api/ranks/${rank}/slices/${slice}`),
  search: (text: string) => json<{ count: number; hits: Hit[] }>(`api/search?text=${encodeURIComponent(text)}`),
  statistics: (ranks: { rank: number; lanes: number[] }[], begin: number, end: number) =>
    json<NameStatistics[]>("api/statistics", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ranks, begin: Math.round(begin), end: Math.round(end) }),
    }),
  async tile(rank: number, level: number, index: number, lanes: number[], signal: AbortSignal) {
    const path = `api/ranks/${rank}/tiles/${level}/${index}?lanes=${lanes.join(",")}`;
    return (await answer(await fetch(path, { signal }))).arrayBuffer();
  },
};
