import { describe, expect, it } from "vitest";
import { levelFor, parseCounters, parseTile, tileLength, tilesFor } from "./tiles";

describe("tiles", () => {
  it("cover a stretch without a gap", () => {
    const length = tileLength(10);
    expect(tilesFor(0, length, 10)).toEqual([0]);
    expect(tilesFor(-1, length + 1, 10)).toEqual([-1, 0, 1]);
  });

  it("have intervals of at most a pixel", () => {
    for (const perPixel of [0.5, 1, 1.9, 1000, 1e9]) {
      const interval = 2 ** levelFor(perPixel);
      expect(interval).toBeLessThanOrEqual(Math.max(perPixel, 1));
      expect(interval).toBeGreaterThan(perPixel / 2);
    }
  });

  it("are read as the server writes them", () => {
    const bytes = new DataView(new ArrayBuffer(4 + 16 + 20));
    [2, 7, 0, 9, 1].forEach((value, at) => bytes.setUint32(4 * at, value, true));
    [100, 200, 3, 0].forEach((value, at) => bytes.setUint16(20 + 2 * at, value, true));
    [5, 6, 8].forEach((value, at) => bytes.setUint32(28 + 4 * at, value, true));
    const [empty, lane] = parseTile(bytes.buffer);
    expect(empty).toMatchObject({ lane: 7, count: 0 });
    expect(lane).toMatchObject({ lane: 9, count: 1 });
    expect([lane!.begin[0], lane!.end[0], lane!.row[0], lane!.slice[0], lane!.name[0], lane!.slices[0]]).toEqual([
      100, 200, 3, 5, 6, 8,
    ]);
  });

  it("have counters as the server writes them", () => {
    const bytes = new DataView(new ArrayBuffer(4 + 16 + 16));
    [2, 3, 0, 4, 1].forEach((value, at) => bytes.setUint32(4 * at, value, true));
    bytes.setUint16(20, 77, true);
    [1.5, 2.5, 2].forEach((value, at) => bytes.setFloat32(24 + 4 * at, value, true));
    const counters = parseCounters(bytes.buffer);
    expect(counters.get(3)?.count).toBe(0);
    const points = counters.get(4)!;
    expect([points.count, points.time[0], points.min[0], points.max[0], points.last[0]]).toEqual([1, 77, 1.5, 2.5, 2]);
  });
});
