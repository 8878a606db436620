// Who sent to whom: bandwidth, bytes or time.

import { useMemo } from "preact/hooks";
import type { Table } from "../../api/table";
import { extent } from "../../components/axis";
import { Card } from "../../components/Card";
import { columns } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { HeatMap } from "../../components/HeatMap";
import { choice, choose, chooseCells, chosenCells, param } from "../../components/params";
import { Select } from "../../components/Select";
import { Viewed } from "../../components/Viewed";
import { bytes, duration, number } from "../../format";
import { listed, texts } from "../../texts";
import { Filters, filtered } from "./Filters";
import { matrixOf, MEASURES } from "./traffic";

const t = texts({
  en: {
    title: "Traffic between ranks",
    what: "the communication matrix",
    measure: "Show",
    bandwidth: "Bandwidth, GB/s",
    bytes: "Bytes moved",
    time: "Transit time",
    self: "Copies within a rank",
    whole: "Show all",
    caption: "Each row is a sending rank, each column a receiving rank. Drag to zoom, double-click to show all.",
    from: "from {rank}",
    to: "to {rank}",
    classes: "Kinds are the classes of communication_matrix.json: reduce includes reducescatter.",
    over: "Transport and link type",
    table: "Links",
    label: "{measure} between {count} {count:rank|ranks}",
  },
  zh: {
    title: "rank 之间的流量",
    what: "通信矩阵",
    measure: "显示",
    bandwidth: "带宽，GB/s",
    bytes: "传输数据量",
    time: "传输时间",
    self: "rank 内拷贝",
    whole: "显示全部",
    caption: "每行是发送方 rank，每列是接收方 rank。拖动可缩放，双击显示全部。",
    from: "自 {rank}",
    to: "至 {rank}",
    classes: "类型取自 communication_matrix.json 的分类：reduce 包含 reducescatter。",
    over: "传输方式与链路类型",
    table: "链路",
    label: "{count} 个 rank 之间的{measure}",
  },
});

const FORMATS = { bandwidth: number, bytes, time: duration };

export function Matrix() {
  return (
    <Viewed view="comm_matrix" what={t("what")}>
      {(table) => <Traffic table={table} />}
    </Viewed>
  );
}

function Traffic({ table }: { table: Table }) {
  const measure = choice("measure", MEASURES);
  const hasSelf = param("self") === "1";
  const zoom = chosenCells("zoom");
  const wanted = [param("group"), param("kind")].join("\t");
  const shown = useMemo(() => filtered(table), [table, wanted]);
  const matrix = useMemo(() => matrixOf(shown, hasSelf), [shown, hasSelf]);
  const { ranks } = matrix;
  const scale = useMemo(() => ({ begin: 0, end: extent(matrix[measure])?.end ?? 1 }), [matrix, measure]);
  const from = (row: number) => t("from", { rank: ranks[row] ?? "" });
  const to = (column: number) => t("to", { rank: ranks[column] ?? "" });
  return (
    <>
      <Card
        title={t("title")}
        tools={
          <>
            <Filters table={table} />
            <Select
              label={t("measure")}
              value={measure}
              options={MEASURES.map((value) => ({ value, label: t(value) }))}
              onChange={(measure) => choose({ measure })}
            />
            <label class="check">
              <input type="checkbox" checked={hasSelf} onChange={() => choose({ self: hasSelf ? null : "1" })} />
              {t("self")}
            </label>
            {zoom && (
              <button type="button" onClick={() => chooseCells("zoom", null)}>
                {t("whole")}
              </button>
            )}
          </>
        }
      >
        <HeatMap
          label={t("label", { measure: t(measure), count: ranks.length })}
          caption={t("caption")}
          columns={ranks.length}
          rows={ranks.length}
          values={matrix[measure]}
          columnName={to}
          rowName={from}
          format={FORMATS[measure]}
          valueName={t(measure)}
          scale={scale}
          about={(column, row) => {
            const at = row * ranks.length + column;
            const others = MEASURES.filter((name) => name !== measure).map((name): [string, string] => [t(name), FORMATS[name](matrix[name][at]!)]);
            const over = matrix.over.get(at);
            return over ? [...others, [t("over"), listed([...over])]] : others;
          }}
          zoom={zoom}
          onZoom={(cells) => chooseCells("zoom", cells)}
        />
        {table.texts("kind").includes("reduce") && <p class="hint">{t("classes")}</p>}
      </Card>
      <Card title={t("table")}>
        <DataTable
          table={shown}
          name="comm_matrix"
          columns={columns(["src", "dst", "transport", "link", "kind", "group_name", "bytes", "time", "bandwidth"], {
            bytes: { term: "bytes_moved" },
            time: { kind: "duration", term: "transit" },
          })}
          sort={{ name: "time", isDescending: true }}
        />
      </Card>
    </>
  );
}
