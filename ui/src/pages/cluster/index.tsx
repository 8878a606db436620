// All ranks side by side.

import { TabbedPage } from "../../components/TabbedPage";
import { texts } from "../../texts";
import { Experts } from "./Experts";
import { Grid } from "./Grid";
import { Heat } from "./Heat";
import { Pipeline } from "./Pipeline";
import { Slow } from "./Slow";
import { Steps } from "./Steps";
import "./cluster.css";

const t = texts({
  en: { title: "Cluster", grid: "Parallel layout", heat: "Ranks over time", steps: "Step time", slow: "Slow ranks and links", pipeline: "Pipeline", experts: "Expert load" },
  zh: { title: "集群", grid: "并行布局", heat: "各 rank 随时间的变化", steps: "step 耗时", slow: "慢 rank 与慢链路", pipeline: "流水线", experts: "专家负载" },
});

const PARTS = { grid: Grid, heat: Heat, steps: Steps, slow: Slow, pipeline: Pipeline, experts: Experts };

export function Cluster() {
  return <TabbedPage title={t("title")} parts={PARTS} label={t} class="cluster" />;
}
