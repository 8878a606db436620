import { expect, it } from "vitest";
import { tableOf } from "../../components/derived";
import { curvesOf, firstComponent, linesOf, highestSample } from "./curve";

const curves = curvesOf(
  tableOf({
    rank: [0, 0, 0, 1],
    kind: ["allocator", "allocator", "process", "allocator"],
    component: ["PTA", "PTA", "APP", "PTA"],
    time: [20, 10, 10, 10],
    allocated: [7, 5, null, 6],
    reserved: [9, 9, 99, 9],
    active: [null, null, null, null],
  }),
);

it("samples are in order of time", () => {
  expect([...curves[0]!.times]).toEqual([10, 20]);
  expect(highestSample(curves[0]!, "allocated")).toEqual({ time: 20, value: 7 });
  expect(highestSample(curves[0]!, "active")).toBeNull();
});

it("an allocator is shown first, however much the process has", () => {
  expect(firstComponent(curves)).toBe("PTA");
});

it("there is a line for what was measured, and the room between reserved and allocated is shaded", () => {
  const shown = curves.filter((curve) => curve.component === "PTA");
  const { lines, shades } = linesOf(shown, ["allocated", "reserved", "active"], (rank, measure) => `${rank} ${measure}`);
  expect(lines.map((line) => line.name)).toEqual(["0 allocated", "0 reserved", "1 allocated", "1 reserved"]);
  expect(lines[0]!.colour).not.toBe(lines[2]!.colour);
  expect(shades).toHaveLength(2);
});
