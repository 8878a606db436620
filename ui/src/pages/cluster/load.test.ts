import { expect, it } from "vitest";
import { tableOf } from "../../components/derived";
import { loadOf } from "./load";

it("has a row for each layer and a column for each rank, and means of steps", () => {
  const load = loadOf(
    tableOf({ rank: [0, 0, 1], layer: ["layer 1", "layer 1", "layer 0"], tokens: [null, null, null], duration: [1, 3, 5], share_of_mean: [1, 2, 0.5] }),
  );
  expect([load.layers, load.ranks]).toEqual([["layer 0", "layer 1"], [0, 1]]);
  expect([...load.values]).toEqual([NaN, 0.5, 1.5, NaN]);
  expect(load.durations[2]).toBe(2);
  expect(load.worst).toEqual({ rank: 0, share: 1.5 });
});

it("knows no layers if the profile does not", () => {
  const load = loadOf(tableOf({ rank: [0], layer: [null], tokens: [9], duration: [null], share_of_mean: [1] }));
  expect([load.layers, load.values.length, load.tokens[0]]).toEqual([[""], 1, 9]);
});
