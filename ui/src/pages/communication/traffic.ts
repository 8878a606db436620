// What went over links: by sender and receiver, by kind of link, by size of packets.

import type { Table } from "../../api/table";
import { grouped, sum } from "../../components/derived";

export const MEASURES = ["bandwidth", "bytes", "time"] as const;

export interface TrafficMatrix {
  ranks: number[];
  /** Row after row, senders down; NaN where nothing went. */
  bandwidth: Float64Array;
  bytes: Float64Array;
  time: Float64Array;
  /** Kinds of link by cell. */
  over: Map<number, Set<string>>;
}

/** Bytes and times summed by sender and receiver; bandwidth is their quotient, in GB/s. */
export function matrixOf(table: Table, hasSelf: boolean): TrafficMatrix {
  const [src, dst] = [table.numbers("src"), table.numbers("dst")];
  const [sizes, times] = [table.numbers("bytes"), table.numbers("time")];
  const [transports, links] = [table.texts("transport"), table.texts("link")];
  const ranks = [...new Set([...src, ...dst])].filter((rank) => !Number.isNaN(rank)).sort((one, other) => one - other);
  const placeOf = new Map(ranks.map((rank, at) => [rank, at]));
  const cells = ranks.length * ranks.length;
  const [bytes, time] = [new Float64Array(cells).fill(NaN), new Float64Array(cells).fill(NaN)];
  const over = new Map<number, Set<string>>();
  for (let row = 0; row < table.length; row++) {
    const [from, to] = [placeOf.get(src[row]!), placeOf.get(dst[row]!)];
    if (from === undefined || to === undefined || (from === to && !hasSelf)) continue;
    const cell = from * ranks.length + to;
    bytes[cell] = (bytes[cell] || 0) + (sizes[row] || 0);
    time[cell] = (time[cell] || 0) + (times[row] || 0);
    const kinds = over.get(cell) ?? new Set();
    over.set(cell, kinds.add([transports[row], links[row]].filter(Boolean).join(" ")));
  }
  const bandwidth = bytes.map((size, at) => (time[at]! > 0 ? size / time[at]! : NaN));
  return { ranks, bandwidth, bytes, time, over };
}

/** What links of a kind reach if they are used well, in GB/s. */
const REFERENCES: Record<string, number> = { RDMA: 12.5, HCCS: 18, PCIE: 20 };

/** The reference of a link; null if there is none. */
export function referenceOf(link: string): number | null {
  return REFERENCES[link.toUpperCase()] ?? null;
}

export interface LinkUse {
  link: string;
  bytes: number;
  time: number;
  bandwidth: number;
  slowest: { rank: number; bandwidth: number } | null;
}

/** What each kind of link moved in all, the most first. */
export function linkUses(table: Table): LinkUse[] {
  const [ranks, sizes, times, speeds] = ["rank", "bytes", "time", "bandwidth"].map((name) => table.numbers(name)) as [
    Float64Array, Float64Array, Float64Array, Float64Array,
  ];
  const uses = [...grouped(table, ["link"])].map(([link, rows]) => {
    const [bytes, time] = [sum(sizes, rows), sum(times, rows)];
    const known = rows.filter((row) => speeds[row]! > 0);
    const slow = known.reduce<number | null>((slow, row) => (slow === null || speeds[row]! < speeds[slow]! ? row : slow), null);
    return {
      link,
      bytes,
      time,
      bandwidth: time > 0 ? bytes / time : NaN,
      slowest: slow === null ? null : { rank: ranks[slow]!, bandwidth: speeds[slow]! },
    };
  });
  return uses.filter((use) => use.bytes > 0).sort((one, other) => other.bytes - one.bytes);
}

/**
 * Packets below this use a link badly; packet sizes are recorded in units of 1000 * 1000 bytes. MindStudio Insight
 * takes 1 MB over RDMA, but the profiler counts packets above 0.5 MB as large: none is both here.
 */
export function smallPacket(link: string): { bytes: number; name: string } {
  return link.toUpperCase() === "RDMA" ? { bytes: 5e5, name: "0.5 MB" } : { bytes: 16e6, name: "16 MB" };
}

/** Links that small packets are the fault of: more than this share of packets. */
export const SMALL_SHARE = 0.2;

/** The share of small packets of each link. */
export function smallShares(table: Table): { link: string; share: number; packets: number }[] {
  const [sizes, counts] = [table.numbers("packet_bytes"), table.numbers("count")];
  return [...grouped(table, ["link"])].map(([link, rows]) => {
    const packets = sum(counts, rows);
    const small = sum(counts, rows.filter((row) => sizes[row]! < smallPacket(link).bytes));
    return { link, packets, share: packets > 0 ? small / packets : 0 };
  });
}

/** Packets by powers of two of their size, from the first that has any to the last. */
export function packetCounts(table: Table, link: string): { power: number; count: number }[] {
  const [links, sizes, counts] = [table.texts("link"), table.numbers("packet_bytes"), table.numbers("count")];
  const byPower = new Map<number, number>();
  for (let row = 0; row < table.length; row++) {
    if (links[row] !== link || !(counts[row]! > 0)) continue;
    const power = Math.max(0, Math.floor(Math.log2(Math.max(sizes[row]!, 1)) + 1e-9));
    byPower.set(power, (byPower.get(power) ?? 0) + counts[row]!);
  }
  if (byPower.size === 0) return [];
  const [first, last] = [Math.min(...byPower.keys()), Math.max(...byPower.keys())];
  return Array.from({ length: last - first + 1 }, (_, at) => ({ power: first + at, count: byPower.get(first + at) ?? 0 }));
}
