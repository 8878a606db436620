// What is wrong with the job, what it costs, where its time goes.

import { api, type Diagnosis } from "../../api/client";
import type { Table } from "../../api/table";
import { Loaded } from "../../components/Loaded";
import { count, number, share } from "../../format";
import { link, scope } from "../../scope";
import { Icon } from "../../shell/Icon";
import { definition } from "../../terms";
import { listed, messageText, texts } from "../../texts";
import { Findings } from "./Findings";
import { StepBars } from "./StepBars";
import { Tops } from "./Tops";
import "./overview.css";

const t = texts({
  en: {
    diagnosis: "the diagnosis of all ranks",
    headline: "{ranks}, {steps}, {ms} ms per step",
    noSteps: "{ranks}, no step markers found",
    ranks: "{count} {count:rank|ranks}",
    stepCount: "{count} {count:step|steps}",
    without: "{ms} ms if these findings were fixed: {share} less",
    steps: "step times",
    diagnosticCount: "Diagnostics ({count})",
    shallow: "Recorded at {levels}: no operator types, kernel shapes, AI Core metrics or communication links.",
    fix: "Settings that collect more",
  },
  zh: {
    diagnosis: "所有 rank 的诊断",
    headline: "{ranks}，{steps}，每个 step {ms} ms",
    noSteps: "{ranks}，没有 step 标记",
    ranks: "{count} 个 rank",
    stepCount: "{count} 个 step",
    without: "消除以下问题后为 {ms} ms：减少 {share}",
    steps: "step 耗时",
    diagnosticCount: "诊断信息（{count}）",
    shallow: "以 {levels} 采集：没有算子类型、kernel shape、AI Core 指标和通信链路。",
    fix: "采集更多数据所需的配置项",
  },
});

export function Overview() {
  const { ranks, step } = scope.value;
  return (
    <div class="page overview">
      <Loaded load={api.diagnosis} of={[]} what={t("diagnosis")}>
        {(diagnosis) => <Verdict diagnosis={diagnosis} />}
      </Loaded>
      <Loaded load={() => api.table("ranks")} of={[]} what={t("steps")}>
        {(table) => <Level ranks={table} />}
      </Loaded>
      <div class="cards">
        <Loaded load={() => api.table("steps", { ranks, step })} of={[ranks?.join(), step]} what={t("steps")}>
          {(steps) => <StepBars steps={steps} />}
        </Loaded>
      </div>
      <Tops />
    </div>
  );
}

function Verdict({ diagnosis }: { diagnosis: Diagnosis }) {
  const { ranks, steps, step_ms, step_ms_without, diagnostics } = diagnosis;
  const ms = number(Number(step_ms.toFixed(1)));
  const gain = 1 - step_ms_without / step_ms;
  const counts = {
    ranks: t("ranks", { count: count(ranks) }),
    steps: t("stepCount", { count: count(steps) }),
    ms,
  };
  return (
    <>
      <div class="page-head">
        <h1 title={definition("job_step_time")}>{t(steps === 0 ? "noSteps" : "headline", counts)}</h1>
        {diagnosis.layout.id !== "layout-unknown" && <span class="chip">{messageText(diagnosis.layout)}</span>}
        {gain > 0.001 && (
          <p class="without" title={definition("step_without")}>{t("without", { ms: number(Number(step_ms_without.toFixed(1))), share: share(gain) })}</p>
        )}
      </div>
      <Findings of={diagnosis} />
      {diagnostics.length > 0 && (
        <details class="card" open={diagnosis.findings.length === 0}>
          <summary>
            {t("diagnosticCount", { count: diagnostics.length })}
          </summary>
          <ul>
            {diagnostics.map((diagnostic) => (
              <li key={messageText(diagnostic)}>{messageText(diagnostic)}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** Says what a shallow collection lacks. */
function Level({ ranks }: { ranks: Table }) {
  const levels = [...new Set(ranks.texts("level"))].filter((level) => level === "level0" || level === "level_none");
  if (levels.length === 0) return null;
  return (
    <p class="note" role="note">
      <Icon name="info" /> {t("shallow", { levels: listed(levels) })} <a href={link({ page: "health" })}>{t("fix")}</a>
    </p>
  );
}
