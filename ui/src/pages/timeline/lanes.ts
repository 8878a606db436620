// The lane tree: ranks, their processes, and lanes and counters of those; what of it is shown, and in which order.

import { type Counter, type Lane, reason, type Timeline } from "../../api/client";
import { shortGroups } from "./groups";
import type { Kept } from "./kept";

/** What a rank has to show, or why there is nothing yet. */
export type RankData =
  | { state: "closed" | "loading" }
  | { state: "failed"; error: unknown }
  | { state: "ready"; timeline: Timeline; query: QuerySlice[] };

/** A row of a query that is drawn as a slice. */
export interface QuerySlice {
  name: string;
  begin: number;
  end: number;
}

export type NodeKind = "rank" | "process" | "lane" | "merged" | "counter" | "query" | "note" | "more";

/** A node of the tree. */
export interface Node {
  key: string;
  kind: NodeKind;
  /** 1 for ranks, 2 for processes, 3 for lanes. */
  level: number;
  rank: number;
  name: string;
  /** What is shown of a long name; empty if that is all of it. */
  short: string;
  /** What a name alone does not say: process of a pinned lane, label of a process. */
  detail: string;
  /** Ids of the lanes that it draws. */
  lanes: Lane[];
  counters: Counter[];
  query: QuerySlice[];
  isExpandable: boolean;
  isExpanded: boolean;
  isPinned: boolean;
  /** Place among its siblings, from 1, and how many those are. */
  position: number;
  siblings: number;
}

/** A tree with its pinned nodes apart. */
export interface Tree {
  pinned: Node[];
  nodes: Node[];
  /** How many nodes are hidden. */
  hidden: number;
}

/** Up to this many ranks are all open at first. */
const OPEN_RANKS = 2;
/** A process with more rows than this is closed at first. */
const OPEN_ROWS = 40;
/** A lane with more rows than this is drawn small at first: stacks of calls are deep, streams of the device are not. */
const COMPACT_ROWS = { host: 8, device: 16 };

const blank = {
  short: "",
  detail: "",
  lanes: [],
  counters: [],
  query: [],
  isExpandable: false,
  isExpanded: false,
  isPinned: false,
  position: 1,
  siblings: 1,
};

/** The tree of some ranks. `more` is how many ranks are not shown. */
export function treeOf(ranks: { rank: number; name: string; data: RankData }[], more: number, kept: Kept): Tree {
  const tree: Tree = { pinned: [], nodes: [], hidden: 0 };
  const hidden = new Set(kept.hidden);
  const pins = new Set(kept.pins);
  const toggled = new Set(kept.toggled);
  const isOpen = (key: string, atFirst: boolean) => toggled.has(key) !== atFirst;
  /** Adds a node unless it is hidden; a pinned one goes to the top. False if what is below is not shown either. */
  const add = (to: Node[], node: Node): boolean => {
    if (hidden.has(node.key)) {
      tree.hidden++;
      return false;
    }
    if (pins.has(node.key)) {
      node.isPinned = true;
      tree.pinned.push(node);
      return false;
    }
    to.push(node);
    return true;
  };
  for (const { rank, name, data } of ranks) {
    const key = `${rank}`;
    const expanded = isOpen(key, ranks.length <= OPEN_RANKS);
    const head: Node = { ...blank, key, kind: "rank", level: 1, rank, name, isExpandable: true, isExpanded: expanded };
    if (!add(tree.nodes, head)) {
      if (data.state === "ready") addPinned(rank, data, kept, tree, pins);
      continue;
    }
    if (data.state !== "ready") {
      if (expanded)
        tree.nodes.push({
          ...blank,
          key: `${key}.note`,
          kind: "note",
          level: 2,
          rank,
          name: data.state === "failed" ? reason(data.error) : "",
        });
      continue;
    }
    if (!expanded) {
      addPinned(rank, data, kept, tree, pins);
      continue;
    }
    const children: Node[] = [];
    if (data.query.length > 0) {
      add(children, { ...blank, key: `${key}.q`, kind: "query", level: 2, rank, name: "", query: data.query });
    }
    for (const process of processesOf(rank, data.timeline, kept)) {
      process.isExpanded = kept.filter !== "" || isOpen(process.key, process.isExpanded);
      const pinnedBelow = process.below.filter((node) => pins.has(node.key) && !hidden.has(node.key));
      if (!add(children, process) || !process.isExpanded) {
        for (const node of pinnedBelow) tree.pinned.push({ ...node, isPinned: true });
        continue;
      }
      const shown: Node[] = [];
      for (const node of process.below) {
        if (node.isExpandable) node.isExpanded = isOpen(node.key, node.isExpanded);
        add(shown, node);
      }
      numbered(shown);
      children.push(...shown);
    }
    numbered(children.filter((node) => node.level === 2));
    if (children.length === 0) children.push({ ...blank, key: `${key}.note`, kind: "note", level: 2, rank, name: kept.filter });
    tree.nodes.push(...children);
  }
  if (more > 0) tree.nodes.push({ ...blank, key: "more", kind: "more", level: 1, rank: -1, name: String(more) });
  numbered(tree.nodes.filter((node) => node.level === 1));
  const order = new Map(kept.pins.map((key, at) => [key, at]));
  tree.pinned.sort((a, b) => (order.get(a.key) ?? 0) - (order.get(b.key) ?? 0));
  return tree;
}

