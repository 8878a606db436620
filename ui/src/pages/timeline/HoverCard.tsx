// What is under the pointer, in a few words.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, type Slice } from "../../api/client";
import { count, duration } from "../../format";
import { texts } from "../../texts";
import type { Board } from "./board";

const t = texts({
  en: { several: "{count} {count:slice|slices}; the longest is", self: "self time", rank: "rank {rank}" },
  zh: { several: "{count} 个切片，其中最长的是", self: "自身时间", rank: "rank {rank}" },
});

/** A slice is asked about when the pointer has rested on it so long. */
const REST_MS = 90;

export function HoverCard({ board }: { board: Board }) {
  const hover = board.hover.value;
  const cursor = board.cursor.value;
  const slice = useSignal<(Slice & { rank: number }) | null>(null);
  const key = hover ? `${hover.rank}/${hover.slice}` : "";
  useEffect(() => {
    slice.value = null;
    if (!hover) return;
    const { rank, slice: id } = hover;
    const timer = setTimeout(() => {
      api.slice(rank, id).then(
        (found) => {
          const now = board.hover.peek();
          if (now?.rank === rank && now.slice === id) slice.value = { ...found, rank };
        },
        () => {},
      );
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [key]);
  if (!hover || !cursor || board.drag.value) return null;
  const { width, height } = board.size.value;
  const style = {
    ...(cursor.x > width - 340 ? { right: `${width - cursor.x + 14}px` } : { left: `${cursor.x + 14}px` }),
    ...(cursor.y > height - 110 ? { bottom: `${height - cursor.y + 14}px` } : { top: `${cursor.y + 16}px` }),
  };
  const found = slice.value;
  return (
    <div class="hover-card" style={style} aria-hidden="true">
      {hover.slices > 1 && <p class="hint">{t("several", { count: count(hover.slices) })}</p>}
      <p class="name">{hover.name}</p>
      <p>
        {found ? (
          <strong>{duration(found.end - found.begin)}</strong>
        ) : (
          <strong>{hover.slices > 1 ? "…" : duration(board.timeAt(hover.right) - board.timeAt(hover.left))}</strong>
        )}
        {found && found.self_ns !== found.end - found.begin && (
          <span>
            {" "}
            · {t("self")} {duration(found.self_ns)}
          </span>
        )}
      </p>
      <p class="hint">
        {board.shown.value.length > 1 && `${t("rank", { rank: hover.rank })} · `}
        {hover.lane.name}
      </p>
    </div>
  );
}
