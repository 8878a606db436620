// What holds the memory at an instant: the one that was clicked, or the peak.

import type { Table } from "../../api/table";
import { BarChart } from "../../components/BarChart";
import { Card } from "../../components/Card";
import { columns } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { grouped, sum } from "../../components/derived";
import { choose, chosenNumber } from "../../components/params";
import { Viewed } from "../../components/Viewed";
import { bytes, share, time } from "../../format";
import { linkToTime } from "../../scope";
import { asNumber } from "../../api/table";
import { texts } from "../../texts";
import { drawnRanks } from "./ranks";

const t = texts({
  en: {
    peak: "What holds the memory at the peak",
    at: "What holds the memory at {time}",
    what: "allocations",
    toPeak: "Back to the peak",
    bars: "Bytes by operator, all selected ranks",
    others: "{count} {count:other|others}",
    earlier: "allocated before the recording",
    caption: "Bytes by operator, all selected ranks. Click one to see its allocations.",
  },
  zh: {
    peak: "峰值时的内存占用",
    at: "{time} 时的内存占用",
    what: "分配记录",
    toPeak: "回到峰值",
    bars: "各算子占用的字节数（所选的全部 rank）",
    others: "其余 {count} 项",
    earlier: "采集开始前已分配",
    caption: "各算子占用的字节数（所选的全部 rank）。单击可查看其分配记录。",
  },
});

const BARS = 12;

export function Holders() {
  const at = chosenNumber("at");
  return (
    <Card
      title={at === null ? t("peak") : t("at", { time: time(at) })}
      tools={
        at !== null && (
          <button type="button" onClick={() => choose({ at: null })}>
            {t("toPeak")}
          </button>
        )
      }
    >
      <Viewed view="memory_peak" about={drawnRanks().about} own={{ at }} what={t("what")}>
        {(table) => (
          <>
            <Bars table={table} />
            <DataTable
              table={table}
              name="memory_peak"
              columns={columns(["name", "rank", "time", "count", "bytes", "share"], {
                name: { width: 320, cell: (row) => String(row.name ?? t("earlier")) },
                bytes: { term: "allocation_bytes" },
                share: { term: "share_of_memory" },
                time: { link: (row) => linkToTime(asNumber(row.rank), asNumber(row.time), asNumber(row.time)) },
              })}
              sort={{ name: "bytes", isDescending: true }}
            />
          </>
        )}
      </Viewed>
    </Card>
  );
}

function Bars({ table }: { table: Table }) {
  const sizes = table.numbers("bytes");
  const names = [...grouped(table, ["name"])].map(([name, rows]) => ({ name, value: sum(sizes, rows) }));
  names.sort((one, other) => other.value - one.value);
  const all = names.reduce((sum, { value }) => sum + value, 0) || 1;
  const bar = (key: string, name: string, value: number) => ({ key, name, value, text: `${bytes(value)} · ${share(value / all)}` });
  const bars = names.slice(0, BARS).map(({ name, value }) => bar(name, name || t("earlier"), value));
  const rest = names.slice(BARS);
  if (rest.length > 0) bars.push(bar("", t("others", { count: rest.length }), rest.reduce((sum, { value }) => sum + value, 0)));
  return (
    <BarChart
      label={t("bars")}
      caption={t("caption")}
      bars={bars}
      format={bytes}
      onPick={({ key }) => key !== "" && choose({ tab: "allocations", name: key })}
    />
  );
}
