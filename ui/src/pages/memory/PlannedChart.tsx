// Planned memory by node: what is alive when a node of the graph runs.

import { useMemo } from "preact/hooks";
import type { Table } from "../../api/table";
import { byteRuler } from "../../components/axis";
import { distinct } from "../../components/derived";
import { choose, param } from "../../components/params";
import { Select } from "../../components/Select";
import { StackedBars } from "../../components/StackedBars";
import { bytes } from "../../format";
import { language, texts } from "../../texts";
import { aliveByNode } from "./alive";

const t = texts({
  en: { graph: "Graph", label: "Planned memory alive at each node", bytes: "Alive", total: "Total", node: "node {node}" },
  zh: { graph: "图", label: "各节点处未释放的规划内存", bytes: "未释放", total: "合计", node: "节点 {node}" },
});

export function PlannedChart({ table }: { table: Table }) {
  const graphs = distinct(table, "graph");
  const graph = graphs.find((name) => name === param("graph")) ?? graphs[0] ?? "";
  const { names, parts } = useMemo(() => {
    const alive = aliveByNode(table, graph);
    return {
      names: alive.map(({ node }) => t("node", { node })),
      parts: [{ name: t("bytes"), colour: "var(--kind-0)", values: alive.map(({ bytes }) => bytes) }],
    };
  }, [table, graph, language.value]);
  return (
    <>
      <div class="toolbar">
        <Select label={t("graph")} value={graph} options={graphs.map((value) => ({ value, label: value }))} onChange={(graph) => choose({ graph })} />
      </div>
      <StackedBars label={t("label")} caption={t("label")} names={names} parts={parts} format={bytes} ruler={byteRuler} total={t("total")} />
    </>
  );
}
