//! `mstx_sum`: Summarize the durations of code sections that the user marked with mstx.
//!
//! Reads `host_op` of kind `mstx`. A mark or range is counted if it starts in the selected step.
//!
//! - Two marks `X_start` and `X_stop` on the same thread form a span `X`. If spans of the same name nest, a stop ends
//!   the most recent start.
//! - A range that reaches the device is a span; in a job without a device, every range is. A range inside other ranges of its thread is named after them:
//!   `A::B`.
//!
//! A span has up to three durations. The host duration (`Cann`) is the time from the start mark to the stop mark, or
//! the duration of the range. The device duration is the same for the tasks that the marks or the range launched. The
//! framework duration is the time from the operator that set the start mark to the operator that set the stop mark.
//! Unknown durations are null and not counted. Spans of the same name within a step are numbered: `X_0`, `X_1`.
//!
//! - `MSTXMarkStats`: all spans, with their share in the time of all spans of the rank;
//! - `MSTXAllFrameworkStats`, `MSTXAllCannStats`, `MSTXAllDeviceStats`: durations per step and name over all ranks,
//!   with the ranks of the shortest and of the longest span. Dispersion is (max - Q3) / sum, in percent.
//!
//! With `--compat`: framework durations and device durations of marks are 0, an unknown step is 0, and ranges nest
//! across threads.

use std::collections::{BTreeMap, HashMap};

use npuscope_formats::result::{Cell, ColumnKind, ResultTable, TimeUnit};
use npuscope_measures::link::STEP_PREFIX;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::{flow, host_op, task};
use npuscope_tables::{ConnectionId, LaneId, Ns, Rank, RankTables, Selection, Str, TableId, TableView};
use serde::{Deserialize, Serialize};

use crate::cluster::statistics::Summary;
use crate::cluster::{Absent, Answer, Export, Failure, Job, Mode, RankData};
use crate::extract::Analysis;
use crate::messages::cluster as messages;
use crate::messages::collection;

pub const MODE: Mode =
    Mode { name: "mstx_sum", folder: "MstxSum", about: "Summarize the durations of mstx marks and ranges", run };

const MARKS: Selection = Selection::of(&[TableId::Task, TableId::Step]).and_host_ops(&[Kind::Mstx]);

/// How deep ranges may nest before their names stop growing.
const MAX_DEPTH: usize = 100;

/// A span that the user marked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Span {
    name: String,
    step: Option<i64>,
    start: Ns,
    /// Durations in ns: in the framework, on the host, on the device.
    durations: [Option<i64>; 3],
}

/// The extract of a rank.
#[derive(Serialize, Deserialize)]
struct Part {
    spans: Vec<Span>,
    /// Marks without a partner.
    single: Vec<String>,
    /// Whether marks reach the device.
    has_marks: bool,
}

/// The spans that the user marked on each rank.
#[derive(Serialize)]
struct Marks {
    compat: bool,
    /// Arrows are many: they are read only for marks.
    with_arrows: bool,
}

impl Analysis for Marks {
    type Extract = Part;
    const NAME: &'static str = "mstx_sum";
    const VERSION: u32 = 3;

    fn needs(&self) -> Selection {
        if self.with_arrows { MARKS.and(Selection::of(&[TableId::Flow])) } else { MARKS }
    }

    fn map(&self, data: &RankData<'_>) -> Result<Part, Absent> {
        let operators = if self.with_arrows { operators(&data.tables) } else { Operators::new() };
        Ok(part(data, &operators, self.compat))
    }
}

/// Starts of operators by the start of the task that they launched.
type Operators = HashMap<(LaneId, Ns), Ns>;

/// First start and last end of the tasks that a connection launched, and the lane of the first.
type Tasks = HashMap<ConnectionId, (LaneId, Ns, Ns)>;

/// Where the duration of a span is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// From the operator that set one mark to the one that set the other.
    Framework,
    Host,
    Device,
}

