import { expect, test, vi } from "vitest";
import { api, type Run } from "../api/client";
import { tableOf } from "../components/derived";
import { readRanks } from "./ranks";

const RUN: Run = {
  name: "run",
  key: "k", origin: "0",
  ranks: [0, 1, 2, 3].map((rank) => ({ rank, name: `rank ${rank}`, bytes: 1 })),
  steps: [],
  span: null,
  report: false,
};

test("ranks that the run has", async () => {
  expect(await readRanks("1-9", RUN)).toEqual([1, 2, 3]);
  expect(await readRanks("8", RUN)).toBeNull();
  expect(await readRanks("all", RUN)).toBeNull();
});

test("the slowest ranks", async () => {
  vi.spyOn(api, "table").mockResolvedValue(tableOf({ rank: [0, 1, 2, 3], late_ms: [1, 9, null, 5] }));
  expect(await readRanks("slow 2", RUN)).toEqual([1, 3]);
  expect(await readRanks("slow", RUN)).toEqual([1]);
});
