//! `free_analysis`: Find the causes of idle device time.
//!
//! Reads `kernel`, `comm_op`, `task`, CANN calls, framework operators and `flow`. Divides the free time of each step
//! (`npuscope glossary free`) into gaps: intervals within the device time in which neither a computing kernel nor a
//! communication operation runs. Each gap has one cause. The causes are checked in this order:
//!
//! - `Device task running`: other tasks inside the gap take at least half of it. The reason contains the kinds of
//!   these tasks and the longest part of the gap without tasks.
//! - `Device late`: the call that launched the work after the gap had ended before the gap began, so the host did not
//!   cause the gap.
//! - `Idle Pytorch layer`: the framework had nothing to dispatch. For the work before and after the gap, the delay
//!   from the end of the framework operator to the start of the launching call is compared. The delay grew by less
//!   than 50 us.
//! - `Abnormal CANN layer`: the delay grew by 50 us or more, so CANN was late: between the two calls or in one of
//!   them.
//! - `Idle host`: framework operators were not recorded, so only the time between the calls is known.
//! - `Not recorded`: the calls are unknown, or the gap follows the last work of a step and no other step follows.
//!
//! `FreeAnalysis` lists the `--top_num` (10) longest gaps of each rank. `FreeAnalysisSummary` has the number of gaps
//! and their total time per rank, step and cause. The times of a step add up to its free time.
//!
//! With `--compat`: gaps are taken from the first to the last work of the profile; any task inside a gap is its
//! cause; `Device late` does not exist; all steps are analyzed; times can be rounded to multiples of 256 ns, because
//! msprof-analyze stores them as floats; there is no column `step` and no summary.

use std::collections::BTreeMap;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use npuscope_formats::result::{ColumnKind, ResultTable};
use npuscope_measures::busy::Busy;
use npuscope_measures::intervals::{Interval, clip, subtract, total, union};
use npuscope_measures::step::{self, Clock};
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::number::float;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::{comm_op, kernel, task};
use npuscope_tables::{ConnectionId, Ns, Rank, RankTables, Selection, Str, TaskId};
use serde::{Deserialize, Serialize};

use super::launches::Launches;
use super::rank_facts::{computing_kernels, op_interval};
use super::us_text;
use crate::cluster::{Absent, Answer, Export, Failure, Job, Mode, RankData};
use crate::extract::{Analysis, Text};
use crate::messages::cluster as messages;
use crate::messages::collection;

pub const MODE: Mode =
    Mode { name: "free_analysis", folder: "FreeAnalysis", about: "Find the causes of idle device time", run };

const DEFAULT_TOP: usize = 10;

/// CANN is the cause if the delay from operator to call grew by at least this much across the gap.
const CANN_LATE_NS: i64 = 50_000;

/// Name in a database, title in a csv file.
const COLUMNS: [(&str, &str, ColumnKind); 8] = [
    ("rankId", "Rank ID", ColumnKind::Int),
    ("startTime(us)", "Start Time(us)", ColumnKind::Text),
    ("endTime(us)", "End Time(us)", ColumnKind::Text),
    ("duration(us)", "Duration(us)", ColumnKind::Real),
    ("pytorchIdleTime(us)", "Pytorch Idle Time(us)", ColumnKind::Real),
    ("cannIdleTime(us)", "Cann Idle Time(us)", ColumnKind::Real),
    ("reason", "Reason", ColumnKind::Text),
    ("step", "Step", ColumnKind::Int),
];

/// Time in which the device did nothing, and the connections of the work around it.
struct Gap {
    /// None with `compat`.
    step: Option<i64>,
    interval: Interval,
    before: Option<ConnectionId>,
    after: Option<ConnectionId>,
}

impl Gap {
    fn length(&self) -> i64 {
        self.interval.end - self.interval.start
    }
}

/// The cause of a gap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// How many tasks of each kind, and the longest time between them.
    DeviceTasks(Vec<(String, usize)>, i64),
    /// The work after the gap was launched this long before the gap, in ns.
    DeviceLate(i64),
    /// No operator was dispatched for this long, in ns.
    IdlePytorch(i64),
    /// Time between two calls, in ns.
    CannBetween(i64),
    /// Duration of a call, in ns.
    CannCall(i64),
    /// No call was made for this long, in ns.
    IdleHost(i64),
    NotRecorded,
    /// In the words of msprof-analyze.
    Skipped(Text),
}

