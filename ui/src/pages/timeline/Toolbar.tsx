// The controls above the lanes: zoom, go to, colours, arrows, hits of the search, merging, shifts.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api, reason } from "../../api/client";
import { Select } from "../../components/Select";
import { count } from "../../format";
import { Icon } from "../../shell/Icon";
import { bracketed, texts } from "../../texts";
import type { Board } from "./board";
import type { Colouring } from "./colours";
import { Legend } from "./Legend";
import { merge } from "./actions";
import { addMark } from "./marks";
import type { Search } from "./search";
import { fitted, placeOf } from "./view";

const t = texts({
  en: {
    tools: "Timeline tools",
    zoomIn: "Zoom in (W)",
    zoomOut: "Zoom out (S)",
    all: "Whole profile (0)",
    undo: "Previous view (Backspace)",
    goTo: "Go to a time or step (G): 12.5ms, step 3",
    goToHint: "time or step",
    colours: "Color by",
    category: "category",
    name: "name",
    duration: "duration",
    arrows: "Arrows",
    noArrows: "The profile has no arrows.",
    mark: "Mark (K)",
    merge: "Merge {count} {count:lane|lanes}",
    untick: "Deselect",
    hits: "{at} of {count} {count:hit|hits}",
    hitsUnseen: "{count} {count:hit|hits}",
    searching: "Searching …",
    noHits: "No hits",
    previous: "Previous hit (Shift N)",
    next: "Next hit (N)",
    clear: "Clear the search",
    resetShifts: "Reset {count} shifted {count:rank|ranks}",
  },
  zh: {
    tools: "时间线工具",
    zoomIn: "放大（W）",
    zoomOut: "缩小（S）",
    all: "整个 profile（0）",
    undo: "上一个范围（Backspace）",
    goTo: "转到某时间或 step（G）：12.5ms、step 3",
    goToHint: "时间或 step",
    colours: "着色依据",
    category: "类别",
    name: "名称",
    duration: "时长",
    arrows: "箭头",
    noArrows: "该 profile 没有箭头。",
    mark: "标记（K）",
    merge: "合并 {count} 条泳道",
    untick: "取消选择",
    hits: "第 {at} 个，共 {count} 个结果",
    hitsUnseen: "{count} 个结果",
    searching: "正在搜索……",
    noHits: "没有结果",
    previous: "上一个结果（Shift N）",
    next: "下一个结果（N）",
    clear: "清除搜索",
    resetShifts: "取消 {count} 个 rank 的平移",
  },
});

export const GO_TO_ID = "timeline-go-to";

export function Toolbar({ board, search }: { board: Board; search: Search }) {
  const { offsets } = board.kept.value;
  const ticked = board.ticked.value.size;
  return (
    <div class="timeline-tools" role="toolbar" aria-label={t("tools")}>
      <span class="group">
        <button type="button" title={t("zoomIn")} aria-label={t("zoomIn")} onClick={() => board.zoom(0.5, middle(board), true)}>
          +
        </button>
        <button type="button" title={t("zoomOut")} aria-label={t("zoomOut")} onClick={() => board.zoom(2, middle(board), true)}>
          −
        </button>
        <button type="button" title={t("all")} aria-label={t("all")} onClick={() => board.showAll()}>
          ⤢
        </button>
        <button type="button" title={t("undo")} aria-label={t("undo")} onClick={() => board.undo()}>
          ↶
        </button>
      </span>
      <GoTo board={board} />
      <Select<Colouring>
        label={t("colours")}
        value={board.kept.value.colours}
        options={(["category", "name", "duration"] as const).map((value) => ({ value, label: t(value) }))}
        onChange={(colours) => board.keep({ colours })}
      />
      <Arrows board={board} />
      <button type="button" onClick={() => addMark(board)}>
        {t("mark")}
      </button>
      {ticked > 0 && (
        <span class="group">
          <button type="button" disabled={ticked < 2} onClick={() => merge(board)}>
            {t("merge", { count: ticked })}
          </button>
          <button type="button" onClick={() => (board.ticked.value = new Set())}>
            {t("untick")}
          </button>
        </span>
      )}
      {offsets.size > 0 && (
        <button type="button" onClick={() => board.keep({ offsets: new Map() })}>
          {t("resetShifts", { count: offsets.size })}
        </button>
      )}
      <span class="space" />
      {board.kept.value.colours === "category" && search.text.value === "" && <Legend />}
      {search.text.value !== "" && <HitSteps board={board} search={search} />}
    </div>
  );
}

