// From the framework operator to the start of the kernel: where a kernel waited on its way.

import { asNumber, type Row, type Table } from "../../api/table";
import { Card } from "../../components/Card";
import { columnLabel, columns } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { timeRuler } from "../../components/axis";
import { kindColour } from "../../components/colours";
import { StackedBars } from "../../components/StackedBars";
import { Viewed } from "../../components/Viewed";
import { duration } from "../../format";
import { linkToTime } from "../../scope";
import { texts } from "../../texts";

const t = texts({
  en: { title: "Kernel dispatch, longest first", what: "kernel dispatch", bars: "Kernels with the longest time from operator to kernel start", total: "Total" },
  zh: { title: "kernel 下发（从长到短）", what: "kernel 下发", bars: "从框架算子到 kernel 开始用时最长的 kernel", total: "合计" },
});

const PARTS = ["prepare", "enqueue", "queue", "launch", "kernel_wait"] as const;

/** Chains that are drawn. */
const DRAWN = 60;

export function Dispatch() {
  return (
    <Card title={t("title")}>
      <Viewed view="dispatch" what={t("what")}>
        {(table) => <Chains table={table} />}
      </Viewed>
    </Card>
  );
}

function placeOf(row: Row): string {
  const start = asNumber(row.start);
  return linkToTime(asNumber(row.rank), start, start + asNumber(row.end_to_end));
}

function Chains({ table }: { table: Table }) {
  const names = table.texts("name").slice(0, DRAWN);
  const parts = PARTS.map((name, at) => ({ name: columnLabel(name), colour: kindColour(at), term: name, values: table.numbers(name).slice(0, DRAWN) }));
  return (
    <>
      <StackedBars label={t("bars")} caption={t("bars")} names={names} parts={parts} format={duration} ruler={timeRuler} total={t("total")} height={200} />
      <DataTable
        table={table}
        name="dispatch"
        columns={columns(["start", "rank", "name", "op", ...PARTS, "end_to_end"], { start: { link: placeOf }, name: { width: 280 } })}
        sort={{ name: "end_to_end", isDescending: true }}
      />
    </>
  );
}
