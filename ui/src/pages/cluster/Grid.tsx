// Ranks by their places in the parallel layout, coloured by how they spend their time.

import { useMemo } from "preact/hooks";
import { api } from "../../api/client";
import type { Table } from "../../api/table";
import { extent, widened } from "../../components/axis";
import { Card } from "../../components/Card";
import { Loaded } from "../../components/Loaded";
import { choice, choose, chosenNumber, param } from "../../components/params";
import { Select } from "../../components/Select";
import { formatRanks, scope } from "../../scope";
import { duration } from "../../format";
import { texts } from "../../texts";
import { ChosenRank } from "./ChosenRank";
import { DIMENSIONS, hasLayout, placesOf } from "./places";
import { GridChart } from "./GridChart";
import { METRICS, breakdownBy } from "./breakdown";
import { clusterText } from "./texts";

const t = texts({
  en: {
    title: "Ranks by position in the parallel layout",
    frames: "Outline groups",
    none: "None",
    tp: "Tensor parallel (tp)",
    cp: "Context parallel (cp)",
    ep: "Expert parallel (ep)",
    dp: "Data parallel (dp)",
    pp: "Pipeline parallel (pp)",
    least: "Min (ms)",
    most: "Max (ms)",
    unknown: "The profile records no parallel layout; ranks are shown in order.",
  },
  zh: {
    title: "按并行布局排列的 rank",
    frames: "框出通信组",
    none: "无",
    tp: "张量并行（tp）",
    cp: "上下文并行（cp）",
    ep: "专家并行（ep）",
    dp: "数据并行（dp）",
    pp: "流水线并行（pp）",
    least: "最小（ms）",
    most: "最大（ms）",
    unknown: "该 profile 未记录并行布局，rank 按编号排列。",
  },
});

/** Ranks that differ less than this share look alike. */
const LEAST_SPREAD = 0.05;

const FRAMES = ["none", ...DIMENSIONS] as const;

export function Grid() {
  const { ranks, step, view } = scope.value;
  return (
    <Loaded
      load={() => Promise.all([api.table("ranks", { ranks }), api.table("steps", { ranks, step, view })])}
      of={[formatRanks(ranks), step, view?.begin, view?.end]}
      what={clusterText("steps")}
    >
      {([ranks, steps]) => <Places ranks={ranks} steps={steps} />}
    </Loaded>
  );
}

/** A bound of the metric that was chosen, in ns. */
function bound(name: string): number | null {
  const ms = chosenNumber(name);
  return ms === null ? null : ms * 1e6;
}

function Places({ ranks, steps }: { ranks: Table; steps: Table }) {
  const places = useMemo(() => placesOf(ranks), [ranks]);
  const spent = useMemo(() => new Map(breakdownBy(steps, "rank").map((one) => [one.key, one])), [steps]);
  const metric = choice("metric", METRICS);
  const frames = choice("frames", FRAMES);
  const values = useMemo(() => new Map([...spent].map(([rank, one]) => [rank, one[metric]])), [spent, metric]);
  const all = widened(extent(values.values()) ?? { begin: 0, end: 1 }, LEAST_SPREAD);
  const scale = { begin: bound("least") ?? all.begin, end: bound("most") ?? all.end };
  const chosen = chosenNumber("of_rank");
  return (
    <Card
      title={t("title")}
      tools={
        <>
          <Select
            label={clusterText("show")}
            value={metric}
            options={METRICS.map((value) => ({ value, label: clusterText(value) }))}
            onChange={(metric) => choose({ metric, least: null, most: null })}
          />
          {hasLayout(places) && (
            <Select
              label={t("frames")}
              value={frames}
              options={FRAMES.map((value) => ({ value, label: t(value) }))}
              onChange={(frames) => choose({ frames })}
            />
          )}
          {(["least", "most"] as const).map((name) => (
            <label key={name} class="field">
              <span>{t(name)}</span>
              <input
                type="number"
                class="bound"
                value={param(name)}
                placeholder={((name === "least" ? all.begin : all.end) / 1e6).toFixed(1)}
                onChange={(event) => choose({ [name]: event.currentTarget.value })}
              />
            </label>
          ))}
        </>
      }
    >
      {!hasLayout(places) && <p class="hint">{t("unknown")}</p>}
      <GridChart
        places={places}
        values={values}
        scale={scale}
        valueName={clusterText(metric)}
        format={duration}
        frames={frames === "none" ? null : frames}
        about={(rank) => {
          const one = spent.get(rank);
          return one ? METRICS.filter((name) => name !== metric).map((name) => [clusterText(name), duration(one[name])]) : [];
        }}
        chosen={chosen}
        onPick={(rank) => choose({ of_rank: String(rank) })}
      />
      {chosen !== null && <ChosenRank rank={chosen} places={places} spent={spent.get(chosen) ?? null} />}
    </Card>
  );
}
