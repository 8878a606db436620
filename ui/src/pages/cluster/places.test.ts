import { expect, it } from "vitest";
import { tableOf } from "../../components/derived";
import { groupsOf, layoutOf, peersOf, placesOf } from "./places";

/** pp 2, dp 2, tp 2, experts over dp. */
const ranks = Array.from({ length: 8 }, (_, rank) => rank);
const table = tableOf({
  rank: ranks,
  tp: ranks.map((rank) => rank % 2),
  dp: ranks.map((rank) => (rank >> 1) % 2),
  pp: ranks.map((rank) => rank >> 2),
  cp: ranks.map(() => 0),
  ep: ranks.map((rank) => (rank >> 1) % 2),
});

it("stages are below each other, data-parallel blocks side by side, tensor-parallel ranks in them", () => {
  const layout = layoutOf(placesOf(table));
  const at = (rank: number) => layout.cells.find(({ place }) => place.rank === rank)!;
  expect([at(1).x - at(0).x, at(1).y - at(0).y]).toEqual([1, 0]);
  expect(at(2).x).toBe(2.5);
  expect(at(4).y).toBeGreaterThan(at(0).y + 1);
  expect([layout.blocks.length, layout.bands.map((band) => band.name)]).toEqual([4, ["pp 0", "pp 1"]]);
});

it("no two of a thousand ranks are at the same place, and the grid is not too wide", () => {
  for (const [tp, pp] of [[8, 4], [1, 1], [16, 1], [1, 10]] as const) {
    const many = Array.from({ length: 1000 - (1000 % (tp * pp)) }, (_, rank) => rank);
    const places = placesOf(tableOf({ rank: many, tp: many.map((rank) => rank % tp), pp: many.map((rank) => rank % (tp * pp) / tp | 0), dp: many.map((rank) => (rank / (tp * pp)) | 0) }));
    const layout = layoutOf(places);
    expect(new Set(layout.cells.map(({ x, y }) => `${x}/${y}`)).size).toBe(many.length);
    expect(layout.width).toBeLessThan(70);
  }
});

it("a rank has peers in every dimension", () => {
  const places = placesOf(table);
  expect(peersOf(places, 5, "tp")).toEqual([4, 5]);
  expect(peersOf(places, 5, "dp")).toEqual([5, 7]);
  expect(peersOf(places, 5, "pp")).toEqual([1, 5]);
  expect(peersOf(places, 5, "ep")).toEqual([5, 7]);
  expect(new Set(groupsOf(places, "ep").values()).size).toBe(4);
});

it("without a layout ranks are in order", () => {
  const layout = layoutOf(placesOf(tableOf({ rank: [3, 1], tp: [null, null] })));
  expect(layout.cells.map(({ place, x }) => [place.rank, x])).toEqual([[1, 0], [3, 1]]);
});
