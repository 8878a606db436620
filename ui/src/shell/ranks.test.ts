import { expect, test, vi } from "vitest";
import { api, type Profile } from "../api/client";
import { tableOf } from "../components/derived";
import { readRanks } from "./ranks";

const PROFILE: Profile = {
  name: "profile",
  key: "k", origin: "0",
  ranks: [0, 1, 2, 3].map((rank) => ({ rank, name: `rank ${rank}`, bytes: 1 })),
  steps: [],
  span: null,
  windows: [],
  report: false,
};

test("ranks that the profile has", async () => {
  expect(await readRanks("1-9", PROFILE)).toEqual([1, 2, 3]);
  expect(await readRanks("8", PROFILE)).toBeNull();
  expect(await readRanks("all", PROFILE)).toBeNull();
});

test("the slowest ranks", async () => {
  vi.spyOn(api, "table").mockResolvedValue(tableOf({ rank: [0, 1, 2, 3], late_ms: [1, 9, null, 5] }));
  expect(await readRanks("slow 2", PROFILE)).toEqual([1, 3]);
  expect(await readRanks("slow", PROFILE)).toEqual([1]);
});
