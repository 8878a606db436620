// The highest sample of each component: allocators, modules of the driver, the process.

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
import { curvesOf, highestSample } from "./curve";
import { drawnRanks } from "./ranks";

const t = texts({
  en: { title: "Highest sample by component", what: "component memory", bars: "Highest sample of each component on any rank; click one to see its curve" },
  zh: { title: "各组件最高采样值", what: "组件内存", bars: "各组件在任一 rank 上的最高采样值；单击可显示其曲线" },
});

export function Components() {
  return (
    <Card title={t("title")}>
      <Viewed view="memory_curve" about={drawnRanks().about} what={t("what")}>
        {(table) => <Samples table={samplesOf(table)} />}
      </Viewed>
    </Card>
  );
}

/** The highest sample of each curve. */
function samplesOf(table: Table): Table {
  const curves = curvesOf(table);
  const samples = curves.map((curve) => highestSample(curve));
  return tableOf({
    component: curves.map((curve) => curve.component),
    kind: curves.map((curve) => curve.kind),
    rank: curves.map((curve) => curve.rank),
    highest_sample: samples.map((sample) => sample?.value ?? null),
    time: samples.map((sample) => sample?.time ?? null),
  });
}

function Samples({ table }: { table: Table }) {
  const most = new Map<string, number>();
  const values = table.numbers("highest_sample");
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
        columns={columns(["component", "kind", "rank", "highest_sample", "time"], {
          time: { link: (row) => linkToTime(asNumber(row.rank), asNumber(row.time), asNumber(row.time)) },
        })}
        sort={{ name: "highest_sample", isDescending: true }}
      />
    </>
  );
}
