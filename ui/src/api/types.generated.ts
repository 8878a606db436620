// Generated from crates/server/src/answers.rs and the types of npuscope-analysis. Do not edit:
// NPUSCOPE_BLESS=1 cargo test -p npuscope-server the_types_of_the_pages writes it anew.

export type Layer = "framework" | "cann" | "hardware" | "communication" | "overlap" | "counter" | "mstx" | "gc" | "other";

export type DiagnosticSeverity = "info" | "warning" | "error";

export type DiagnosticCode = "whose-file" | "bad-cell" | "bad-row" | "cut-file" | "cut-recording" | "damaged-database" | "damaged-gzip" | "damaged-table" | "dangling-id" | "empty-database" | "empty-file" | "garbage" | "left-in-trace" | "long-row" | "more-diagnostics" | "no-base-time" | "no-clock" | "no-output" | "no-rank" | "no-time" | "not-a-database" | "not-a-trace" | "not-csv" | "orphan-rows" | "raw-only" | "renumbered-rank" | "same-in-database" | "same-in-trace" | "short-row" | "steps-by-order" | "swapped-columns" | "symlink-loop" | "too-deep" | "too-long" | "too-much-text" | "uneven-rows" | "unknown-file" | "unknown-phase" | "unmatched-marks" | "unreadable" | "wal-not-read" | "wrong-columns" | "wrong-encoding";

export type Message = { id: string, arguments: Record<string, unknown>, text: { en: string, zh: string } };

export type Profile = { name: string | null, 
/**
 * Identifies the profile: another profile, or another program, has another key.
 */
key: string, 
/**
 * The origin of times, in ns since the epoch; text, because it has more digits than a number holds.
 */
origin: string, ranks: Array<Rank>, steps: Array<number>, span: [number, number] | null, 
/**
 * What was recorded without interruption, of the first rank.
 */
windows: Array<Window>, 
/**
 * Whether the page is a report.
 */
report: boolean, };

export type Window = { window: number, 
/**
 * The stage of reinforcement learning that was recorded.
 */
stage: string | null, span: [number, number] | null, 
/**
 * First and last step.
 */
steps: [number, number] | null, };

export type Rank = { rank: number, name: string, bytes: number, };

export type Timeline = { processes: Array<Process>, lanes: Array<Lane>, counters: Array<Counter>, 
/**
 * Null if the rank has nothing to draw.
 */
span: [number, number] | null, };

export type Process = { name: string, pid: number, labels: Array<string>, };

export type Lane = { id: number, 
/**
 * Index into the processes.
 */
process: number, layer: Layer, name: string, tid: number, rows: number, slices: number, };

export type Counter = { id: number, 
/**
 * Index into the processes.
 */
process: number | null, name: string, unit: string | null, samples: number, min: number, max: number, };

export type ListedSlice = { slice: number, name: string, lane: number, row: number, begin: number, end: number, };

export type ListedSlices = { 
/**
 * How many there are; fewer may be listed.
 */
count: number, slices: Array<ListedSlice>, };

export type Slice = { id: number, name: string, begin: number, end: number, row: number, lane: number, lane_name: string, layer: Layer, process: string, table: string, 
/**
 * Time of the slice in which none is open below it.
 */
self_ns: number, args: Record<string, unknown>, flows: Array<Flow>, };

export type Flow = { kind: string, outgoing: boolean, slice: number, name: string, lane: number, row: number, begin: number, end: number, };

export type Flows = { 
/**
 * How many there are of the kinds asked for; fewer may be listed.
 */
count: number, kinds: Array<FlowKind>, flows: Array<Arrow>, };

export type FlowKind = { kind: string, count: number, };

export type Arrow = { kind: string, source: ListedSlice, target: ListedSlice, };

export type Hit = { rank: number, slice: number, name: string, lane: number, row: number, begin: number, end: number, };

export type Hits = { count: number, 
/**
 * Some of them, from the number that was asked for on.
 */
hits: Array<Hit>, by_rank: Array<RankHits>, };

export type RankHits = { rank: number, count: number, };

export type NameStatistics = { name: string, count: number, total_ns: number, 
/**
 * Without what is open on the row below.
 */
self_ns: number, average_ns: number, min_ns: number, max_ns: number, p50_ns: number, p95_ns: number, p99_ns: number, 
/**
 * How many are in each bucket, as [`Spread::histogram`] has them.
 */
histogram: number[], };

export type Texts = { en: string, zh: string, };

export type ViewInfo = { view: string, about: Texts, parameters: Array<string>, };

export type SchemaTable = { table: string, about: Texts, columns: Array<SchemaColumn>, };

export type SchemaColumn = { name: string, type: string, 
/**
 * Empty for ids, counts and text.
 */
unit: string, about: Texts, };

export type Missing = { what: Message, switch: Message, };

export type MissingAnswer = { missing: Missing, };

export type ErrorAnswer = { error: Message, };

export type Progress = { rank: number, done: number, total: number, };

export type GapAnswer = { begin: number, end: number, cause: GapCause, places: Array<Place>, };

export type Place = { rank: number, what: PlaceKind, slice: number, name: string, lane: number, row: number, begin: number, end: number, };

export type PlaceKind = "last" | "cause" | "next";

export type GapCause = "host_busy" | "host_sync" | "data" | "gc" | "queue_empty" | "waiting_for_rank" | "waiting_for_stream" | "start" | "end" | "unknown";

