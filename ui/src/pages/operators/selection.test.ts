import { expect, it } from "vitest";
import { tableOf } from "../../components/derived";
import { kernelsOf } from "./selection";

const table = tableOf({ op_type: ["MatMul", "hcom_allReduce_", "Add"], core: ["AI_CORE", "HCCL", null], total: [30, 60, 10], share: [0.3, 0.6, 0.1] });

it("shares are of the kernels that are looked at", () => {
  const computing = kernelsOf(table, "computing");
  expect(computing.texts("op_type")).toEqual(["MatMul", "Add"]);
  expect([...computing.numbers("share")]).toEqual([0.75, 0.25]);
  expect(kernelsOf(table, "computing")).toBe(computing);
  expect(kernelsOf(table, "communication").length).toBe(1);
  expect(kernelsOf(table, "all")).toBe(table);
});

it("groups without a core are left as they are", () => {
  const byRank = tableOf({ rank: [0], total: [1], share: [1] });
  expect(kernelsOf(byRank, "computing")).toBe(byRank);
});
