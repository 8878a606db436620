// What the slices of the selected area add up to, by name; and the slices of a name.

import { useSignal } from "@preact/signals";
import { api, type Instance, type NameStatistics } from "../../api/client";
import { Table } from "../../api/table";
import { type Column, DataTable } from "../../components/DataTable";
import { Spark } from "../../components/Histogram";
import { Loaded } from "../../components/Loaded";
import { count, duration } from "../../format";
import type { TimeRange } from "../../scope";
import { isTerm } from "../../terms";
import { texts } from "../../texts";
import type { Board } from "./board";
import type { Area } from "./kept";

const t = texts({
  en: {
    none: "Drag over lanes to select an area and get its statistics by name. Press M to select the time range of the selected slice.",
    what: "statistics",
    byName: "slices by name",
    listed: "slices",
    area: "{length} · lanes: {lanes} · ranks: {ranks} · slices that start in it: {slices}",
    clear: "Clear (Esc)",
    fit: "Zoom to area (F)",
    name: "Name",
    count: "Count",
    total: "Total",
    self: "Self time",
    average: "Average",
    min: "Min",
    p50: "p50",
    p95: "p95",
    p99: "p99",
    max: "Max",
    histogram: "Durations",
    histogramOf: "Durations of {name}, in powers of two from 1 µs",
    instances: "Slices named {name}",
    back: "All names",
    rank: "Rank",
    start: "Start",
    duration: "Duration",
    lane: "Lane",
    some: "The first {shown} of {count} slices of each rank.",
  },
  zh: {
    none: "在泳道上拖动以选择区域，此处按名称统计其中的切片。按 M 选中所选切片的时间范围。",
    what: "统计",
    byName: "按名称汇总的切片",
    listed: "切片列表",
    area: "{length} · 泳道：{lanes} · rank：{ranks} · 在其中开始的切片：{slices}",
    clear: "清除（Esc）",
    fit: "缩放至区域（F）",
    name: "名称",
    count: "次数",
    total: "合计",
    self: "自身时间",
    average: "平均",
    min: "最小",
    p50: "p50",
    p95: "p95",
    p99: "p99",
    max: "最大",
    histogram: "时长分布",
    histogramOf: "{name} 的时长分布，自 1 µs 起按 2 的幂分档",
    instances: "名为 {name} 的切片",
    back: "所有名称",
    rank: "rank",
    start: "开始",
    duration: "时长",
    lane: "泳道",
    some: "每个 rank 共 {count} 个切片，仅显示前 {shown} 个。",
  },
});

const LIMIT = 500;

function tableOf(list: NameStatistics[]): Table {
  const column = <K extends keyof NameStatistics>(name: K) => list.map((entry) => entry[name]);
  return new Table(
    new Map<string, ArrayLike<unknown>>([
      ["name", column("name")],
      ["count", column("count")],
      ["total", column("total_ns")],
      ["self", column("self_ns")],
      ["average", column("average_ns")],
      ["min", column("min_ns")],
      ["p50", column("p50_ns")],
      ["p95", column("p95_ns")],
      ["p99", column("p99_ns")],
      ["max", column("max_ns")],
      ["histogram", column("histogram")],
    ]),
  );
}

/** The time of an area by the clock of a rank that is shown shifted. */
function ownTime(board: Board, area: Area, rank: number): TimeRange {
  const offset = board.offset(rank);
  return { begin: area.begin + offset, end: area.end + offset };
}

const LENGTHS = ["total", "self", "average", "min", "p50", "p95", "p99", "max"] as const;

