// Short names of groups of ranks: what is the same in all of them says nothing.

import type { Lane } from "../../api/client";

const GROUP = /^Group (\S+) Communication$/;

/** How many parts lists have in common at their begin. */
function common(lists: string[][]): number {
  const first = lists[0] ?? [];
  const differs = first.findIndex((part, at) => lists.some((list) => list[at] !== part));
  return differs < 0 ? first.length : differs;
}

/** Short names of the lanes of groups, by lane. */
export function shortGroups(lanes: Lane[]): Map<number, string> {
  const groups = lanes.flatMap((lane) => {
    const id = GROUP.exec(lane.name)?.[1];
    return id === undefined ? [] : [{ lane: lane.id, parts: id.split("_") }];
  });
  const lists = groups.map((group) => group.parts);
  if (lists.length < 2) return new Map();
  const before = common(lists);
  const after = common(lists.map((list) => list.slice(before).reverse()));
  return new Map(
    groups.map(({ lane, parts }) => {
      const own = parts.slice(before, parts.length - after);
      return [lane, `Group …${own.join("_") || parts.join("_")}`];
    }),
  );
}
