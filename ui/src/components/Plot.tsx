// A canvas that charts draw on: sharp on any screen, redrawn when size, theme or language change, with readout, click and
// brush by pointer and by keyboard.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { isDark } from "../shell/theme";
import { definition, type TermKey } from "../terms";
import { language, listed, texts } from "../texts";
import type { Inset } from "./axis";
import { resolver } from "./colours";
import "./charts.css";

/** A place on a canvas, in pixels. */
export interface Point {
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

/** What a chart draws on. */
export interface Paper extends Size {
  context: CanvasRenderingContext2D;
  /** Resolves a CSS colour. */
  colour: (value: string) => string;
}

/** The values at a place. */
export interface Readout {
  title: string;
  lines: [string, string][];
  /** What is meant, as a rectangle, or as a line if it has no width. */
  box?: { x: number; y: number; width: number; height: number };
}

export interface Named {
  name: string;
  colour: string;
  /** The number that it is: the legend shows the definition on hover. */
  term?: TermKey;
  /** Drawn as an outline. */
  hollow?: boolean;
}

interface Props {
  /** What the figure shows, in words. */
  label: string;
  caption?: ComponentChildren;
  legend?: Named[];
  height: number;
  /** The plot scrolls beyond this height. */
  most?: number;
  inset: Inset;
  draw: (paper: Paper) => void;
  /** The plot is drawn anew when one of these is another. */
  of: unknown[];
  readout?: (at: Point, size: Size) => Readout | null;
  onPick?: (at: Point, size: Size) => void;
  onBrush?: (from: Point, to: Point, size: Size) => void;
  /** A brush is a stretch of x, or a rectangle. */
  brush?: "x" | "both";
  /** Undoes the zoom: double click, or the key 0. */
  onReset?: () => void;
  /** How far an arrow key goes. */
  stride?: (size: Size) => Point;
  /** Where arrow keys begin; in the middle if it is not given. */
  home?: (size: Size) => Point;
}

const t = texts({
  en: { keys: "Arrow keys: read values", pick: "Enter: select", brush: "Shift + arrow keys: select a range, Enter: confirm", reset: "0: show all", stop: ". " },
  zh: { keys: "方向键：读取数值", pick: "Enter：选中", brush: "Shift + 方向键：框选，Enter：确认", reset: "0：显示全部", stop: "。" },
});

/** Movement that makes a click a brush, in pixels. */
const BRUSH_FROM = 4;

/** How long a click waits for a second one where two mean something else. */
const SECOND_CLICK_MS = 220;

export function Plot(props: Props) {
  const { label, caption, legend, height, most, inset, draw, of, readout, onPick, onBrush, brush = "x", onReset, stride, home } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSignal<Size>({ width: 0, height });
  const cursor = useSignal<Point | null>(null);
  const anchor = useSignal<Point | null>(null);
  const byKey = useSignal(false);
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const measure = () => {
      const width = element.clientWidth;
      if (width !== size.value.width || height !== size.value.height) size.value = { width, height };
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [height]);

  const { width } = size.value;
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element?.parentElement || !context || width === 0) return;
    const scale = devicePixelRatio || 1;
    element.width = Math.round(width * scale);
    element.height = Math.round(height * scale);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.font = "11px system-ui, sans-serif";
    draw({ context, width, height, colour: resolver(element.parentElement) });
  }, [width, height, isDark.value, language.value, ...of]);

  const inside = (point: Point): Point => ({
    x: Math.min(Math.max(point.x, inset.left), width - inset.right),
    y: Math.min(Math.max(point.y, inset.top), height - inset.bottom),
  });
  const at = (event: PointerEvent | MouseEvent): Point => {
    const place = (canvas.current as HTMLCanvasElement).getBoundingClientRect();
    return { x: event.clientX - place.left, y: event.clientY - place.top };
  };
  const brushed = (from: Point, to: Point) =>
    Math.abs(from.x - to.x) >= BRUSH_FROM || (brush === "both" && Math.abs(from.y - to.y) >= BRUSH_FROM);

  /** Takes what is marked, or the place of the cursor. */
  const finish = (wait: number) => {
    const [from, to] = [anchor.value, cursor.value];
    anchor.value = null;
    clearTimeout(waiting.current);
    if (!to) return;
    if (from && onBrush && brushed(from, to)) onBrush(inside(from), inside(to), size.value);
    else if (wait > 0) waiting.current = setTimeout(() => onPick?.(to, size.value), wait);
    else onPick?.(to, size.value);
  };
  const reset = () => {
    clearTimeout(waiting.current);
    onReset?.();
  };

  const onKey = (event: KeyboardEvent) => {
    const direction = ARROWS[event.key];
    if (direction) {
      const far = stride?.(size.value) ?? { x: 10, y: 10 };
      const middle = { x: (inset.left + width - inset.right) / 2, y: (inset.top + height - inset.bottom) / 2 };
      const from = inside(cursor.value ?? home?.(size.value) ?? middle);
      if (event.shiftKey && onBrush) anchor.value ??= from;
      else anchor.value = null;
      cursor.value = inside({ x: from.x + direction[0] * far.x, y: from.y + direction[1] * far.y });
      byKey.value = true;
    } else if (event.key === "Enter") finish(0);
    else if (event.key === "Escape") {
      anchor.value = null;
      cursor.value = null;
    } else if (event.key === "0" && onReset) reset();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const shown = cursor.value && readout ? readout(cursor.value, size.value) : null;
  const marked = anchor.value && cursor.value && onBrush && brushed(anchor.value, cursor.value);
  const acts = Boolean(onPick || onBrush);
  const hint = [t("keys"), onPick && t("pick"), onBrush && t("brush"), onReset && t("reset")].filter(Boolean).join(t("stop"));
  return (
    <figure class="chart" aria-label={label}>
      {caption && <figcaption>{caption}</figcaption>}
      {legend && <Legend of={legend} />}
      <div
        class={`plot${most && height > most ? " tall" : ""}${acts ? " clickable" : ""}`}
        style={most && height > most ? { maxHeight: `${most}px` } : undefined}
        tabIndex={0}
        role={acts ? "application" : "img"}
        aria-label={`${label}. ${hint}`}
        onKeyDown={onKey}
        onBlur={() => {
          cursor.value = null;
          anchor.value = null;
        }}
      >
        <canvas
          ref={canvas}
          style={{ height: `${height}px` }}
          onPointerDown={(event) => {
            if (event.button !== 0) return;
            anchor.value = cursor.value = at(event);
            event.currentTarget.setPointerCapture(event.pointerId);
          }}
          onPointerMove={(event) => {
            byKey.value = false;
            cursor.value = at(event);
          }}
          onPointerUp={(event) => {
            if (event.button !== 0 || !anchor.value) return;
            cursor.value = at(event);
            finish(onReset ? SECOND_CLICK_MS : 0);
          }}
          onPointerLeave={() => {
            if (!anchor.value) cursor.value = null;
          }}
          onDblClick={reset}
        />
        {shown?.box && <div class={shown.box.width > 0 ? "box" : "box line"} style={rectangle(shown.box)} />}
        {marked && <div class="brush" style={rectangle(brushBox(inside(anchor.value!), inside(cursor.value!), brush, inset, height))} />}
        {shown && <ReadoutCard of={shown} at={cursor.value!} canvas={canvas.current!} />}
      </div>
      <p class="sr-only" role="status">
        {shown && byKey.value ? listed([shown.title, ...shown.lines.map(([name, value]) => `${name} ${value}`)]) : ""}
      </p>
    </figure>
  );
}

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

