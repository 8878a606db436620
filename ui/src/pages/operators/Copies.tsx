// Copies between host and device, and on the device.

import type { Table } from "../../api/table";
import { BarChart } from "../../components/BarChart";
import { Card } from "../../components/Card";
import { columns } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { Viewed } from "../../components/Viewed";
import { duration, number } from "../../format";
import { texts } from "../../texts";

const t = texts({
  en: { title: "Copies by kind", what: "copies", time: "Copy time", bandwidth: "Copy bandwidth, GB/s" },
  zh: { title: "拷贝（按类型）", what: "拷贝", time: "拷贝时间", bandwidth: "拷贝带宽，GB/s" },
});

export function Copies() {
  return (
    <Card title={t("title")}>
      <Viewed view="copies" what={t("what")}>
        {(table) => (
          <>
            <div class="cards">
              <Bars table={table} by="total" label={t("time")} format={duration} />
              <Bars table={table} by="bandwidth" label={t("bandwidth")} format={number} />
            </div>
            <DataTable
              table={table}
              name="copies"
              columns={columns(["kind", "count", "bytes", "total", "average", "min", "max", "bandwidth"], { kind: { width: 220 }, bandwidth: { term: "copy_bandwidth" } })}
              sort={{ name: "total", isDescending: true }}
            />
          </>
        )}
      </Viewed>
    </Card>
  );
}

function Bars({ table, by, label, format }: { table: Table; by: string; label: string; format: (value: number) => string }) {
  const values = table.numbers(by);
  const bars = table
    .texts("kind")
    .map((name, at) => ({ key: name, name, value: values[at]! }))
    .filter((bar) => bar.value > 0)
    .sort((one, other) => other.value - one.value);
  return <BarChart label={label} caption={label} bars={bars} format={format} />;
}
