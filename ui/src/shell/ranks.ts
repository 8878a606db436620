// Ranks as the scope bar takes them.

import { api, type Profile } from "../api/client";
import { parseRanks } from "../scope";

/** Ranks that a text names: `0-7,12`, or `slow 4` for those that are late most. Null if it names none of the profile. */
export async function readRanks(text: string, profile: Profile | null): Promise<number[] | null> {
  const [, count] = /^slow\s*(\d*)$/i.exec(text) ?? [];
  if (count !== undefined) return slowest(count === "" ? 1 : Number(count));
  const there = new Set(profile?.ranks.map((rank) => rank.rank));
  const ranks = parseRanks(text)?.filter((rank) => profile === null || there.has(rank));
  return ranks && ranks.length > 0 ? ranks : null;
}

async function slowest(count: number): Promise<number[] | null> {
  const table = await api.table("slow_ranks").catch(() => null);
  if (!table || table.length === 0) return null;
  const late = table.numbers("late_ms");
  const ranks = Array.from(table.numbers("rank"), (rank, at) => ({ rank, late: late[at] || 0 }));
  ranks.sort((a, b) => b.late - a.late || a.rank - b.rank);
  return ranks.slice(0, count).map(({ rank }) => rank).sort((a, b) => a - b);
}