impl Place {
    pub const ALL: [Place; 3] = [Place::Framework, Place::Host, Place::Device];
}

/// A span that the user marked, on one rank. Unknown values are `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkedSpan {
    pub rank: Rank,
    pub name: String,
    pub step: Option<i64>,
    pub start: Ns,
    /// In ns, at each of [`Place::ALL`].
    pub durations: [Option<i64>; 3],
    /// Of all spans of the rank, in ns.
    pub totals: [i64; 3],
}

impl MarkedSpan {
    pub fn duration(&self, place: Place) -> Option<i64> {
        self.durations.get(place as usize).copied().flatten()
    }

    /// Share of all spans of the rank, in per cent: `100 * duration / total`; 0 of nothing.
    pub fn percent(&self, place: Place) -> Option<f64> {
        let total = self.totals.get(place as usize).copied().unwrap_or_default() as f64;
        let duration = self.duration(place)? as f64;
        Some(if total == 0.0 { 0.0 } else { 100.0 * duration / total })
    }
}

/// Spans of one name in a step, on all ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanTimes {
    pub name: String,
    pub step: Option<i64>,
    /// In ns.
    pub durations: Summary,
    /// The ranks of the shortest and of the longest; 0 where none took any time.
    pub shortest_rank: Rank,
    pub longest_rank: Rank,
}

impl SpanTimes {
    /// How far the longest is from the others, in per cent: `100 * (max - Q3) / sum`; 0 of nothing.
    pub fn dispersion(&self) -> f64 {
        let Summary { max, q3, sum, .. } = self.durations;
        if sum == 0.0 { 0.0 } else { 100.0 * (max - q3) / sum }
    }
}

/// How long what the user marked took.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkTimes {
    /// The greatest share of the time on the host first.
    pub spans: Vec<MarkedSpan>,
    /// At each of [`Place::ALL`]: by step, those that disperse most first.
    pub over_ranks: [Vec<SpanTimes>; 3],
    /// By rank: marks without a partner.
    pub single: Vec<(Rank, Vec<String>)>,
}

/// How long what the user marked took, by rank, and over all ranks.
pub fn rows(job: &Job<'_>) -> Result<MarkTimes, Failure> {
    let compat = job.options.compat;
    let mut parts = job.extracts(&Marks { compat, with_arrows: false })?;
    if !compat && parts.iter().any(|(_, part)| part.has_marks) {
        parts = job.extracts(&Marks { compat, with_arrows: true })?;
    }
    if parts.iter().all(|(_, part)| part.spans.is_empty()) {
        let (what, hint) = (collection::data_device_marks(), collection::collect_device_marks());
        return Err(Failure::missing(MODE.name, what, hint));
    }
    let over_ranks = Place::ALL.map(|place| over_ranks(&parts, place));
    let single = parts.iter().filter(|(_, part)| !part.single.is_empty());
    let single = single.map(|(rank, part)| (*rank, part.single.clone())).collect();
    Ok(MarkTimes { spans: marked_spans(parts), over_ranks, single })
}

fn marked_spans(parts: Vec<(Rank, Part)>) -> Vec<MarkedSpan> {
    let mut spans = Vec::new();
    for (rank, part) in parts {
        let total = |which: usize| part.spans.iter().filter_map(|span| span.durations.get(which).copied()?).sum();
        let totals = [0, 1, 2].map(total);
        spans.extend(part.spans.into_iter().map(|Span { name, step, start, durations }| MarkedSpan {
            rank,
            name,
            step,
            start,
            durations,
            totals,
        }));
    }
    let share = |span: &MarkedSpan| span.percent(Place::Host).unwrap_or_default();
    spans.sort_by(|a, b| share(b).total_cmp(&share(a)));
    spans
}

/// Ranks and durations in ns by step and name.
type Samples<'a> = BTreeMap<(Option<i64>, &'a str), Vec<(Rank, f64)>>;

