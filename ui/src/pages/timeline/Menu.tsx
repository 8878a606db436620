// The menu at the pointer: what can be done with a slice, or with the gap between slices.

import { useEffect, useRef } from "preact/hooks";
import { texts } from "../../texts";
import type { Board, Cursor } from "./board";
import type { Hover } from "./hit";
import { type Place, placeAt } from "./layout";
import { hide, pin, unmerge } from "./actions";
import { addMark } from "./marks";
import { align, explainGap, selectRange } from "./slices";

const t = texts({
  en: {
    menu: "Actions",
    fit: "Zoom to slice",
    range: "Select its time range on all lanes",
    mark: "Mark",
    markHere: "Mark this moment",
    alignStart: "Align ranks by its start",
    alignEnd: "Align ranks by its end",
    collective: "Show this collective on all ranks",
    gap: "Explain this gap",
    pin: "Pin the lane to the top",
    unpin: "Unpin the lane",
    hide: "Hide the lane",
    unmerge: "Split the merged lane",
    search: "Search for this name",
  },
  zh: {
    menu: "操作",
    fit: "缩放至切片",
    range: "在所有泳道选中其时间范围",
    mark: "标记",
    markHere: "标记此刻",
    alignStart: "按其起点对齐各 rank",
    alignEnd: "按其终点对齐各 rank",
    collective: "显示所有 rank 上的同一集合通信",
    gap: "解释此间隙",
    pin: "将泳道置顶",
    unpin: "取消置顶",
    hide: "隐藏泳道",
    unmerge: "拆分合并的泳道",
    search: "搜索该名称",
  },
});

interface Item {
  label: string;
  keys?: string;
  run: () => void;
}

/** Chooses what the menu is about, then does something with it when its details are there. */
function withSlice(board: Board, hover: Hover, run: () => void) {
  board.choose({ rank: hover.rank, slice: hover.slice });
  const stop = board.details.subscribe((details) => {
    if (details?.id !== hover.slice || details.rank !== hover.rank) return;
    queueMicrotask(() => {
      stop();
      run();
    });
  });
}

function itemsOf(board: Board, at: Cursor, hover: Hover | null): Item[] {
  const place: Place | null = placeAt(board.layout.value, at.y, board.scroll.value);
  const node = place?.node;
  const items: Item[] = [];
  if (hover) {
    const slice = (run: () => void) => () => withSlice(board, hover, run);
    items.push({ label: t("fit"), keys: "F", run: slice(() => board.fit()) });
    items.push({ label: t("range"), keys: "M", run: slice(() => selectRange(board)) });
    items.push({ label: t("mark"), keys: "K", run: slice(() => addMark(board)) });
    items.push({ label: t("search"), run: () => board.keep({}, {}, { q: hover.name, tab: "search", panel: "" }) });
    if (board.profile.ranks.length > 1) {
      items.push({ label: t("alignStart"), keys: "L", run: slice(() => void align(board, "start")) });
      items.push({ label: t("alignEnd"), keys: "R", run: slice(() => void align(board, "end")) });
      if (hover.lane.layer === "communication") {
        items.push({
          label: t("collective"),
          run: () => board.choose({ rank: hover.rank, slice: hover.slice }, { tab: "collective" }),
        });
      }
    }
  } else {
    if (node && node.lanes.length > 0) items.push({ label: t("gap"), keys: "E", run: () => explainGap(board, at.x, at.y) });
    items.push({
      label: t("markHere"),
      keys: "K",
      run: () => {
        board.choose(null);
        board.selectArea(null);
        board.details.value = null;
        board.cursor.value = at;
        addMark(board);
      },
    });
  }
  if (node && node.level > 1 && node.kind !== "note") {
    items.push({ label: node.isPinned ? t("unpin") : t("pin"), run: () => pin(board, node) });
    if (node.kind === "merged") items.push({ label: t("unmerge"), run: () => unmerge(board, node) });
    items.push({ label: t("hide"), run: () => hide(board, node) });
  }
  return items;
}

export function Menu({ board, at, hover, onClose }: { board: Board; at: Cursor; hover: Hover | null; onClose: () => void }) {
  const list = useRef<HTMLDivElement>(null);
  const items = itemsOf(board, at, hover);
  useEffect(() => {
    list.current?.querySelector("button")?.focus();
    const outside = (event: Event) => {
      if (!list.current?.contains(event.target as globalThis.Node)) onClose();
    };
    addEventListener("pointerdown", outside, true);
    return () => removeEventListener("pointerdown", outside, true);
  }, []);
  const onKey = (event: KeyboardEvent) => {
    const buttons = [...(list.current?.querySelectorAll("button") ?? [])];
    const now = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) buttons[(now + by + buttons.length) % buttons.length]?.focus();
    else if (event.key === "Escape" || event.key === "Tab") onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const { width, height } = board.size.value;
  const style = {
    left: `${Math.min(at.x, width - 270)}px`,
    top: `${Math.max(0, Math.min(at.y, height - items.length * 30 - 12))}px`,
  };
  return (
    <div class="menu" role="menu" aria-label={t("menu")} ref={list} style={style} onKeyDown={onKey}>
      {items.map((item) => (
        <button
          key={item.label}
          type="button"
          role="menuitem"
          onClick={() => {
            onClose();
            item.run();
          }}
        >
          <span>{item.label}</span>
          {item.keys && <kbd>{item.keys}</kbd>}
        </button>
      ))}
    </div>
  );
}
