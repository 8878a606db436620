import { expect, it } from "vitest";
import { channels, inkOn, kindColours, ramp } from "./colours";

it("a kind has the same colour whatever order the rows come in", () => {
  expect(kindColours(["b", "a", "b"])).toEqual(kindColours(["a", "b"]));
  expect(kindColours(["b", "a"]).get("a")).toBe("var(--kind-0)");
});

it("text on a colour is black or white, whichever is read better", () => {
  expect(inkOn("rgb(255, 255, 200)")).toBe("#000000");
  expect(inkOn("#0b2a56")).toBe("#ffffff");
  expect(channels("#0b2a56")).toEqual([11, 42, 86]);
});

it("a scale goes from its first stop to its last", () => {
  const stops = ["rgb(0, 0, 0)", "rgb(1, 1, 1)", "rgb(2, 2, 2)", "rgb(3, 3, 3)", "rgb(255, 16, 1)"];
  const words = ramp((value) => stops[Number(/\d/.exec(value)![0])]!);
  expect(words[0]).toBe(0xff000000);
  expect(words[255]).toBe(0xff0110ff);
});
