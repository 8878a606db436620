// What takes most: operators, communication operations, memory. Each leads to its page.

import { api } from "../../api/client";
import type { Table } from "../../api/table";
import { BarChart } from "../../components/BarChart";
import { Card } from "../../components/Card";
import { grouped, sum } from "../../components/derived";
import { Loaded } from "../../components/Loaded";
import { bytes, duration, share, time } from "../../format";
import { link, type Page, scope } from "../../scope";
import { Icon } from "../../shell/Icon";
import { texts } from "../../texts";
import { kernelsOf } from "../operators/selection";

const t = texts({
  en: {
    operators: "Top kernel types",
    operatorsWhat: "kernel types",
    collectives: "Top communication operations",
    collectivesWhat: "communication operations",
    collectivesSaid: "{total} · wait ratio {wait}",
    memory: "Memory peak",
    memoryWhat: "memory",
    memorySaid: "{bytes} on rank {rank} at {time}",
    all: "All",
    other: "unnamed",
    earlier: "allocated before the recording",
  },
  zh: {
    operators: "耗时最多的 kernel 类型",
    operatorsWhat: "kernel 类型",
    collectives: "耗时最多的通信算子",
    collectivesWhat: "通信算子",
    collectivesSaid: "{total} · 等待占比 {wait}",
    memory: "内存峰值",
    memoryWhat: "内存",
    memorySaid: "rank {rank} 在 {time} 达到 {bytes}",
    all: "全部",
    other: "未命名",
    earlier: "采集开始前已分配",
  },
});

/** Bars of a card. */
const SHOWN = 8;

function More({ page }: { page: Page }) {
  return (
    <>
      <span class="space" />
      <a href={link({ page })}>
        {t("all")} <Icon name="arrow" size={12} />
      </a>
    </>
  );
}

export function Tops() {
  const { ranks, step, view } = scope.value;
  const of = [ranks?.join(), step, view?.begin, view?.end];
  return (
    <div class="cards tops">
      <Card title={t("operators")} tools={<More page="operators" />}>
        <Loaded load={() => api.table("operators", scope.value, { group: "op_type" })} of={of} what={t("operatorsWhat")}>
          {(table) => <Operators table={kernelsOf(table, "computing")} />}
        </Loaded>
      </Card>
      <Card title={t("collectives")} tools={<More page="communication" />}>
        <Loaded load={() => api.table("communication", scope.value, { by: "kind" })} of={of} what={t("collectivesWhat")}>
          {(table) => <Collectives table={table} />}
        </Loaded>
      </Card>
      <Card title={t("memory")} tools={<More page="memory" />}>
        <Loaded load={() => api.table("memory_peak", scope.value)} of={of} what={t("memoryWhat")}>
          {(table) => <Memory table={table} />}
        </Loaded>
      </Card>
    </div>
  );
}

function Operators({ table }: { table: Table }) {
  const [types, totals, shares] = [table.texts("op_type"), table.numbers("total"), table.numbers("share")];
  const rows = [...types.keys()].sort((a, b) => (totals[b] || 0) - (totals[a] || 0)).slice(0, SHOWN);
  const bars = rows.map((row) => ({
    key: String(row),
    name: types[row] || t("other"),
    value: totals[row] || 0,
    text: `${duration(totals[row] as number)} · ${share(shares[row] as number)}`,
  }));
  return <BarChart label={t("operators")} bars={bars} format={duration} />;
}

function Collectives({ table }: { table: Table }) {
  const [elapsed, wait, transit] = [table.numbers("elapsed"), table.numbers("wait"), table.numbers("transit")];
  const groups = [...grouped(table, ["kind"])].map(([key, rows]) => ({
    key,
    name: key || t("other"),
    value: sum(elapsed, rows),
    // The wait ratio of the glossary, over all ranks.
    wait: rows.some((row) => (wait[row] as number) > 0) ? sum(wait, rows) / (sum(wait, rows) + sum(transit, rows)) : null,
  }));
  groups.sort((a, b) => b.value - a.value);
  const bars = groups.slice(0, SHOWN).map((group) => ({
    ...group,
    colour: "var(--communication)",
    text:
      group.wait === null
        ? duration(group.value)
        : t("collectivesSaid", { total: duration(group.value), wait: share(group.wait) }),
  }));
  return <BarChart label={t("collectives")} bars={bars} format={duration} />;
}

/** Of the rank with the highest memory peak. */
function Memory({ table }: { table: Table }) {
  const [ranks, times, sizes, names] = [table.numbers("rank"), table.numbers("time"), table.numbers("bytes"), table.texts("name")];
  const peaks = table.numbers("total");
  const groups = [...grouped(table, ["rank"]).values()].map((rows) => ({ rows, bytes: peaks[rows[0]!] || 0 }));
  const most = groups.reduce((most, group) => (group.bytes > most.bytes ? group : most), { rows: [] as number[], bytes: 0 });
  const [first] = most.rows;
  if (first === undefined) return null;
  const rows = most.rows.sort((a, b) => (sizes[b] || 0) - (sizes[a] || 0)).slice(0, SHOWN);
  const said = { bytes: bytes(most.bytes), rank: ranks[first] as number, time: time(times[first] as number) };
  const bars = rows.map((row) => ({
    key: String(row),
    name: names[row] || t("earlier"),
    value: sizes[row] || 0,
    colour: "var(--copy)",
  }));
  return <BarChart label={t("memory")} caption={t("memorySaid", said)} bars={bars} format={bytes} />;
}
