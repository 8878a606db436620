// Where the time of devices goes: categories, and the parts below each.

import { useMemo } from "preact/hooks";
import type { Table } from "../../api/table";
import { BarChart } from "../../components/BarChart";
import { Card } from "../../components/Card";
import { columns } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { Viewed } from "../../components/Viewed";
import { duration, share } from "../../format";
import { texts } from "../../texts";
import { treeOf } from "./tree";

const t = texts({
  en: {
    title: "Where the time of devices goes",
    what: "the breakdown",
    caption: "Shares are of the time from the first to the last work of the devices. Communication may overlap computing, and kernels may run side by side, so shares can add up to more than all.",
    computing: "Computing",
    communication: "Communication",
    free: "Free",
    flash_attention: "Flash attention",
    conv: "Convolution",
    matmul: "Matrix products",
    copies: "Copies",
    vector: "Other vector kernels",
    cube: "Other cube kernels",
    other: "Other kernels",
    wait: "Wait",
    transmit: "Transit",
    operations: "Operations",
  },
  zh: {
    title: "设备时间去向",
    what: "时间分解",
    caption: "占比以设备首个到最后一个任务的时间为基准。通信可与计算重叠，kernel 可并行，因此占比之和可超过 100%。",
    computing: "计算",
    communication: "通信",
    free: "空闲",
    flash_attention: "Flash attention",
    conv: "卷积",
    matmul: "矩阵乘",
    copies: "拷贝",
    vector: "其他 Vector kernel",
    cube: "其他 Cube kernel",
    other: "其他 kernel",
    wait: "等待",
    transmit: "传输",
    operations: "通信操作",
  },
});

const COLOURS: Record<string, string> = { computing: "var(--computing)", communication: "var(--communication)", free: "var(--free)" };

const NAMES = [
  "computing", "communication", "free", "flash_attention", "conv", "matmul", "copies", "vector", "cube", "other", "wait", "transmit", "operations",
] as const;

function nameOf(word: unknown): string {
  const known = NAMES.find((name) => name === word);
  return known ? t(known) : String(word ?? "");
}

export function Overall() {
  return (
    <Card title={t("title")}>
      <Viewed view="overall" what={t("what")}>
        {(table) => <Tree table={table} />}
      </Viewed>
    </Card>
  );
}

function Tree({ table }: { table: Table }) {
  const tree = useMemo(() => treeOf(table), [table]);
  const rows = [...tree.rows()].filter((row) => row.part === "" || row.category === "computing");
  return (
    <>
      <BarChart
        label={t("title")}
        caption={t("caption")}
        bars={rows.map((row) => ({
          key: `${row.category}/${row.part}`,
          name: row.part === "" ? nameOf(row.category) : `– ${nameOf(row.part)}`,
          value: Number(row.total),
          text: `${duration(Number(row.total))} · ${share(Number(row.share))}`,
          colour: COLOURS[String(row.category)] ?? "var(--kind-6)",
        }))}
        format={duration}
      />
      <DataTable
        table={tree}
        name="overall"
        columns={columns(["part", "category", "group", "total", "share", "count", "average", "min", "max"], {
          part: {
            width: 240,
            cell: (row) => (row.part === "" ? <strong>{nameOf(row.category)}</strong> : <span class="below">{nameOf(row.part)}</span>),
          },
          share: { term: "share_of_device_time" },
          category: { cell: (row) => nameOf(row.category) },
        })}
        height={560}
      />
    </>
  );
}
