import { expect, it } from "vitest";
import type { Lane } from "../../api/client";
import { shortGroups } from "./groups";

const lane = (id: number, name: string) => ({ id, name }) as Lane;

it("short names of groups show what they differ in", () => {
  const lanes = [
    lane(1, "Group 10.0.0.1%eth0_60000_0_1767 Communication"),
    lane(2, "Plane 0"),
    lane(3, "Group 10.0.0.1%eth0_60000_6_1767 Communication"),
    lane(4, "Group 10.0.0.1%eth0_60004_8_1767 Communication"),
  ];
  expect([...shortGroups(lanes)]).toEqual([
    [1, "Group …60000_0"],
    [3, "Group …60000_6"],
    [4, "Group …60004_8"],
  ]);
});

it("a group alone keeps its name", () => {
  expect(shortGroups([lane(1, "Group 10.0.0.1%eth0_60000_0_1767 Communication")]).size).toBe(0);
});
