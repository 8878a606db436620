// The timeline of a rank: lanes on the left, slices on a canvas, details of what is chosen below.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { api, type Hit as SearchHit, type Slice, type Timeline as TimelineData } from "../api";
import { clamped, duration, panned, type View, zoomed } from "../view";
import { draw, hitTest, LANE_GAP, placed, RULER_HEIGHT, ROW_HEIGHT, type Scene } from "./draw";
import { TileStore } from "./store";

interface Props {
  rank: number;
  data: TimelineData;
  names: string[];
  view: View;
  onView: (view: View) => void;
  slice: number | null;
  onSlice: (slice: number | null) => void;
}

export function Timeline({ rank, data, names, view, onView, slice, onSlice }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const redraw = useSignal(0);
  const scroll = useSignal(0);
  const details = useSignal<Slice | null>(null);
  const whole: View = data.span ? { begin: data.span[0], end: data.span[1] } : { begin: 0, end: 1 };
  const lanes = useMemo(() => placed(data.lanes), [data]);
  const store = useMemo(
    () => new TileStore(rank, data.lanes.map((lane) => lane.id), () => redraw.value++),
    [rank, data],
  );
  const scene = (): Scene => ({
    lanes,
    names,
    store,
    view,
    selected: slice,
    scroll: scroll.value,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
  });

  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context) return;
    const { clientWidth: width, clientHeight: height } = element;
    const scale = devicePixelRatio || 1;
    if (element.width !== width * scale || element.height !== height * scale) {
      element.width = width * scale;
      element.height = height * scale;
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    draw(context, scene(), width, height);
  }, [view, slice, lanes, store, names, redraw.value, scroll.value]);

  useEffect(() => {
    const observer = new ResizeObserver(() => redraw.value++);
    if (frame.current) observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    details.value = null;
    if (slice === null) return;
    let current = true;
    api.slice(rank, slice).then((found) => {
      if (current) details.value = found;
    });
    return () => {
      current = false;
    };
  }, [rank, slice]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey) return;
      const middle = (view.begin + view.end) / 2;
      const next: Record<string, () => View> = {
        w: () => zoomed(view, 0.6, middle, whole),
        s: () => zoomed(view, 1 / 0.6, middle, whole),
        a: () => panned(view, -0.2, whole),
        d: () => panned(view, 0.2, whole),
        ArrowLeft: () => panned(view, -0.2, whole),
        ArrowRight: () => panned(view, 0.2, whole),
        "0": () => whole,
      };
      const move = next[event.key];
      if (move) {
        onView(move());
        event.preventDefault();
      }
      if (event.key === "f" && details.value) onView(around(details.value, whole));
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [view, whole.begin, whole.end]);

  const height = lanes.reduce((sum, lane) => sum + lane.height + LANE_GAP, 0);
  const onWheel = (event: WheelEvent) => {
    event.preventDefault();
    const element = canvas.current;
    if (!element) return;
    if (event.ctrlKey || event.metaKey) {
      const about = view.begin + (event.offsetX / element.clientWidth) * (view.end - view.begin);
      onView(zoomed(view, event.deltaY > 0 ? 1.25 : 0.8, about, whole));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      onView(panned(view, (event.deltaX || event.deltaY) / element.clientWidth, whole));
    } else {
      const room = Math.max(0, height + RULER_HEIGHT - element.clientHeight);
      scroll.value = Math.min(Math.max(scroll.value + event.deltaY, 0), room);
    }
  };
  const drag = useRef<{ x: number; view: View; moved: boolean } | null>(null);
  const onPointer = (event: PointerEvent) => {
    const element = canvas.current;
    if (!element) return;
    if (event.type === "pointerdown") drag.current = { x: event.offsetX, view, moved: false };
    const from = drag.current;
    if (event.type === "pointermove" && from) {
      const share = (from.x - event.offsetX) / element.clientWidth;
      from.moved ||= Math.abs(from.x - event.offsetX) > 3;
      if (from.moved) onView(panned(from.view, share, whole));
    }
    if (event.type === "pointerup") {
      drag.current = null;
      if (from && !from.moved) {
        const hit = hitTest(scene(), event.offsetX, event.offsetY, element.clientWidth, element.clientHeight);
        onSlice(hit?.slice ?? null);
      }
    }
  };

  return (
    <div class="timeline">
      <div class="lanes" aria-label="Lanes">
        <div style={{ height: RULER_HEIGHT }} />
        <div style={{ transform: `translateY(${-scroll.value}px)` }}>
          {lanes.map(({ lane, height }) => (
            <div class="lane" key={lane.id} style={{ height, marginBottom: LANE_GAP, lineHeight: `${ROW_HEIGHT}px` }} title={lane.name}>
              <span class="process">{data.processes[lane.process]?.name}</span> {lane.name}
            </div>
          ))}
        </div>
      </div>
      <div class="canvas" ref={frame}>
        <canvas
          ref={canvas}
          tabIndex={0}
          role="img"
          aria-label={`Timeline of rank ${rank}`}
          onWheel={onWheel}
          onPointerDown={onPointer}
          onPointerMove={onPointer}
          onPointerUp={onPointer}
        />
      </div>
      {details.value && <Details slice={details.value} onSlice={onSlice} />}
    </div>
  );
}

/** A view with a slice in the middle of it. */
export function around(slice: Pick<SearchHit, "begin" | "end">, whole: View): View {
  const margin = Math.max(slice.end - slice.begin, 1000);
  return clamped({ begin: slice.begin - margin, end: slice.end + margin }, whole);
}

function Details({ slice, onSlice }: { slice: Slice; onSlice: (slice: number) => void }) {
  return (
    <section class="details" aria-label="Slice">
      <h2>{slice.name}</h2>
      <dl>
        <dt>Duration</dt>
        <dd>{duration(slice.end - slice.begin)}</dd>
        <dt>Self</dt>
        <dd>{duration(slice.self_ns)}</dd>
        <dt>Start</dt>
        <dd>{duration(slice.begin)}</dd>
        <dt>Lane</dt>
        <dd>
          {slice.process} / {slice.lane_name}
        </dd>
        {Object.entries(slice.args).map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
          </>
        ))}
      </dl>
      {slice.flows.length > 0 && (
        <ul>
          {slice.flows.map((flow) => (
            <li key={`${flow.slice}${flow.kind}`}>
              <button type="button" onClick={() => onSlice(flow.slice)}>
                {flow.outgoing ? "→" : "←"} {flow.name}
              </button>{" "}
              {flow.kind}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
