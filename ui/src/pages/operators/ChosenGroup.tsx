// The chosen group of operators: how long its instances took, and which they are.

import { useEffect, useRef } from "preact/hooks";
import type { Row, Table } from "../../api/table";
import { columns, placeOf } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { rowsThat } from "../../components/derived";
import { Histogram } from "../../components/Histogram";
import { choose } from "../../components/params";
import { Viewed } from "../../components/Viewed";
import { durationBuckets } from "./durations";
import { count } from "../../format";
import { scope } from "../../scope";
import { listed, texts } from "../../texts";
import { type Chosen, groupParams } from "./groups";

const t = texts({
  en: {
    chosen: "Instances of {name}",
    histogram: "Duration distribution",
    many: "instances",
    instances: "instances",
    longest: "The {count} longest. Click a start to see it on the timeline.",
    close: "Close",
    noModule: "Kernels have no module in this profile, so there are no instances to list.",
  },
  zh: {
    chosen: "{name} 的实例",
    histogram: "时长分布",
    many: "个",
    instances: "实例",
    longest: "最长的 {count} 个。单击开始时间可跳到时间线。",
    close: "关闭",
    noModule: "该 profile 的 kernel 没有模块信息，无法列出实例。",
  },
});

/** Instances that are fetched. */
const MOST = 1000;

/** What the server is asked for; what has no name it cannot be asked for, and is chosen from the answer. */
const asked = ({ op_type, name, core, stream, input_shapes }: Chosen) => ({ op_type, name, core, stream, input_shapes });

export function ChosenGroup({ row, of }: { row: Row; of: Chosen }) {
  const name = listed(Object.values(of));
  const { buckets, edges } = durationBuckets((row.histogram as ArrayLike<number> | null) ?? []);
  const shown = useRef<HTMLElement>(null);
  useEffect(() => shown.current?.scrollIntoView({ block: "nearest" }), [name]);
  const about = {
    ...scope.value,
    ...(of.rank ? { ranks: [Number(of.rank)] } : {}),
    ...(of.step ? { step: Number(of.step) } : {}),
  };
  return (
    <section class="instances" ref={shown} aria-label={t("chosen", { name })}>
      <header class="toolbar">
        <h3>{t("chosen", { name })}</h3>
        <button type="button" onClick={() => choose(groupParams(null))}>
          {t("close")}
        </button>
      </header>
      {buckets.length > 0 && <Histogram label={t("histogram")} caption={t("histogram")} buckets={buckets} edges={edges} what={t("many")} />}
      {of.module ? (
        <p class="hint">{t("noModule")}</p>
      ) : (
        <Viewed view="kernels" about={about} own={{ ...asked(of), limit: MOST }} what={t("instances")}>
          {(table) => <Instances table={table} of={of} />}
        </Viewed>
      )}
    </section>
  );
}

function Instances({ table, of }: { table: Table; of: Chosen }) {
  const keys = (["input_shapes", "core", "stream"] as const).filter((key) => of[key] !== undefined);
  const shown = rowsThat(table, (row) => keys.every((key) => String(table.column(key)[row] ?? "") === of[key]));
  return (
    <>
      <p class="hint">{t("longest", { count: count(shown.length) })}</p>
      <DataTable
        table={shown}
        name="kernels"
        columns={columns(
          [
            "start", "rank", "step", "duration", "wait", "name", "op_type", "core", "stream", "block_num", "input_shapes", "input_dtypes",
            "output_shapes", "output_dtypes", "mac_ratio", "mte2_ratio", "vec_ratio", "scalar_ratio", "cube_utilization",
          ],
          { start: { link: placeOf }, wait: { term: "kernel_gap" } },
        )}
        height={360}
      />
    </>
  );
}