impl Cause {
    pub fn layer(&self) -> Layer {
        match self {
            Cause::DeviceTasks(..) => Layer::DeviceTasks,
            Cause::DeviceLate(_) => Layer::DeviceLate,
            Cause::IdlePytorch(_) => Layer::IdlePytorch,
            Cause::CannBetween(_) | Cause::CannCall(_) => Layer::Cann,
            Cause::IdleHost(_) => Layer::IdleHost,
            Cause::NotRecorded | Cause::Skipped(_) => Layer::NotRecorded,
        }
    }

    fn reason(&self) -> String {
        let layer = self.layer().name();
        let us = |ns: &i64| float(*ns as f64 / 1000.0);
        match self {
            Cause::DeviceTasks(kinds, free) => {
                let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind} tasks")).collect();
                format!("{layer}: {}, max remaining free {} us", kinds.join(", "), us(free))
            }
            Cause::DeviceLate(ns) => format!("{layer}: the next task was launched {} us before", us(ns)),
            Cause::IdlePytorch(ns) => format!("{layer}: no task dispatched in {} us", us(ns)),
            Cause::CannBetween(ns) => format!("{layer}: long time between two node@launch {} us", us(ns)),
            Cause::CannCall(ns) => format!("{layer}: long node@launch {} us", us(ns)),
            Cause::IdleHost(ns) => format!("{layer}: no task launched in {} us", us(ns)),
            Cause::NotRecorded => format!("{layer}: what launched the work before and after is not known"),
            Cause::Skipped(why) => format!("Skip free analysis due to {why}."),
        }
    }
}

/// The layer that caused a gap, in the order of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Layer {
    Cann,
    DeviceLate,
    DeviceTasks,
    IdlePytorch,
    IdleHost,
    NotRecorded,
}

impl Layer {
    pub const fn name(self) -> &'static str {
        match self {
            Layer::Cann => "Abnormal CANN layer",
            Layer::DeviceLate => "Device late",
            Layer::DeviceTasks => "Device task running",
            Layer::IdlePytorch => "Idle Pytorch layer",
            Layer::IdleHost => "Idle host",
            Layer::NotRecorded => "Not recorded",
        }
    }
}

/// A gap and its cause; times in ns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explained {
    pub interval: Interval,
    /// From the end of the operator before to that of the operator after.
    pub pytorch_idle: Option<i64>,
    /// The same of the calls that launched the work.
    pub cann_idle: Option<i64>,
    pub cause: Cause,
    /// In which it starts.
    pub step: Option<i64>,
}

/// Number and time of gaps by step and layer.
type Sums = BTreeMap<(Option<i64>, Layer), (usize, i64)>;

/// The gaps of each rank.
#[derive(Serialize)]
struct Gaps {
    top: usize,
    compat: bool,
}

impl Analysis for Gaps {
    type Extract = Part;
    const NAME: &'static str = "free_analysis";
    const VERSION: u32 = 3;

    fn needs(&self) -> Selection {
        Launches::NEEDED.and(step::NEEDS).and_host_ops(&[Kind::Mstx])
    }

    fn map(&self, data: &RankData<'_>) -> Result<Part, Absent> {
        Ok(part(data, self.top, self.compat))
    }
}

/// The extract of a rank.
#[derive(Serialize, Deserialize)]
struct Part {
    is_busy: bool,
    longest: Vec<Explained>,
    sums: Sums,
}

/// Free time of a device by one cause in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreeTime {
    pub rank: Rank,
    pub step: Option<i64>,
    pub layer: Layer,
    pub gaps: usize,
    /// In ns.
    pub time: i64,
}

/// Causes of idle device time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idleness {
    /// The longest gaps of each rank, the longest first.
    pub longest: Vec<(Rank, Vec<Explained>)>,
    /// By rank, step and reason.
    pub sums: Vec<FreeTime>,
}

/// Causes of idle device time: the longest gaps of each rank, and the total time per cause.
pub fn rows(job: &Job<'_>) -> Result<Idleness, Failure> {
    let top = job.options.top_num.unwrap_or(DEFAULT_TOP);
    let parts = job.extracts(&Gaps { top, compat: job.options.compat })?;
    if parts.iter().all(|(_, part)| !part.is_busy) {
        return Err(Failure::missing(MODE.name, collection::data_kernels(), collection::collect_level0()));
    }
    let mut found = Idleness { longest: Vec::with_capacity(parts.len()), sums: Vec::new() };
    for (rank, part) in parts {
        let sums = part.sums.into_iter();
        found.sums.extend(sums.map(|((step, layer), (gaps, time))| FreeTime { rank, step, layer, gaps, time }));
        found.longest.push((rank, part.longest));
    }
    Ok(found)
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    job.require_export(&MODE, &[Export::Db, Export::Text])?;
    let idleness = rows(job)?;
    let mut tables = vec![longest(&idleness.longest, job)];
    if !job.options.compat {
        tables.push(summary(&idleness.sums));
    }
    let is_empty = tables.iter().all(ResultTable::is_empty);
    let answer = Answer::of_tables(tables);
    Ok(if is_empty { answer.note(messages::note_never_free()) } else { answer })
}

