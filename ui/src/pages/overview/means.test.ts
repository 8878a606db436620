import { expect, test } from "vitest";
import { tableOf } from "../../components/derived";
import { meansBy } from "./means";

const STEPS = tableOf({
  rank: [0, 0, 1, 1],
  step: [10, 11, 10, 11],
  computing: [60, 80, 100, 120],
  overlapped_communication: [10, 10, 20, null],
  exposed_communication: [30, 10, 0, 0],
  free: [5, 5, 5, 5],
});

test("means by rank, with overlapped communication separate from computing", () => {
  expect([...meansBy(STEPS, "rank").rows()]).toEqual([
    { rank: 0, computing: 60, overlapped: 10, exposed: 20, free: 5 },
    { rank: 1, computing: 100, overlapped: 10, exposed: 0, free: 5 },
  ]);
});

test("means by step", () => {
  expect([...meansBy(STEPS, "step").numbers("exposed")]).toEqual([15, 5]);
});
