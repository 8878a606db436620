// Everything that the timeline shows, as signals, and what changes it. What a link must bring back is in the address.

import { batch, computed, effect, signal } from "@preact/signals";
import { api, type Flows, type Profile, type Slice } from "../../api/client";
import { go, type Scope, scope, type TimeRange } from "../../scope";
import type { Hover } from "./hit";
import { type Area, type Kept, readKept, writeKept } from "./kept";
import { treeOf } from "./lanes";
import { type Layout, type MergedRows, placed, RULER_HEIGHT } from "./layout";
import { closedRank, type OpenRank, openRank, shownRanks } from "./rank";
import { readArrows, readQuery, readSteps } from "./reads";
import { openNodes, reveal } from "./reveal";
import type { Step } from "./scene";
import { clamped, fitted, panned, showing, ViewHistory, zoomed } from "./view";

/** A slice of a rank. */
export interface Chosen {
  rank: number;
  slice: number;
}

/** A stretch of a rank, in its own time, with the slice that is there. */
export interface Jump extends TimeRange {
  rank: number;
  slice: number | null;
  lane?: number;
}

/** Where the pointer is. */
export interface Cursor {
  x: number;
  y: number;
}

/** What is dragged over the canvas. */
export interface Drag {
  mode: "select" | "zoom" | "pan";
  from: Cursor;
  to: Cursor;
}

/** The parts of the panel below the lanes. */
export const TABS = ["details", "statistics", "search", "marks", "slices", "gap", "collective"] as const;
export type Tab = (typeof TABS)[number];

/** Small moves of the view with less time between them are undone as one. */
const MOVE_MS = 700;

export class Board {
  private readonly params = computed(() => scope.value.params);
  /** The query that is shown as a lane. */
  readonly sql = computed(() => scope.value.params.lane ?? "");
  readonly kept = computed(() => readKept(this.params.value));
  private readonly shownText = computed(() => shownRanks(scope.value, this.profile).join());
  /** The ranks that are shown in the tree. */
  readonly shown = computed(() => (this.shownText.value === "" ? [] : this.shownText.value.split(",").map(Number)));
  readonly ranks = new Map<number, OpenRank>();
  /** Counts up when what is known of a rank changes. */
  readonly opened = signal(0);
  /** Counts up when tiles have come. */
  readonly fresh = signal(0);
  readonly mergedRows: MergedRows = new Map();
  readonly mergedVersion = signal(0);

  readonly tree = computed(() => {
    this.opened.value;
    const ranks = this.shown.value.map((rank) => ({
      rank,
      name: this.profile.ranks.find((other) => other.rank === rank)?.name ?? "",
      data: this.rank(rank),
    }));
    return treeOf(ranks, this.profile.ranks.length - ranks.length, this.kept.value);
  });
  readonly layout = computed<Layout>(() => {
    this.mergedVersion.value;
    return placed(this.tree.value, this.mergedRows);
  });
  /** The whole of the profile, or of the ranks that are open. */
  readonly whole = computed<TimeRange>(() => {
    this.opened.value;
    const opened = [...this.ranks.values()].map((rank) => rank.timeline.span);
    const spans = [this.profile.span, ...opened].filter((span) => span !== null);
    const offsets = [0, ...this.kept.value.offsets.values()];
    const begin = Math.min(...spans.map(([begin]) => begin)) - Math.max(...offsets);
    const end = Math.max(...spans.map(([, end]) => end)) - Math.min(...offsets);
    return begin < end ? { begin, end } : { begin: 0, end: 1e6 };
  });
  private readonly scopeView = computed(() => scope.value.view);
  private readonly scopeStep = computed(() => scope.value.step);
  readonly steps = signal<Step[]>([]);
  readonly view = computed<TimeRange>(() => {
    const step = this.steps.value.find((step) => step.step === this.scopeStep.value);
    return this.scopeView.value ?? (step ? fitted(step, this.whole.value) : this.whole.value);
  });
  private readonly history = new ViewHistory();

