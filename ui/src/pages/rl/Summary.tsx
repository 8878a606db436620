// How long stages take, how uneven they are, and who is late.

import { asNumber, type Table } from "../../api/table";
import { BarChart } from "../../components/BarChart";
import { Card } from "../../components/Card";
import { columns } from "../../components/columns";
import { DataTable } from "../../components/DataTable";
import { duration, share } from "../../format";
import { linkToTime } from "../../scope";
import { texts } from "../../texts";
import type { Stage } from "./stages";

const t = texts({
  en: {
    title: "Stage durations",
    mean: "Mean duration of each stage; the mark is the longest",
    bubbles: "Share of the stage spent waiting for its slowest rank",
    both: "{mean}, longest {max}",
  },
  zh: {
    title: "各阶段时长",
    mean: "各阶段的平均时长；竖线处为最长时长",
    bubbles: "各 rank 等待该阶段最慢 rank 的时间占比",
    both: "{mean}，最长 {max}",
  },
});

export function Summary({ table, colours, slowest }: { table: Table; colours: Map<string, string>; slowest: Map<string, Stage> }) {
  const stages = table.texts("stage");
  const [mean, max, bubble] = ["mean", "max", "bubble_share"].map((name) => table.numbers(name)) as [Float64Array, Float64Array, Float64Array];
  const bar = (at: number, value: number) => ({ key: stages[at]!, name: stages[at]!, value, colour: colours.get(stages[at]!) });
  return (
    <Card title={t("title")}>
      <div class="cards">
        <BarChart
          label={t("mean")}
          caption={t("mean")}
          bars={stages.map((_, at) => ({ ...bar(at, mean[at]!), reference: max[at]!, text: t("both", { mean: duration(mean[at]!), max: duration(max[at]!) }) }))}
          format={duration}
        />
        <BarChart label={t("bubbles")} caption={t("bubbles")} bars={stages.map((_, at) => bar(at, bubble[at] || 0))} full={1} format={share} />
      </div>
      <DataTable
        table={table}
        name="stage_summary"
        columns={columns(["stage", "count", "mean", "max", "skew", "bubble_share", "slowest_rank"], {
          stage: { width: 260 },
          slowest_rank: {
            link: (row) => {
              const stage = slowest.get(String(row.stage));
              return stage ? linkToTime(asNumber(row.slowest_rank), stage.begin, stage.end) : null;
            },
          },
        })}
        height={300}
      />
    </Card>
  );
}
