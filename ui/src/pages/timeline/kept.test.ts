import { expect, it } from "vitest";
import { type Kept, readKept, writeKept } from "./kept";

const kept: Kept = {
  pins: ["0.l5", "1.c3"],
  hidden: ["0.p2"],
  toggled: ["1"],
  merges: [{ rank: 0, lanes: [5, 6] }],
  offsets: new Map([[3, -120]]),
  marks: [
    { begin: 10, end: null, colour: 1, name: "a_b * 5%, d" },
    { begin: 20, end: 30, colour: 0, name: "慢" },
  ],
  area: {
    begin: -5,
    end: 99,
    ranks: [
      { rank: 0, lanes: [1, 2, 3, 7] },
      { rank: 4, lanes: [7] },
    ],
  },
  filter: "stream",
  colours: "name",
  arrows: ["fwdbwd"],
};

it("what is kept comes back from the address as it was", () => {
  expect(readKept(writeKept(kept))).toEqual(kept);
});

it("nothing kept is no parameter", () => {
  const nothing = readKept({});
  expect(Object.values(writeKept(nothing)).every((text) => text === "")).toBe(true);
  expect(nothing.area).toBeNull();
});

it("what makes no sense is left out", () => {
  const read = readKept({ merges: "x_1.2,0_", offsets: "1_0,2_x", marks: "a_b", area: "9,3,0_1", colours: "none" });
  expect(read).toMatchObject({ merges: [], marks: [], area: null, colours: "category" });
  expect(read.offsets.size).toBe(0);
});