  readonly size = signal({ width: 0, height: 0 });
  readonly scroll = signal(0);
  /** What the browser scrolls. */
  scroller: HTMLElement | null = null;

  readonly cursor = signal<Cursor | null>(null);
  readonly hover = signal<Hover | null>(null);
  readonly drag = signal<Drag | null>(null);
  private readonly chosenText = computed(() =>
    scope.value.slice === null ? "" : `${scope.value.rank ?? this.shown.value[0]}/${scope.value.slice}`,
  );
  /** The slice that is chosen. */
  readonly chosen = computed<Chosen | null>(() => {
    const [rank, slice] = this.chosenText.value.split("/").map(Number);
    return rank === undefined || slice === undefined ? null : { rank, slice };
  });
  readonly details = signal<(Slice & { rank: number }) | null>(null);
  readonly detailsError = signal<unknown>(null);
  /** Keys of the lanes ticked to be merged. */
  readonly ticked = signal<ReadonlySet<string>>(new Set());
  readonly arrows = signal<{ rank: number; flows: Flows["flows"] }[]>([]);
  /** A slice to be scrolled to when it is known which lane it is on. */
  private toReveal: Chosen | null = null;
  private clicked: Chosen | null = null;
  private readonly stops: (() => void)[];

  constructor(readonly profile: Profile) {
    this.stops = [
      effect(() => this.openExpanded()),
      effect(() => this.readDetails()),
      effect(() => readSteps(this)),
      effect(() => readQuery(this)),
      effect(() => readArrows(this)),
      effect(() => this.followStep()),
    ];
  }

  /** Ends what it does by itself. */
  close() {
    for (const stop of this.stops) stop();
  }

  rank(rank: number): OpenRank {
    let found = this.ranks.get(rank);
    if (!found) {
      found = closedRank(rank, () => this.fresh.value++);
      this.ranks.set(rank, found);
    }
    return found;
  }

  /** Reads the ranks whose lanes are shown. */
  private openExpanded() {
    const pins = new Set(this.kept.value.pins.map((key) => Number(key.split(".")[0])));
    for (const node of this.tree.value.nodes) {
      if (node.kind !== "rank" || (!node.isExpanded && !pins.has(node.rank))) continue;
      const rank = this.rank(node.rank);
      if (rank.state === "closed") void openRank(rank).then(() => this.opened.value++);
    }
  }

  retry(rank: number) {
    void openRank(this.rank(rank)).then(() => this.opened.value++);
    this.opened.value++;
  }

  private readDetails() {
    const chosen = this.chosen.value;
    this.detailsError.value = null;
    if (!chosen) {
      this.details.value = null;
      return;
    }
    // What was clicked is in sight already; what a link chose is brought there.
    if (this.clicked?.rank !== chosen.rank || this.clicked.slice !== chosen.slice) this.toReveal = chosen;
    api.slice(chosen.rank, chosen.slice).then(
      (slice) => {
        if (this.chosen.peek() !== chosen) return;
        this.details.value = { ...slice, rank: chosen.rank };
        this.revealChosen();
      },
      (error) => {
        if (this.chosen.peek() === chosen) this.detailsError.value = error;
      },
    );
  }

  private lastStep = scope.peek().step;
  /** Another step in the scope is shown, whatever was in view. */
  private followStep() {
    const step = this.scopeStep.value;
    if (step === this.lastStep) return;
    this.lastStep = step;
    queueMicrotask(() => go({ view: null }));
  }

  /** Why the query that is to be a lane has no answer. */
  readonly queryError = signal<unknown>(null);
  /** Ranks that the query has rows of, if none of them is shown. */
  readonly queryElsewhere = signal<number[]>([]);

  /** Changes what the address keeps, and the scope with it. */
  keep(changes: Partial<Kept>, others: Partial<Scope> = {}, params: Record<string, string> = {}) {
    go({ ...others, params: { ...scope.value.params, ...writeKept(changes), ...params } });
  }

  /** Ns that a rank is shown earlier by. */
  offset(rank: number): number {
    return this.kept.value.offsets.get(rank) ?? 0;
  }

