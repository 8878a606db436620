// Ranks whose memory is drawn: a few, because more cannot be distinguished.

import type { Asked } from "../../api/client";
import { scope } from "../../scope";
import { profile } from "../../shell/profile";

/** Ranks that are drawn at a time. */
export const DRAWN = 8;

/** What curves are asked about: the ranks of the scope, the first of them if they are many. */
export function drawnRanks(): { about: Asked; left: number } {
  const chosen = scope.value.ranks;
  const all = chosen ?? profile.value?.ranks.map((rank) => rank.rank) ?? [];
  if (all.length <= DRAWN) return { about: { ranks: chosen }, left: 0 };
  return { about: { ranks: all.slice(0, DRAWN) }, left: all.length - DRAWN };
}
