// The frame around all pages: rail on the left, scope bar on top, the page below it.

import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { fetched, reason } from "../api/client";
import { isReport } from "../api/report";
import { Loaded } from "../components/Loaded";
import { type Page, scope } from "../scope";
import { texts } from "../texts";
import { Help } from "./Help";
import { onKeys } from "./keys";
import { Palette } from "./Palette";
import { LOADERS, pageName, shownPages } from "./pages";
import { Progress } from "./Progress";
import { Rail } from "./Rail";
import { openProfile, profile, profileError } from "./profile";
import { ScopeBar, SEARCH_ID } from "./ScopeBar";

const t = texts({
  en: {
    report: "Report of {profile}, made by npuscope",
    notOpened: "Could not open the profile: {why}",
    retry: "Try again",
    broken: "This page failed: {why}",
    skip: "Skip to content",
  },
  zh: {
    report: "{profile} 的报告，由 npuscope 生成",
    notOpened: "无法打开 profile：{why}",
    retry: "重试",
    broken: "页面出错：{why}",
    skip: "跳到正文",
  },
});

export function App() {
  const dialog = useSignal<"help" | "palette" | null>(null);
  useEffect(() => {
    openProfile();
    return onKeys({
      "?": () => (dialog.value = "help"),
      "ctrl+k": () => (dialog.value = "palette"),
      "/": () => document.getElementById(SEARCH_ID)?.focus(),
    });
  }, []);
  const page = shownPages.includes(scope.value.page) ? scope.value.page : "overview";
  const name = profile.value?.name ?? "";
  useEffect(() => {
    document.title = [pageName(page), name, "npuscope"].filter((part) => part !== "").join(" – ");
  });
  // The browser reports that a dialog was closed a little later, when another may be open already.
  const close = (closed: "help" | "palette") => () => {
    if (dialog.value === closed) dialog.value = null;
  };
  return (
    <div class="shell">
      <a class="skip" href="#content" onClick={focusContent}>
        {t("skip")}
      </a>
      <Rail page={page} />
      <div>
        <ScopeBar onHelp={() => (dialog.value = "help")} onPalette={() => (dialog.value = "palette")} />
        {isReport && <p class="note-bar">{t("report", { profile: name })}</p>}
      </div>
      <Progress />
      <main id="content" tabIndex={-1}>
        {profileError.value !== null ? (
          <div class="state failed" role="alert">
            <p>{t("notOpened", { why: reason(profileError.value) })}</p>
            <button type="button" onClick={openProfile}>
              {t("retry")}
            </button>
          </div>
        ) : (
          <Shown key={page} page={page} />
        )}
      </main>
      {dialog.value === "help" && <Help onClose={close("help")} />}
      {dialog.value === "palette" && <Palette onClose={close("palette")} />}
    </div>
  );
}

/** The address stays as it is: it says what is looked at. */
function focusContent(event: Event) {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

const loaded = new Map<Page, ComponentType>();

/** A page, fetched when it is first shown. One that fails does not take the others with it. */
function Shown({ page }: { page: Page }) {
  const [error, reset] = useErrorBoundary();
  if (error) {
    return (
      <div class="state failed" role="alert">
        <p>{t("broken", { why: reason(error) })}</p>
        <button type="button" onClick={reset}>
          {t("retry")}
        </button>
      </div>
    );
  }
  const Known = loaded.get(page);
  if (Known) return <Known />;
  const load = async () => {
    const component = await fetched(LOADERS[page]);
    loaded.set(page, component);
    return component;
  };
  return (
    <Loaded load={load} of={[page]} what={pageName(page)}>
      {(Component) => <Component />}
    </Loaded>
  );
}
