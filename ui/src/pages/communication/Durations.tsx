// How the time of communication divides: moving data, waiting, doing nothing.

import { useMemo } from "preact/hooks";
import type { Table } from "../../api/table";
import { timeRuler } from "../../components/axis";
import { Card } from "../../components/Card";
import { columns } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { StackedBars } from "../../components/StackedBars";
import { Viewed } from "../../components/Viewed";
import { duration } from "../../format";
import { go, scope } from "../../scope";
import { profile } from "../../shell/profile";
import type { TermKey } from "../../terms";
import { language, texts } from "../../texts";
import { Filters, filtered } from "./Filters";
import { splitByRank } from "./split";

const t = texts({
  en: {
    title: "Communication time by rank",
    what: "communication times",
    label: "Communication time breakdown of each rank",
    caption: "Click a bar to show only that rank.",
    transit: "Transit",
    synchronization: "Synchronization",
    wait: "Other wait",
    idle: "Idle",
    undivided: "Not broken down",
    total: "Total",
    rank: "rank {rank}",
    table: "Communication operations",
  },
  zh: {
    title: "各 rank 的通信时间",
    what: "通信时间",
    label: "各 rank 的通信时间分解",
    caption: "单击一根柱，只显示该 rank。",
    transit: "传输",
    synchronization: "同步",
    wait: "其他等待",
    idle: "通信空闲",
    undivided: "未分解",
    total: "合计",
    rank: "rank {rank}",
    table: "通信算子",
  },
});

const COLOURS = { transit: "var(--communication)", synchronization: "var(--exposed)", wait: "var(--kind-4)", idle: "var(--free)", undivided: "var(--kind-6)" } as const;

const PARTS = ["transit", "synchronization", "wait", "idle", "undivided"] as const;

/** Other waiting is not all waiting: it has no term. */
const TERMS: Partial<Record<(typeof PARTS)[number], TermKey>> = { transit: "transit", synchronization: "synchronization", idle: "idle", undivided: "elapsed" };

/** Of more ranks than these, operations are summed up by kind: there would be millions. */
const MANY_RANKS = 64;

export function Durations() {
  const ranks = scope.value.ranks ?? profile.value?.ranks ?? [];
  return (
    <Viewed view="communication" own={ranks.length > MANY_RANKS ? { by: "kind" } : {}} what={t("what")}>
      {(table) => <Split table={table} />}
    </Viewed>
  );
}

function Split({ table }: { table: Table }) {
  const shown = filtered(table);
  return (
    <>
      <Card title={t("title")} tools={<Filters table={table} />}>
        <Bars table={shown} />
      </Card>
      <Card title={t("table")}>
        <DataTable
          table={shown}
          name="communication"
          columns={columns(
            [
              "name", "rank", "kind", "group_name", "count", "elapsed", "transit", "wait", "synchronization", "idle", "bytes", "wait_ratio",
              "synchronization_ratio",
            ],
            { bytes: { term: "bytes_moved" } },
          )}
          sort={{ name: "elapsed", isDescending: true }}
        />
      </Card>
    </>
  );
}

function Bars({ table }: { table: Table }) {
  const { ranks, names, parts } = useMemo(() => {
    const split = splitByRank(table);
    return {
      ranks: split.ranks,
      names: split.ranks.map((rank) => t("rank", { rank })),
      parts: PARTS.filter((part) => split[part].some((value) => value > 0)).map((part) => ({ name: t(part), colour: COLOURS[part], term: TERMS[part], values: split[part] })),
    };
  }, [table, language.value]);
  return (
    <StackedBars
      label={t("label")}
      caption={t("caption")}
      names={names}
      parts={parts}
      format={duration}
      ruler={timeRuler}
      total={t("total")}
      onPick={(bar) => go({ ranks: [ranks[bar]!] })}
    />
  );
}
