// The peak of each component: allocators, modules of the driver, the process.

import type { Table } from "../../api/table";
import { BarChart } from "../../components/BarChart";
import { Card } from "../../components/Card";
import { columns } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { tableOf } from "../../components/derived";
import { choose, param } from "../../components/params";
import { Viewed } from "../../components/Viewed";
import { bytes } from "../../format";
import { asNumber } from "../../api/table";
import { linkToTime } from "../../scope";
import { texts } from "../../texts";
import { curvesOf, peakOf } from "./curve";
import { drawnRanks } from "./ranks";

const t = texts({
  en: { title: "Peak by component", what: "memory of components", bars: "Greatest reserved memory of a component on any rank; choose one for its curve" },
  zh: { title: "组件峰值", what: "组件内存", bars: "各组件在任一 rank 上的最大预留内存；选中以显示其曲线" },
});

export function Components() {
  return (
    <Card title={t("title")}>
      <Viewed view="memory_curve" about={drawnRanks().about} what={t("what")}>
        {(table) => <Peaks table={peaksOf(table)} />}
      </Viewed>
    </Card>
  );
}

/** The peak of each curve: of what is reserved, or of what is allocated where that is all that is known. */
function peaksOf(table: Table): Table {
  const curves = curvesOf(table);
  const peaks = curves.map((curve) => peakOf(curve, "reserved") ?? peakOf(curve, "allocated"));
  return tableOf({
    component: curves.map((curve) => curve.component),
    kind: curves.map((curve) => curve.kind),
    rank: curves.map((curve) => curve.rank),
    reserved: peaks.map((peak) => peak?.value ?? null),
    time: peaks.map((peak) => peak?.time ?? null),
  });
}

function Peaks({ table }: { table: Table }) {
  const most = new Map<string, number>();
  const values = table.numbers("reserved");
  table.texts("component").forEach((name, at) => most.set(name, Math.max(most.get(name) ?? 0, values[at] || 0)));
  const bars = [...most].map(([name, value]) => ({ key: name, name, value })).sort((one, other) => other.value - one.value);
  return (
    <>
      <BarChart
        label={t("bars")}
        caption={t("bars")}
        bars={bars.slice(0, 20)}
        format={bytes}
        chosen={param("component")}
        onPick={({ key }) => choose({ component: key })}
      />
      <DataTable
        table={table}
        name="components"
        columns={columns(["component", "kind", "rank", "reserved", "time"], {
          time: { link: (row) => linkToTime(asNumber(row.rank), asNumber(row.time), asNumber(row.time)) },
        })}
        sort={{ name: "reserved", isDescending: true }}
      />
    </>
  );
}
