import { afterEach, expect, test } from "vitest";
import type { Finding } from "../../api/client";
import { language } from "../../texts";
import { claim, placeText, suggestion } from "./findings";

const FINDING: Finding = {
  id: "compute",
  severity: "critical",
  claim: "rank 5: its kernels take 1.40 times as long as those of ranks that do the same: 114.9 ms of a step lost",
  numbers: [
    ["lost", 114.85, "ms per step"],
    ["times as long", 1.3966, ""],
  ],
  share_of_step: 0.19,
  confidence: 0.75,
  ranks: [5],
  evidence: [],
  suggestion: "look at the device",
  next: null,
};

afterEach(() => {
  language.value = "en";
});

test("in English as the server says it", () => {
  expect(claim(FINDING)).toBe(`R${FINDING.claim.slice(1)}`);
  expect(suggestion(FINDING)).toBe("Look at the device");
});

test("in Chinese of the numbers", () => {
  language.value = "zh";
  expect(claim(FINDING)).toBe("Rank 5：其 kernel 耗时是执行相同工作的其他 rank 的 1.397 倍：每个 step 损失 114.8 ms");
  expect(placeText("kernel MatMul: 4.042 ms, elsewhere 2.855 ms")).toBe("kernel MatMul：4.042 ms，其他 rank 2.855 ms");
});

test("what is not known stays as it is", () => {
  language.value = "zh";
  expect(claim({ ...FINDING, id: "new" })).toBe(`R${FINDING.claim.slice(1)}`);
  expect(placeText("something else")).toBe("something else");
});
