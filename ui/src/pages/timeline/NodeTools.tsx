// The small buttons of a node of the tree: tick, pin, hide, split, offset.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { parseQuantity } from "../../format";
import { texts } from "../../texts";
import type { Board } from "./board";
import type { Node } from "./lanes";
import { hide, pin, tick, unmerge } from "./actions";

const t = texts({
  en: {
    tick: "Select {name} for merging",
    pin: "Pin to the top (P)",
    unpin: "Unpin (P)",
    hide: "Hide (H)",
    unmerge: "Split into its lanes",
    offset: "Shift this rank in time",
    ns: "Shift earlier by (in ns, or with a unit: 1.5ms)",
    reset: "Remove the shift",
    apply: "Shift",
  },
  zh: {
    tick: "选中 {name} 以合并",
    pin: "置顶（P）",
    unpin: "取消置顶（P）",
    hide: "隐藏（H）",
    unmerge: "拆分为各泳道",
    offset: "平移该 rank 的时间",
    ns: "提前的时间（单位 ns，或带单位，如 1.5ms）",
    reset: "取消平移",
    apply: "平移",
  },
});

const ICONS = {
  pin: "M6 2h4l-.5 5 2.5 2.5H4L6.5 7zM8 9.5v4.5",
  hide: "M2 8s2.3-4 6-4 6 4 6 4-2.3 4-6 4-6-4-6-4zM3 13 13 3",
  split: "M8 2v4M8 6 4 10v4M8 6l4 4v4",
  shift: "M2 8h12M5 5 2 8l3 3M11 5l3 3-3 3",
};

function Glyph({ path }: { path: string }) {
  return (
    <svg class="icon" width="13" height="13" viewBox="0 0 16 16" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

export function NodeTools({ board, node }: { board: Board; node: Node }) {
  const isShifting = useSignal(false);
  if (isShifting.value) return <Shift board={board} rank={node.rank} onClose={() => (isShifting.value = false)} />;
  return (
    <>
      {node.kind === "rank" && (
        <button
          type="button"
          tabIndex={-1}
          title={t("offset")}
          aria-label={t("offset")}
          onClick={() => (isShifting.value = true)}
        >
          <Glyph path={ICONS.shift} />
        </button>
      )}
      {node.kind === "lane" && (
        <input
          type="checkbox"
          tabIndex={-1}
          checked={board.ticked.value.has(node.key)}
          title={t("tick", { name: node.name })}
          aria-label={t("tick", { name: node.name })}
          onChange={() => tick(board, node)}
        />
      )}
      {node.kind === "merged" && (
        <button type="button" tabIndex={-1} title={t("unmerge")} aria-label={t("unmerge")} onClick={() => unmerge(board, node)}>
          <Glyph path={ICONS.split} />
        </button>
      )}
      {node.level > 1 && (
        <button
          type="button"
          tabIndex={-1}
          aria-pressed={node.isPinned}
          title={node.isPinned ? t("unpin") : t("pin")}
          aria-label={node.isPinned ? t("unpin") : t("pin")}
          onClick={() => pin(board, node)}
        >
          <Glyph path={ICONS.pin} />
        </button>
      )}
      <button type="button" tabIndex={-1} title={t("hide")} aria-label={t("hide")} onClick={() => hide(board, node)}>
        <Glyph path={ICONS.hide} />
      </button>
    </>
  );
}

/** Takes how far a rank is shown earlier. */
function Shift({ board, rank, onClose }: { board: Board; rank: number; onClose: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const set = (ns: number) => {
    const offsets = new Map(board.kept.value.offsets);
    offsets.set(rank, Math.round(ns));
    board.keep({ offsets });
    onClose();
  };
  return (
    <form
      class="shift"
      onSubmit={(event) => {
        event.preventDefault();
        const ns = parseQuantity(input.current?.value ?? "");
        if (ns !== null) set(ns);
      }}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <input ref={input} type="text" size={9} aria-label={t("ns")} title={t("ns")} defaultValue={String(board.offset(rank))} />
      <button type="submit" title={t("apply")} aria-label={t("apply")}>
        ✓
      </button>
      <button type="button" title={t("reset")} aria-label={t("reset")} onClick={() => set(0)}>
        0
      </button>
    </form>
  );
}
