// What the devices of all ranks did over time.

import { useMemo } from "preact/hooks";
import type { Table } from "../../api/table";
import { Card } from "../../components/Card";
import { HeatMap, timesOf } from "../../components/HeatMap";
import { choice, choose, chooseCells, chosenCells } from "../../components/params";
import { Select } from "../../components/Select";
import { Viewed } from "../../components/Viewed";
import { share, time } from "../../format";
import { formatRanks, link, linkToTime } from "../../scope";
import { language, texts } from "../../texts";
import { heatOf, MEASURES } from "./cells";
import { clusterText } from "./texts";

const t = texts({
  en: {
    title: "Ranks over time",
    what: "the heat map",
    idle: "Idle",
    caption: "Each row is a rank. Drag to zoom, then open that part on the timeline. Click a cell to see it on the timeline. Where several cells share a pixel, the highest value is shown.",
    label: "{measure} of {count} {count:rank|ranks} over time",
    open: "Open ranks {ranks} on the timeline, {begin} to {end}",
  },
  zh: {
    title: "各 rank 随时间的变化",
    what: "热力图",
    idle: "空闲",
    caption: "每行一个 rank。拖动可缩放，缩放后可在时间线中打开该部分；单击格子可跳到时间线的对应位置。多个格子共用一个像素时显示最大值。",
    label: "{count} 个 rank 随时间的{measure}",
    open: "在时间线中打开 rank {ranks}，{begin} 至 {end}",
  },
});

function measureName(measure: (typeof MEASURES)[number]): string {
  return measure === "idle" ? t("idle") : clusterText(measure);
}

/** All shares have the same colours. */
const SCALE = { begin: 0, end: 1 };

/** Ranks that a timeline shows at a time. */
const MOST_RANKS = 64;

export function Heat() {
  return (
    <Viewed view="heat" what={t("what")}>
      {(table) => <Shown table={table} />}
    </Viewed>
  );
}

function Shown({ table }: { table: Table }) {
  const measure = choice("measure", MEASURES);
  const zoom = chosenCells("zoom");
  const { ranks, buckets, times, values } = useMemo(() => heatOf(table), [table]);
  const rankName = useMemo(() => (row: number) => clusterText("rank", { rank: ranks[row] ?? "" }), [ranks, language.value]);
  const bucketTimes = (column: number) => timesOf({ x0: column, x1: column + 1, y0: 0, y1: 1 }, buckets, times);
  const columnName = (column: number) => time(bucketTimes(column).begin);
  const shown = zoom && { ranks: ranks.slice(zoom.y0, zoom.y1), view: timesOf(zoom, buckets, times) };
  return (
    <Card
      title={t("title")}
      tools={
        <>
          <Select
            label={clusterText("show")}
            value={measure}
            options={MEASURES.map((value) => ({ value, label: measureName(value) }))}
            onChange={(measure) => choose({ measure })}
          />
          {zoom && (
            <button type="button" onClick={() => chooseCells("zoom", null)}>
              {clusterText("whole")}
            </button>
          )}
          {shown && (
            <a class="button" href={link({ page: "timeline", ranks: shown.ranks.slice(0, MOST_RANKS), rank: shown.ranks[0] ?? null, view: shown.view })}>
              {t("open", { ranks: formatRanks(shown.ranks), begin: time(shown.view.begin), end: time(shown.view.end) })}
            </a>
          )}
        </>
      }
    >
      <HeatMap
        label={t("label", { measure: measureName(measure), count: ranks.length })}
        caption={t("caption")}
        columns={buckets}
        rows={ranks.length}
        values={values[measure]}
        columnName={columnName}
        rowName={rankName}
        format={share}
        valueName={measureName(measure)}
        scale={SCALE}
        time={times}
        about={(column, row) =>
          MEASURES.filter((name) => name !== measure).map((name) => [measureName(name), share(values[name][row * buckets + column] ?? NaN)])
        }
        onPick={(column, row) => {
          const { begin, end } = bucketTimes(column);
          location.hash = linkToTime(ranks[row]!, begin, end);
        }}
        zoom={zoom}
        onZoom={(cells) => chooseCells("zoom", cells)}
      />
    </Card>
  );
}
