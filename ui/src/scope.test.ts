import { expect, test } from "vitest";
import { formatRanks, parseRanks, readHash, type Scope, writeHash } from "./scope";

const NOTHING: Scope = { page: "overview", ranks: null, step: null, view: null, rank: null, slice: null, params: {} };

test("an address says what is looked at, and back", () => {
  const scope: Scope = {
    page: "timeline",
    ranks: [0, 1, 2, 3, 7],
    step: 12,
    view: { begin: -5, end: 12_345_678_901 },
    rank: 3,
    slice: 42,
    params: { q: "a&b=c? d", sql: "SELECT '<script>'" },
  };
  const hash = writeHash(scope);
  expect(hash).toMatch(/^#\/timeline\?ranks=0-3,7&step=12&t=-5,12345678901&rank=3&slice=42&/);
  expect(readHash(hash)).toEqual(scope);
});

test("an address that says nothing is the overview of everything", () => {
  for (const hash of ["", "#", "#/", "#/nowhere", "#/overview?rank=x&t=5,1&ranks=a-b&step=1.5"]) {
    expect(readHash(hash)).toEqual(NOTHING);
  }
  expect(writeHash(NOTHING)).toBe("#/overview");
});

test("an address with the older name of a page opens it", () => {
  expect(readHash("#/runs?ranks=0-1")).toEqual({ ...NOTHING, page: "health", ranks: [0, 1] }); // older name
  expect(readHash("#/constructor").page).toBe("overview");
});

test("ranks as text", () => {
  expect(parseRanks("0-3, 12 7")).toEqual([0, 1, 2, 3, 7, 12]);
  expect(formatRanks([12, 0, 1, 2, 3, 7, 8])).toBe("0-3,7,8,12");
  expect([parseRanks(""), parseRanks("1-"), parseRanks("0-999999999999")]).toEqual([null, null, null]);
});
