import { expect, it } from "vitest";
import { paint } from "./strips";

it("columns are as high as the shares, and no part of them is lost", () => {
  const pixels = new Uint32Array(2 * 24);
  paint(pixels, Float32Array.from([0.5, 0, 0.25, 0, 0.001, 0]), [1, 2, 3]);
  const column = (at: number) => Array.from({ length: 24 }, (_, row) => pixels[row * 2 + at]);
  expect(column(0)).toEqual([...Array(6).fill(0), ...Array(6).fill(3), ...Array(12).fill(1)]);
  expect(column(1)).toEqual([...Array(23).fill(0), 2]);
});
