// The lane tree as a treegrid: arrow keys go from node to node, open and close them. Only nodes in sight are in the document.

import { useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { duration } from "../../format";
import { go, scope } from "../../scope";
import { texts } from "../../texts";
import type { Board } from "./board";
import { valueText } from "./counters";
import type { Node } from "./lanes";
import { between, type Place, RULER_HEIGHT } from "./layout";
import { hide, pin, tick, toggle } from "./actions";
import { NodeTools } from "./NodeTools";

const t = texts({
  en: {
    lanes: "Lanes",
    rank: "Rank {rank}",
    query: "Query",
    counters: "Counters",
    more: "{count} more {count:rank|ranks} …",
    filter: "Filter lanes",
    hidden: "{count} hidden: show all",
    offset: "shown {offset} earlier",
    reading: "Reading …",
    retry: "Try again",
    empty: "No lanes",
  },
  zh: {
    lanes: "泳道",
    rank: "rank {rank}",
    query: "查询",
    counters: "计数器",
    more: "另有 {count} 个 rank……",
    filter: "筛选泳道",
    hidden: "已隐藏 {count} 项：全部显示",
    offset: "提前显示 {offset}",
    reading: "正在读取……",
    retry: "重试",
    empty: "没有泳道",
  },
});

/** Nodes drawn beyond those in sight, in pixels. */
const MARGIN = 200;

export function nameOf(node: Node): string {
  if (node.kind === "rank") return t("rank", { rank: node.rank });
  if (node.kind === "query") return t("query");
  if (node.kind === "process" && node.name === "") return t("counters");
  return node.name;
}

export function Tree({ board }: { board: Board }) {
  const grid = useRef<HTMLDivElement>(null);
  const active = useSignal<string | null>(null);
  const layout = board.layout.value;
  const { hidden } = board.tree.value;
  const room = board.size.value.height - RULER_HEIGHT - layout.pinnedHeight;
  const inSight = between(layout.places, board.scroll.value - MARGIN, board.scroll.value + room + MARGIN);
  const all = [...layout.pinned, ...layout.places];
  const activeKey = active.value !== null && layout.byKey.has(active.value) ? active.value : (all[0]?.node.key ?? null);

  const focus = (place: Place | undefined) => {
    if (!place) return;
    active.value = place.node.key;
    if (!place.node.isPinned) {
      const { scroll } = board;
      if (place.top < scroll.value) board.scrollTo(place.top);
      else if (place.top + place.height > scroll.value + room) board.scrollTo(place.top + place.height - room);
    }
    setTimeout(
      () =>
        grid.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(place.node.key)}"]`)?.focus({ preventScroll: true }),
      30,
    );
  };
  const onKey = (event: KeyboardEvent) => {
    const at = all.findIndex(({ node }) => node.key === activeKey);
    const node = all[at]?.node;
    if (!node || event.ctrlKey || event.metaKey || event.altKey || (event.target as Element).closest("input, button")) return;
    switch (event.key) {
      case "ArrowDown":
        focus(all[at + 1]);
        break;
      case "ArrowUp":
        focus(all[at - 1]);
        break;
      case "Home":
        focus(all[0]);
        break;
      case "End":
        focus(all.at(-1));
        break;
      case "ArrowRight":
        if (node.isExpandable && !node.isExpanded) toggle(board, node);
        else if (node.isExpandable) focus(all[at + 1]);
        break;
      case "ArrowLeft":
        if (node.isExpandable && node.isExpanded) toggle(board, node);
        else focus(all.slice(0, at).findLast((other) => other.node.level < node.level && !other.node.isPinned));
        break;
      case "Enter":
        activate(board, node);
        break;
      case " ":
        if (node.kind === "lane") tick(board, node);
        break;
      case "p":
        if (node.level > 1) pin(board, node);
        break;
      case "h":
        hide(board, node);
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const row = (place: Place) => (
    <TreeRow
      key={place.node.key}
      board={board}
      place={place}
      isActive={place.node.key === activeKey}
      onActive={() => (active.value = place.node.key)}
    />
  );
  return (
    <div class="tree">
      <div class="tree-head">
        <div class="tree-filter" style={{ height: `${RULER_HEIGHT}px` }}>
          <input
            type="search"
            aria-label={t("filter")}
            placeholder={t("filter")}
            value={board.kept.value.filter}
            onInput={(event) => board.keep({ filter: event.currentTarget.value })}
          />
          {hidden > 0 && (
            <button type="button" class="tiny" onClick={() => board.keep({ hidden: [] })}>
              {t("hidden", { count: hidden })}
            </button>
          )}
        </div>
      </div>
      <div role="treegrid" aria-label={t("lanes")} aria-rowcount={all.length} ref={grid} onKeyDown={onKey}>
        <div role="rowgroup" class="pinned" style={{ height: `${layout.pinnedHeight}px` }}>
          {layout.pinned.map(row)}
        </div>
        <div role="rowgroup" class="nodes" style={{ height: `${layout.height}px` }}>
          {inSight.map(row)}
        </div>
      </div>
    </div>
  );
}

function activate(board: Board, node: Node) {
  if (node.kind === "more")
    go({ ranks: board.profile.ranks.map((rank) => rank.rank), rank: scope.value.rank ?? board.shown.value[0] ?? null });
  else if (node.kind === "note") board.retry(node.rank);
  else if (node.isExpandable) toggle(board, node);
}

function TreeRow({ board, place, isActive, onActive }: { board: Board; place: Place; isActive: boolean; onActive: () => void }) {
  const { node } = place;
  const offset = node.kind === "rank" ? board.offset(node.rank) : 0;
  return (
    <div
      role="row"
      class={`node ${node.kind}${node.isPinned ? " is-pinned" : ""}`}
      data-key={node.key}
      tabIndex={isActive ? 0 : -1}
      aria-level={node.level}
      aria-posinset={node.position}
      aria-setsize={node.siblings}
      aria-expanded={node.isExpandable ? node.isExpanded : undefined}
      aria-selected={board.ticked.value.has(node.key)}
      style={{
        top: `${place.top}px`,
        height: `${place.height}px`,
        paddingLeft: `${6 + (node.isPinned ? 0 : (node.level - 1) * 12)}px`,
      }}
      onFocus={onActive}
      onClick={(event) => {
        if (!(event.target as Element).closest("button, input")) activate(board, node);
      }}
    >
      <div role="gridcell" class="title" title={[node.detail, nameOf(node)].filter((part) => part !== "").join(" · ")}>
        <span class="twist" aria-hidden="true">
          {node.isExpandable ? (node.isExpanded ? "▾" : "▸") : ""}
        </span>
        <Title board={board} node={node} />
        {offset !== 0 && (
          <span class="chip" title={t("offset", { offset: duration(offset) })}>
            {offset > 0 ? "−" : "+"}
            {duration(Math.abs(offset))}
          </span>
        )}
      </div>
      {node.kind !== "note" && node.kind !== "more" && (
        <div role="gridcell" class="tools">
          <NodeTools board={board} node={node} />
        </div>
      )}
    </div>
  );
}

function Title({ board, node }: { board: Board; node: Node }) {
  if (node.kind === "more") return <span class="name">{t("more", { count: node.name })}</span>;
  if (node.kind === "note") {
    const { state } = board.rank(node.rank);
    return <span class="hint">{state === "failed" ? t("retry") : state === "ready" ? t("empty") : t("reading")}</span>;
  }
  const counter = node.kind === "counter" ? node.counters[0] : undefined;
  const rank = board.shown.value.length > 1 ? t("rank", { rank: node.rank }) : "";
  const detail = node.isPinned
    ? [rank, node.detail].filter((part) => part !== "").join(" · ")
    : node.kind === "process"
      ? node.detail
      : "";
  return (
    <>
      <span class="name">{node.short || nameOf(node)}</span>
      {counter && <span class="hint">{valueText(counter.max, counter.unit)}</span>}
      {detail !== "" && <span class="hint">{detail}</span>}
    </>
  );
}
