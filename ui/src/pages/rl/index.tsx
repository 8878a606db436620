// Stages of reinforcement learning: when ranks are in which, how long they take, who is late.

import { useMemo } from "preact/hooks";
import { api } from "../../api/client";
import type { Table } from "../../api/table";
import { extent } from "../../components/axis";
import { Card } from "../../components/Card";
import { kindColour } from "../../components/colours";
import { columns, placeOf } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { Gantt } from "../../components/Gantt";
import { Loaded } from "../../components/Loaded";
import { chooseRange, chosenRange } from "../../components/params";
import { duration, time } from "../../format";
import { formatRanks, linkToTime, scope } from "../../scope";
import { language, texts } from "../../texts";
import { slowestOf, stagesOf } from "./stages";
import { Summary } from "./Summary";

const t = texts({
  en: {
    title: "RL stages",
    what: "RL stages",
    gantt: "Stages over time",
    label: "Stages of {count} {count:rank|ranks} over time",
    caption: "Drag to zoom, double-click to show all, click a stage to see it on the timeline.",
    whole: "Show all",
    rank: "rank {rank}",
    role: "Role",
    step: "Step",
    begin: "Start",
    duration: "Duration",
    table: "Stages by rank",
  },
  zh: {
    title: "强化学习阶段",
    what: "强化学习阶段",
    gantt: "阶段时间图",
    label: "{count} 个 rank 的阶段时间图",
    caption: "拖动可缩放，双击显示全部，单击阶段可跳到时间线的对应位置。",
    whole: "显示全部",
    rank: "rank {rank}",
    role: "角色",
    step: "step",
    begin: "开始",
    duration: "时长",
    table: "各 rank 的阶段",
  },
});

export function Rl() {
  const { ranks, step, view } = scope.value;
  return (
    <div class="page">
      <div class="page-head">
        <h1>{t("title")}</h1>
      </div>
      <Loaded
        load={() => Promise.all([api.table("stages", { ranks, step, view }), api.table("stage_summary", { ranks, step, view })])}
        of={[formatRanks(ranks), step, view?.begin, view?.end]}
        what={t("what")}
      >
        {([stages, summary]) => <Stages table={stages} summary={summary} />}
      </Loaded>
    </div>
  );
}

function Stages({ table, summary }: { table: Table; summary: Table }) {
  const zoom = chosenRange("zoom");
  const stages = useMemo(() => stagesOf(table), [table]);
  const slowest = useMemo(() => slowestOf(stages), [stages]);
  const colours = useMemo(() => new Map(summary.texts("stage").map((stage, at) => [stage, kindColour(at)])), [summary]);
  const chart = useMemo(() => {
    const ranks = [...new Set(stages.map((stage) => stage.rank))].sort((one, other) => one - other);
    const rowOf = new Map(ranks.map((rank, at) => [rank, at]));
    const bars = stages.map((stage) => ({
      row: rowOf.get(stage.rank)!,
      begin: stage.begin,
      end: stage.end,
      name: stage.name,
      colour: colours.get(stage.name) ?? kindColour(6),
    }));
    return {
      bars,
      rows: ranks.map((rank) => t("rank", { rank })),
      range: extent(bars.flatMap((bar) => [bar.begin, bar.end])) ?? { begin: 0, end: 1 },
      legend: [...colours].map(([name, colour]) => ({ name, colour })),
    };
  }, [stages, colours, language.value]);
  return (
    <>
      <Summary table={summary} colours={colours} slowest={slowest} />
      <Card
        title={t("gantt")}
        tools={
          zoom && (
            <button type="button" onClick={() => chooseRange("zoom", null)}>
              {t("whole")}
            </button>
          )
        }
      >
        <Gantt
          label={t("label", { count: chart.rows.length })}
          caption={t("caption")}
          {...chart}
          zoom={zoom}
          onZoom={(zoom) => chooseRange("zoom", zoom)}
          onPick={(bar) => {
            const stage = stages[bar]!;
            location.hash = linkToTime(stage.rank, stage.begin, stage.end);
          }}
          about={(bar) => {
            const stage = stages[bar]!;
            const lines: [string, string][] = [
              [t("role"), stage.role],
              [t("step"), stage.step === null ? "" : String(stage.step)],
            ];
            return [...lines.filter(([, value]) => value !== ""), [t("begin"), time(stage.begin)], [t("duration"), duration(stage.end - stage.begin)]];
          }}
        />
      </Card>
      <Card title={t("table")}>
        <DataTable
          table={table}
          name="stages"
          columns={columns(["start", "rank", "stage", "role", "step", "duration"], { start: { link: placeOf }, stage: { width: 220 } })}
        />
      </Card>
    </>
  );
}