function numbered(nodes: Node[]) {
  nodes.forEach((node, at) => {
    node.position = at + 1;
    node.siblings = nodes.length;
  });
}

/** Pinned lanes of a rank that is closed stay at the top. */
function addPinned(rank: number, data: Extract<RankData, { state: "ready" }>, kept: Kept, tree: Tree, pins: Set<string>) {
  if (![...pins].some((key) => key.startsWith(`${rank}.`))) return;
  for (const process of processesOf(rank, data.timeline, { ...kept, filter: "" })) {
    for (const node of [process, ...process.below]) {
      if (pins.has(node.key)) tree.pinned.push({ ...node, isPinned: true });
    }
  }
}

interface ProcessNode extends Node {
  below: Node[];
}

/** The processes of a rank and what is below them. */
function processesOf(rank: number, timeline: Timeline, kept: Kept): ProcessNode[] {
  const merges = kept.merges.filter((merge) => merge.rank === rank);
  const merged = new Set(merges.flatMap((merge) => merge.lanes));
  const byId = new Map(timeline.lanes.map((lane) => [lane.id, lane]));
  const short = shortGroups(timeline.lanes);
  const wanted = kept.filter.toLowerCase();
  const numbers = [...timeline.processes.keys(), null];
  return numbers.flatMap((number): ProcessNode[] => {
    const process = number === null ? null : timeline.processes[number];
    const name = process?.name ?? "";
    const isWanted = (text: string) => wanted === "" || `${name} ${text}`.toLowerCase().includes(wanted);
    const detail = name;
    const below: Node[] = [];
    for (const lane of timeline.lanes) {
      if (lane.process !== number) continue;
      const merge = merges.find((merge) => merge.lanes[0] === lane.id);
      if (merge) {
        const lanes = merge.lanes.flatMap((id) => byId.get(id) ?? []);
        const names = lanes.map((lane) => lane.name).join(" + ");
        const key = `${rank}.m${merge.lanes.join(".")}`;
        if (isWanted(names)) below.push({ ...blank, key, kind: "merged", level: 3, rank, name: names, detail, lanes });
      }
      if (merged.has(lane.id) || !isWanted(lane.name)) continue;
      const isExpandable = lane.rows > 1;
      below.push({
        ...blank,
        key: `${rank}.l${lane.id}`,
        kind: "lane",
        level: 3,
        rank,
        name: lane.name,
        short: short.get(lane.id) ?? "",
        detail,
        lanes: [lane],
        isExpandable,
        isExpanded: isExpandable && lane.rows <= (lane.layer === "framework" ? COMPACT_ROWS.host : COMPACT_ROWS.device),
      });
    }
    for (const counter of timeline.counters) {
      if (counter.process !== number || !isWanted(counter.name)) continue;
      below.push({
        ...blank,
        key: `${rank}.c${counter.id}`,
        kind: "counter",
        level: 3,
        rank,
        name: counter.name,
        detail,
        counters: [counter],
      });
    }
    if (below.length === 0) return [];
    // Counters alone are drawn over each other at first.
    const hasSlices = below.some((node) => node.lanes.length > 0);
    const rows = below.reduce(
      (sum, node) => sum + (node.kind === "counter" ? 3 : node.isExpanded ? (node.lanes[0]?.rows ?? 1) : 2),
      0,
    );
    return [
      {
        ...blank,
        key: `${rank}.p${number ?? ""}`,
        kind: "process",
        level: 2,
        rank,
        name,
        detail: process?.labels[0] ?? "",
        lanes: below.flatMap((node) => node.lanes),
        counters: below.flatMap((node) => node.counters),
        isExpandable: true,
        isExpanded: hasSlices && rows <= OPEN_ROWS,
        below,
      },
    ];
  });
}