fn longest(ranks: &[(Rank, Vec<Explained>)], job: &Job<'_>) -> ResultTable {
    let is_text = job.export() == Export::Text;
    let columns = COLUMNS.map(|(name, title, kind)| (if is_text { title } else { name }, kind));
    let columns = if job.options.compat { &columns[..columns.len() - 1] } else { &columns[..] };
    let mut table = ResultTable::new("FreeAnalysis", "free_analysis", columns);
    let us = |ns: i64| ns as f64 / 1000.0;
    for (rank, gaps) in ranks {
        for gap in gaps {
            let Interval { start, end } = gap.interval;
            table.push([
                (*rank).into(),
                us_text(start).into(),
                us_text(end).into(),
                us(end - start).into(),
                gap.pytorch_idle.map(us).into(),
                gap.cann_idle.map(us).into(),
                gap.cause.reason().into(),
                gap.step.into(),
            ]);
        }
    }
    table
}

fn summary(sums: &[FreeTime]) -> ResultTable {
    let columns = [
        ("rankId", ColumnKind::Int),
        ("step", ColumnKind::Int),
        ("cause", ColumnKind::Text),
        ("gaps", ColumnKind::Int),
        ("freeNs", ColumnKind::Int),
    ];
    let mut table = ResultTable::new("FreeAnalysisSummary", "free_analysis_summary", &columns);
    for row in sums {
        table.push([row.rank.into(), row.step.into(), row.layer.name().into(), row.gaps.into(), row.time.into()]);
    }
    table
}

fn part(data: &RankData<'_>, top: usize, compat: bool) -> Part {
    let tables = &data.tables;
    let tasks = Tasks::of(tables);
    let busy = busy(tables, &tasks);
    let is_busy = !busy.is_empty();
    let launches = Launches::of(tables);
    let mut gaps = if compat { gaps(busy) } else { free_time(data, &tasks) };
    gaps.sort_by_key(|gap| std::cmp::Reverse(gap.length()));
    let explain = |gap: &Gap| {
        let explained = if compat { explain_as_peer(gap, &tasks, &launches) } else { explain(gap, &tasks, &launches) };
        Explained { step: gap.step, ..explained }
    };
    if compat {
        gaps.truncate(top);
    }
    let mut longest: Vec<Explained> = Vec::new();
    let mut sums = Sums::new();
    for gap in &gaps {
        let explained = explain(gap);
        let sum = sums.entry((explained.step, explained.cause.layer())).or_default();
        *sum = (sum.0 + 1, sum.1 + gap.length());
        if longest.len() < top {
            longest.push(explained);
        }
    }
    Part { is_busy, longest, sums }
}

/// A task of a device.
#[derive(Clone, Copy)]
struct DeviceTask {
    interval: Interval,
    kind: Option<Str>,
    connection: Option<ConnectionId>,
}

/// The tasks of a device, by start.
struct Tasks<'a> {
    tables: &'a RankTables,
    by_start: Vec<DeviceTask>,
    connections: HashMap<TaskId, ConnectionId, FixedState>,
    /// Connections of marks of the user, which show as tasks but are none.
    marks: HashSet<ConnectionId, FixedState>,
}

