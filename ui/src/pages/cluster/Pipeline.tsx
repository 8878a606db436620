// The pipeline: forward and backward passes of stages, what they send each other, and the bubbles between.

import { useMemo } from "preact/hooks";
import type { Table } from "../../api/table";
import { extent } from "../../components/axis";
import { Card } from "../../components/Card";
import { columns, placeOf } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { Gantt } from "../../components/Gantt";
import { choice, choose, chooseRange, chosenRange } from "../../components/params";
import { Select } from "../../components/Select";
import { Viewed } from "../../components/Viewed";
import { duration, share, time } from "../../format";
import { linkToTime } from "../../scope";
import { language, listed, texts } from "../../texts";
import { bubbleShares, isWait, pipelineOf } from "./passes";
import { clusterText } from "./texts";

const t = texts({
  en: {
    title: "Pipeline passes",
    name: "Name",
    what: "the pipeline",
    ranks: "Ranks",
    stage: "One per stage",
    stageColumn: "Stage",
    all: "All",
    forward: "Forward",
    backward: "Backward",
    send: "Send",
    recv: "Receive",
    bubble: "Bubble",
    idle: "Idle between passes",
    row: "pp {stage} · rank {rank}",
    label: "Passes of {count} {count:rank|ranks} over time",
    caption: "Numbers are micro-batches; thin bars below are transfers. Drag to zoom, double-click to show all, click a bar to see it on the timeline.",
    begin: "Start",
    duration: "Duration",
    micro: "Micro-batch",
    bubbles: "Share of bubbles (waiting to receive) in the time of passes, bubbles and idle times: {shares}",
    table: "Passes, transfers and bubbles",
  },
  zh: {
    title: "流水线的前向与反向",
    name: "名称",
    what: "流水线",
    ranks: "rank",
    stage: "每个 stage 一个",
    stageColumn: "stage",
    all: "全部",
    forward: "前向",
    backward: "反向",
    send: "发送",
    recv: "接收",
    bubble: "空泡",
    idle: "前反向之间的空闲",
    row: "pp {stage} · rank {rank}",
    label: "{count} 个 rank 的前向与反向时间图",
    caption: "数字为 micro-batch 编号，下方细条为传输。拖动可缩放，双击显示全部，单击切片可跳到时间线的对应位置。",
    begin: "开始",
    duration: "时长",
    micro: "micro-batch",
    bubbles: "空泡（等待接收）占前向、反向、空泡与空闲总时间的比例：{shares}",
    table: "前向、反向、传输与空泡",
  },
});

const COLOURS = {
  forward: "var(--kind-0)",
  backward: "var(--kind-4)",
  send: "var(--kind-2)",
  recv: "var(--kind-3)",
  bubble: "var(--soft)",
  idle: "var(--free)",
} as const;

const KINDS = ["forward", "backward", "send", "recv", "bubble", "idle"] as const;

const RANKS = ["stage", "all"] as const;

export function Pipeline() {
  return (
    <Viewed view="pipeline" what={t("what")}>
      {(table) => <Passes table={table} />}
    </Viewed>
  );
}

function Passes({ table }: { table: Table }) {
  const which = choice("rows", RANKS);
  const zoom = chosenRange("zoom");
  const drawn = useMemo(() => {
    const { passes, rows } = pipelineOf(table, which === "stage");
    const bars = passes.map((pass) => ({
      row: pass.row,
      begin: pass.begin,
      end: pass.end,
      colour: COLOURS[pass.kind],
      name: t(pass.kind),
      text: isWait(pass) || pass.microBatch === null ? "" : String(pass.microBatch),
      isTextLast: true,
      hollow: isWait(pass),
      thin: pass.kind === "send" || pass.kind === "recv",
    }));
    const range = extent(bars.flatMap((bar) => [bar.begin, bar.end])) ?? { begin: 0, end: 1 };
    const names = rows.map(({ rank, stage }) => (stage === null ? clusterText("rank", { rank }) : t("row", { rank, stage })));
    return { passes, ranks: rows, bars, range, rows: names, legend: KINDS.map((kind) => ({ name: t(kind), colour: COLOURS[kind], hollow: isWait({ kind }) })) };
  }, [table, which, language.value]);
  const { passes, ranks, ...chart } = drawn;
  const shares = bubbleShares(passes).map(({ row, share: part }) => `${chart.rows[row]} ${share(part)}`);
  return (
    <>
      <Card
        title={t("title")}
        tools={
          <>
            <Select label={t("ranks")} value={which} options={RANKS.map((value) => ({ value, label: t(value) }))} onChange={(rows) => choose({ rows })} />
            {zoom && (
              <button type="button" onClick={() => chooseRange("zoom", null)}>
                {clusterText("whole")}
              </button>
            )}
          </>
        }
      >
        <Gantt
          label={t("label", { count: ranks.length })}
          caption={t("caption")}
          {...chart}
          zoom={zoom}
          onZoom={(zoom) => chooseRange("zoom", zoom)}
          onPick={(bar) => {
            const pass = passes[bar]!;
            location.hash = linkToTime(ranks[pass.row]!.rank, pass.begin, pass.end);
          }}
          about={(bar) => {
            const pass = passes[bar]!;
            const micro: [string, string][] = pass.microBatch === null ? [] : [[t("micro"), String(pass.microBatch)]];
            return [[t("name"), pass.name], ...micro, [t("begin"), time(pass.begin)], [t("duration"), duration(pass.end - pass.begin)]];
          }}
        />
        {shares.length > 0 && shares.length <= 16 && <p class="hint">{t("bubbles", { shares: listed(shares) })}</p>}
      </Card>
      <Card title={t("table")}>
        <DataTable
          table={table}
          name="pipeline"
          columns={columns(["start", "rank", "stage", "kind", "micro_batch", "name", "duration"], {
            start: { link: placeOf },
            stage: { label: t("stageColumn") },
            kind: { cell: (row) => t(KINDS.find((kind) => kind === row.kind) ?? "bubble") },
          })}
        />
      </Card>
    </>
  );
}
