import { expect, it } from "vitest";
import { offsets, type Operation } from "./align";

const operation = (rank: number, name: string, begin: number, end: number): Operation => ({ rank, name, begin, end, kind: "allReduce", group: "dp", bytes: 1 });

it("ranks are moved by the operation of the same name that is closest", () => {
  const base = operation(0, "a", 100, 200);
  const all = [base, operation(1, "a", 130, 210), operation(1, "a", 900, 950), operation(2, "b", 0, 1)];
  expect([...offsets(all, base, "start")]).toEqual([[0, 0], [1, -30]]);
  expect([...offsets(all, base, "end")]).toEqual([[0, 0], [1, -10]]);
});