function rectangle(box: { x: number; y: number; width: number; height: number }) {
  return { left: `${box.x}px`, top: `${box.y}px`, width: `${box.width}px`, height: `${box.height}px` };
}

function brushBox(from: Point, to: Point, brush: "x" | "both", inset: Inset, height: number) {
  const x = Math.min(from.x, to.x);
  const wide = Math.abs(from.x - to.x);
  if (brush === "x") return { x, y: inset.top, width: wide, height: height - inset.top - inset.bottom };
  return { x, y: Math.min(from.y, to.y), width: wide, height: Math.abs(from.y - to.y) };
}

/** The values at the cursor, shown beside it and inside the window. */
function ReadoutCard({ of, at, canvas }: { of: Readout; at: Point; canvas: HTMLCanvasElement }) {
  const place = canvas.getBoundingClientRect();
  const [x, y] = [place.left + at.x, place.top + at.y];
  const left = x < innerWidth / 2;
  const above = y > innerHeight / 2;
  const style = {
    [left ? "left" : "right"]: `${(left ? x : innerWidth - x) + 14}px`,
    [above ? "bottom" : "top"]: `${(above ? innerHeight - y : y) + 14}px`,
  };
  return (
    <div class="readout" style={style} aria-hidden="true">
      <strong>{of.title}</strong>
      <dl>
        {of.lines.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </div>
  );
}

/** Which colour means what. */
export function Legend({ of }: { of: Named[] }) {
  return (
    <ul class="legend">
      {of.map(({ name, colour, term, hollow }) => (
        <li key={name} title={term && definition(term)}>
          <span class="swatch" style={hollow ? { border: `1px solid ${colour}` } : { background: colour }} />
          {name}
        </li>
      ))}
    </ul>
  );
}
