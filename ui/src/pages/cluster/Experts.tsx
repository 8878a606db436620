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
import { clusterText } from "./texts";

const t = texts({
  en: {
    title: "Expert load",
    what: "the expert load",
    label: "Expert load of {layers} {layers:layer|layers} on {ranks} {ranks:rank|ranks}, relative to the group mean",
    caption: "100 % is the mean of the ranks of the same expert group. Drag to zoom, double-click to show all, click a cell to show only that rank.",
    load: "Load",
    all: "all layers",
    worst: "Rank {rank} has the highest load: {share} of the mean.",
    balanced: "The load is balanced: no rank exceeds the mean.",
    tokens: "Tokens",
    duration: "GroupedMatmul time",
    table: "Load by rank and layer",
  },
  zh: {
    title: "专家负载",
    what: "专家负载",
    label: "{ranks} 个 rank 上 {layers} 层的专家负载，相对组内平均值",
    caption: "100 % 为同一专家组各 rank 的平均值。拖动可缩放，双击显示全部，单击格子只显示该 rank。",
    load: "负载",
    all: "所有层",
    worst: "rank {rank} 的负载最高：平均值的 {share}。",
    balanced: "负载均衡：没有 rank 超过平均值。",
    tokens: "token 数",
    duration: "GroupedMatmul 耗时",
    table: "各 rank 各层的负载",
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
              {clusterText("whole")}
            </button>
          )
        }
      >
        {worst && <p>{share(worst.share) === share(1) ? t("balanced") : t("worst", { rank: worst.rank, share: share(worst.share) })}</p>}
        <HeatMap
          label={t("label", { layers: layers.length, ranks: ranks.length })}
          caption={t("caption")}
          columns={ranks.length}
          rows={layers.length}
          values={values}
          columnName={(column) => clusterText("rank", { rank: ranks[column] ?? "" })}
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