/// Spans by step and name.
fn over_ranks(parts: &[(Rank, Part)], place: Place) -> Vec<SpanTimes> {
    let mut groups = Samples::new();
    for (rank, part) in parts {
        for span in &part.spans {
            if let Some(duration) = span.durations.get(place as usize).copied().flatten() {
                groups.entry((span.step, &span.name)).or_default().push((*rank, duration as f64));
            }
        }
    }
    let mut rows: Vec<SpanTimes> =
        groups.into_iter().map(|((step, name), samples)| span_times(step, name, &samples)).collect();
    rows.sort_by(|a, b| a.step.cmp(&b.step).then(b.dispersion().total_cmp(&a.dispersion())));
    rows
}

fn span_times(step: Option<i64>, name: &str, samples: &[(Rank, f64)]) -> SpanTimes {
    let durations = Summary::of(&samples.iter().map(|(_, duration)| *duration).collect::<Vec<_>>());
    let is_of = |value: f64, duration: f64| duration == value && durations.max > 0.0;
    let rank_of = |value: f64| samples.iter().find(|(_, d)| is_of(value, *d)).map_or(Rank(0), |(rank, _)| *rank);
    let [shortest_rank, longest_rank] = [durations.min, durations.max].map(rank_of);
    SpanTimes { name: name.to_owned(), step, durations, shortest_rank, longest_rank }
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let times = rows(job)?;
    let mut answer = Answer::of_tables([mark_stats(&times.spans, job.export() == Export::Db)]);
    let tables = [
        ("MSTXAllFrameworkStats", "all_fwk_stats"),
        ("MSTXAllCannStats", "all_cann_stats"),
        ("MSTXAllDeviceStats", "all_device_stats"),
    ];
    answer.tables.extend(times.over_ranks.iter().zip(tables).map(|(rows, (name, file))| all_stats(rows, name, file)));
    for (rank, single) in &times.single {
        answer.notes.push(messages::note_single_marks(*rank, single.join(", ")));
    }
    Ok(answer)
}

fn operators(tables: &RankTables) -> Operators {
    let mut operators = Operators::new();
    for (view, rows) in tables.views::<flow::Row>() {
        let is_launch = |row: &usize| tables.text(view.kind.get(*row)) == "async_npu";
        for row in (0..rows).filter(is_launch) {
            if let (Some(lane), Some(time), Some(start)) =
                (view.dst_lane.get(row), view.dst_time.get(row), view.src_time.get(row))
            {
                operators.insert((lane, time), start);
            }
        }
    }
    operators
}

