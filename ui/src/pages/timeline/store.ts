// Tiles that were fetched, and those on their way.

import { ApiError } from "../../api/client";

/** Tiles kept at a time. */
const KEPT = 800;
/** Tiles fetched ahead at a time. */
const AHEAD = 4;
/** A tile that failed to load is requested again after this many ms. */
const RETRY_MS = 5000;

const MAX_LEVEL = 54;

/** A tile of a level. */
export interface TileKey {
  level: number;
  index: number;
}

interface Coming {
  key: string;
  ids: Set<number>;
  abort: AbortController;
}

/** Tiles of a rank: for each, what is drawn of lanes or counters, by id. */
export class TileStore<T> {
  private tiles = new Map<string, Map<number, T>>();
  private coming = new Set<Coming>();
  private failed = new Map<string, number>();
  private wanted = new Map<string, TileKey & { ids: Set<number> }>();
  /** Why the last tile did not come. */
  error: unknown = null;
  private ahead = new Map<string, TileKey & { ids: Set<number> }>();

  constructor(
    private readonly ask: (tile: TileKey, ids: number[], signal: AbortSignal) => Promise<Map<number, T>>,
    private readonly changed: () => void,
  ) {}

  /** What a tile has of a lane or counter; undefined while that is not there. */
  get(level: number, index: number, id: number): T | undefined {
    return this.tiles.get(`${level}/${index}`)?.get(id);
  }

  /** Says that a tile is drawn, or soon might be. */
  want(tile: TileKey, ids: Iterable<number>, soon = false) {
    const list = soon ? this.ahead : this.wanted;
    const key = `${tile.level}/${tile.index}`;
    const before = list.get(key);
    if (before) for (const id of ids) before.ids.add(id);
    else list.set(key, { ...tile, ids: new Set(ids) });
  }

  /** Fetches what was wanted since the last time and is not there, and cancels requests that are no longer needed. */
  flush() {
    for (const request of this.coming) {
      if (this.wanted.has(request.key) || this.ahead.has(request.key)) continue;
      request.abort.abort();
      this.coming.delete(request);
    }
    for (const tile of this.wanted.values()) this.fetch(tile, tile.ids);
    if (this.coming.size === 0) {
      let left = AHEAD;
      for (const tile of this.ahead.values()) if (left > 0 && this.fetch(tile, tile.ids)) left--;
    }
    this.wanted.clear();
    this.ahead.clear();
  }

  /** Whether something that was wanted is on its way. */
  get isWaiting(): boolean {
    return this.coming.size > 0;
  }

  private fetch(tile: TileKey, ids: Set<number>): boolean {
    const key = `${tile.level}/${tile.index}`;
    const there = this.tiles.get(key);
    if (there) {
      // What is used last is thrown away last.
      this.tiles.delete(key);
      this.tiles.set(key, there);
    }
    const missing = new Set([...ids].filter((id) => !there?.has(id)));
    for (const request of this.coming) if (request.key === key) for (const id of request.ids) missing.delete(id);
    if (missing.size === 0 || Date.now() - (this.failed.get(key) ?? 0) < RETRY_MS) return false;
    void this.load(tile, key, missing);
    return true;
  }

  private async load(tile: TileKey, key: string, ids: Set<number>) {
    const request: Coming = { key, ids, abort: new AbortController() };
    this.coming.add(request);
    try {
      const found = await this.ask(tile, [...ids], request.abort.signal);
      const there = this.tiles.get(key) ?? new Map<number, T>();
      for (const [id, value] of found) there.set(id, value);
      this.tiles.set(key, there);
      this.failed.delete(key);
      const oldest = this.tiles.keys().next().value;
      if (this.tiles.size > KEPT && oldest !== undefined) this.tiles.delete(oldest);
      this.error = null;
    } catch (error) {
      if (request.abort.signal.aborted) return;
      const isNotIncluded = error instanceof ApiError && error.isNotIncluded;
      this.failed.set(key, isNotIncluded ? Infinity : Date.now());
      this.error = isNotIncluded ? null : error;
      // A report has tiles only so fine: a coarser one is drawn instead.
      if (isNotIncluded && tile.level < MAX_LEVEL) this.fetch({ level: tile.level + 1, index: Math.floor(tile.index / 2) }, ids);
    } finally {
      this.coming.delete(request);
      if (!request.abort.signal.aborted) this.changed();
    }
  }
}

/** Coarser levels that are looked at for a tile that is missing. */
const COARSER = 10;

/** What there is of a tile: itself, or a coarser one that covers it, or finer ones inside it. Never nothing if there was anything. */
export function nearest<T>(store: TileStore<T>, level: number, index: number, id: number): (TileKey & { value: T })[] {
  for (let up = 0; up <= COARSER; up++) {
    const tile = { level: level + up, index: Math.floor(index / 2 ** up) };
    const value = store.get(tile.level, tile.index, id);
    if (value !== undefined) return [{ ...tile, value }];
  }
  const finer = [];
  for (const part of [0, 1]) {
    const tile = { level: level - 1, index: index * 2 + part };
    const value = level > 0 ? store.get(tile.level, tile.index, id) : undefined;
    if (value !== undefined) finer.push({ ...tile, value });
  }
  return finer;
}