export function Statistics({ board }: { board: Board }) {
  const { area } = board.kept.value;
  const name = useSignal<string | null>(null);
  if (!area) return <p class="state">{t("none")}</p>;
  const key = JSON.stringify(area);
  const ranks = area.ranks.map((lanes) => ({ ...lanes, offset: board.offset(lanes.rank) }));
  if (name.value !== null) return <Instances board={board} area={area} name={name.value} onBack={() => (name.value = null)} />;
  const columns: Column[] = [
    { name: "name", label: t("name"), kind: "text", width: 260 },
    { name: "count", label: t("count"), kind: "count", width: 74 },
    ...LENGTHS.map((name): Column => ({ name, label: t(name), kind: "duration", width: 86, term: isTerm(name) ? name : undefined })),
    {
      name: "histogram",
      label: t("histogram"),
      kind: "text",
      width: 110,
      cell: (row) => <Spark counts={row.histogram as number[]} label={t("histogramOf", { name: String(row.name) })} />,
    },
  ];
  return (
    <Loaded load={() => api.statistics(ranks, area.begin, area.end)} of={[key, JSON.stringify(ranks)]} what={t("what")}>
      {(list) => (
        <div>
          <div class="toolbar">
            <span>
              {t("area", {
                length: duration(area.end - area.begin),
                lanes: count(area.ranks.reduce((sum, rank) => sum + rank.lanes.length, 0)),
                ranks: count(area.ranks.length),
                slices: count(list.reduce((sum, entry) => sum + entry.count, 0)),
              })}
            </span>
            <button type="button" onClick={() => board.fit()}>
              {t("fit")}
            </button>
            <button type="button" onClick={() => board.selectArea(null)}>
              {t("clear")}
            </button>
          </div>
          <DataTable
            table={tableOf(list)}
            columns={columns}
            name={t("byName")}
            height={2000}
            onRow={(row) => (name.value = String(row.name))}
          />
        </div>
      )}
    </Loaded>
  );
}

/** The slices of a name in the area, of all its ranks. */
function Instances({ board, area, name, onBack }: { board: Board; area: Area; name: string; onBack: () => void }) {
  const load = async () => {
    const answers = await Promise.all(
      area.ranks.map(async ({ rank, lanes }) => ({
        rank,
        ...(await api.slices(rank, lanes, ownTime(board, area, rank), name, LIMIT, true)),
      })),
    );
    const rows = answers.flatMap(({ rank, slices }) => slices.map((slice) => ({ rank, ...slice })));
    return { rows, most: Math.max(...answers.map((answer) => answer.count)) };
  };
  return (
    <div>
      <div class="toolbar">
        <button type="button" onClick={onBack}>
          ← {t("back")}
        </button>
        <h2>{t("instances", { name })}</h2>
      </div>
      <Loaded load={load} of={[JSON.stringify(area), name, ...area.ranks.map(({ rank }) => board.offset(rank))]} what={t("what")}>
        {({ rows, most }) => (
          <>
            {most > LIMIT && <p class="hint">{t("some", { shown: LIMIT, count: count(most) })}</p>}
            <InstanceTable board={board} rows={rows} />
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Slices to jump to. */
export function InstanceTable({ board, rows }: { board: Board; rows: (Instance & { rank: number })[] }) {
  const lanes = new Map(
    rows.map(({ rank, lane }) => [
      `${rank}/${lane}`,
      board.rank(rank).timeline.lanes.find((other) => other.id === lane)?.name ?? "",
    ]),
  );
  const table = new Table(
    new Map<string, ArrayLike<unknown>>([
      ["name", rows.map((row) => row.name)],
      ["start", rows.map((row) => row.begin)],
      ["duration", rows.map((row) => row.end - row.begin)],
      ["lane", rows.map((row) => lanes.get(`${row.rank}/${row.lane}`))],
      ["rank", rows.map((row) => row.rank)],
      ["slice", rows.map((row) => row.slice)],
    ]),
  );
  const columns: Column[] = [
    { name: "name", label: t("name"), kind: "text", width: 300 },
    { name: "start", label: t("start"), kind: "time" },
    { name: "duration", label: t("duration"), kind: "duration" },
    { name: "lane", label: t("lane"), kind: "text" },
    { name: "rank", label: t("rank"), kind: "count", width: 60 },
  ];
  const jump = (row: Record<string, unknown>) =>
    board.jump(
      {
        rank: Number(row.rank),
        slice: Number(row.slice),
        begin: Number(row.start),
        end: Number(row.start) + Number(row.duration),
      },
      { tab: "statistics" },
    );
  return (
    <DataTable
      table={table}
      columns={columns}
      name={t("listed")}
      height={2000}
      onRow={jump}
      isChosen={(row) => board.chosen.value?.slice === row.slice && board.chosen.value?.rank === row.rank}
    />
  );
}
