// How steps and ranks spend their time.

import type { Table } from "../../api/table";
import { timeRuler } from "../../components/axis";
import { Card } from "../../components/Card";
import { StackedBars } from "../../components/StackedBars";
import { count, duration } from "../../format";
import { go } from "../../scope";
import { texts } from "../../texts";
import { meansBy, PARTS } from "./means";

const t = texts({
  en: {
    steps: "Device time of each step",
    stepsHint: "mean over ranks; click a bar to select the step",
    ranks: "Device time of each rank",
    ranksHint: "mean over steps; click a bar to open the timeline of the rank",
    computing: "computing only",
    overlapped: "overlapped communication",
    exposed: "exposed communication",
    free: "free",
    total: "device time",
    step: "step {step}",
    rank: "rank {rank}",
    wholeProfile: "whole profile",
  },
  zh: {
    steps: "各 step 的设备时间",
    stepsHint: "各 rank 的平均值；单击可选择该 step",
    ranks: "各 rank 的设备时间",
    ranksHint: "各 step 的平均值；单击可打开该 rank 的时间线",
    computing: "仅计算",
    overlapped: "已掩盖通信",
    exposed: "未掩盖通信",
    free: "空闲",
    total: "设备时间",
    step: "step {step}",
    rank: "rank {rank}",
    wholeProfile: "整个 profile",
  },
});

const COLOURS = {
  computing: "var(--computing)",
  overlapped: "var(--communication)",
  exposed: "var(--exposed)",
  free: "var(--free)",
};

/** Computing without communication is only a part of computing: it has no term. */
const TERMS = { computing: undefined, overlapped: "overlapped_communication", exposed: "exposed_communication", free: "free" } as const;

export function StepBars({ steps }: { steps: Table }) {
  const byStep = meansBy(steps, "step");
  const byRank = meansBy(steps, "rank");
  return (
    <>
      <Bars of={byStep} by="step" onPick={(step) => go({ step: Number.isNaN(step) ? null : step })} />
      <Bars of={byRank} by="rank" onPick={(rank) => go({ page: "timeline", rank, view: null })} />
    </>
  );
}

function Bars({ of, by, onPick }: { of: Table; by: "rank" | "step"; onPick: (key: number) => void }) {
  const keys = of.numbers(by);
  const title = by === "step" ? t("steps") : t("ranks");
  return (
    <Card title={title} tools={<span class="hint">{by === "step" ? t("stepsHint") : t("ranksHint")}</span>}>
      <StackedBars
        label={title}
        names={Array.from(keys, (key) => (Number.isNaN(key) ? t("wholeProfile") : t(by, { [by]: count(key) })))}
        parts={PARTS.map((part) => ({ name: t(part), colour: COLOURS[part], term: TERMS[part], values: of.numbers(part) }))}
        format={duration}
        ruler={timeRuler}
        total={t("total")}
        height={190}
        onPick={(bar) => onPick(keys[bar] as number)}
      />
    </Card>
  );
}
