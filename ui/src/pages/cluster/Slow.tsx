// Ranks that others wait for, and links that are slower than comparable links.

import type { Table } from "../../api/table";
import { BarChart } from "../../components/BarChart";
import { Card } from "../../components/Card";
import { columns } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { Viewed } from "../../components/Viewed";
import { duration } from "../../format";
import { link } from "../../scope";
import { texts } from "../../texts";

const t = texts({
  en: {
    ranks: "Ranks that others wait for",
    links: "Links slower than expected",
    slowRanks: "slow ranks",
    slowLinks: "slow links",
    bars: "Total time by which each rank arrived late at collectives",
    hint: "A rank is slow in a collective if the other ranks arrived earlier and waited for it. Click a rank to open its timeline.",
    cause: "A rank listed here may itself have waited for another rank; the Overview page names the cause.",
    noRank: "No rank keeps the others waiting.",
    noLink: "No link is slower than comparable links.",
    rank: "rank {rank}",
  },
  zh: {
    ranks: "被其他 rank 等待的 rank",
    links: "比预期慢的链路",
    slowRanks: "慢 rank",
    slowLinks: "慢链路",
    bars: "各 rank 在集合通信中的迟到时间合计",
    hint: "在一次集合通信中，如果其他 rank 先到达并等待某个 rank，则该 rank 为慢 rank。单击 rank 可打开其时间线。",
    cause: "此处列出的 rank 可能也在等待其他 rank；原因见总览页面。",
    noRank: "没有 rank 让其他 rank 等待。",
    noLink: "没有链路慢于同类链路。",
    rank: "rank {rank}",
  },
});

const BARS = 12;

export function Slow() {
  return (
    <>
      <Card title={t("ranks")}>
        <Viewed view="slow_ranks" what={t("slowRanks")}>
          {(table) => (table.length === 0 ? <p class="state">{t("noRank")}</p> : <Ranks table={table} />)}
        </Viewed>
      </Card>
      <Card title={t("links")}>
        <Viewed view="slow_links" what={t("slowLinks")}>
          {(table) => (table.length === 0 ? <p class="state">{t("noLink")}</p> : <Links table={table} />)}
        </Viewed>
      </Card>
    </>
  );
}

function Ranks({ table }: { table: Table }) {
  const [ranks, late] = [table.numbers("rank"), table.numbers("late_ms")];
  const bars = Array.from(ranks, (rank, at) => ({ key: String(rank), name: t("rank", { rank }), value: (late[at] || 0) * 1e6, colour: "var(--exposed)" }));
  bars.sort((one, other) => other.value - one.value);
  return (
    <>
      <p class="hint">{t("hint")}</p>
      <p class="hint">{t("cause")}</p>
      <BarChart label={t("bars")} caption={t("bars")} bars={bars.slice(0, BARS)} format={duration} />
      <DataTable
        table={table}
        name="slow_ranks"
        columns={columns(["rank", "slow_affect_count", "operation_count", "late_ms"], {
          rank: { link: (row) => link({ page: "timeline", rank: Number(row.rank), view: null }) },
        })}
        sort={{ name: "late_ms", isDescending: true }}
        height={320}
      />
    </>
  );
}

function Links({ table }: { table: Table }) {
  return (
    <DataTable
      table={table}
      name="slow_links"
      columns={columns(["src", "dst", "link", "bytes", "time", "bandwidth", "expected_bandwidth", "time_ratio"], {
        bytes: { term: "bytes_moved" },
        time: { kind: "duration", term: "transit" },
      })}
      sort={{ name: "time_ratio", isDescending: true }}
      height={320}
    />
  );
}
