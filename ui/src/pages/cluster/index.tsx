// All ranks side by side.

import { choice } from "../../components/params";
import { Tabs } from "../../components/Tabs";
import { texts } from "../../texts";
import { Experts } from "./Experts";
import { Grid } from "./Grid";
import { Heat } from "./Heat";
import { Pipeline } from "./Pipeline";
import { Slow } from "./Slow";
import { Steps } from "./Steps";
import "./cluster.css";

const t = texts({
  en: { title: "Cluster", parts: "Parts of this page", grid: "Parallel grid", heat: "Ranks over time", steps: "Time of steps", slow: "Slow ranks and links", pipeline: "Pipeline", experts: "Experts" },
  zh: { title: "集群", parts: "本页内容", grid: "并行网格", heat: "各 rank 随时间", steps: "步耗时", slow: "慢 rank 与慢链路", pipeline: "流水线", experts: "专家负载" },
});

const TABS = ["grid", "heat", "steps", "slow", "pipeline", "experts"] as const;

const PARTS = { grid: Grid, heat: Heat, steps: Steps, slow: Slow, pipeline: Pipeline, experts: Experts };

export function Cluster() {
  const tab = choice("tab", TABS);
  const Part = PARTS[tab];
  return (
    <div class="page cluster">
      <div class="page-head">
        <h1>{t("title")}</h1>
      </div>
      <Tabs label={t("parts")} tabs={TABS.map((value) => ({ value, label: t(value) }))} chosen={tab} keep={[]} />
      <Part />
    </div>
  );
}
