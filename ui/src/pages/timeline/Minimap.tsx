// The whole profile in a strip, with the view as a brush that can be dragged.

import { effect, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api } from "../../api/client";
import { duration, time } from "../../format";
import { isDark } from "../../shell/theme";
import { texts } from "../../texts";
import type { Board } from "./board";
import { themeOf } from "./colours";
import type { Search } from "./search";
import { stripPicture } from "./strips";
import { clamped, panned, zoomed } from "./view";

const t = texts({
  en: {
    label: "View within the profile",
    value: "{length} from {begin}",
    legend: "Whole profile: computing, overlapped and exposed communication",
  },
  zh: { label: "当前范围在整个 profile 中的位置", value: "从 {begin} 起 {length}", legend: "整个 profile：计算、已掩盖通信与未掩盖通信" },
});

const BUCKETS = 1024;
/** Ranks with a row of their own. */
const MOST_ROWS = 8;
const EDGE = 6;
const HEIGHT = 40;

type Grip = { part: "begin" | "end" | "middle"; x: number; begin: number; end: number };

export function Minimap({ board, search }: { board: Board; search: Search }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useSignal(0);
  const strips = useSignal<(Float32Array | null)[]>([]);
  const grip = useRef<Grip | null>(null);
  const ranks = board.shown.value.slice(0, MOST_ROWS);
  const whole = board.whole.value;

  useEffect(() => {
    let isCurrent = true;
    strips.value = ranks.map(() => null);
    ranks.forEach((rank, at) => {
      api.overview(rank, BUCKETS, whole).then(
        (shares) => {
          if (isCurrent) strips.value = strips.value.map((other, index) => (index === at ? shares : other));
        },
        () => {},
      );
    });
    return () => {
      isCurrent = false;
    };
  }, [ranks.join(), whole.begin, whole.end]);

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const watcher = new ResizeObserver(() => (width.value = element.clientWidth));
    watcher.observe(element);
    const stop = effect(() => draw(element, board, search, strips.value, width.value));
    return () => {
      stop();
      watcher.disconnect();
    };
  }, [board, search]);

  const timeAt = (x: number) => whole.begin + (x / Math.max(width.value, 1)) * (whole.end - whole.begin);
  const pixel = (time: number) => ((time - whole.begin) / (whole.end - whole.begin)) * width.value;
  const down = (event: PointerEvent) => {
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    const x = event.offsetX;
    const { begin, end } = board.view.value;
    const [left, right] = [pixel(begin), pixel(end)];
    const part = Math.abs(x - left) <= EDGE ? "begin" : Math.abs(x - right) <= EDGE ? "end" : "middle";
    board.show(board.view.value);
    if (part === "middle" && (x < left || x > right)) {
      const length = end - begin;
      board.show(clamped({ begin: timeAt(x) - length / 2, end: timeAt(x) + length / 2 }, whole), false);
    }
    grip.current = { part, x, ...board.view.value };
  };
  const move = (event: PointerEvent) => {
    const held = grip.current;
    if (!held) return;
    const by = timeAt(event.offsetX) - timeAt(held.x);
    const least = (whole.end - whole.begin) / 1e6;
    if (held.part === "begin") board.show({ begin: Math.min(held.begin + by, held.end - least), end: held.end }, false);
    else if (held.part === "end") board.show({ begin: held.begin, end: Math.max(held.end + by, held.begin + least) }, false);
    else board.show({ begin: held.begin + by, end: held.end + by }, false);
  };
  const onKey = (event: KeyboardEvent) => {
    const view = board.view.value;
    const middle = (view.begin + view.end) / 2;
    const next = {
      ArrowLeft: () => panned(view, -0.5, whole),
      ArrowRight: () => panned(view, 0.5, whole),
      ArrowUp: () => zoomed(view, 0.5, middle, whole),
      ArrowDown: () => zoomed(view, 2, middle, whole),
      Home: () => panned(view, -1e9, whole),
      End: () => panned(view, 1e9, whole),
    }[event.key];
    if (!next) return;
    event.preventDefault();
    board.show(next(), false);
  };
  const { begin, end } = board.view.value;
  return (
    <div class="minimap">
      <div class="minimap-label hint" title={t("legend")}>
        <strong>{duration(end - begin)}</strong> / {duration(whole.end - whole.begin)}
      </div>
      <canvas
        ref={canvas}
        height={HEIGHT}
        role="slider"
        tabIndex={0}
        aria-label={t("label")}
        aria-valuemin={Math.round(whole.begin)}
        aria-valuemax={Math.round(whole.end)}
        aria-valuenow={Math.round(begin)}
        aria-valuetext={t("value", { begin: time(begin), length: duration(end - begin) })}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={() => (grip.current = null)}
        onDblClick={() => board.showAll()}
        onKeyDown={onKey}
      />
    </div>
  );
}

function draw(element: HTMLCanvasElement, board: Board, search: Search, strips: (Float32Array | null)[], width: number) {
  isDark.value;
  const view = board.view.value;
  const whole = board.whole.value;
  const { marks, area } = board.kept.value;
  const hits = search.found.value?.hits ?? [];
  const scale = devicePixelRatio || 1;
  element.width = Math.round(width * scale);
  element.height = Math.round(HEIGHT * scale);
  const context = element.getContext("2d");
  if (!context || width === 0) return;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  const theme = themeOf(element.parentElement ?? element);
  const pixel = (time: number) => ((time - whole.begin) / (whole.end - whole.begin)) * width;
  context.fillStyle = theme.raised;
  context.fillRect(0, 0, width, HEIGHT);
  context.imageSmoothingEnabled = true;
  const room = HEIGHT - 10;
  strips.forEach((shares, at) => {
    const [top, tall] = [3 + (at * room) / strips.length, room / strips.length];
    if (shares) context.drawImage(stripPicture(shares, theme), 0, top, width, Math.max(tall - (strips.length > 1 ? 1 : 0), 1));
  });
  for (const mark of marks) {
    context.fillStyle = theme.marks[mark.colour % theme.marks.length] as string;
    context.fillRect(Math.round(pixel(mark.begin)) - 1, 0, 2, HEIGHT);
  }
  context.fillStyle = theme.category.exposed;
  for (const hit of hits) context.fillRect(Math.round(pixel(board.moved(hit, hit.rank).begin)), HEIGHT - 6, 1.5, 5);
  if (area) {
    context.fillStyle = theme.accent;
    context.fillRect(pixel(area.begin), HEIGHT - 2, Math.max(pixel(area.end) - pixel(area.begin), 2), 2);
  }
  const [left, right] = [pixel(view.begin), Math.max(pixel(view.end), pixel(view.begin) + 2)];
  context.fillStyle = theme.paper;
  context.globalAlpha = 0.62;
  context.fillRect(0, 0, left, HEIGHT);
  context.fillRect(right, 0, width - right, HEIGHT);
  context.globalAlpha = 1;
  context.strokeStyle = theme.accent;
  context.lineWidth = 1.5;
  context.strokeRect(Math.max(left, 0.75), 0.75, Math.min(right, width - 0.75) - Math.max(left, 0.75), HEIGHT - 1.5);
  context.fillStyle = theme.accent;
  for (const x of [left, right]) context.fillRect(Math.min(Math.max(x - 2, 0), width - 4), HEIGHT / 2 - 7, 4, 14);
}
