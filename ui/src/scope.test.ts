import { expect, it } from "vitest";
import { readHash, type Scope, writeHash } from "./scope";

const nothing: Scope = { page: "overview", rank: null, view: null, slice: null };

it("any view is a link", () => {
  const scope: Scope = { page: "timeline", rank: 5, view: { begin: 100, end: 2000 }, slice: 42 };
  expect(readHash(writeHash(scope))).toEqual(scope);
  expect(readHash(writeHash(nothing))).toEqual(nothing);
});

it("what is no view is none", () => {
  for (const hash of ["", "#/nowhere", "#/overview?t=5,1", "#/overview?t=a,b", "#/overview?rank=x&t=&slice=1.5"]) {
    expect(readHash(hash)).toEqual(nothing);
  }
});
