// Tiles of the timeline: which of them a view needs, and what their bytes say. The layout is that of
// crates/server/src/timeline/tile.rs.

/** Intervals of a tile: one of level L covers 256 intervals of 2^L ns. */
export const INTERVALS = 256;

const BAR_BYTES = 20;

/** What is drawn of a lane in a tile, by columns. Times are in 65536ths of the tile. */
export interface LaneBars {
  lane: number;
  count: number;
  begin: Uint16Array;
  end: Uint16Array;
  row: Uint16Array;
  slice: Uint32Array;
  name: Uint32Array;
  slices: Uint32Array;
}

/** The level at which an interval is at most a pixel wide, and more than half of one where there is such a level. */
export function levelFor(nsPerPixel: number): number {
  return Math.max(0, Math.min(54, Math.floor(Math.log2(Math.max(nsPerPixel, 1)))));
}

/** The time that a tile of a level covers, in ns. */
export function tileLength(level: number): number {
  return INTERVALS * 2 ** level;
}

/** The tiles that a stretch of time needs; times are ns from the origin. */
export function tilesFor(begin: number, end: number, level: number): number[] {
  const length = tileLength(level);
  const first = Math.floor(begin / length);
  const last = Math.max(first, Math.ceil(end / length) - 1);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

/** The lanes of a tile. */
export function parseTile(bytes: ArrayBuffer): LaneBars[] {
  const view = new DataView(bytes);
  const lanes = view.getUint32(0, true);
  let at = 4 + 8 * lanes;
  return Array.from({ length: lanes }, (_, index) => {
    const lane = view.getUint32(4 + 8 * index, true);
    const count = view.getUint32(8 + 8 * index, true);
    const bars: LaneBars = {
      lane,
      count,
      begin: new Uint16Array(count),
      end: new Uint16Array(count),
      row: new Uint16Array(count),
      slice: new Uint32Array(count),
      name: new Uint32Array(count),
      slices: new Uint32Array(count),
    };
    for (let bar = 0; bar < count; bar++, at += BAR_BYTES) {
      bars.begin[bar] = view.getUint16(at, true);
      bars.end[bar] = view.getUint16(at + 2, true);
      bars.row[bar] = view.getUint16(at + 4, true);
      bars.slice[bar] = view.getUint32(at + 8, true);
      bars.name[bar] = view.getUint32(at + 12, true);
      bars.slices[bar] = view.getUint32(at + 16, true);
    }
    return bars;
  });
}

/** A counter in a tile, by columns: what it was in each part of it. Times are in 65536ths of the tile. */
export interface CounterPoints {
  count: number;
  time: Uint16Array;
  min: Float32Array;
  max: Float32Array;
  last: Float32Array;
}

const POINT_BYTES = 16;

/** The counters of a tile, by id. */
export function parseCounters(bytes: ArrayBuffer): Map<number, CounterPoints> {
  const view = new DataView(bytes);
  const counters = view.getUint32(0, true);
  const found = new Map<number, CounterPoints>();
  let at = 4 + 8 * counters;
  for (let index = 0; index < counters; index++) {
    const count = view.getUint32(8 + 8 * index, true);
    const [time, min, max, last] = [
      new Uint16Array(count),
      new Float32Array(count),
      new Float32Array(count),
      new Float32Array(count),
    ];
    for (let point = 0; point < count; point++, at += POINT_BYTES) {
      time[point] = view.getUint16(at, true);
      min[point] = view.getFloat32(at + 4, true);
      max[point] = view.getFloat32(at + 8, true);
      last[point] = view.getFloat32(at + 12, true);
    }
    found.set(view.getUint32(4 + 8 * index, true), { count, time, min, max, last });
  }
  return found;
}
