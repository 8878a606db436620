// Something that is fetched: while it comes, when it is there, when it failed, when the profile does not have it.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError, reason } from "../api/client";
import { messageText, texts } from "../texts";

const t = texts({
  en: {
    loading: "Loading {what} …",
    failed: "Could not load {what}: {why}",
    retry: "Try again",
    fix: "To collect it: ",
    notIncluded: "Not included in this report. To see it, run: npuscope view DIR",
  },
  zh: {
    loading: "正在加载{what}……",
    failed: "无法加载{what}：{why}",
    retry: "重试",
    fix: "采集方法：",
    notIncluded: "此报告不包含该内容。如需查看，请运行：npuscope view DIR",
  },
});

type State<T> = { value: T } | { error: unknown } | null;

interface Props<T> {
  load: () => Promise<T>;
  /** Loaded anew when one of these changes. */
  of: unknown[];
  /** What is loaded, in the language of the page. */
  what: string;
  children: (value: T) => ComponentChildren;
}

/** Shows `children` of what `load` promises. What was there stays, faded, until the next is. */
export function Loaded<T>({ load, of, what, children }: Props<T>) {
  const state = useSignal<State<T>>(null);
  const isBusy = useSignal(true);
  const tries = useSignal(0);
  useEffect(() => {
    let isCurrent = true;
    const end = (next: State<T>) => {
      if (!isCurrent) return;
      state.value = next;
      isBusy.value = false;
    };
    isBusy.value = true;
    load().then(
      (value) => end({ value }),
      (error) => end({ error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [...of, tries.value]);
  const retry = () => {
    state.value = null;
    tries.value++;
  };

  if (state.value === null) return <Loading what={what} />;
  if ("error" in state.value) return <Failed error={state.value.error} what={what} onRetry={retry} />;
  return (
    <div class="loaded" aria-busy={isBusy.value}>
      {children(state.value.value)}
    </div>
  );
}

/** Says that something is on its way. */
export function Loading({ what }: { what: string }) {
  return (
    <p class="state" role="status">
      <span class="spinner" aria-hidden="true" />
      {t("loading", { what })}
    </p>
  );
}

function Failed({ error, what, onRetry }: { error: unknown; what: string; onRetry: () => void }) {
  if (error instanceof ApiError && error.missing) {
    return (
      <div class="state missing" role="note">
        <p>
          <strong>{messageText(error.missing.what)}</strong>
        </p>
        <p>
          {t("fix")}
          <code>{messageText(error.missing.switch)}</code>
        </p>
      </div>
    );
  }
  if (error instanceof ApiError && error.isNotIncluded) {
    return (
      <p class="state missing" role="note">
        {t("notIncluded")}
      </p>
    );
  }
  return (
    <div class="state failed" role="alert">
      <p>{t("failed", { what, why: reason(error) })}</p>
      <button type="button" onClick={onRetry}>
        {t("retry")}
      </button>
    </div>
  );
}
