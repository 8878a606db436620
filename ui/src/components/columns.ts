// Columns of the views: what they are called and how they are shown, the same on every page.

import { linkToTime } from "../scope";
import { asNumber, type Row } from "../api/table";
import { GLOSSARY } from "../glossary";
import { isTerm, type TermKey, termName } from "../terms";
import { bracketed, texts } from "../texts";
import type { Column } from "./DataTable";
import type { Kind } from "./rows";

const LABELS = {
  en: {
    active_release: "Last used",
    block_num: "Blocks",
    bytes: "Size",
    category: "Category",
    component: "Component",
    core: "Core",
    dst: "To",
    duration: "Duration",
    graph: "Graph",
    group: "Group",
    group_name: "Group",
    histogram: "Durations",
    input_dtypes: "Input types",
    input_shapes: "Input shapes",
    kernel_start: "Kernel start",
    kind: "Kind",
    layer: "Layer",
    link: "Link type",
    max: "Max",
    mean: "Mean",
    micro_batch: "Micro-batch",
    min: "Min",
    model: "Model",
    module: "Module",
    name: "Name",
    node_end: "To node",
    node_start: "From node",
    op: "Called by",
    op_type: "Type",
    output_dtypes: "Output types",
    output_shapes: "Output shapes",
    part: "Part",
    rank: "Rank",
    release: "Released",
    role: "Role",
    slowest_rank: "Slowest rank",
    src: "From",
    stage: "Stage",
    start: "Start",
    step: "Step",
    stream: "Stream",
    stream_ptr: "Stream pointer",
    time: "Time",
    transport: "Transport",
  },
  zh: {
    active_release: "最后使用",
    block_num: "block 数",
    bytes: "大小",
    category: "类别",
    component: "组件",
    core: "加速核",
    dst: "目的",
    duration: "时长",
    graph: "图",
    group: "通信组",
    group_name: "通信组",
    histogram: "时长分布",
    input_dtypes: "输入类型",
    input_shapes: "输入 shape",
    kernel_start: "kernel 开始",
    kind: "类型",
    layer: "层",
    link: "链路类型",
    max: "最大",
    mean: "平均",
    micro_batch: "micro-batch",
    min: "最小",
    model: "模型",
    module: "模块",
    name: "名称",
    node_end: "至节点",
    node_start: "自节点",
    op: "调用者",
    op_type: "类型",
    output_dtypes: "输出类型",
    output_shapes: "输出 shape",
    part: "部分",
    rank: "rank",
    release: "释放",
    role: "角色",
    slowest_rank: "最慢 rank",
    src: "源",
    stage: "阶段",
    start: "开始",
    step: "step",
    stream: "流",
    stream_ptr: "流指针",
    time: "时间",
    transport: "传输方式",
  },
};

const t = texts(LABELS);

/** Columns that are called otherwise than the number in them. */
const TERMS = { late_ms: "late" } as const satisfies Record<string, TermKey>;

export type ColumnName = keyof (typeof LABELS)["en"] | keyof typeof TERMS | TermKey;

/** Kinds of columns; those not listed are durations. */
const KINDS: Partial<Record<ColumnName, Kind>> = {
  active_release: "time", allocated: "bytes", bandwidth: "number", block_num: "count", bound: "text", bubble_share: "share",
  bytes: "bytes", category: "text", component: "text", core: "text", count: "count", cube_utilization: "number", dst: "number",
  graph: "text", group: "text", input_dtypes: "text", input_shapes: "text", kind: "text", large_packet_share: "share",
  late_ms: "number", layer: "text", link: "text", mac_ratio: "share", expected_bandwidth: "number", micro_batch: "number", module: "text",
  mte2_ratio: "share", name: "text", model: "text", op: "text", group_name: "text", operation_count: "count", skew: "number", kernel_start: "time", node_end: "number", node_start: "number", op_type: "text", output_dtypes: "text",
  output_shapes: "text", packet_bytes: "bytes", part: "text", rank: "number", time_ratio: "number", release: "time", reserved: "bytes",
  role: "text", scalar_ratio: "share", share: "share", share_of_mean: "share", slow_affect_count: "count", slowest_rank: "number",
  src: "number", stage: "text", start: "time", start_allocated: "bytes", start_reserved: "bytes", step: "number", stream: "number",
  stream_ptr: "text", synchronization_ratio: "share", time: "time", tokens: "count", transport: "text", vec_ratio: "share", wait_ratio: "share",
  highest_sample: "bytes", histogram: "text",
};

const WIDTHS: Partial<Record<ColumnName, number>> = {
  op_type: 190, count: 74, total: 88, average: 88, min: 88, p50: 88, p95: 88, max: 88, deviation: 88, mac_ratio: 84, mte2_ratio: 84,
  vec_ratio: 84, scalar_ratio: 84,
  rank: 64, step: 60, stream: 70, src: 64, dst: 64, layer: 220, group_name: 180, core: 140, kind: 130, bound: 90, group: 180, link: 90, transport: 90,
  micro_batch: 90, stage: 120, stream_ptr: 110, histogram: 100, category: 130, role: 110, slowest_rank: 100, exposed_communication: 120,
  overlapped_communication: 130, synchronization: 120, synchronization_ratio: 150, start_allocated: 120, start_reserved: 120, highest_sample: 130, component: 140,
};

function isLabelled(name: ColumnName): name is keyof (typeof LABELS)["en"] {
  return Object.hasOwn(LABELS.en, name);
}

/** The number that a column has, wherever its table does not give it another meaning. */
function termOf(name: ColumnName): TermKey | undefined {
  return Object.hasOwn(TERMS, name) ? TERMS[name as keyof typeof TERMS] : isTerm(name) ? name : undefined;
}

/** What a column is called: the name of its number in the glossary, so that there is one, or else its label. */
export function columnLabel(name: ColumnName, term = termOf(name)): string {
  return term ? termName(term) : isLabelled(name) ? t(name) : name;
}

/** The unit of values that are shown without theirs. */
function unitOf(kind: Kind, term: TermKey | undefined): string {
  const unit = kind === "number" && term ? GLOSSARY[term].unit : "";
  return unit === "" || unit === "ratio" ? "" : bracketed(unit);
}

/** Columns for a table, with what is particular about some of them. */
export function columns(names: ColumnName[], particular: Partial<Record<ColumnName, Partial<Column>>> = {}): Column[] {
  return names.map((name) => {
    const { kind = KINDS[name] ?? "duration", term = termOf(name), ...others } = particular[name] ?? {};
    return { name, label: `${columnLabel(name, term)}${unitOf(kind, term)}`, kind, width: WIDTHS[name], term, ...others };
  });
}

/** The place of a row on the timeline: its rank, start and duration. */
export function placeOf(row: Row): string | null {
  const [rank, start, lasts] = [asNumber(row.rank), asNumber(row.start), asNumber(row.duration)];
  if (Number.isNaN(rank) || Number.isNaN(start)) return null;
  return linkToTime(rank, start, start + (Number.isNaN(lasts) ? 0 : lasts));
}
