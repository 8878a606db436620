import { expect, it } from "vitest";
import { tableOf } from "../../components/derived";
import { slowestOf, stagesOf } from "./stages";

it("knows the longest of each stage", () => {
  const stages = stagesOf(
    tableOf({ rank: [0, 1, 1], stage: ["generate", "generate", "update"], role: ["actor", null, null], step: [1, null, 1], start: [0, 5, 20], duration: [10, 30, 1] }),
  );
  expect(stages[1]).toEqual({ rank: 1, name: "generate", role: "", step: null, begin: 5, end: 35 });
  expect(slowestOf(stages).get("generate")!.rank).toBe(1);
});
