// Tiles that were fetched, and those on their way.

import { api } from "../api";
import { type LaneBars, parseTile } from "./tiles";

/** Tiles kept at a time. */
const KEPT = 600;

/** The tiles of a rank. */
export class TileStore {
  private tiles = new Map<string, Map<number, LaneBars>>();
  private coming = new Map<string, AbortController>();

  constructor(
    private rank: number,
    private lanes: number[],
    private changed: () => void,
  ) {}

  /** The bars of a lane in a tile; undefined while they are on their way. */
  bars(level: number, index: number, lane: number): LaneBars | undefined {
    return this.tiles.get(`${level}/${index}`)?.get(lane);
  }

  /** Fetches the tiles that are not there, and gives up those that nobody waits for any more. */
  want(level: number, indices: number[]) {
    const wanted = new Set(indices.map((index) => `${level}/${index}`));
    for (const [key, request] of this.coming) {
      if (!wanted.has(key)) {
        request.abort();
        this.coming.delete(key);
      }
    }
    for (const index of indices) this.fetch(level, index);
  }

  private async fetch(level: number, index: number) {
    const key = `${level}/${index}`;
    if (this.tiles.has(key) || this.coming.has(key)) return;
    const request = new AbortController();
    this.coming.set(key, request);
    try {
      const bytes = await api.tile(this.rank, level, index, this.lanes, request.signal);
      this.tiles.set(key, new Map(parseTile(bytes).map((bars) => [bars.lane, bars])));
      const oldest = this.tiles.keys().next().value;
      if (this.tiles.size > KEPT && oldest !== undefined) this.tiles.delete(oldest);
      this.changed();
    } catch (error) {
      if (!request.signal.aborted) throw error;
    } finally {
      if (this.coming.get(key) === request) this.coming.delete(key);
    }
  }
}
