// How ranks, or steps, spend their time.

import { useMemo } from "preact/hooks";
import type { Table } from "../../api/table";
import { timeRuler } from "../../components/axis";
import { Card } from "../../components/Card";
import { columns, placeOf } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { choice, choose } from "../../components/params";
import { Select } from "../../components/Select";
import { StackedBars } from "../../components/StackedBars";
import { Viewed } from "../../components/Viewed";
import { duration } from "../../format";
import { go } from "../../scope";
import { colon, language, texts } from "../../texts";
import { type Part, PARTS, type Breakdown, breakdownBy } from "./breakdown";
import { termOf, clusterText } from "./texts";

const t = texts({
  en: {
    title: "Device time breakdown",
    by: "One bar per",
    byRank: "rank (mean over steps)",
    byStep: "step (mean over ranks)",
    order: "Order",
    inOrder: "By number",
    longest: "Longest first",
    top: "Show at most",
    all: "All",
    label: "Device time breakdown, {count} {count:bar|bars}",
    caption: "Click a bar to show only that rank or step.",
    total: "Device time",
    table: "Steps by rank",
  },
  zh: {
    title: "设备时间分解",
    by: "每根柱表示",
    byRank: "rank（对 step 取平均）",
    byStep: "step（对 rank 取平均）",
    order: "排序",
    inOrder: "按编号",
    longest: "从长到短",
    top: "最多显示",
    all: "全部",
    label: "设备时间分解，{count} 根柱",
    caption: "单击一根柱，只显示该 rank 或 step。",
    total: "设备时间",
    table: "各 rank 的 step",
  },
});

const COLOURS: Record<Part, string> = {
  alone: "var(--computing)",
  overlapped_communication: "var(--communication)",
  exposed_communication: "var(--exposed)",
  free: "var(--free)",
};

const BY = ["rank", "step"] as const;

const ORDERS = ["number", "duration", "computing", "exposed_communication", "free"] as const;

const TOPS = ["all", "16", "64", "256"] as const;

export function Steps() {
  return (
    <Viewed view="steps" what={clusterText("steps")}>
      {(table) => (
        <>
          <Bars table={table} />
          <Card title={t("table")}>
            <DataTable
              table={table}
              name="steps"
              columns={columns(
                [
                  "start", "rank", "step", "duration", "computing", "exposed_communication", "overlapped_communication", "free", "preparing", "bubble",
                ],
                { start: { link: placeOf }, duration: { term: "step_time" } },
              )}
            />
          </Card>
        </>
      )}
    </Viewed>
  );
}

function Bars({ table }: { table: Table }) {
  const by = choice("by", BY);
  const order = choice("order", ORDERS);
  const top = choice("top", TOPS);
  const { spent, names, parts } = useMemo(() => {
    const all = breakdownBy(table, by);
    if (order !== "number") all.sort((one, other) => (other[order] || 0) - (one[order] || 0) || one.key - other.key);
    const spent = top === "all" ? all : all.slice(0, Number(top));
    const values = (part: keyof Breakdown) => spent.map((one) => one[part]);
    return {
      spent,
      names: spent.map(({ key }) => (by === "rank" ? clusterText("rank", { rank: key }) : Number.isNaN(key) ? clusterText("wholeProfile") : clusterText("step", { step: key }))),
      parts: PARTS.filter((part) => spent.some((one) => one[part] > 0)).map((part) => ({ name: clusterText(part), colour: COLOURS[part], term: termOf(part), values: values(part) })),
    };
  }, [table, by, order, top, language.value]);
  return (
    <Card
      title={t("title")}
      tools={
        <>
          <Select
            label={t("by")}
            value={by}
            options={BY.map((value) => ({ value, label: t(value === "rank" ? "byRank" : "byStep") }))}
            onChange={(by) => choose({ by })}
          />
          <Select
            label={t("order")}
            value={order}
            options={ORDERS.map((value) => ({ value, label: value === "number" ? t("inOrder") : `${t("longest")}${colon()}${clusterText(value)}` }))}
            onChange={(order) => choose({ order })}
          />
          <Select
            label={t("top")}
            value={top}
            options={TOPS.map((value) => ({ value, label: value === "all" ? t("all") : value }))}
            onChange={(top) => choose({ top })}
          />
        </>
      }
    >
      <StackedBars
        label={t("label", { count: spent.length })}
        caption={t("caption")}
        names={names}
        parts={parts}
        format={duration}
        ruler={timeRuler}
        total={t("total")}
        onPick={(bar) => go(by === "rank" ? { ranks: [spent[bar]!.key] } : { step: Number.isNaN(spent[bar]!.key) ? null : spent[bar]!.key })}
        height={280}
      />
    </Card>
  );
}
