import { expect, it } from "vitest";
import { TextWidths } from "./text";

it("texts are cut to the room there is", () => {
  const widths = new TextWidths({ measureText: (text) => ({ width: text.length * 10 }) });
  expect(widths.width("MatMul")).toBe(60);
  expect(widths.cut("MatMul", 60)).toBe("MatMul");
  expect(widths.cut("MatMul", 45)).toBe("Mat…");
  expect(widths.cut("MatMul", 25)).toBe("");
});
