// Example queries, and recent queries.

import { texts } from "../../texts";

/** The title of an example. */
export const exampleName = texts({
  en: {
    operators: "Kernel types with the longest total time",
    slowRank: "Computing time of each rank",
    collectives: "Longest communication operations (can be shown as a lane)",
    gaps: "Longest waits before a kernel (can be shown as a lane)",
    shapes: "Shapes of matrix multiplications",
    memory: "Largest allocations",
    memoryCurve: "Allocated memory over time",
    host: "Framework operators by total time",
    steps: "Step times",
  },
  zh: {
    operators: "耗时最多的 kernel 类型",
    slowRank: "各 rank 的计算时间",
    collectives: "最长的通信算子（可显示为泳道）",
    gaps: "kernel 之前最长的等待（可显示为泳道）",
    shapes: "矩阵乘的 shape",
    memory: "最大的内存分配",
    memoryCurve: "已分配内存随时间的变化",
    host: "框架算子按总耗时排序",
    steps: "step 耗时",
  },
});

export const EXAMPLES: [Parameters<typeof exampleName>[0], string][] = [
  [
    "operators",
    `SELECT op_type, count(*) AS count, sum(duration) / 1e6 AS ms
FROM kernel
GROUP BY op_type
ORDER BY ms DESC`,
  ],
  [
    "slowRank",
    `SELECT rank, sum(duration) / 1e6 AS ms
FROM overlap
WHERE kind = 'computing'
GROUP BY rank
ORDER BY rank`,
  ],
  [
    "collectives",
    `SELECT rank, start, duration, name
FROM comm_op
ORDER BY duration DESC
LIMIT 200`,
  ],
  [
    "gaps",
    `SELECT rank, start - wait AS start, wait AS duration, name
FROM kernel
WHERE wait > 0
ORDER BY wait DESC
LIMIT 200`,
  ],
  [
    "shapes",
    `SELECT input_shapes, count(*) AS count, avg(duration) / 1e3 AS us
FROM kernel
WHERE op_type LIKE '%MatMul%'
GROUP BY input_shapes
ORDER BY count DESC`,
  ],
  [
    "memory",
    `SELECT rank, name, bytes, start, duration
FROM mem_event
ORDER BY bytes DESC
LIMIT 100`,
  ],
  [
    "memoryCurve",
    `SELECT time AS start, allocated / 1048576.0 AS mb
FROM mem_sample
WHERE kind = 'allocator' AND component = 'PTA' AND rank = 0
ORDER BY time`,
  ],
  [
    "host",
    `SELECT name, count(*) AS count, sum(duration) / 1e6 AS ms
FROM host_op
WHERE kind = 'op'
GROUP BY name
ORDER BY ms DESC`,
  ],
  [
    "steps",
    `SELECT rank, id AS step, ("end" - start) / 1e6 AS ms
FROM step
ORDER BY rank, step`,
  ],
];

const KEY = "npuscope.queries";

/** Most recent queries that are kept. */
const KEPT = 30;

/** Recent queries, the last first. */
export function recentQueries(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter((sql) => typeof sql === "string") : [];
  } catch {
    return [];
  }
}

export function remember(sql: string): string[] {
  const all = [sql, ...recentQueries().filter((other) => other !== sql)].slice(0, KEPT);
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // Storage may be forbidden or full; nothing is kept then.
  }
  return all;
}
