// The command palette: type where to go.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { go } from "../scope";
import { texts } from "../texts";
import { Dialog } from "./Dialog";
import { pageName, shownPages } from "./pages";
import { profile } from "./profile";
import { THEMES, setTheme } from "./theme";

const t = texts({
  en: {
    title: "Go to",
    hint: "page, rank, step …",
    rank: "Rank {rank} on the timeline",
    step: "Step {step}",
    allSteps: "All steps",
    allRanks: "All ranks",
    allTime: "Whole profile",
    search: "Search for “{text}”",
    auto: "Theme: auto",
    light: "Theme: light",
    dark: "Theme: dark",
  },
  zh: {
    title: "转到",
    hint: "页面、rank、step……",
    rank: "时间线上的 rank {rank}",
    step: "step {step}",
    allSteps: "所有 step",
    allRanks: "所有 rank",
    allTime: "整个 profile",
    search: "搜索“{text}”",
    auto: "主题：自动",
    light: "主题：浅色",
    dark: "主题：深色",
  },
});

/** Entries shown at a time. */
const SHOWN = 12;

interface Entry {
  label: string;
  /** What it is found by, besides the label. */
  words: string;
  run: () => void;
}

function entries(): Entry[] {
  const found = profile.value;
  return [
    ...shownPages.map((page) => ({ label: pageName(page), words: `page ${page}`, run: () => go({ page }) })),
    { label: t("allRanks"), words: "ranks all", run: () => go({ ranks: null }) },
    { label: t("allSteps"), words: "steps all", run: () => go({ step: null }) },
    { label: t("allTime"), words: "time all reset", run: () => go({ view: null }) },
    ...THEMES.map((theme) => ({ label: t(theme), words: `theme ${theme}`, run: () => setTheme(theme) })),
    ...(found?.steps ?? []).map((step) => ({ label: t("step", { step }), words: `step ${step}`, run: () => go({ step }) })),
    ...(found?.ranks ?? []).map(({ rank, name }) => ({
      label: t("rank", { rank }),
      words: `rank ${rank} ${name}`,
      run: () => go({ page: "timeline", rank, view: null }),
    })),
  ];
}

export function Palette({ onClose }: { onClose: () => void }) {
  const text = useSignal("");
  const at = useSignal(0);
  const list = useRef<HTMLUListElement>(null);
  const words = text.value.toLowerCase().split(/\s+/);
  const found = entries()
    .filter((entry) => words.every((word) => `${entry.label} ${entry.words}`.toLowerCase().includes(word)))
    .slice(0, SHOWN);
  const wanted = text.value.trim();
  if (wanted !== "") {
    found.push({
      label: t("search", { text: wanted }),
      words: "",
      run: () => go({ page: "timeline", params: { q: wanted } }),
    });
  }
  const chosen = Math.min(at.value, found.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const take = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") at.value = Math.min(found.length - 1, chosen + 1);
    else if (event.key === "ArrowUp") at.value = Math.max(0, chosen - 1);
    else if (event.key === "Enter") take(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label={t("title")} onClose={onClose}>
      <input
        class="palette"
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${chosen}`}
        aria-label={t("title")}
        placeholder={t("hint")}
        autoFocus
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={onKey}
      />
      <ul class="palette-list" id="palette-list" role="listbox" aria-label={t("title")} ref={list}>
        {found.map((entry, index) => (
          <li
            key={entry.label}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => take(entry)}
            onPointerMove={() => (at.value = index)}
          >
            {entry.label}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
