// Operators by group: shares, table, and the instances of the group that is chosen.

import { api, ApiError } from "../../api/client";
import type { Table } from "../../api/table";
import { BarChart } from "../../components/BarChart";
import { Card } from "../../components/Card";
import { type ColumnName, columns } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { grouped, hasAny, sum } from "../../components/derived";
import { Spark } from "../../components/Histogram";
import { Loaded } from "../../components/Loaded";
import { choice, choose } from "../../components/params";
import { Select } from "../../components/Select";
import { Viewed } from "../../components/Viewed";
import { duration, share } from "../../format";
import { formatRanks, scope } from "../../scope";
import { texts } from "../../texts";
import { ChosenGroup } from "./ChosenGroup";
import { chooseRow, chosenGroup, type Group, GROUPS, groupParams, isOf, type Key, KEYS } from "./groups";
import { kernelsOf, SELECTIONS } from "./selection";

const t = texts({
  en: {
    operators: "kernels",
    by: "Group by",
    which: "Kernels",
    computing: "Computing",
    communication: "Communication",
    all: "All kernels",
    op_type: "Type",
    name: "Name",
    shape: "Type and shape",
    core: "Core",
    stream: "Stream",
    rank: "Rank",
    step: "Step",
    module: "Module",
    table: "Kernels by group",
    types: "Time by type",
    cores: "Time by core",
    others: "{count} {count:other|others}",
    spark: "Duration distribution",
    hint: "Click a row to see its instances.",
    noTypes: "The profile has no operator types; kernels are grouped by name.",
    unknown: "unknown",
    cube: "cube",
    memory: "memory load",
    vector: "vector",
    scalar: "scalar",
  },
  zh: {
    operators: "kernel",
    by: "分组方式",
    which: "显示",
    computing: "计算",
    communication: "通信",
    all: "全部 kernel",
    op_type: "类型",
    name: "名称",
    shape: "类型与 shape",
    core: "加速核",
    stream: "流",
    rank: "rank",
    step: "step",
    module: "模块",
    table: "kernel 分组表",
    types: "各类型耗时",
    cores: "各加速核耗时",
    others: "其余 {count} 项",
    spark: "时长分布",
    hint: "单击一行可查看其实例。",
    noTypes: "该 profile 没有算子类型，kernel 按名称分组。",
    unknown: "未知",
    cube: "Cube",
    memory: "内存搬入",
    vector: "Vector",
    scalar: "Scalar",
  },
});

/** Bars that are shown before the others are one. */
const BARS = 10;

const NUMBERS: ColumnName[] = [
  "count", "total", "share", "histogram", "bound", "average", "p50", "p95", "max", "deviation", "mac_ratio", "mte2_ratio", "vec_ratio", "scalar_ratio",
];

export function Kernels() {
  const group = choice("group", GROUPS);
  const which = choice("which", SELECTIONS);
  const { ranks, step, view } = scope.value;
  return (
    <>
      <div class="toolbar">
        <Select label={t("which")} value={which} options={SELECTIONS.map((value) => ({ value, label: t(value) }))} onChange={(which) => choose({ which })} />
      </div>
      <div class="cards">
        <Card title={t("types")}>
          <Viewed view="operators" own={{ group: "op_type" }} what={t("operators")}>
            {(table) => <Shares table={kernelsOf(table, which)} by="op_type" label={t("types")} />}
          </Viewed>
        </Card>
        <Card title={t("cores")}>
          <Viewed view="operators" own={{ group: "core" }} what={t("operators")}>
            {(table) => <Shares table={kernelsOf(table, which)} by="core" label={t("cores")} />}
          </Viewed>
        </Card>
      </div>
      <Card
        title={t("table")}
        tools={
          <>
            <Select
              label={t("by")}
              value={group}
              options={GROUPS.map((value) => ({ value, label: t(value) }))}
              onChange={(value) => choose({ ...groupParams(null), group: value })}
            />
            <span class="hint">{t("hint")}</span>
          </>
        }
      >
        <Loaded load={() => load(group)} of={[formatRanks(ranks), step, view?.begin, view?.end, group]} what={t("operators")}>
          {({ table, isFallback }) => (
            <>
              {isFallback && <p class="hint">{t("noTypes")}</p>}
              <Groups table={kernelsOf(table, which)} />
            </>
          )}
        </Loaded>
      </Card>
    </>
  );
}

/** The groups that are asked for. A profile that knows no types is grouped by name. */
async function load(group: Group): Promise<{ table: Table; isFallback: boolean }> {
  const about = scope.value;
  try {
    return { table: await api.table("operators", about, { group }), isFallback: false };
  } catch (error) {
    if (group !== "op_type" || !(error instanceof ApiError && error.missing)) throw error;
    return { table: await api.table("operators", about, { group: "name" }), isFallback: true };
  }
}

/** The groups as sorted bars; those of the types can be chosen. */
function Shares({ table, by, label }: { table: Table; by: "op_type" | "core"; label: string }) {
  const totals = table.numbers("total");
  const groups = [...grouped(table, [by])].map(([name, rows]) => ({ name, total: sum(totals, rows) }));
  groups.sort((one, other) => other.total - one.total);
  const all = groups.reduce((sum, group) => sum + group.total, 0) || 1;
  const bar = (key: string, name: string, value: number) => ({ key, name, value, text: `${duration(value)} · ${share(value / all)}` });
  const bars = groups.slice(0, BARS).map(({ name, total }) => bar(name, name || t("unknown"), total));
  const rest = groups.slice(BARS);
  if (rest.length > 0) bars.push(bar("", t("others", { count: rest.length }), rest.reduce((sum, group) => sum + group.total, 0)));
  return (
    <BarChart
      label={label}
      bars={bars}
      format={duration}
      chosen={chosenGroup()?.[by]}
      onPick={
        by === "core"
          ? undefined
          : ({ key }) => choose({ ...groupParams(key === "" ? null : { op_type: key }), group: null })
      }
    />
  );
}

function Groups({ table }: { table: Table }) {
  const first = table.has("name") ? "name" : "op_type";
  const keys: Key[] = KEYS.filter((key) => hasAny(table, key)).sort((one, other) => Number(other === first) - Number(one === first));
  const chosen = chosenGroup();
  const row = chosen && [...table.rows()].find((row) => isOf(row, chosen));
  return (
    <>
      <DataTable
        table={table}
        name="operators"
        columns={columns([...keys, ...NUMBERS.filter((name) => hasAny(table, name))], {
          name: { width: 260 },
          histogram: {
            cell: (row) => <Spark counts={(row.histogram as ArrayLike<number> | null) ?? []} label={t("spark")} />,
          },
          bound: { cell: (row) => <Bound of={row.bound} /> },
        })}
        sort={{ name: "total", isDescending: true }}
        onRow={(row) => chooseRow(row, keys)}
        isChosen={(row) => isOf(row, chosen)}
      />
      {row && chosen && <ChosenGroup row={row} of={chosen} />}
    </>
  );
}

const BOUNDS = ["cube", "memory", "vector", "scalar"] as const;

function Bound({ of }: { of: unknown }) {
  const bound = BOUNDS.find((bound) => bound === of);
  return bound ? <span class={`chip bound-${bound}`}>{t(bound)}</span> : <>–</>;
}
