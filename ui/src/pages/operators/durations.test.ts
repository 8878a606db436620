import { expect, it } from "vitest";
import { durationBuckets } from "./durations";

it("shows the buckets that have any, with their ends", () => {
  const counts = new Array(16).fill(0);
  counts[1] = 4;
  counts[3] = 2;
  const { buckets, edges } = durationBuckets(counts);
  expect(buckets.map((bucket) => bucket.count)).toEqual([4, 0, 2]);
  expect(edges).toEqual(["2 µs", "4.1 µs", "8.2 µs", "16 µs"]);
  expect(buckets[0]!.name).toBe("2 µs – 4.1 µs");
});

it("the first bucket begins at nothing, the last has no end", () => {
  const { edges } = durationBuckets(new Array(16).fill(1));
  expect([edges[0], edges.at(-1)]).toEqual(["0", "∞"]);
  expect(durationBuckets([]).buckets).toEqual([]);
});
