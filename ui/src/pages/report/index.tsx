// Makes a report: one html file with this viewer and the chosen ranks, steps and findings in it.

import { useSignal } from "@preact/signals";
import { api, type Diagnosis, type Profile, reason } from "../../api/client";
import { Card } from "../../components/Card";
import { Loaded } from "../../components/Loaded";
import { bytes } from "../../format";
import { formatRanks, parseRanks, scope } from "../../scope";
import { download } from "../../shell/download";
import { Icon } from "../../shell/Icon";
import { messageText, capitalized, texts } from "../../texts";
import "./report.css";

const t = texts({
  en: {
    what: "the report options",
    title: "Report",
    about:
      "One HTML file with this viewer and the data you select. It opens from disk, without a network and without npuscope. Attach it to an email or an issue.",
    ranks: "Ranks",
    ranksHint: "The report has the timelines of these ranks. Its tables cover all ranks.",
    badRanks: "The profile has none of these ranks.",
    steps: "Steps",
    noSteps: "The profile has no steps; the report covers all of it.",
    findings: "Findings",
    noFindings: "No findings.",
    download: "Download report",
    making: "Writing the report …",
    made: "{name}, {size}",
    failed: "Could not write the report: {why}",
    command: "The same ranks and steps from the command line: ",
    all: "all",
    none: "none",
  },
  zh: {
    what: "报告选项",
    title: "报告",
    about: "一个 HTML 文件，包含本查看器和所选数据。可直接从磁盘打开，无需网络，也无需 npuscope，可附在邮件或 issue 中。",
    ranks: "rank",
    ranksHint: "报告包含这些 rank 的时间线。表格包含所有 rank。",
    badRanks: "该 profile 没有这些 rank。",
    steps: "step",
    noSteps: "该 profile 没有 step，报告将包含全部时间。",
    findings: "诊断结论",
    noFindings: "没有诊断结论。",
    download: "下载报告",
    making: "正在生成报告……",
    made: "{name}，{size}",
    failed: "无法生成报告：{why}",
    command: "选择相同 rank 和 step 的等效命令：",
    all: "全选",
    none: "全不选",
  },
});

/** Ranks that are chosen at first, at most: those of the findings, then the first ones. */
const FIRST_RANKS = 4;

export function Report() {
  return (
    <div class="page report">
      <h1>{t("title")}</h1>
      <p class="hint">{t("about")}</p>
      <Loaded load={() => Promise.all([api.profile(), api.diagnosis(), api.health()])} of={[]} what={t("what")}>
        {([profile, diagnosis, health]) => <Form profile={profile} diagnosis={diagnosis} path={health.path} />}
      </Loaded>
    </div>
  );
}

function firstRanks(profile: Profile, diagnosis: Diagnosis): number[] {
  if (scope.value.ranks) return scope.value.ranks;
  const found = diagnosis.findings.flatMap((finding) => finding.ranks);
  return [...new Set([...found, ...profile.ranks.map((rank) => rank.rank)])].slice(0, FIRST_RANKS);
}

/** A set with an item put in or taken out. */
function toggled<T>(items: Set<T>, item: T): Set<T> {
  const next = new Set(items);
  if (!next.delete(item)) next.add(item);
  return next;
}

type State = { kind: "making" } | { kind: "made"; name: string; size: number } | { kind: "failed"; error: unknown } | null;

function Form({ profile, diagnosis, path }: { profile: Profile; diagnosis: Diagnosis; path: string }) {
  const ids = [...new Set(diagnosis.findings.map((finding) => finding.id))];
  const ranksText = useSignal(formatRanks(firstRanks(profile, diagnosis)));
  const steps = useSignal(new Set(scope.value.step === null ? profile.steps : [scope.value.step]));
  const findings = useSignal(new Set(ids));
  const state = useSignal<State>(null);
  const there = new Set(profile.ranks.map((rank) => rank.rank));
  const ranks = (parseRanks(ranksText.value) ?? []).filter((rank) => there.has(rank));
  const make = async (event: Event) => {
    event.preventDefault();
    state.value = { kind: "making" };
    try {
      const file = await api.report(ranks, [...steps.value].sort((a, b) => a - b), [...findings.value]);
      const name = `npuscope-${(profile.name ?? "profile").replace(/[^\w.-]+/g, "_")}.html`;
      download(name, "text/html", file);
      state.value = { kind: "made", name, size: file.byteLength };
    } catch (error) {
      state.value = { kind: "failed", error };
    }
  };
  return (
    <form onSubmit={make}>
      <Card title={t("ranks")}>
        <label class="field">
          <span>{t("ranks")}</span>
          <input
            type="text"
            value={ranksText.value}
            aria-invalid={ranks.length === 0}
            onInput={(event) => (ranksText.value = event.currentTarget.value)}
          />
        </label>
        <p class="hint">{ranks.length === 0 ? t("badRanks") : t("ranksHint")}</p>
      </Card>
      <Card
        title={t("steps")}
        tools={
          profile.steps.length > 1 && (
            <>
              <button type="button" class="quiet" onClick={() => (steps.value = new Set(profile.steps))}>
                {t("all")}
              </button>
              <button type="button" class="quiet" onClick={() => (steps.value = new Set())}>
                {t("none")}
              </button>
            </>
          )
        }
      >
        {profile.steps.length === 0 && <p class="hint">{t("noSteps")}</p>}
        <div class="choices">
          {profile.steps.map((step) => (
            <label class="check" key={step}>
              <input type="checkbox" checked={steps.value.has(step)} onChange={() => (steps.value = toggled(steps.value, step))} />
              {step}
            </label>
          ))}
        </div>
      </Card>
      <Card title={t("findings")}>
        {ids.length === 0 && <p class="hint">{t("noFindings")}</p>}
        <div class="choices lines">
          {ids.map((id) => (
            <label class="check" key={id}>
              <input type="checkbox" checked={findings.value.has(id)} onChange={() => (findings.value = toggled(findings.value, id))} />
              <span>
                {diagnosis.findings
                  .filter((finding) => finding.id === id)
                  .map((finding) => (
                    <span key={messageText(finding.claim)}>{capitalized(messageText(finding.claim))}</span>
                  ))}
              </span>
            </label>
          ))}
        </div>
      </Card>
      <div class="toolbar">
        <button
          type="submit"
          class="primary"
          disabled={ranks.length === 0 || (steps.value.size === 0 && profile.steps.length > 0) || state.value?.kind === "making"}
        >
          <Icon name="download" /> {state.value?.kind === "making" ? t("making") : t("download")}
        </button>
        <span role="status">
          {state.value?.kind === "made" && t("made", { name: state.value.name, size: bytes(state.value.size) })}
        </span>
      </div>
      {state.value?.kind === "failed" && (
        <p class="state failed" role="alert">
          {t("failed", { why: reason(state.value.error) })}
        </p>
      )}
      <p class="hint">
        {t("command")}
        <code>{command(path, ranks, [...steps.value])}</code>
      </p>
    </form>
  );
}

/** A text as one word of a shell. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** What does the same without a browser. */
function command(path: string, ranks: number[], steps: number[]): string {
  const list = (name: string, numbers: string) => (numbers === "" ? "" : ` --${name} ${numbers}`);
  return `npuscope report ${shellWord(path)} -o report.html${list("ranks", formatRanks(ranks))}${list("steps", steps.sort((a, b) => a - b).join(","))}`;
}
