// What was allocated and never released while it was profiled: leaks are among it, and what lives as long as the job.

import type { Table } from "../../api/table";
import { BarChart } from "../../components/BarChart";
import { Card } from "../../components/Card";
import { columns, placeOf } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { grouped, rowsThat, sum } from "../../components/derived";
import { Viewed } from "../../components/Viewed";
import { bytes, count } from "../../format";
import { texts } from "../../texts";

const t = texts({
  en: {
    title: "Allocated in the time range, never released",
    what: "allocations",
    hint: "A leak appears as a name that grows with every step. Only the {count} largest allocations of the ranks, step and time range above are checked.",
    none: "Everything allocated here was released.",
    bars: "Bytes by operator",
    times: "{bytes}, {count} {count:time|times}",
  },
  zh: {
    title: "时间范围内分配且从未释放",
    what: "分配记录",
    hint: "泄漏表现为某个名称的占用随每个 step 增长。仅检查上方 rank、step 和时间范围内最大的 {count} 次分配。",
    none: "这里分配的内存都已释放。",
    bars: "各算子占用的字节数",
    times: "{bytes}，{count} 次",
  },
});

/** Allocations that are looked at. */
const LOOKED_AT = 20_000;

const BARS = 15;

export function Leaks() {
  return (
    <Card title={t("title")}>
      <p class="hint">{t("hint", { count: count(LOOKED_AT) })}</p>
      <Viewed view="allocations" own={{ limit: LOOKED_AT }} what={t("what")}>
        {(table) => <Unreleased table={table} />}
      </Viewed>
    </Card>
  );
}

function Unreleased({ table }: { table: Table }) {
  const released = table.numbers("release");
  const kept = rowsThat(table, (row) => Number.isNaN(released[row]!));
  if (kept.length === 0) return <p class="state">{t("none")}</p>;
  const sizes = kept.numbers("bytes");
  const bars = [...grouped(kept, ["name"])].map(([name, rows]) => {
    const value = sum(sizes, rows);
    return { key: name, name, value, text: t("times", { bytes: bytes(value), count: count(rows.length) }) };
  });
  bars.sort((one, other) => other.value - one.value);
  return (
    <>
      <BarChart label={t("bars")} caption={t("bars")} bars={bars.slice(0, BARS)} format={bytes} />
      <DataTable
        table={kept}
        name="never_released"
        columns={columns(["start", "rank", "name", "bytes", "active_release", "start_allocated", "stream_ptr"], {
          start: { link: placeOf },
          name: { width: 300 },
          bytes: { term: "allocation_bytes" },
        })}
        sort={{ name: "bytes", isDescending: true }}
      />
    </>
  );
}
