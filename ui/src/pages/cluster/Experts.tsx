// How evenly experts are loaded: layers down, ranks across.

import { useMemo } from "preact/hooks";
import type { Table } from "../../api/table";
import { extent } from "../../components/axis";
import { Card } from "../../components/Card";
import { columns } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { HeatMap } from "../../components/HeatMap";
import { chooseCells, chosenCells } from "../../components/params";
import { Viewed } from "../../components/Viewed";
import { count, duration, share } from "../../format";
import { go } from "../../scope";
import { texts } from "../../texts";
import { loadOf } from "./load";
import { word } from "./words";

const t = texts({
  en: {
    title: "Load of experts",
    what: "the load of experts",
    label: "Load of {layers} layers on {ranks} ranks, as a share of the mean of the group",
    caption: "100 % is the mean of the group of ranks that share the experts. Drag to zoom, double click for all, click to look at that rank only.",
    load: "Load",
    all: "all layers",
    worst: "Rank {rank} has the most: {share} of the mean.",
    tokens: "Tokens",
    duration: "Time of grouped products",
    table: "Load by rank and layer",
  },
  zh: {
    title: "专家负载",
    what: "专家负载",
    label: "{ranks} 个 rank 上 {layers} 层的负载，相对组内平均",
    caption: "100% 为共享专家的 rank 组的平均。拖动缩放，双击显示全部，单击只看该 rank。",
    load: "负载",
    all: "所有层",
    worst: "rank {rank} 负载最高：为平均的 {share}。",
    tokens: "Token 数",
    duration: "分组矩阵乘时间",
    table: "各 rank 各层负载",
  },
});

/** Loads in this range are no matter of concern: colours span it at least. */
const EVEN = { begin: 0.5, end: 1.5 };

export function Experts() {
  return (
    <Viewed view="experts" what={t("what")}>
      {(table) => <Load table={table} />}
    </Viewed>
  );
}

function Load({ table }: { table: Table }) {
  const load = useMemo(() => loadOf(table), [table]);
  const { ranks, layers, values, tokens, durations, worst } = load;
  const zoom = chosenCells("zoom");
  const scale = useMemo(() => {
    const all = extent(values) ?? EVEN;
    return { begin: Math.min(all.begin, EVEN.begin), end: Math.max(all.end, EVEN.end) };
  }, [values]);
  return (
    <>
      <Card
        title={t("title")}
        tools={
          zoom && (
            <button type="button" onClick={() => chooseCells("zoom", null)}>
              {word("whole")}
            </button>
          )
        }
      >
        {worst && <p>{t("worst", { rank: worst.rank, share: share(worst.share) })}</p>}
        <HeatMap
          label={t("label", { layers: layers.length, ranks: ranks.length })}
          caption={t("caption")}
          columns={ranks.length}
          rows={layers.length}
          values={values}
          columnName={(column) => word("rank", { rank: ranks[column] ?? "" })}
          rowName={(row) => layers[row] || t("all")}
          format={share}
          valueName={t("load")}
          scale={scale}
          about={(column, row) => {
            const at = row * ranks.length + column;
            const lines: [string, string][] = [];
            if (tokens[at]! > 0) lines.push([t("tokens"), count(tokens[at]!)]);
            if (durations[at]! > 0) lines.push([t("duration"), duration(durations[at]!)]);
            return lines;
          }}
          onPick={(column) => go({ ranks: [ranks[column]!] })}
          zoom={zoom}
          onZoom={(cells) => chooseCells("zoom", cells)}
        />
      </Card>
      <Card title={t("table")}>
        <DataTable
          table={table}
          name="experts"
          columns={columns(["rank", "layer", "step", "tokens", "duration", "share_of_mean", "group"])}
          sort={{ name: "share_of_mean", isDescending: true }}
        />
      </Card>
    </>
  );
}
