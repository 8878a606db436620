// What a finding shows: its numbers, and the places where it can be seen.

import type { Finding } from "../../api/client";

type Place = Finding["evidence"][number];

/** Numbers that are the cost of a cause. */
const COSTS = ["number-lost", "number-step", "number-step-if-fixed"];

/** The numbers of a finding. A cause whose cost is not computed, such as a memory leak, has none of the cost: 0 would say that it costs nothing. */
export function costed({ numbers, share_of_step }: Pick<Finding, "numbers" | "share_of_step">): Finding["numbers"] {
  const hasCost = share_of_step !== null || !numbers.some(({ name }) => name.id === "number-lost");
  return hasCost ? numbers : numbers.filter(({ name }) => !COSTS.includes(name.id));
}

/** Places of a rank and step where the same is seen as one, the first of them, and how many they are. */
export function merged(evidence: Place[]): { place: Place; times: number }[] {
  const same = new Map<string, { place: Place; times: number }>();
  for (const place of evidence) {
    const key = `${place.rank}/${place.step}/${place.what.text.en}`;
    const known = same.get(key);
    if (known) known.times++;
    else same.set(key, { place, times: 1 });
  }
  return [...same.values()];
}
