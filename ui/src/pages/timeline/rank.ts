// A rank that is open: its lanes, and the stores that its tiles come into.

import { api, type Profile, type Timeline } from "../../api/client";
import { isReport } from "../../api/report";
import type { Scope } from "../../scope";
import type { QuerySlice } from "./lanes";
import { TileStore } from "./store";
import { type CounterPoints, INTERVALS, type LaneBars, parseCounters, parseTile, tileLength } from "./tiles";

/** What is known of a rank on the timeline. */
export interface OpenRank {
  rank: number;
  state: "closed" | "loading" | "failed" | "ready";
  error: unknown;
  timeline: Timeline;
  names: string[];
  query: QuerySlice[];
  bars: TileStore<LaneBars>;
  counters: TileStore<CounterPoints>;
  /** Shares of computing, overlapped and exposed communication, per bucket; all under id 0. */
  strips: TileStore<Float32Array>;
  /** Lanes that are asked for together, by lane: those of a process. */
  together: Map<number, number[]>;
  /** No tiles are coarser than this: a report has those of the whole rank in a few. */
  coarsest: number;
}

/** A report has tiles with all lanes of a rank. */
const ALL: number[] = [];

/** The id of the one strip of a rank. */
export const STRIP = 0;

/** Tiles that a report has of the whole of a rank at its coarsest level, as the server makes it. */
const REPORT_TILES = 8;

const NOTHING: Timeline = { processes: [], lanes: [], counters: [], span: null };

/** A rank of which nothing is read yet. */
export function closedRank(rank: number, changed: () => void): OpenRank {
  return {
    rank,
    state: "closed",
    error: null,
    timeline: NOTHING,
    names: [],
    query: [],
    together: new Map(),
    coarsest: Infinity,
    bars: new TileStore(async ({ level, index }, lanes, signal) => {
      const tile = parseTile(await api.tile(rank, level, index, isReport ? ALL : lanes, signal));
      return new Map(tile.map((bars) => [bars.lane, bars]));
    }, changed),
    counters: new TileStore(async ({ level, index }, counters, signal) => {
      return parseCounters(await api.counters(rank, level, index, isReport ? ALL : counters, signal));
    }, changed),
    strips: new TileStore(async ({ level, index }, _, signal) => {
      const begin = index * tileLength(level);
      const shares = await api.overview(rank, INTERVALS, { begin, end: begin + tileLength(level) }, signal);
      return new Map([[STRIP, shares]]);
    }, changed),
  };
}

/** Reads the lanes and names of a rank. */
export async function openRank(rank: OpenRank): Promise<void> {
  rank.state = "loading";
  try {
    const [timeline, names] = await Promise.all([api.timeline(rank.rank), api.names(rank.rank)]);
    rank.timeline = timeline;
    rank.names = names;
    const byProcess = new Map<number, number[]>();
    for (const lane of timeline.lanes) {
      const lanes = byProcess.get(lane.process) ?? [];
      lanes.push(lane.id);
      byProcess.set(lane.process, lanes);
      rank.together.set(lane.id, lanes);
    }
    const [begin, end] = timeline.span ?? [0, 1];
    if (isReport) rank.coarsest = Math.floor(Math.log2(Math.max(Math.floor((end - begin) / (INTERVALS * REPORT_TILES)), 1)));
    rank.state = "ready";
  } catch (error) {
    rank.state = "failed";
    rank.error = error;
  }
}

/** The ranks that the scope wants on the timeline: those chosen, or one. */
export function shownRanks({ ranks, rank }: Scope, profile: Profile): number[] {
  const there = new Set(profile.ranks.map((rank) => rank.rank));
  const wanted = ranks ?? (rank === null ? [] : [rank]);
  const all = rank === null || wanted.includes(rank) ? wanted : [rank, ...wanted];
  const found = all.filter((rank) => there.has(rank));
  return found.length > 0 ? found : profile.ranks.slice(0, 1).map((rank) => rank.rank);
}
