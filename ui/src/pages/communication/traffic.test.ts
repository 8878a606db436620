import { expect, it } from "vitest";
import { tableOf } from "../../components/derived";
import { linkUses, matrixOf, packetCounts, referenceOf, smallShares } from "./traffic";

it("bandwidth is the quotient of sums, and copies inside a rank are left out", () => {
  const table = tableOf({ src: [0, 0, 1], dst: [5, 5, 1], bytes: [10, 30, 99], time: [10, 10, 1], transport: ["SDMA", "SDMA", null], link: ["HCCS", "HCCS", "ON_CHIP"] });
  const matrix = matrixOf(table, false);
  expect(matrix.ranks).toEqual([0, 1, 5]);
  expect(matrix.bandwidth[2]).toBe(2);
  expect(matrix.bandwidth[4]).toBeNaN();
  expect([...matrix.over.get(2)!]).toEqual(["SDMA HCCS"]);
  expect(matrixOf(table, true).bytes[4]).toBe(99);
});

it("links are compared with what they can reach", () => {
  expect([referenceOf("hccs"), referenceOf("SIO")]).toEqual([18, null]);
  const [use] = linkUses(tableOf({ rank: [0, 1], link: ["HCCS", "HCCS"], bytes: [10, 30], time: [10, 10], bandwidth: [1, 3] }));
  expect(use).toMatchObject({ bandwidth: 2, slowest: { rank: 0, bandwidth: 1 } });
});

it("small packets are those below the size of their link", () => {
  const table = tableOf({ link: ["RDMA", "RDMA", "HCCS"], packet_bytes: [4e5, 6e5, 2e6], count: [1, 3, 4] });
  expect(smallShares(table)).toEqual([
    { link: "RDMA", share: 0.25, packets: 4 },
    { link: "HCCS", share: 1, packets: 4 },
  ]);
  // 600 kB over RDMA are large for the profiler, and so not small.
  expect(packetCounts(table, "RDMA")).toEqual([
    { power: 18, count: 1 },
    { power: 19, count: 3 },
  ]);
});
