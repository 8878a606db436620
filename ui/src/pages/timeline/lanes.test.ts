import { describe, expect, it } from "vitest";
import type { Lane, Timeline } from "../../api/client";
import { lanesBetween } from "./input";
import { readKept } from "./kept";
import { type RankData, treeOf } from "./lanes";
import { placeAt, placed, RULER_HEIGHT, screenTop, slicePlace } from "./layout";

const lane = (id: number, process: number, name: string, rows = 1): Lane => ({
  id,
  process,
  name,
  rows,
  layer: "hardware",
  tid: id,
  slices: 10,
});

const timeline: Timeline = {
  processes: [
    { name: "Python", pid: 1, labels: [] },
    { name: "Ascend Hardware", pid: 2, labels: ["NPU"] },
  ],
  lanes: [lane(0, 0, "Thread 1", 30), lane(1, 1, "Stream 1"), lane(2, 1, "Stream 2", 3)],
  counters: [{ id: 0, process: 1, name: "HBM", unit: "GB/s", samples: 3, min: 0, max: 1 }],
  span: [0, 100],
};
const ready: RankData = { state: "ready", timeline, query: [] };
const tree = (params: Record<string, string>, ranks = [0], data: RankData = ready) =>
  treeOf(
    ranks.map((rank) => ({ rank, name: "", data })),
    0,
    readKept(params),
  );
const keys = (params: Record<string, string>, ranks?: number[]) => tree(params, ranks).nodes.map((node) => node.key);

describe("the lane tree", () => {
  it("has ranks, processes, lanes and counters", () => {
    expect(keys({})).toEqual(["0", "0.p0", "0.l0", "0.p1", "0.l1", "0.l2", "0.c0"]);
  });

  it("opens what was toggled and closes the rest", () => {
    expect(keys({ toggled: "0.p0" })).toEqual(["0", "0.p0", "0.p1", "0.l1", "0.l2", "0.c0"]);
    expect(keys({}, [0, 1, 2])).toEqual(["0", "1", "2"]);
    expect(keys({ toggled: "1,1.p1" }, [0, 1, 2])).toEqual(["0", "1", "1.p0", "1.l0", "1.p1", "2"]);
  });

  it("moves pinned lanes to the top, also those of closed groups", () => {
    for (const toggled of ["", "0.p1", "0"]) {
      const { pinned, nodes } = tree({ pins: "0.c0,0.l2", toggled });
      expect(pinned.map((node) => node.key)).toEqual(["0.c0", "0.l2"]);
      expect(nodes.some((node) => node.key === "0.l2")).toBe(false);
    }
  });

  it("leaves hidden lanes out and counts them", () => {
    expect(keys({ hidden: "0.l1,0.p0" })).toEqual(["0", "0.p1", "0.l2", "0.c0"]);
    expect(tree({ hidden: "0.l1,0.p0" }).hidden).toBe(2);
  });

  it("draws merged lanes in the place of the first", () => {
    expect(keys({ merges: "0_1-2" })).toEqual(["0", "0.p0", "0.l0", "0.p1", "0.m1.2", "0.c0"]);
  });

  it("filters by the names of lanes and processes", () => {
    expect(keys({ filter: "stream 2" })).toEqual(["0", "0.p1", "0.l2"]);
    expect(keys({ filter: "python" })).toEqual(["0", "0.p0", "0.l0"]);
    expect(keys({ filter: "nothing" })).toEqual(["0", "0.note"]);
  });

  it("says what is missing of a rank", () => {
    expect(tree({}, [0], { state: "loading" }).nodes.map((node) => node.kind)).toEqual(["rank", "note"]);
    expect(tree({}, [0], { state: "failed", error: "gone" }).nodes[1]?.name).toBe("gone");
  });

  it("numbers siblings for those who do not see them", () => {
    const node = tree({}).nodes.find(({ key }) => key === "0.l2");
    expect([node?.position, node?.siblings]).toEqual([2, 3]);
  });
});

describe("the layout", () => {
  const layout = placed(tree({ pins: "0.l1" }), new Map());

  it("places nodes below each other, pinned ones at the top", () => {
    expect(layout.pinned.map((place) => place.node.key)).toEqual(["0.l1"]);
    const ends = layout.places.map((place) => place.top + place.height);
    expect(layout.places.slice(1).map((place) => place.top)).toEqual(ends.slice(0, -1));
    expect(layout.height).toBe(ends.at(-1));
  });

  it("finds the node at a height, scrolled or pinned", () => {
    const lane = layout.byKey.get("0.l2")!;
    const scroll = 40;
    expect(placeAt(layout, screenTop(layout, lane, scroll) + 1, scroll)?.node.key).toBe("0.l2");
    expect(placeAt(layout, RULER_HEIGHT + 1, scroll)?.node.key).toBe("0.l1");
    expect(placeAt(layout, 5, scroll)).toBeNull();
  });

  it("draws a slice of a folded lane on the group that it is in", () => {
    const folded = placed(tree({ toggled: "0.p1" }), new Map());
    expect(slicePlace(folded, 0, 2, 1, 0)?.place.node.key).toBe("0.p1");
    expect(slicePlace(layout, 0, 2, 1, 0)?.place.node.key).toBe("0.l2");
    const closed = placed(tree({ toggled: "0" }), new Map());
    expect(slicePlace(closed, 0, 2, 1, 0)?.place.node.key).toBe("0");
  });

  it("gives the lanes between two heights", () => {
    const find = (key: string) => screenTop(layout, layout.byKey.get(key)!, 0);
    expect(lanesBetween(layout, 0, 1000, find("0.l0") + 1, find("0.l2") + 1, () => [])).toEqual([{ rank: 0, lanes: [0, 2] }]);
    const closed = placed(tree({ toggled: "0" }), new Map());
    expect(lanesBetween(closed, 0, 1000, RULER_HEIGHT, 1000, () => [0, 1, 2])).toEqual([{ rank: 0, lanes: [0, 1, 2] }]);
  });
});
