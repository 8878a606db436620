// The canvas of the lanes: draws when something changes, and hands the pointer on.

import { effect, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { reason } from "../../api/client";
import { isDark } from "../../shell/theme";
import { language, texts } from "../../texts";
import type { Board, Cursor } from "./board";
import { Palette, themeOf } from "./colours";
import { CanvasRenderer } from "./draw";
import { type Hover, hitTest } from "./hit";
import { HoverCard } from "./HoverCard";
import { Pointer } from "./input";
import { Menu } from "./Menu";
import { drawOverlay } from "./overlay";
import type { OpenRank } from "./rank";
import type { Scene } from "./scene";
import type { Search } from "./search";

const t = texts({
  en: {
    canvas: "Slices of {ranks} {ranks:rank|ranks}. The tab “Slices in view” lists them.",
    reading: "Reading the rank …",
    empty: "Nothing to draw: this rank has no slices and no counters.",
    filtered: "No lane name matches the filter.",
    failed: "Could not read the rank: {why}",
  },
  zh: {
    canvas: "{ranks} 个 rank 的切片。“可见切片”标签页列出了它们。",
    reading: "正在读取该 rank……",
    empty: "没有可绘制的内容：该 rank 没有切片，也没有计数器。",
    filtered: "没有名称匹配筛选条件的泳道。",
    failed: "无法读取该 rank：{why}",
  },
});

function noteOf(rank: OpenRank): string {
  if (rank.state === "failed") return t("failed", { why: reason(rank.error) });
  if (rank.state !== "ready") return t("reading");
  return rank.timeline.lanes.length + rank.timeline.counters.length === 0 ? t("empty") : t("filtered");
}

/** Makes a canvas as large as it is shown; says whether it could be. */
function sized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const scale = devicePixelRatio || 1;
  const [wide, tall] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== wide || canvas.height !== tall) {
    canvas.width = wide;
    canvas.height = tall;
  }
  const context = canvas.getContext("2d");
  context?.setTransform(scale, 0, 0, scale, 0, 0);
  return context;
}

export function LaneCanvas({ board, search }: { board: Board; search: Search }) {
  const lanes = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const menu = useSignal<{ at: Cursor; hover: Hover | null } | null>(null);

  useEffect(() => {
    const [below, above] = [lanes.current, overlay.current];
    if (!below || !above) return;
    let palette: Palette | null = null;
    let paletteOf = "";
    const chosenPalette = (): Palette => {
      const wanted = `${isDark.value} ${board.kept.value.colours}`;
      if (!palette || paletteOf !== wanted) palette = new Palette(themeOf(above), board.kept.value.colours);
      paletteOf = wanted;
      return palette;
    };
    const sceneNow = (): Scene => ({
      ...board.size.value,
      view: board.view.value,
      layout: board.layout.value,
      scroll: board.scroll.value,
      ranks: board.ranks,
      offsets: board.kept.value.offsets,
      steps: board.steps.value,
      palette: chosenPalette(),
      mergedRows: board.mergedRows,
      note: noteOf,
    });
    let renderer: CanvasRenderer | null = null;
    let waiting = 0;
    let isStale = true;
    const frame = () => {
      waiting = 0;
      const scene = sceneNow();
      const { width, height } = scene;
      if (width <= 0 || height <= 0) return;
      if (isStale) {
        isStale = false;
        const start = performance.now();
        const context = sized(below, width, height);
        if (!context) return;
        renderer ??= new CanvasRenderer(context);
        const rows = [...board.mergedRows.values()].join();
        renderer.draw(scene);
        if ([...board.mergedRows.values()].join() !== rows) board.mergedVersion.value++;
        performance.measure("npuscope-frame", { start, end: performance.now() });
      }
      const context = sized(above, width, height);
      if (!context) return;
      const { area, marks } = board.kept.value;
      drawOverlay(context, {
        ...scene,
        theme: scene.palette.theme,
        chosen: board.details.value,
        hover: board.hover.value,
        cursor: board.cursor.value,
        drag: board.drag.value,
        area,
        marks,
        hits: search.found.value?.hits ?? [],
        arrows: board.arrows.value,
      });
    };
    const schedule = () => (waiting ||= requestAnimationFrame(frame));
    const stops = [
      effect(() => {
        sceneNow();
        board.fresh.value;
        board.opened.value;
        language.value;
        isStale = true;
        schedule();
      }),
      effect(() => {
        board.details.value;
        board.hover.value;
        board.cursor.value;
        board.drag.value;
        board.kept.value;
        board.arrows.value;
        search.found.value;
        schedule();
      }),
    ];
    const hit = (at: Cursor) => hitTest(sceneNow(), at.x, at.y);
    const pointer = new Pointer(board, hit, (at, hover) => (menu.value = { at, hover }));
    above.addEventListener("pointerdown", pointer.down);
    above.addEventListener("pointermove", pointer.move);
    above.addEventListener("pointerup", pointer.up);
    above.addEventListener("pointercancel", pointer.up);
    above.addEventListener("pointerleave", pointer.leave);
    above.addEventListener("dblclick", pointer.double);
    above.addEventListener("contextmenu", pointer.context);
    above.addEventListener("wheel", pointer.wheel, { passive: false });
    return () => {
      cancelAnimationFrame(waiting);
      for (const stop of stops) stop();
    };
  }, [board, search]);

  return (
    <div class="lane-canvas" style={{ height: `${board.size.value.height}px` }}>
      <canvas ref={lanes} aria-hidden="true" />
      <canvas
        ref={overlay}
        role="img"
        aria-label={t("canvas", { ranks: board.shown.value.length })}
        class={board.drag.value?.mode === "pan" ? "panning" : undefined}
      />
      <HoverCard board={board} />
      {menu.value && <Menu board={board} at={menu.value.at} hover={menu.value.hover} onClose={() => (menu.value = null)} />}
    </div>
  );
}
