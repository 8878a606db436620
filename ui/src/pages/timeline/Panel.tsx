// The panel below the lanes: details, statistics, search, marks, slices in view, gap and collective.

import { useSignal } from "@preact/signals";
import { link, scope } from "../../scope";
import { texts } from "../../texts";
import { type Board, TABS } from "./board";
import { Collective } from "./Collective";
import { Details } from "./Details";
import { Gap } from "./Gap";
import { Marks } from "./Marks";
import type { Search } from "./search";
import { SearchTab } from "./SearchTab";
import { SlicesInView } from "./SlicesInView";
import { Statistics } from "./Statistics";

const t = texts({
  en: {
    panel: "Panel",
    details: "Slice",
    statistics: "Statistics",
    search: "Search",
    marks: "Marks",
    slices: "Slices in view",
    gap: "Gap",
    collective: "Collective",
    close: "Close the panel (Q)",
    open: "Open the panel (Q)",
    height: "Panel height",
  },
  zh: {
    panel: "面板",
    details: "切片",
    statistics: "统计",
    search: "搜索",
    marks: "标记",
    slices: "可见切片",
    gap: "间隙",
    collective: "集合通信",
    close: "关闭面板（Q）",
    open: "打开面板（Q）",
    height: "面板高度",
  },
});

const LEAST = 90;
const FIRST = 260;

export function Panel({ board, search }: { board: Board; search: Search }) {
  const height = useSignal(FIRST);
  const { params } = scope.value;
  const chosen = TABS.find((tab) => tab === params.tab) ?? TABS[0];
  const isClosed = params.panel === "closed";
  const linkTo = (changes: Record<string, string>) => link({ params: { ...params, ...changes } });
  // An empty panel needs no room.
  const isIdle = chosen === "details" && board.chosen.value === null;
  const most = () => Math.max(LEAST, innerHeight * 0.7);
  const set = (value: number) => (height.value = Math.min(Math.max(value, LEAST), most()));
  const drag = (event: PointerEvent) => {
    const element = event.currentTarget as HTMLElement;
    const [from, before] = [event.clientY, height.value];
    element.setPointerCapture(event.pointerId);
    const move = (event: PointerEvent) => set(before + from - event.clientY);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", () => element.removeEventListener("pointermove", move), { once: true });
  };
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowUp: 24, ArrowDown: -24 }[event.key];
    if (by === undefined) return;
    set(height.value + by);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section class="panel" aria-label={t("panel")} style={isClosed || isIdle ? undefined : { height: `${height.value}px` }}>
      {!isClosed && !isIdle && (
        <div
          class="grip"
          role="separator"
          aria-orientation="horizontal"
          aria-label={t("height")}
          aria-valuenow={Math.round(height.value)}
          aria-valuemin={LEAST}
          tabIndex={0}
          onPointerDown={drag}
          onKeyDown={onKey}
        />
      )}
      <div class="panel-head">
        <nav aria-label={t("panel")}>
          {TABS.map((tab, at) => (
            <a
              key={tab}
              href={linkTo({ tab: at === 0 ? "" : tab, panel: "" })}
              aria-current={tab === chosen ? "page" : undefined}
            >
              {t(tab)}
            </a>
          ))}
        </nav>
        <a
          class="close"
          href={linkTo({ panel: isClosed ? "" : "closed" })}
          title={isClosed ? t("open") : t("close")}
          aria-label={isClosed ? t("open") : t("close")}
        >
          {isClosed ? "▴" : "▾"}
        </a>
      </div>
      {!isClosed && (
        <div class="panel-body" tabIndex={0} role="region" aria-label={t(chosen)}>
          {chosen === "details" && <Details board={board} />}
          {chosen === "statistics" && <Statistics board={board} />}
          {chosen === "search" && <SearchTab board={board} search={search} />}
          {chosen === "marks" && <Marks board={board} />}
          {chosen === "slices" && <SlicesInView board={board} />}
          {chosen === "gap" && <Gap board={board} />}
          {chosen === "collective" && <Collective board={board} />}
        </div>
      )}
    </section>
  );
}