impl<'a> Tasks<'a> {
    fn of(tables: &'a RankTables) -> Tasks<'a> {
        let mut tasks =
            Tasks { tables, by_start: Vec::new(), connections: HashMap::default(), marks: HashSet::default() };
        for (view, rows) in tables.views::<task::Row>() {
            for row in 0..rows {
                let start = view.start.get(row);
                let interval = Interval::new(start.0, start.plus(view.duration.get(row).ns()).0);
                let connection = view.connection_id.get(row);
                tasks.connections.extend(connection.map(|connection| (view.task.get(row), connection)));
                tasks.by_start.push(DeviceTask { interval, kind: view.task_type.get(row), connection });
            }
        }
        tasks.by_start.sort_by_key(|task| task.interval.start);
        let mut kinds = Memo::default();
        for (view, rows) in tables.views::<host_op::Row>() {
            for row in 0..rows {
                let kind = view.kind.get(row);
                if kinds.get(kind, || tables.text(kind) == Kind::Mstx.name()) {
                    tasks.marks.extend(view.connection_id.get(row));
                }
            }
        }
        tasks
    }

    /// The tasks that begin after a gap has begun and end before it ends.
    fn inside(&self, gap: Interval) -> impl Iterator<Item = &DeviceTask> {
        let from = self.by_start.partition_point(|task| task.interval.start <= gap.start);
        let begun = self.by_start[from..].iter().take_while(move |task| task.interval.start < gap.end);
        begun.filter(move |task| task.interval.end < gap.end)
    }

    fn is_mark(&self, task: &DeviceTask) -> bool {
        let kind = self.tables.opt_text(task.kind);
        matches!(kind, Some("MSTX" | "PROFILER_TRACE_EX"))
            || task.connection.is_some_and(|connection| self.marks.contains(&connection))
    }

    /// Kinds of tasks, the most frequent first, and the longest part of the gap without any.
    fn in_words(&self, gap: Interval, inside: &[&DeviceTask]) -> Cause {
        let mut kinds: Vec<(String, usize)> = Vec::new();
        for task in inside {
            let kind = self.tables.opt_text(task.kind).unwrap_or("N/A");
            match kinds.iter_mut().find(|(known, _)| known == kind) {
                Some((_, count)) => *count += 1,
                None => kinds.push((kind.to_owned(), 1)),
            }
        }
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let left = subtract(&[gap], &union(inside.iter().map(|task| task.interval).collect()));
        Cause::DeviceTasks(kinds, left.iter().map(|hole| hole.end - hole.start).max().unwrap_or_default())
    }
}

/// When the device computed or communicated, and by which connection, in order of time.
fn busy(tables: &RankTables, tasks: &Tasks<'_>) -> Vec<(Interval, Option<ConnectionId>)> {
    let kernels = computing_kernels(tables).into_iter().map(|kernel| {
        let connection = kernel.task.and_then(|task| tasks.connections.get(&task).copied());
        (kernel.interval, connection)
    });
    let operations = tables.rows::<comm_op::Row>().map(|op| (op_interval(&op), op.connection_id));
    let mut busy: Vec<_> = kernels.chain(operations).collect();
    busy.sort_unstable();
    busy
}

/// The time between busy times.
fn gaps(busy: Vec<(Interval, Option<ConnectionId>)>) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let mut last: Option<(i64, Option<ConnectionId>)> = None;
    for (interval, connection) in busy {
        if let Some((end, before)) = last
            && interval.start > end
        {
            let interval = Interval { start: end, end: interval.start };
            gaps.push(Gap { step: None, interval, before, after: connection });
        }
        if last.is_none_or(|(end, _)| interval.end > end) {
            last = Some((interval.end, connection));
        }
    }
    gaps
}

/// The free time of the chosen steps, as [`step::DeviceTime::free`] counts it.
fn free_time(data: &RankData<'_>, tasks: &Tasks<'_>) -> Vec<Gap> {
    let tables = &data.tables;
    let busy = Busy::of(tables);
    // The work that ends and begins at a time.
    let mut ends: HashMap<i64, ConnectionId, FixedState> = HashMap::default();
    let mut starts: HashMap<i64, ConnectionId, FixedState> = HashMap::default();
    let mut note = |start: Ns, ns: i64, connection: Option<ConnectionId>| {
        ends.extend(connection.map(|connection| (start.plus(ns).0, connection)));
        starts.extend(connection.map(|connection| (start.0, connection)));
    };
    for (view, rows) in tables.views::<kernel::Row>() {
        for row in 0..rows {
            let connection = view.task.get(row).and_then(|task| tasks.connections.get(&task).copied());
            note(view.start.get(row), view.duration.get(row).ns(), connection);
        }
    }
    for op in tables.rows::<comm_op::Row>() {
        note(op.start, op.duration.ns(), op.connection_id);
    }
    let mut gaps = Vec::new();
    for step in step::steps(tables).into_iter().filter(|step| data.has_step(step.id)) {
        let Some(device) = step.device.filter(|_| step.clock != Clock::File) else { continue };
        let around = |list: &[Interval]| clip(list, device.span);
        let free = subtract(&subtract(&[device.span], &around(&busy.computing)), &around(&busy.communication));
        gaps.extend(free.into_iter().map(|interval| Gap {
            step: step.id,
            interval,
            before: ends.get(&interval.start).copied(),
            after: starts.get(&interval.end).copied(),
        }));
    }
    gaps
}

