// How far ranks are read, as a thin bar below the scope bar.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, type Progress as RankProgress } from "../api/client";
import { texts } from "../texts";

const t = texts({
  en: { one: "reading rank {rank} …", many: "reading {count} ranks …" },
  zh: { one: "正在读取 rank {rank}……", many: "正在读取 {count} 个 rank……" },
});

export function Progress() {
  const ranks = useSignal<RankProgress[]>([]);
  useEffect(
    () =>
      api.progress((progress) => {
        const others = ranks.value.filter((other) => other.rank !== progress.rank);
        const all = [...others, progress];
        ranks.value = all.some((rank) => rank.done < rank.total) ? all : [];
      }),
    [],
  );
  const reading = ranks.value.filter((rank) => rank.done < rank.total);
  const [first] = reading;
  if (!first) return <div class="progress" role="status" />;
  const sum = (of: (rank: RankProgress) => number) => ranks.value.reduce((sum, rank) => sum + of(rank), 0);
  const part = sum((rank) => rank.done) / Math.max(1, sum((rank) => rank.total));
  return (
    <div class="progress" role="status">
      <div class="done" style={{ width: `${Math.max(2, part * 100)}%` }} />
      <p>{reading.length === 1 ? t("one", { rank: first.rank }) : t("many", { count: reading.length })}</p>
    </div>
  );
}
