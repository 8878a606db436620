// What is looked at, for all pages: profile, ranks, step, time. And what is the same everywhere: search, language, theme, help.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isReport } from "../api/report";
import type { Window } from "../api/types.generated";
import { duration, time } from "../format";
import { formatRanks, go, link, scope } from "../scope";
import { colon, language, setLanguage, texts } from "../texts";
import { Icon } from "./Icon";
import { readRanks } from "./ranks";
import { profile } from "./profile";
import { THEMES, theme, setTheme } from "./theme";

export const SEARCH_ID = "search";

const t = texts({
  en: {
    scope: "Scope",
    profile: "Profile",
    ranks: "Ranks",
    allRanks: "all {count}",
    ranksHint: "Ranks, for example 0-7,12; slow 4 for the four slowest; empty for all",
    badRanks: "No such ranks: {text}; the profile has {ranks}",
    window: "Window",
    allWindows: "all {count}",
    ofSteps: "steps {first} to {last}",
    ofStep: "step {first}",
    step: "Step",
    allSteps: "all",
    time: "Time",
    allTime: "whole profile",
    clearTime: "Show the whole profile",
    search: "Search slices",
    searchHint: "Search  /",
    language: "中文",
    theme: "Theme",
    auto: "Auto",
    light: "Light",
    dark: "Dark",
    help: "Help",
    palette: "Go to …",
  },
  zh: {
    scope: "范围",
    profile: "profile",
    ranks: "rank",
    allRanks: "全部 {count} 个",
    ranksHint: "rank，例如 0-7,12；slow 4 表示最慢的四个；留空表示全部",
    badRanks: "没有这些 rank：{text}；该 profile 有 {ranks}",
    window: "窗口",
    allWindows: "全部 {count} 个",
    ofSteps: "step {first} 到 {last}",
    ofStep: "step {first}",
    step: "step",
    allSteps: "全部",
    time: "时间",
    allTime: "整个 profile",
    clearTime: "显示整个 profile",
    search: "搜索切片",
    searchHint: "搜索  /",
    language: "English",
    theme: "主题",
    auto: "自动",
    light: "浅色",
    dark: "深色",
    help: "帮助",
    palette: "转到……",
  },
});

export function ScopeBar({ onHelp, onPalette }: { onHelp: () => void; onPalette: () => void }) {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "auto";
  return (
    <header class="scope-bar" aria-label={t("scope")}>
      <a class="profile" href={link({ page: "health" })} title={profile.value?.name ?? undefined}>
        {profile.value?.name ?? t("profile")}
      </a>
      {!isReport && <Ranks />}
      {!isReport && <Windows />}
      <Step />
      {!isReport && <Time />}
      <span class="space" />
      <Search />
      <button type="button" onClick={onPalette} title={t("palette")}>
        <kbd>Ctrl K</kbd>
        <span class="sr-only">{t("palette")}</span>
      </button>
      <button
        type="button"
        class="quiet"
        lang={language.value === "en" ? "zh-CN" : "en"}
        onClick={() => setLanguage(language.value === "en" ? "zh" : "en")}
      >
        <Icon name="language" /> {t("language")}
      </button>
      <button type="button" class="quiet" onClick={() => setTheme(next)} title={t("theme")}>
        <Icon name="theme" /> <span class="sr-only">{t("theme")}
        {colon()}</span>
        {t(theme.value)}
      </button>
      <button type="button" class="quiet" onClick={onHelp} title={`${t("help")}  ?`} aria-label={t("help")}>
        <Icon name="help" />
      </button>
    </header>
  );
}

