// The slices that the canvas shows, as a table: for those who do not see it, and for copying.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../../api/client";
import { Loaded } from "../../components/Loaded";
import { texts } from "../../texts";
import type { Board } from "./board";
import { seen } from "./layout";
import { InstanceTable } from "./Statistics";

const t = texts({
  en: { what: "slices in view", some: "The first {shown} of {count} {count:slice|slices} in view.", none: "No lanes are in view." },
  zh: { what: "可见切片", some: "{count} 个可见切片中的前 {shown} 个。", none: "没有可见的泳道。" },
});

const LIMIT = 200;
/** The table follows the view when that has rested so long. */
const REST_MS = 300;

export function SlicesInView({ board }: { board: Board }) {
  const view = useSignal(board.view.value);
  const now = board.view.value;
  useEffect(() => {
    const timer = setTimeout(() => (view.value = now), REST_MS);
    return () => clearTimeout(timer);
  }, [now]);
  const lanes = new Map<number, Set<number>>();
  for (const { node } of seen(board.layout.value, board.scroll.value, board.size.value.height)) {
    if (node.kind !== "lane" && node.kind !== "merged") continue;
    const known = lanes.get(node.rank) ?? new Set();
    for (const lane of node.lanes) known.add(lane.id);
    lanes.set(node.rank, known);
  }
  const asked = [...lanes].map(([rank, ids]) => ({ rank, lanes: [...ids] }));
  const load = async () => {
    const answers = await Promise.all(
      asked.map(async ({ rank, lanes }) => {
        const offset = board.offset(rank);
        const window = { begin: view.value.begin + offset, end: view.value.end + offset };
        return { rank, ...(await api.slices(rank, lanes, window, null, LIMIT)) };
      }),
    );
    const rows = answers.flatMap(({ rank, slices }) => slices.map((slice) => ({ rank, ...slice })));
    rows.sort((a, b) => a.begin - b.begin);
    return { rows: rows.slice(0, LIMIT), count: answers.reduce((sum, answer) => sum + answer.count, 0) };
  };
  if (asked.length === 0) return <p class="state">{t("none")}</p>;
  return (
    <Loaded load={load} of={[view.value.begin, view.value.end, JSON.stringify(asked)]} what={t("what")}>
      {({ rows, count }) => (
        <div>
          {count > rows.length && <p class="hint">{t("some", { shown: rows.length, count })}</p>}
          <InstanceTable board={board} rows={rows} />
        </div>
      )}
    </Loaded>
  );
}