export type CollectiveAnswer = { name: string, 
/**
 * The lane it is on, which names the group.
 */
group: string, 
/**
 * The last to begin is last.
 */
instances: Array<CollectiveInstance>, 
/**
 * What each rank ran before.
 */
before: Array<RankSlice>, last_rank: number | null, 
/**
 * From the first to the last start.
 */
skew_ns: number | null, };

export type CollectiveInstance = { rank: number, 
/**
 * How long it moved data and waited for others, where the profile says so.
 */
transit_ns: number | null, wait_ns: number | null, slice: number, name: string, lane: number, row: number, begin: number, end: number, };

export type RankSlice = { rank: number, slice: number, name: string, lane: number, row: number, begin: number, end: number, };

export type AlignAnswer = { offsets: Array<Offset>, };

export type Offset = { rank: number, offset_ns: number, };

export type Diagnosis = { ranks: number, steps: number, 
/**
 * Whether something divides the time into steps; else all that was recorded counts as one.
 */
has_steps: boolean, 
/**
 * Step time of the job: see [`job_step_time`].
 */
step_ms: number, 
/**
 * What it would be without anything that is found.
 */
step_ms_without: number, 
/**
 * How far the replay without changes is off what was recorded, as a share of the step: the mean over steps.
 */
replay_error: number, 
/**
 * Communications that no other rank was seen to take part in.
 */
unmatched_operations: number, clocks: Array<HostClock>, 
/**
 * The parallel layout.
 */
layout: Message, 
/**
 * What could not be read.
 */
diagnostics: Array<Message>, 
/**
 * Those that cost most first.
 */
findings: Array<Finding>, };

export type HostClock = { host: string, ranks: Array<number>, 
/**
 * How far it is ahead at the first moment, in ns; none where nothing ties it to the first host.
 */
offset_ns: number | null, 
/**
 * How much faster it runs, in parts per million.
 */
drift_ppm: number, 
/**
 * What is left of the differences, in ns: the median of their sizes.
 */
residual_ns: number, 
/**
 * Operations that it rests on.
 */
operations: number, };

export type Finding = { 
/**
 * Kind of finding, for programs.
 */
id: string, severity: Severity, 
/**
 * One sentence.
 */
claim: Message, 
/**
 * The numbers the claim rests on.
 */
numbers: Array<FindingNumber>, 
/**
 * Share of step time it costs, 0 to 1; of those steps in which it costs something, if not in all.
 */
share_of_step: number | null, 
/**
 * How sure the analysis is, 0 to 1.
 */
confidence: number, 
/**
 * What most limits the confidence, if something does.
 */
doubt: Message | null, 
/**
 * Ranks it is about.
 */
ranks: Array<number>, 
/**
 * Where it can be seen.
 */
evidence: Array<Evidence>, 
/**
 * What to do about it.
 */
suggestion: Message, 
/**
 * The command that shows more.
 */
next: string | null, };

export type Severity = "info" | "warning" | "critical";

export type Evidence = { rank: number, step: number | null, 
/**
 * By the clock of the first host, where clocks were aligned.
 */
start_ns: number, end_ns: number, what: Message, };

export type FindingNumber = { name: Message, value: number, 
/**
 * Empty for a ratio or a count.
 */
unit: string, };

export type Health = { 
/**
 * What was opened.
 */
path: string, 
/**
 * The jobs in it, by time; all that follows is of one.
 */
jobs: Array<string>, ranks: Array<RankHealth>, 
/**
 * What was recorded without interruption, by time.
 */
windows: Array<WindowHealth>, 
/**
 * What concerns no rank in particular.
 */
diagnostics: Array<Diagnostic>, };

export type RankHealth = { rank: number, device: number | null, host: string | null, chip: string | null, directory: string, 
/**
 * text, db, text+db or kineto.
 */
format: string, framework: string | null, framework_version: string | null, cann_version: string | null, schema_version: string | null, level: string | null, 
/**
 * Numbers of the steps.
 */
steps: Array<number>, 
/**
 * First and last moment covered, in ns since the epoch.
 */
window: [number, number] | null, files: Array<FileHealth>, 
/**
 * Rows of each table that has any.
 */
rows: { [key in string]: number }, 
/**
 * Slices and samples of each lane.
 */
lanes: Array<LaneHealth>, missing: Array<NotCollected>, diagnostics: Array<Diagnostic>, };

export type WindowHealth = { window: number, 
/**
 * The stage of reinforcement learning that was recorded.
 */
stage: string | null, 
/**
 * The ranks that recorded it.
 */
ranks: Array<number>, 
/**
 * Numbers of the steps.
 */
steps: Array<number>, 
/**
 * First and last moment covered, in ns since the epoch.
 */
span: [number, number] | null, 
/**
 * The directories or files, by rank.
 */
directories: Array<string>, };

export type FileHealth = { file: string, kind: string, bytes: number | null, rows: number | null, 
/**
 * Columns or keys that nothing was read from.
 */
unread: Array<string>, };

export type LaneHealth = { process: string | null, thread: string | null, pid: number, tid: number, slices: number, samples: number, };

export type NotCollected = { 
/**
 * What there is none of.
 */
what: Message, 
/**
 * What it would be good for.
 */
good_for: Message, setting: string, 
/**
 * The switch was on all the same.
 */
was_on: boolean, 
/**
 * What to write to collect it, by dialect; nothing where it was on, or no switch would help.
 */
switches: Array<[string, string]>, 
/**
 * Why it is not there, where that is known.
 */
why?: Message, };

export type Diagnostic = { severity: DiagnosticSeverity, code: DiagnosticCode, file: string | null, offset: number | null, message: Message, };