function Ranks() {
  const now = formatRanks(scope.value.ranks);
  const text = useSignal(now);
  const bad = useSignal<string | null>(null);
  useEffect(() => {
    text.value = now;
    bad.value = null;
  }, [now]);
  const there = formatRanks(profile.value?.ranks.map(({ rank }) => rank) ?? []);
  const apply = async () => {
    const wanted = text.value.trim();
    if (wanted === now) {
      bad.value = null;
      return;
    }
    const ranks = wanted === "" ? null : await readRanks(wanted, profile.value);
    // Another wish may have come meanwhile.
    if (text.value.trim() !== wanted) return;
    bad.value = wanted !== "" && ranks === null ? wanted : null;
    if (bad.value === null) go({ ranks });
  };
  return (
    <label class="field ranks">
      <span>{t("ranks")}</span>
      <input
        type="text"
        list="rank-choices"
        value={text.value}
        placeholder={t("allRanks", { count: profile.value?.ranks.length ?? "" })}
        title={t("ranksHint")}
        aria-invalid={bad.value !== null}
        onInput={(event) => (text.value = event.currentTarget.value)}
        onChange={apply}
      />
      <datalist id="rank-choices">
        <option value="slow 1" />
        <option value="slow 4" />
        <option value="slow 8" />
        <option value="0-7" />
      </datalist>
      {bad.value !== null && <span role="alert">{t("badRanks", { text: bad.value, ranks: there })}</span>}
    </label>
  );
}

/** What was recorded without interruption, if there are several: each is a stretch of time. */
function Windows() {
  const windows = (profile.value?.windows ?? []).filter(({ span }) => span !== null);
  if (windows.length < 2) return null;
  const { view } = scope.value;
  const shown = windows.find(({ span }) => view !== null && span?.[0] === view.begin && span[1] === view.end);
  const choose = (number: string) => {
    const span = windows.find(({ window }) => String(window) === number)?.span;
    go({ step: null, view: span ? { begin: span[0], end: span[1] } : null });
  };
  return (
    <label class="select window">
      <span>{t("window")}</span>
      <select value={shown?.window ?? ""} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="">{t("allWindows", { count: windows.length })}</option>
        {windows.map((window) => (
          <option key={window.window} value={window.window}>
            {nameOf(window)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Number, stage and steps of a window. */
function nameOf({ window, stage, steps }: Window): string {
  const [first, last] = steps ?? [];
  const of = first === undefined ? null : t(first === last ? "ofStep" : "ofSteps", { first, last: last ?? first });
  return [String(window), stage, of].filter((part) => part !== null).join(" · ");
}

function Step() {
  const steps = profile.value?.steps ?? [];
  return (
    <label class="select">
      <span>{t("step")}</span>
      <select
        value={scope.value.step ?? ""}
        onChange={({ currentTarget }) => go({ step: currentTarget.value === "" ? null : Number(currentTarget.value) })}
      >
        <option value="">{t("allSteps")}</option>
        {steps.map((step) => (
          <option key={step} value={step}>
            {step}
          </option>
        ))}
      </select>
    </label>
  );
}

function Time() {
  const { view } = scope.value;
  return (
    <span class="range">
      <span class="label">{t("time")}</span>
      {view ? (
        <>
          <span title={`${time(view.begin)} – ${time(view.end)}`}>
            {time(view.begin)} + {duration(view.end - view.begin)}
          </span>
          <button type="button" class="tiny" onClick={() => go({ view: null })} aria-label={t("clearTime")} title={t("clearTime")}>
            <Icon name="close" size={12} />
          </button>
        </>
      ) : (
        <span>{t("allTime")}</span>
      )}
    </span>
  );
}

function Search() {
  const now = scope.value.page === "timeline" ? (scope.value.params.q ?? "") : "";
  const text = useSignal(now);
  useEffect(() => {
    text.value = now;
  }, [now]);
  const search = (event: Event) => {
    event.preventDefault();
    const params = scope.value.page === "timeline" ? scope.value.params : {};
    go({ page: "timeline", params: { ...params, q: text.value.trim() } });
    // N goes to the next hit, and is not typed.
    document.getElementById("content")?.focus();
  };
  return (
    <form class="search" role="search" onSubmit={search}>
      <Icon name="search" size={14} />
      <input
        id={SEARCH_ID}
        type="search"
        aria-label={t("search")}
        placeholder={t("searchHint")}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
    </form>
  );
}
