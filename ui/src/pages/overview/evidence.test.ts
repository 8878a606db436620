import { expect, test } from "vitest";
import { costed, merged } from "./evidence";

const message = (id: string) => ({ id, arguments: {}, text: { en: id, zh: id } });

const number = (id: string) => ({ name: message(id), value: 1, unit: "ms" });

test("a cause without a computed cost has no numbers of a cost", () => {
  const numbers = ["number-lost", "number-step", "number-step-if-fixed", "number-growth"].map(number);
  expect(costed({ numbers, share_of_step: null }).map(({ name }) => name.id)).toEqual(["number-growth"]);
  expect(costed({ numbers, share_of_step: 0.1 })).toEqual(numbers);
  expect(costed({ numbers: [number("number-step")], share_of_step: null })).toHaveLength(1);
});

test("places of a rank and step where the same is seen are one", () => {
  const place = (rank: number, step: number | null, what: string, start_ns: number) => ({ rank, step, what: message(what), start_ns, end_ns: start_ns });
  const places = [place(0, 10, "slow", 1), place(0, 10, "slow", 2), place(0, 11, "slow", 3), place(1, 10, "slow", 4), place(0, 10, "late", 5)];
  expect(merged(places).map(({ place, times }) => [place.start_ns, times])).toEqual([[1, 2], [3, 1], [4, 1], [5, 1]]);
});