/// The spans of a rank.
fn part(data: &RankData<'_>, operators: &Operators, compat: bool) -> Part {
    let tables = &data.tables;
    let mut marks = Vec::new();
    let mut ranges = Vec::new();
    // Without a device, no mark and no range reaches one.
    let on_host = !compat && tables.is_empty(TableId::Task);
    let is_step = |row: &host_op::Row| tables.text(row.name).starts_with(STEP_PREFIX);
    for (view, rows) in tables.views::<host_op::Row>() {
        let is_event = |row: &usize| tables.text(view.kind.get(*row)) == Kind::Mstx.name();
        for row in (0..rows).filter(is_event).filter(|row| data.has_moment(view.start.get(*row))) {
            match tables.opt_text(view.event_type.get(row)) {
                Some("marker_ex") => marks.push(view.row(row)),
                Some("marker") if on_host => marks.push(view.row(row)),
                Some("start/end") if view.connection_id.get(row).is_some() => ranges.push(view.row(row)),
                // Kineto does not say how a range was made.
                Some("start/end" | "push/pop") | None if on_host => {
                    ranges.extend(Some(view.row(row)).filter(|row| !is_step(row)));
                }
                _ => {}
            }
        }
    }
    let launched = launched(tables, marks.iter().chain(&ranges).filter_map(|event| event.connection_id));
    let steps = data.steps();
    let step = |time| steps.at(time).or(compat.then_some(0));
    let (pairs, single) = pairs(tables, marks);
    let mut spans = Vec::with_capacity(pairs.len() + ranges.len());
    let mut has_marks = false;
    for (name, start, stop) in pairs {
        let task = |mark: &host_op::Row| mark.connection_id.and_then(|id| launched.get(&id));
        let [from, to] = [&start, &stop].map(|mark| task(mark).copied());
        let device = from.zip(to).map(|((_, from, _), (_, to, _))| to.since(from));
        has_marks |= device.is_some();
        let operator = |task: Option<(LaneId, Ns, Ns)>| task.and_then(|(lane, start, _)| operators.get(&(lane, start)));
        let framework = operator(from).zip(operator(to)).map(|(from, to)| to.since(*from));
        let host = Some(stop.start.since(start.start));
        let durations = if compat { [Some(0), host, Some(0)] } else { [framework, host, device] };
        spans.push(Span { name, step: step(start.start), start: start.start, durations });
    }
    for (name, range) in nested(tables, ranges, compat) {
        let device = range.connection_id.and_then(|id| launched.get(&id)).map(|(_, start, end)| end.since(*start));
        let durations = [compat.then_some(0), Some(range.duration.ns()), device.or(compat.then_some(0))];
        spans.push(Span { name, step: step(range.start), start: range.start, durations });
    }
    number(&mut spans);
    Part { spans, single, has_marks }
}

fn launched(tables: &RankTables, connections: impl Iterator<Item = ConnectionId>) -> Tasks {
    let mut launched: Tasks = connections.map(|id| (id, (LaneId(0), Ns(i64::MAX), Ns(i64::MIN)))).collect();
    for (view, rows) in tables.views::<task::Row>() {
        for row in 0..rows {
            let Some(range) = view.connection_id.get(row).and_then(|id| launched.get_mut(&id)) else { continue };
            let start = view.start.get(row);
            if start < range.1 {
                (range.0, range.1) = (view.lane.get(row), start);
            }
            range.2 = range.2.max(start.plus(view.duration.get(row).ns()));
        }
    }
    launched.retain(|_, (_, start, end)| *start <= *end);
    launched
}

type Pair = (String, host_op::Row, host_op::Row);

/// Marks that belong together, and the names of those without a partner.
fn pairs(tables: &RankTables, mut marks: Vec<host_op::Row>) -> (Vec<Pair>, Vec<String>) {
    marks.sort_by_key(|mark| mark.start);
    let mut open: BTreeMap<(LaneId, &str), Vec<host_op::Row>> = BTreeMap::new();
    let mut pairs = Vec::new();
    let mut single = Vec::new();
    for mark in marks {
        let text = tables.text(mark.name);
        if let Some(name) = text.strip_suffix("_start") {
            open.entry((mark.lane, name)).or_default().push(mark);
        } else if let Some(name) = text.strip_suffix("_stop") {
            match open.get_mut(&(mark.lane, name)).and_then(Vec::pop) {
                Some(start) => pairs.push((name.to_owned(), start, mark)),
                None => single.push(text.to_owned()),
            }
        }
    }
    single.extend(open.into_values().flatten().map(|mark| tables.text(mark.name).to_owned()));
    (pairs, single)
}

/// Ranges by start, named after those around them.
fn nested(tables: &RankTables, mut ranges: Vec<host_op::Row>, compat: bool) -> Vec<(String, host_op::Row)> {
    let end = |range: &host_op::Row| range.start.plus(range.duration.ns());
    let thread = |range: &host_op::Row| if compat { LaneId(0) } else { range.lane };
    ranges.sort_by_key(|range| (thread(range), range.start, std::cmp::Reverse(end(range))));
    let mut around: Vec<(LaneId, Ns, Str)> = Vec::new();
    let mut named = Vec::with_capacity(ranges.len());
    for range in ranges {
        around.retain(|(lane, until, _)| *lane == thread(&range) && *until >= end(&range));
        around.truncate(MAX_DEPTH - 1);
        around.push((thread(&range), end(&range), range.name));
        let path: Vec<&str> = around.iter().map(|(_, _, name)| tables.text(*name)).collect();
        named.push((path.join("::"), range));
    }
    named
}

