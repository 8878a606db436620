import { expect, it } from "vitest";
import { cellAt, painted, rasterized } from "./raster";

const whole = (columns: number, rows: number) => ({ x0: 0, y0: 0, x1: columns, y1: rows });

it("cells larger than a pixel fill all of theirs", () => {
  expect([...rasterized([1, 2, 3, 4], 2, whole(2, 2), 4, 4)]).toEqual([1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4]);
});

it("one hot cell of a million is seen", () => {
  const values = new Float32Array(1000 * 1000);
  values[777 * 1000 + 333] = 9;
  const pixels = rasterized(values, 1000, whole(1000, 1000), 317, 211);
  expect(pixels.filter((value) => value === 9)).toHaveLength(1);
  const at = pixels.indexOf(9);
  expect(Math.abs(Math.floor(at / 317) - 0.777 * 211)).toBeLessThan(2);
  expect(Math.abs((at % 317) - 0.333 * 317)).toBeLessThan(2);
});

it("rows that are smaller than a pixel keep their greatest value wherever they fall", () => {
  for (let rows = 1; rows < 40; rows++) {
    for (let height = 1; height < 40; height++) {
      const values = Float32Array.from({ length: rows }, (_, row) => row);
      const pixels = rasterized(values, 1, whole(1, rows), 1, height);
      const expected = Array.from({ length: height }, (_, y) =>
        Math.max(Math.floor((y * rows) / height + 1e-9), Math.floor(((y + 1) * rows) / height + 1e-9) - 1),
      );
      expect([...pixels]).toEqual(expected);
    }
  }
});

it("a zoom shows only its cells", () => {
  expect([...rasterized([1, 2, 3, 4], 2, { x0: 1, y0: 0, x1: 2, y1: 2 }, 1, 2)]).toEqual([2, 4]);
  expect(cellAt(5, 15, { x0: 10, y0: 20, x1: 20, y1: 40 }, 10, 20)).toEqual({ column: 15, row: 35 });
  expect(cellAt(10, 0, whole(2, 2), 10, 10)).toBeNull();
});

it("what is absent is clear, what is beyond the scale has its end", () => {
  const words = painted(Float32Array.from([NaN, -5, 0, 10, 50]), { begin: 0, end: 10 }, Uint32Array.from([7, 8, 9]));
  expect([...words]).toEqual([0, 7, 7, 9, 9]);
});