function middle(board: Board): number {
  const { begin, end } = board.view.value;
  return (begin + end) / 2;
}

function GoTo({ board }: { board: Board }) {
  const isBad = useSignal(false);
  const submit = (event: Event) => {
    event.preventDefault();
    const input = (event.currentTarget as HTMLFormElement).querySelector("input") as HTMLInputElement;
    const place = placeOf(input.value);
    const step = place && "step" in place ? board.steps.value.find((step) => step.step === place.step) : undefined;
    isBad.value = place === null || ("step" in place && !step);
    if (isBad.value || !place) return;
    if (step) board.show(fitted(step, board.whole.value));
    else if ("time" in place) {
      const length = board.view.value.end - board.view.value.begin;
      board.show({ begin: place.time - length / 2, end: place.time + length / 2 });
    }
    input.blur();
  };
  return (
    <form class="go-to" onSubmit={submit}>
      <input
        id={GO_TO_ID}
        type="text"
        size={11}
        placeholder={t("goToHint")}
        aria-label={t("goTo")}
        title={t("goTo")}
        aria-invalid={isBad.value}
        onInput={() => (isBad.value = false)}
      />
    </form>
  );
}

/** Which kinds of arrows are drawn for all slices in view. */
function Arrows({ board }: { board: Board }) {
  const kinds = useSignal<{ kind: string; count: number }[] | null>(null);
  const chosen = board.kept.value.arrows;
  const box = useRef<HTMLDetailsElement>(null);
  const open = () => {
    const rank = board.shown.value[0];
    if (!box.current?.open || rank === undefined) return;
    api.flows(rank, board.whole.value, null, 1).then(
      (found) => (kinds.value = found.kinds),
      () => (kinds.value = []),
    );
  };
  useEffect(() => {
    const outside = (event: Event) => {
      if (box.current && !box.current.contains(event.target as globalThis.Node)) box.current.open = false;
    };
    addEventListener("pointerdown", outside);
    return () => removeEventListener("pointerdown", outside);
  }, []);
  return (
    <details class="dropdown" ref={box} onToggle={open}>
      <summary>
        {t("arrows")}
        {chosen.length > 0 && bracketed(String(chosen.length))}
      </summary>
      <div class="menu">
        {kinds.value?.map(({ kind, count: flows }) => (
          <label key={kind}>
            <input
              type="checkbox"
              checked={chosen.includes(kind)}
              onChange={(event) =>
                board.keep({ arrows: event.currentTarget.checked ? [...chosen, kind] : chosen.filter((other) => other !== kind) })
              }
            />
            <span>{kind}</span>
            <span class="hint">{count(flows)}</span>
          </label>
        ))}
        {kinds.value?.length === 0 && <p class="hint">{t("noArrows")}</p>}
      </div>
    </details>
  );
}

function HitSteps({ board, search }: { board: Board; search: Search }) {
  const found = search.found.value;
  const at = search.at.value;
  return (
    <span class="group hits-steps">
      <span role="status">
        {!found
          ? search.isBusy.value
            ? t("searching")
            : search.error.value === null
              ? ""
              : reason(search.error.value)
          : found.count === 0
            ? t("noHits")
            : at < 0
              ? t("hitsUnseen", { count: count(found.count) })
              : t("hits", { at: count(at + 1), count: count(found.count) })}
      </span>
      <button
        type="button"
        title={t("previous")}
        aria-label={t("previous")}
        disabled={!found?.count}
        onClick={() => search.step(-1)}
      >
        ↑
      </button>
      <button type="button" title={t("next")} aria-label={t("next")} disabled={!found?.count} onClick={() => search.step(1)}>
        ↓
      </button>
      <button type="button" title={t("clear")} aria-label={t("clear")} onClick={() => board.keep({}, {}, { q: "" })}>
        <Icon name="close" size={12} />
      </button>
    </span>
  );
}