/// Numbers spans that share name and step, in order of start.
fn number(spans: &mut [Span]) {
    spans.sort_by_key(|span| span.start);
    let mut counts: HashMap<(Option<i64>, String), (usize, usize)> = HashMap::new();
    for span in spans.iter() {
        counts.entry((span.step, span.name.clone())).or_default().0 += 1;
    }
    for span in spans {
        if let Some((_, next)) = counts.get_mut(&(span.step, span.name.clone())).filter(|(count, _)| *count > 1) {
            span.name = format!("{}_{next}", span.name);
            *next += 1;
        }
    }
}

/// Every span. Databases number the rows.
fn mark_stats(spans: &[MarkedSpan], is_numbered: bool) -> ResultTable {
    let numbered = [("index", ColumnKind::Int)];
    let columns = [
        ("Name", ColumnKind::Text),
        ("FrameworkDurationNs", ColumnKind::Real),
        ("FrameworkDurationRatio(%)", ColumnKind::Real),
        ("CannDurationNs", ColumnKind::Real),
        ("CannDurationRatio(%)", ColumnKind::Real),
        ("DeviceDurationNs", ColumnKind::Real),
        ("DeviceDurationRatio(%)", ColumnKind::Real),
        ("Rank", ColumnKind::Int),
        ("StepId", ColumnKind::Int),
    ];
    let columns = [if is_numbered { &numbered[..] } else { &[] }, &columns].concat();
    let table = ResultTable::new("MSTXMarkStats", "mark_stats", &columns).csv_in(TimeUnit::Ms);
    let mut table = if is_numbered { table.indexed(1) } else { table };
    for (index, span) in spans.iter().enumerate() {
        let mut cells = vec![Cell::from(span.name.as_str())];
        for place in Place::ALL {
            cells.extend([span.duration(place).map(|ns| ns as f64).into(), span.percent(place).into()]);
        }
        cells.extend([Cell::from(span.rank), span.step.into()]);
        table.push(is_numbered.then(|| index.into()).into_iter().chain(cells));
    }
    table
}

fn all_stats(rows: &[SpanTimes], name: &str, file: &str) -> ResultTable {
    let columns = [
        ("Name", ColumnKind::Text),
        ("Count", ColumnKind::Real),
        ("MeanNs", ColumnKind::Real),
        ("StdNs", ColumnKind::Real),
        ("MinNs", ColumnKind::Real),
        ("MinRank", ColumnKind::Int),
        ("Q1Ns", ColumnKind::Real),
        ("MedianNs", ColumnKind::Real),
        ("Q3Ns", ColumnKind::Real),
        ("MaxNs", ColumnKind::Real),
        ("MaxRank", ColumnKind::Int),
        ("SumNs", ColumnKind::Real),
        ("Dispersion(%)", ColumnKind::Real),
        ("StepId", ColumnKind::Int),
    ];
    let mut table = ResultTable::new(name, file, &columns).indexed(1).csv_in(TimeUnit::Ms);
    for row in rows {
        let s = row.durations;
        let [count, mean, deviation, min, q1, median, q3, max, sum, dispersion] =
            [s.count as f64, s.mean, s.deviation, s.min, s.q1, s.median, s.q3, s.max, s.sum, row.dispersion()]
                .map(Cell::from);
        let (name, step) = (Cell::from(row.name.as_str()), row.step.into());
        let [min_rank, max_rank] = [row.shortest_rank, row.longest_rank].map(Cell::from);
        table.push([name, count, mean, deviation, min, min_rank, q1, median, q3, max, max_rank, sum, dispersion, step]);
    }
    table
}
