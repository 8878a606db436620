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
    title: "Device time breakdown",
    what: "the device time breakdown",
    caption: "Shares are of the device time of the steps: computing + exposed communication + free, as on the Overview page. While several kernels run, the time counts for the one that started first. Communication counts only while no kernel computes.",
    computing: "Computing",
    exposed_communication: "Exposed communication",
    free: "Free",
    flash_attention: "Flash attention",
    conv: "Convolution",
    matmul: "Matrix multiplication",
    copies: "Copies on the device",
    vector: "Other vector kernels",
    cube: "Other cube kernels",
    other: "Other kernels",
    operations: "Communication operations",
    copying: "Copying only",
    idle: "Idle",
  },
  zh: {
    title: "设备时间分解",
    what: "设备时间分解",
    caption: "占比以各 step 的设备时间为基准：计算 + 未掩盖通信 + 空闲，与“总览”页面一致。多个 kernel 同时运行的时间计入最先开始的那个；通信只计没有 kernel 在计算的时间。",
    computing: "计算",
    exposed_communication: "未掩盖通信",
    free: "空闲",
    flash_attention: "Flash attention",
    conv: "卷积",
    matmul: "矩阵乘",
    copies: "设备内拷贝",
    vector: "其他 Vector kernel",
    cube: "其他 Cube kernel",
    other: "其他 kernel",
    operations: "通信算子",
    copying: "仅拷贝",
    idle: "无任何任务",
  },
});

const COLOURS: Record<string, string> = { computing: "var(--computing)", exposed_communication: "var(--exposed)", free: "var(--free)" };

const NAMES = [
  "computing", "exposed_communication", "free", "flash_attention", "conv", "matmul", "copies", "vector", "cube", "other", "operations", "copying", "idle",
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
        columns={columns(["part", "category", "group", "total", "per_step", "share", "count", "average", "min", "max"], {
          part: {
            width: 240,
            cell: (row) => (row.part === "" ? <strong>{nameOf(row.category)}</strong> : <span class="below">{nameOf(row.part)}</span>),
          },
          total: { term: "part_time" },
          share: { term: "share_of_device_time" },
          category: { cell: (row) => nameOf(row.category) },
        })}
        height={560}
      />
    </>
  );
}
