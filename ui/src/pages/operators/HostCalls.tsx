// What the host called: framework operators, CANN, Python, ranges of the user, garbage collection, queues.

import type { Table } from "../../api/table";
import { BarChart } from "../../components/BarChart";
import { Card } from "../../components/Card";
import { columns } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { choice, choose } from "../../components/params";
import { Select } from "../../components/Select";
import { Viewed } from "../../components/Viewed";
import { duration } from "../../format";
import { texts } from "../../texts";

const t = texts({
  en: {
    title: "Host calls by name",
    what: "host calls",
    kind: "Kind",
    op: "Framework operators",
    cann: "CANN",
    python: "Python",
    mstx: "User ranges (mstx)",
    gc: "Garbage collection",
    enqueue: "Enqueue",
    dequeue: "Dequeue",
    bars: "Calls with the longest total time",
  },
  zh: {
    title: "主机调用（按名称）",
    what: "主机调用",
    kind: "类型",
    op: "框架算子",
    cann: "CANN",
    python: "Python",
    mstx: "用户区间（mstx）",
    gc: "垃圾回收",
    enqueue: "入队",
    dequeue: "出队",
    bars: "合计耗时最长的调用",
  },
});

const KINDS = ["op", "cann", "python", "mstx", "gc", "enqueue", "dequeue"] as const;

const BARS = 12;

export function HostCalls() {
  const kind = choice("kind", KINDS);
  return (
    <Card
      title={t("title")}
      tools={
        <Select label={t("kind")} value={kind} options={KINDS.map((value) => ({ value, label: t(value) }))} onChange={(kind) => choose({ kind })} />
      }
    >
      <Viewed view="host_ops" own={{ kind }} what={t("what")}>
        {(table) => <Calls table={table} />}
      </Viewed>
    </Card>
  );
}

function Calls({ table }: { table: Table }) {
  const [names, totals] = [table.texts("name"), table.numbers("total")];
  const order = names.map((_, at) => at).sort((one, other) => totals[other]! - totals[one]!);
  return (
    <>
      <BarChart
        label={t("bars")}
        caption={t("bars")}
        bars={order.slice(0, BARS).map((at) => ({ key: String(at), name: names[at]!, value: totals[at]! }))}
        format={duration}
      />
      <DataTable
        table={table}
        name="host_ops"
        columns={columns(["name", "count", "total", "average", "min", "p50", "p95", "max"], { name: { width: 320 } })}
        sort={{ name: "total", isDescending: true }}
      />
    </>
  );
}
