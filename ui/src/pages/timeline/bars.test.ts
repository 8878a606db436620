import { expect, it } from "vitest";
import { eachBar, FirstFit, type Frame } from "./bars";
import { TileStore } from "./store";
import type { LaneBars } from "./tiles";

/** Bars as [begin, end, row, slice]. */
function bars(...list: [number, number, number, number][]): LaneBars {
  const column = (at: number) => list.map((bar) => bar[at] as number);
  return {
    lane: 1,
    count: list.length,
    begin: Uint16Array.from(column(0)),
    end: Uint16Array.from(column(1)),
    row: Uint16Array.from(column(2)),
    slice: Uint32Array.from(column(3)),
    name: Uint32Array.from(column(3)),
    slices: Uint32Array.from(list.map(() => 1)),
  };
}

async function drawn(tiles: Record<string, LaneBars>, frame: Frame) {
  const store = new TileStore<LaneBars>(
    async (tile) => new Map([[1, tiles[`${tile.level}/${tile.index}`] as LaneBars]]),
    () => {},
  );
  for (const key of Object.keys(tiles)) {
    const [level, index] = key.split("/").map(Number) as [number, number];
    store.want({ level, index }, [1]);
  }
  store.flush();
  await new Promise((done) => setTimeout(done));
  const found: number[][] = [];
  eachBar(store, 1, frame, (left, right, row, slice) => found.push([Math.round(left), Math.round(right), row, slice]));
  return found.sort((a, b) => (a[3] as number) - (b[3] as number));
}

// A tile of level 0 is 256 ns; one ns is a pixel.
const frame: Frame = { begin: 0, perPixel: 1, width: 512, level: 0, indices: [0, 1] };

it("a slice over two tiles is one bar", async () => {
  const tiles = { "0/0": bars([25600, 65535, 0, 7]), "0/1": bars([0, 12800, 0, 7], [25600, 51200, 0, 8]) };
  expect(await drawn(tiles, frame)).toEqual([
    [100, 306, 0, 7],
    [356, 456, 0, 8],
  ]);
});

it("a missing tile is drawn from a coarser one, each part once", async () => {
  const tiles = { "0/0": bars([0, 25600, 1, 3]), "1/0": bars([0, 12800, 1, 3], [40000, 60000, 0, 4]) };
  expect(await drawn(tiles, frame)).toEqual([
    [0, 100, 1, 3],
    [313, 469, 0, 4],
  ]);
});

it("bars that overlap are put on rows of their own", () => {
  const fit = new FirstFit();
  expect(
    [
      [0, 10],
      [5, 20],
      [10, 12],
      [30, 31],
    ].map(([left, right]) => fit.row(left as number, right as number)),
  ).toEqual([0, 1, 0, 0]);
  expect(fit.rows).toBe(2);
});