  // The view.

  private movedAt = 0;
  /** Shows a stretch of time. Undo comes back to what is shown now, or to where a run of small moves began. */
  show(view: TimeRange, isStep = true) {
    const now = performance.now();
    if (isStep || now - this.movedAt > MOVE_MS) this.history.leave(this.view.value);
    this.movedAt = now;
    go({ view: clamped(view, this.whole.value) });
  }

  zoom(factor: number, about?: number, isStep = false) {
    const view = this.view.value;
    const cursor = this.cursor.value;
    const middle = cursor ? this.timeAt(cursor.x) : (view.begin + view.end) / 2;
    this.show(zoomed(view, factor, about ?? middle, this.whole.value), isStep);
  }

  pan(share: number) {
    this.show(panned(this.view.value, share, this.whole.value), false);
  }

  undo() {
    const view = this.history.back(this.view.value);
    if (view) go({ view });
  }

  redo() {
    const view = this.history.forward(this.view.value);
    if (view) go({ view });
  }

  showAll() {
    this.history.leave(this.view.value);
    go({ view: null, step: null });
    this.lastStep = null;
  }

  /** Fits what is selected: the area, or else the chosen slice. */
  fit() {
    const { area } = this.kept.value;
    const details = this.details.value;
    const stretch = area ?? (details ? this.moved(details, details.rank) : null);
    if (stretch) this.show(fitted(stretch, this.whole.value));
  }

  timeAt(x: number): number {
    const { begin, end } = this.view.value;
    return begin + (x / Math.max(this.size.value.width, 1)) * (end - begin);
  }

  /** A stretch of a rank's own time, as it is shown. */
  moved(stretch: TimeRange, rank: number): TimeRange {
    const offset = this.offset(rank);
    return { begin: stretch.begin - offset, end: stretch.end - offset };
  }

  // Slices.

  choose(chosen: Chosen | null, params: Record<string, string> = {}) {
    if (!chosen) {
      go({ slice: null });
      return;
    }
    this.clicked = chosen;
    const shown = this.shown.value;
    const ranks = shown.length > 1 || !shown.includes(chosen.rank) ? [...new Set([...shown, chosen.rank])] : scope.value.ranks;
    this.keep({}, { rank: chosen.rank, slice: chosen.slice, ranks }, { tab: "", panel: "", ...params });
  }

  /** Goes to a slice: chooses it and brings it into sight. */
  jump(to: Jump, params: Record<string, string> = {}) {
    const view = this.view.value;
    const next = showing(this.moved(to, to.rank), view, this.whole.value);
    if (next !== view) this.history.leave(view);
    batch(() => {
      if (to.slice !== null) {
        this.toReveal = { rank: to.rank, slice: to.slice };
        this.choose(this.toReveal, params);
      }
      if (next !== view) go({ view: next });
    });
    this.revealChosen();
  }

  private revealChosen() {
    const wanted = this.toReveal;
    const details = this.details.value;
    if (!wanted || !details || details.id !== wanted.slice || details.rank !== wanted.rank) return;
    const rank = this.rank(wanted.rank);
    if (rank.state !== "ready") {
      openNodes(this, [`${wanted.rank}`]);
      if (rank.state === "closed" || rank.state === "loading") setTimeout(() => this.revealChosen(), 200);
      return;
    }
    this.toReveal = null;
    reveal(this, wanted.rank, details.lane, details.row);
  }

  scrollTo(y: number) {
    const room = this.size.value.height - RULER_HEIGHT - this.layout.value.pinnedHeight;
    const top = Math.max(0, Math.min(y, this.layout.value.height - room));
    // The scroller has its new height only after the next render.
    requestAnimationFrame(() => {
      if (this.scroller) this.scroller.scrollTop = top;
    });
  }

  /** Selects a stretch of some lanes. */
  selectArea(area: Area | null) {
    this.keep({ area }, {}, area ? { tab: "statistics", panel: "" } : {});
  }
}
