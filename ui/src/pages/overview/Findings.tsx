// What is found, one card each: how bad, what, what it costs, what to do, where to see it.

import type { Diagnosis, Finding } from "../../api/client";
import { Term } from "../../components/Term";
import { number, share } from "../../format";
import { formatRanks, link, linkToTime } from "../../scope";
import { Icon } from "../../shell/Icon";
import { capitalized, listed, messageText, texts } from "../../texts";
import { costed, merged } from "./evidence";

const t = texts({
  en: {
    findings: "Findings",
    none: "No findings: no rank, host, link or stage differs from comparable ones.",
    unsure: "No findings in the data that could be read. Some data could not be read.",
    one: "No findings. With one rank, only causes that need no comparison are checked. The charts below show where its time goes.",
    critical: "critical",
    warning: "warning",
    info: "info",
    costBefore: "",
    costAfter: "of step time",
    confidence: "confidence",
    places: "Where to see it",
    rank: "rank {rank}",
    step: "step {step}",
    times: "({count} times)",
    ranks: "Show these ranks",
  },
  zh: {
    findings: "诊断结论",
    none: "没有诊断结论：各 rank、主机、链路和流水线 stage 与同类一致。",
    unsure: "在已读取的数据中没有诊断结论，但有些数据无法读取。",
    one: "没有诊断结论。只有一个 rank 时，仅检查无需比较的原因。下方图表显示其时间去向。",
    critical: "严重",
    warning: "警告",
    info: "提示",
    costBefore: "占 step 耗时",
    costAfter: "",
    confidence: "置信度",
    places: "查看位置",
    rank: "rank {rank}",
    step: "step {step}",
    times: "（{count} 次）",
    ranks: "显示这些 rank",
  },
});

/** Of what is said when nothing was found. */
const ICONS = { one: "info", unsure: "warning", none: "good" } as const;

export function Findings({ of: { findings, ranks, diagnostics } }: { of: Diagnosis }) {
  // One rank has nothing to be compared with, so that no findings is no good news.
  const state = ranks === 1 ? "one" : diagnostics.length > 0 ? "unsure" : "none";
  return (
    <section aria-label={t("findings")} class="findings">
      {findings.length === 0 && (
        <p class={state === "none" ? "state good" : "state"}>
          <Icon name={ICONS[state]} /> {t(state)}
        </p>
      )}
      {findings.map((finding) => (
        <FindingCard key={messageText(finding.claim)} finding={finding} />
      ))}
    </section>
  );
}

function FindingCard({ finding }: { finding: Finding }) {
  const { severity, share_of_step, confidence, ranks, evidence } = finding;
  return (
    <article class={`card finding ${severity}`}>
      <header>
        <span class="severity">
          <Icon name={severity} /> {t(severity)}
        </span>
        <h2>{capitalized(messageText(finding.claim))}</h2>
      </header>
      <div class="measures">
        {share_of_step !== null && (
          <span class="cost">
            <Term of="share_of_step">{t("costBefore")}</Term> <strong>{share(share_of_step)}</strong> <Term of="share_of_step">{t("costAfter")}</Term>
          </span>
        )}
        {costed(finding).map(({ name, value, unit }) => (
          <span class="chip" key={name.id}>
            {messageText(name)} {number(value)} {unit}
          </span>
        ))}
        <span class="chip">
          <Term of="confidence">{t("confidence")}</Term> {Math.round(confidence * 100)} %
        </span>
      </div>
      <p class="suggestion">
        <Icon name="arrow" /> {capitalized(messageText(finding.suggestion))}
      </p>
      <ul class="places" aria-label={t("places")}>
        {merged(evidence).map(({ place, times }) => (
          <li key={`${place.rank}/${place.start_ns}/${messageText(place.what)}`}>
            <a href={linkToTime(place.rank, place.start_ns, place.end_ns)}>
              {listed([t("rank", { rank: place.rank }), ...(place.step === null ? [] : [t("step", { step: place.step })])])}
            </a>{" "}
            {messageText(place.what)}
            {times > 1 && ` ${t("times", { count: times })}`}
          </li>
        ))}
        {evidence.length === 0 && ranks.length > 0 && (
          <li>
            <a href={link({ page: "timeline", rank: ranks[0] ?? null, ranks, view: null })}>{t("ranks")}</a> {formatRanks(ranks)}
          </li>
        )}
      </ul>
    </article>
  );
}
