import { expect, it } from "vitest";
import { groupParams, isOf } from "./groups";

it("a row is of a group if all keys are the same", () => {
  const row = { op_type: "MatMul", rank: 3, count: 7 };
  expect(isOf(row, { op_type: "MatMul", rank: "3" })).toBe(true);
  expect(isOf(row, { op_type: "MatMul", rank: "4" })).toBe(false);
  expect(isOf(row, null)).toBe(false);
});

it("choosing a group takes back the one before", () => {
  expect(groupParams({ name: "a" })).toMatchObject({ of_name: "a", of_op_type: null, of_rank: null });
});
