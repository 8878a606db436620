// Collectives of all ranks in time. One can be chosen, and ranks moved so that it is at the same time on all of them.

import { useMemo } from "preact/hooks";
import type { Table } from "../../api/table";
import { extent } from "../../components/axis";
import { Card } from "../../components/Card";
import { columns, placeOf } from "../../components/columns";
import { kindColours } from "../../components/colours";
import { DataTable } from "../../components/DataTable";
import { Gantt } from "../../components/Gantt";
import { choose, chooseRange, chosenRange, param } from "../../components/params";
import { Viewed } from "../../components/Viewed";
import { bytes, count, duration, time } from "../../format";
import { linkToTime } from "../../scope";
import { language, texts } from "../../texts";
import { offsets, type Operation, operationsOf, type Side } from "./align";
import { Filters, filtered } from "./Filters";

const t = texts({
  en: {
    title: "Communication operations over time",
    what: "communication operations",
    label: "{count} communication {count:operation|operations} of {ranks} {ranks:rank|ranks} over time",
    caption: "Click a bar to select it, drag to zoom, double-click to show all.",
    whole: "Show all",
    start: "Align ranks by its start",
    end: "Align ranks by its end",
    none: "Remove the alignment",
    chosen: "{name} on rank {rank}: {duration} from {time}",
    show: "Show on the timeline",
    close: "Close",
    kind: "Kind",
    group: "Group",
    begin: "Start",
    duration: "Duration",
    bytes: "Size",
    rank: "rank {rank}",
    table: "Communication operations",
    some: "Only the {count} longest are shown. Select ranks, a step or a time range above to see all.",
  },
  zh: {
    title: "通信算子时间图",
    what: "通信算子",
    label: "{ranks} 个 rank 的 {count} 个通信算子",
    caption: "单击可选中，拖动可缩放，双击显示全部。",
    whole: "显示全部",
    start: "按其起点对齐各 rank",
    end: "按其终点对齐各 rank",
    none: "取消对齐",
    chosen: "rank {rank} 的{name}：从 {time} 开始，时长 {duration}",
    show: "在时间线中显示",
    close: "关闭",
    kind: "类型",
    group: "通信组",
    begin: "开始",
    duration: "时长",
    bytes: "大小",
    rank: "rank {rank}",
    table: "通信算子",
    some: "只显示最长的 {count} 个。在上方选择 rank、step 或时间范围可查看全部。",
  },
});

export function Collectives() {
  return (
    <Viewed view="collectives" own={{ limit: MOST }} what={t("what")}>
      {(table) => <InTime table={table} />}
    </Viewed>
  );
}

/** Operations that are fetched. */
const MOST = 20_000;

/** An operation in the address: its rank and start. */
const keyOf = (one: Operation) => `${one.rank},${one.begin}`;

function InTime({ table }: { table: Table }) {
  const wanted = [param("group"), param("kind")].join("\t");
  const shown = useMemo(() => filtered(table), [table, wanted]);
  const operations = useMemo(() => operationsOf(shown), [shown]);
  const side = (["start", "end"] as const).find((side) => side === param("align")) ?? null;
  const chosen = operations.findIndex((one) => keyOf(one) === param("op"));
  const base = operations[chosen] ?? null;
  const drawn = useMemo(() => {
    const moved = base && side ? offsets(operations, base, side) : new Map<number, number>();
    const ranks = [...new Set(operations.map((one) => one.rank))].sort((one, other) => one - other);
    const rowOf = new Map(ranks.map((rank, at) => [rank, at]));
    const colours = kindColours(operations.map((one) => one.kind));
    const bars = operations.map((one) => {
      const offset = moved.get(one.rank) ?? 0;
      return { row: rowOf.get(one.rank)!, begin: one.begin + offset, end: one.end + offset, colour: colours.get(one.kind)!, name: one.name, text: one.kind };
    });
    return {
      bars,
      rows: ranks.map((rank) => t("rank", { rank })),
      legend: [...colours].map(([name, colour]) => ({ name, colour })),
      range: extent(bars.flatMap((bar) => [bar.begin, bar.end])) ?? { begin: 0, end: 1 },
    };
  }, [operations, base, side, language.value]);
  const zoom = chosenRange("zoom");
  return (
    <>
      <Card
        title={t("title")}
        tools={
          <>
            <Filters table={table} />
            {zoom && (
              <button type="button" onClick={() => chooseRange("zoom", null)}>
                {t("whole")}
              </button>
            )}
          </>
        }
      >
        <Gantt
          label={t("label", { count: count(operations.length), ranks: drawn.rows.length })}
          caption={t("caption")}
          {...drawn}
          zoom={zoom}
          onZoom={(zoom) => chooseRange("zoom", zoom)}
          chosen={chosen < 0 ? null : chosen}
          onPick={(bar) => choose({ op: keyOf(operations[bar]!) })}
          about={(bar) => {
            const one = operations[bar]!;
            return [
              [t("kind"), one.kind],
              [t("group"), one.group],
              [t("begin"), time(one.begin)],
              [t("duration"), duration(one.end - one.begin)],
              [t("bytes"), bytes(one.bytes)],
            ];
          }}
        />
        {table.length >= MOST && <p class="hint">{t("some", { count: count(MOST) })}</p>}
        {base && <ChosenOperation of={base} side={side} />}
      </Card>
      <Card title={t("table")}>
        <DataTable
          table={shown}
          name="collectives"
          columns={columns(["start", "rank", "name", "kind", "group_name", "duration", "bytes"], { start: { link: placeOf }, name: { width: 280 }, duration: { term: "elapsed" }, bytes: { term: "operation_bytes" } })}
        />
      </Card>
    </>
  );
}

function ChosenOperation({ of, side }: { of: Operation; side: Side | null }) {
  return (
    <div class="toolbar" role="group" aria-label={of.name}>
      <strong>{t("chosen", { name: of.name, rank: of.rank, duration: duration(of.end - of.begin), time: time(of.begin) })}</strong>
      <a class="button" href={linkToTime(of.rank, of.begin, of.end)}>
        {t("show")}
      </a>
      {(["start", "end"] as const).map((way) => (
        <button key={way} type="button" aria-pressed={side === way} onClick={() => choose({ align: way, zoom: null })}>
          {t(way)}
        </button>
      ))}
      {side && (
        <button type="button" onClick={() => choose({ align: null, zoom: null })}>
          {t("none")}
        </button>
      )}
      <button type="button" onClick={() => choose({ op: null, align: null })}>
        {t("close")}
      </button>
    </div>
  );
}