fn explain(gap: &Gap, tasks: &Tasks<'_>, launches: &Launches) -> Explained {
    let inside: Vec<&DeviceTask> = tasks.inside(gap.interval).filter(|task| !tasks.is_mark(task)).collect();
    let unexplained =
        |cause| Explained { interval: gap.interval, pytorch_idle: None, cann_idle: None, cause, step: None };
    let taken = total(&union(inside.iter().map(|task| task.interval).collect()));
    if taken * 2 >= gap.length() {
        return unexplained(tasks.in_words(gap.interval, &inside));
    }
    let calls = launches.call(gap.before).zip(launches.call(gap.after));
    let Some((call, next_call)) = calls else { return unexplained(Cause::NotRecorded) };
    let cann_idle = next_call.end - call.end;
    let early = gap.interval.start - next_call.end;
    let operators = launches.operator(gap.before).zip(launches.operator(gap.after));
    let Some((operator, next_operator)) = operators else {
        let cause = if early > 0 { Cause::DeviceLate(early) } else { Cause::IdleHost(cann_idle) };
        return Explained { cann_idle: Some(cann_idle), ..unexplained(cause) };
    };
    let pytorch_idle = next_operator.end - operator.end;
    let delays = (call.start - operator.end, next_call.start - next_operator.end);
    let cause = if early > 0 {
        Cause::DeviceLate(early)
    } else if delays.1 - delays.0 < CANN_LATE_NS {
        Cause::IdlePytorch(pytorch_idle)
    } else {
        cann(call.length(), next_call.length(), next_call.start - call.end)
    };
    Explained { pytorch_idle: Some(pytorch_idle), cann_idle: Some(cann_idle), ..unexplained(cause) }
}

/// Which part of launching took longest: the calls, or the time between them.
fn cann(call: i64, next_call: i64, between: i64) -> Cause {
    let longest = call.max(next_call);
    if between >= longest { Cause::CannBetween(between) } else { Cause::CannCall(longest) }
}

/// [`explain`] as msprof-analyze does it: any task inside is the cause, and the work around the gap is whatever
/// task ended last and started next.
fn explain_as_peer(gap: &Gap, tasks: &Tasks<'_>, launches: &Launches) -> Explained {
    let inside: Vec<&DeviceTask> = tasks.inside(gap.interval).collect();
    let unexplained =
        |cause| Explained { interval: gap.interval, pytorch_idle: None, cann_idle: None, cause, step: None };
    if !inside.is_empty() {
        return unexplained(tasks.in_words(gap.interval, &inside));
    }
    let started = tasks.by_start.partition_point(|task| task.interval.start < gap.interval.end);
    let ended = tasks.by_start[..started].iter().filter(|task| task.interval.end <= gap.interval.start);
    let around = ended.max_by_key(|task| task.interval.end).zip(tasks.by_start.get(started));
    let Some((before, after)) = around else { return unexplained(Cause::Skipped("no prev or next task".into())) };
    let calls = launches.call(before.connection).zip(launches.call(after.connection));
    let operators = launches.operator(before.connection).zip(launches.operator(after.connection));
    let Some(((call, next_call), (operator, next_operator))) = calls.zip(operators) else {
        return unexplained(Cause::Skipped("no pytorch dispatch time".into()));
    };
    let lacks = |has: fn(&Launches, Option<ConnectionId>) -> bool| {
        tasks.by_start.iter().any(|task| !has(launches, task.connection))
    };
    let cann = Grid { is_coarse: lacks(|launches, connection| launches.call(connection).is_some()) };
    let pytorch = Grid { is_coarse: lacks(|launches, connection| launches.operator(connection).is_some()) };
    let pytorch_idle = pytorch.of(next_operator.end) - pytorch.of(operator.end);
    let cann_idle = cann.of(next_call.end) - cann.of(call.end);
    let delay = cann.of(call.start) - pytorch.of(operator.end);
    let next_delay = cann.of(next_call.start) - pytorch.of(next_operator.end);
    let cause = if next_delay - delay < CANN_LATE_NS {
        Cause::IdlePytorch(pytorch_idle)
    } else {
        let length = |call: &super::launches::HostSlice| cann.of(call.end) - cann.of(call.start);
        self::cann(length(call), length(next_call), cann.of(next_call.start) - cann.of(call.end))
    };
    Explained { pytorch_idle: Some(pytorch_idle), cann_idle: Some(cann_idle), ..unexplained(cause) }
}

/// Times of a column of msprof-analyze: with a null in it they are floats, which hold multiples of 256 ns.
struct Grid {
    is_coarse: bool,
}

impl Grid {
    #[expect(clippy::cast_possible_truncation, reason = "a float of a time is a whole number")]
    fn of(&self, ns: i64) -> i64 {
        if self.is_coarse { ns as f64 as i64 } else { ns }
    }
}
