//! `communication_bottleneck`: which rank the longest communication operations waited for, and why it was late.
//!
//! Looks at the `--top_num` (10) longest collectives of rank `--rank_id` (0) in the chosen step. The
//! rank where such an operation took longest was first, the `fast` one; where it was shortest, the `slow`
//! one, the others waited for it. All ranks end an operation together, which gives the shift between their
//! clocks. If the times differ by less than 5 %, nobody was slow; of an operation that one rank alone has there is
//! nothing to compare, which the reason says. Otherwise `CommunicationBottleneck` says:
//! - `Device-bound` if, of the kernels and operations that ran on the slow rank while the fast one waited, and the
//!   operation itself, more than half waited 100 us longer on the device than their calls came after their
//!   operators, else `Host-bound`;
//! - what came before the operation on both ranks, back to the first that began within 1 ms of each other: where
//!   the slow rank took the longest more, and where it was the farthest behind. On the device these are kernels,
//!   communication and copies, on the host operators of the framework and CANN calls.
//!
//! Collectives of different ranks are matched by group, step, kind, bytes and launch order. Reads `comm_op` and the
//! calls of CANN of all ranks; of the slow and the fast ones also `task`, `kernel`, operators, calls and arrows.
//!
//! With `--compat` sends and receives count too, operations must start and end in the marker of the step and are matched
//! by name alone, all tasks that begin and end while the fast rank waits decide what binds, work on the device is looked
//! at from the end of the profile rather than from the operation, 5 % is called 0.05 %, an operation of one rank counts
//! as one that nobody was slow in, and there is no column `step`.

use std::collections::BTreeMap;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use npuscope_formats::result::{ColumnKind, ResultTable};
use npuscope_measures::intervals::Interval;
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::number::float;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::{comm_op, task};
use npuscope_tables::{ConnectionId, Ns, Rank, RankTables, Selection, Str, TableId, TaskId};
use serde::{Deserialize, Serialize};

use super::launches::Launches;
use super::rank_facts::{computing_kernels, op_interval};
use super::us_text;
use crate::cluster::{Absent, Answer, Export, Failure, Job, Mode, RankData, Usage};
use crate::communication::direction_of;
use crate::diagnose::trace;
use crate::extract::{Analysis, Text};
use crate::meetings::{KeptKey, Key, Keys, launched_operations};

pub const MODE: Mode = Mode {
    name: "communication_bottleneck",
    folder: "CommunicatonBottleneckAnalysis",
    about: "Which rank the longest communication operations waited for, and why",
    run,
};

const DEFAULT_TOP: usize = 10;

const OPERATIONS: Selection = Selection::of(&[TableId::CommOp, TableId::Step]).and_host_ops(&[Kind::Cann]);

/// Ranks whose times of an operation differ by less are equally fast.
const ALIKE: f64 = 0.05;
/// Work that waits so much longer on the device than for CANN waits for the device.
const DEVICE_WAIT_NS: i64 = 100_000;
/// What begins within this on two ranks is aligned.
const ALIGNED_NS: i64 = 1_000_000;

/// Name in a database, title in a csv file.
const COLUMNS: [(&str, &str, ColumnKind); 8] = [
    ("startTime(us)", "Start Time(us)", ColumnKind::Text),
    ("endTime(us)", "End Time(us)", ColumnKind::Text),
    ("duration(us)", "Duration(us)", ColumnKind::Real),
    ("communicationOp", "Communication Op", ColumnKind::Text),
    ("slowRankId", "Slow Rank ID", ColumnKind::Int),
    ("fastRankId", "Fast Rank ID", ColumnKind::Int),
    ("reason", "Reason", ColumnKind::Text),
    ("step", "Step", ColumnKind::Int),
];

/// An operation on the rank that is looked at.
#[derive(Serialize, Deserialize)]
struct Operation {
    name: Text,
    matched_by: MatchedBy,
    interval: Interval,
    step: Option<i64>,
}

/// By what an operation is found on other ranks.
#[derive(Serialize, Deserialize)]
enum MatchedBy {
    Key(KeptKey),
    /// As msprof-analyze does it.
    Name,
}

/// The longest operations of a rank.
#[derive(Serialize)]
struct Longest {
    top: usize,
    compat: bool,
}

impl Analysis for Longest {
    type Extract = Vec<Operation>;
    const NAME: &'static str = "communication_bottleneck_longest";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        OPERATIONS
    }

    fn map(&self, data: &RankData<'_>) -> Result<Vec<Operation>, Absent> {
        Ok(longest_of(data, self.top, self.compat))
    }
}

/// When some operations ran on each rank.
#[derive(Serialize)]
struct Runs<'a> {
    operations: &'a [Operation],
}

impl Analysis for Runs<'_> {
    type Extract = Vec<Option<Run>>;
    const NAME: &'static str = "communication_bottleneck_runs";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        OPERATIONS
    }

    fn map(&self, data: &RankData<'_>) -> Result<Vec<Option<Run>>, Absent> {
        Ok(runs(data, self.operations))
    }
}

/// What ranks did.
#[derive(Serialize)]
struct AllEvents {
    compat: bool,
}

impl Analysis for AllEvents {
    type Extract = Events;
    const NAME: &'static str = "communication_bottleneck_events";
    const VERSION: u32 = 1;

    fn needs(&self) -> Selection {
        Launches::NEEDED.and(Selection::of(&[TableId::Kernel]).without_metrics())
    }

    fn map(&self, data: &RankData<'_>) -> Result<Events, Absent> {
        Ok(Events::of(&data.tables, self.compat))
    }
}

/// When an operation ran on a rank.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Run {
    rank: Rank,
    interval: Interval,
}

impl Run {
    fn length(&self) -> i64 {
        self.interval.end - self.interval.start
    }
}

/// A long communication operation, and which rank the others waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bottleneck {
    pub name: Text,
    /// On the rank that is looked at.
    pub interval: Interval,
    pub step: Option<i64>,
    pub finding: BottleneckFinding,
}

/// What came of comparing the ranks of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BottleneckFinding {
    /// It was seen on one rank only.
    OneRank,
    /// Times differ by too little.
    Alike,
    /// The `slow` rank came last, the `fast` one waited longest for it.
    Slow { slow: Rank, fast: Rank, reason: Reason },
}

/// Why a rank came late to an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// What the ranks did before is not recorded.
    Unknown,
    /// Its work waited for the device. `None` if nothing before is aligned with the fast rank.
    DeviceBound(Option<Difference>),
    /// Its work was launched late. `None` if nothing before is aligned with the fast rank.
    HostBound(Option<HostDifference>),
}

/// Where the operators and the CANN calls of the slow rank differed most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostDifference {
    pub operators: Difference,
    pub calls: Difference,
}

/// Where the slow rank differed most from the fast one: by how much, in ns, and at what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where it took the longest more.
    pub longest: (i64, String),
    /// Where it was the farthest behind.
    pub latest: (i64, String),
}

/// Which rank the longest communication operations waited for, and why it was late.
pub fn rows(job: &Job<'_>) -> Result<Vec<Bottleneck>, Failure> {
    let operations = longest(job)?;
    if operations.is_empty() {
        let hint = "collect at level1, or level_none with mstx, on more than one NPU";
        return Err(Failure::missing(MODE.name, "communication operations", hint));
    }
    let compared = slow_and_fast(job, &operations)?;
    let pairs = || compared.iter().filter_map(Compared::pair);
    let involved = |rank: Rank| pairs().any(|(slow, fast)| [slow.rank, fast.rank].contains(&rank));
    let sources: Vec<_> = job.sources().iter().copied().filter(|source| involved(source.rank)).collect();
    let events = job.extracts_of(&sources, &AllEvents { compat: job.options.compat })?;
    let events: BTreeMap<Rank, Events> = events.into_iter().collect();
    let row = |(operation, compared): (Operation, Compared)| {
        let finding = match compared {
            Compared::OneRank => BottleneckFinding::OneRank,
            Compared::Alike => BottleneckFinding::Alike,
            Compared::Differ(slow, fast) => {
                let reason = reason((slow, fast), &events, job.options.compat);
                BottleneckFinding::Slow { slow: slow.rank, fast: fast.rank, reason }
            }
        };
        Bottleneck { name: operation.name, interval: operation.interval, step: operation.step, finding }
    };
    Ok(operations.into_iter().zip(compared).map(row).collect())
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    job.require_export(&MODE, &[Export::Db, Export::Text])?;
    let bottlenecks = rows(job)?;
    let is_text = job.export() == Export::Text;
    let columns = COLUMNS.map(|(name, title, kind)| (if is_text { title } else { name }, kind));
    let columns = if job.options.compat { &columns[..columns.len() - 1] } else { &columns[..] };
    let mut table = ResultTable::new("CommunicationBottleneck", "communication_bottleneck", columns);
    for Bottleneck { name, interval: Interval { start, end }, step, finding } in bottlenecks {
        let pair = match finding {
            BottleneckFinding::Slow { slow, fast, .. } => Some((slow, fast)),
            _ => None,
        };
        table.push([
            us_text(start).into(),
            us_text(end).into(),
            ((end - start) as f64 / 1000.0).into(),
            name.into(),
            pair.map(|(slow, _)| slow).into(),
            pair.map(|(_, fast)| fast).into(),
            finding.in_words(job.options.compat).into(),
            step.into(),
        ]);
    }
    Ok(Answer::of_tables([table]))
}

impl BottleneckFinding {
    /// As msprof-analyze says it.
    fn in_words(&self, compat: bool) -> String {
        match self {
            BottleneckFinding::OneRank if !compat => {
                "[Skipped] Nothing to compare: the operation was seen on one rank only".to_owned()
            }
            BottleneckFinding::OneRank | BottleneckFinding::Alike => format!(
                "[Completed] No slow NPU detected: execution time difference is less than {}%",
                if compat { "0.05" } else { "5" }
            ),
            BottleneckFinding::Slow { reason, .. } => reason.in_words(),
        }
    }
}

impl Reason {
    fn in_words(&self) -> String {
        const NOT_ALIGNED: &str = "Tasks are not aligned between slow and fast NPU from the beginning";
        match self {
            Reason::Unknown => "[Failed] Insufficient data for analyzing slow NPU bottleneck".to_owned(),
            Reason::DeviceBound(Some(device)) => format!("[Device-bound]Device: {}", device.in_words()),
            Reason::DeviceBound(None) => format!("[Device-bound] {NOT_ALIGNED}"),
            Reason::HostBound(Some(HostDifference { operators, calls })) => {
                format!("[Host-bound] PyTorch: {} | CANN: {}", operators.in_words(), calls.in_words())
            }
            Reason::HostBound(None) => format!("[Host-bound] {NOT_ALIGNED}"),
        }
    }
}

impl Difference {
    fn in_words(&self) -> String {
        let words = |(ns, name): &(i64, String)| format!("op {name}, diff {} us", float(*ns as f64 / 1000.0));
        format!("max duration-diff {}, max start-time-diff {}.", words(&self.longest), words(&self.latest))
    }
}

/// The longest operations of the rank that is looked at.
fn longest(job: &Job<'_>) -> Result<Vec<Operation>, Failure> {
    let rank = job.options.rank_id.unwrap_or_default();
    let Some(source) = job.sources().iter().find(|source| source.rank == rank) else {
        return Err(Usage::NoRank(rank).into());
    };
    let top = job.options.top_num.unwrap_or(DEFAULT_TOP);
    let found = job.extracts_of(&[source], &Longest { top, compat: job.options.compat })?;
    Ok(found.into_iter().flat_map(|(_, operations)| operations).collect())
}

fn longest_of(data: &RankData<'_>, top: usize, compat: bool) -> Vec<Operation> {
    let tables = &data.tables;
    // msprof-analyze takes operations that also end in the marker, and sends and receives, too.
    let is_taken = |op: &comm_op::Row| match compat {
        true => data.has_moment(op.start.plus(op.duration.ns())),
        false => direction_of(tables, op).is_none(),
    };
    let is_chosen = |op: &comm_op::Row| data.has_operation(op) && is_taken(op);
    let launched = launched(data);
    let mut keys = Keys::default();
    let keyed = launched.iter().map(|(op, step, what)| (op, *step, keys.next(what, *step)));
    let mut ops: Vec<(&comm_op::Row, Option<i64>, Key<'_>)> = keyed.filter(|(op, ..)| is_chosen(op)).collect();
    ops.sort_by_key(|(op, ..)| (std::cmp::Reverse(op.duration.ns()), op.start));
    let operation = |(op, step, key): &(&comm_op::Row, Option<i64>, Key<'_>)| Operation {
        name: tables.text(op.name).into(),
        matched_by: if compat { MatchedBy::Name } else { MatchedBy::Key(key.to_kept()) },
        interval: op_interval(op),
        step: *step,
    };
    ops.iter().take(top).map(operation).collect()
}

/// The operations of a rank with their steps, in the order of launches.
fn launched(data: &RankData<'_>) -> Vec<(comm_op::Row, Option<i64>, trace::Operation)> {
    let launched = launched_operations(&data.tables, data.step_of());
    launched.into_iter().map(|(op, step)| (op, step, trace::Operation::of(&data.tables, &op))).collect()
}

/// How the ranks of an operation differ.
enum Compared {
    /// The slowest and the fastest.
    Differ(Run, Run),
    Alike,
    /// There is no other to compare with.
    OneRank,
}

impl Compared {
    fn of(mut runs: impl Iterator<Item = Run>) -> Compared {
        let (Some(first), Some(second)) = (runs.next(), runs.next()) else { return Compared::OneRank };
        let (mut slow, mut fast) = (first, first);
        for run in [second].into_iter().chain(runs) {
            slow = if run.length() < slow.length() { run } else { slow };
            fast = if run.length() > fast.length() { run } else { fast };
        }
        let difference = (fast.length() - slow.length()) as f64;
        match difference >= ALIKE * fast.length() as f64 && fast.rank != slow.rank {
            true => Compared::Differ(slow, fast),
            false => Compared::Alike,
        }
    }

    fn pair(&self) -> Option<(Run, Run)> {
        if let Compared::Differ(slow, fast) = self { Some((*slow, *fast)) } else { None }
    }
}

/// How the ranks of each operation differ.
fn slow_and_fast(job: &Job<'_>, operations: &[Operation]) -> Result<Vec<Compared>, Failure> {
    let found = job.extracts(&Runs { operations })?;
    let of_operation = |index: usize| Compared::of(found.iter().filter_map(|(_, runs)| *runs.get(index)?));
    Ok((0..operations.len()).map(of_operation).collect())
}

/// When each operation ran on a rank.
fn runs(data: &RankData<'_>, operations: &[Operation]) -> Vec<Option<Run>> {
    let mut runs = vec![None; operations.len()];
    let tables = &data.tables;
    let launched = launched(data);
    let mut keys = Keys::default();
    for (op, step, what) in &launched {
        let key = keys.next(what, *step);
        let is_it = |known: &Operation| matches!(&known.matched_by, MatchedBy::Key(kept) if kept.as_key() == key);
        for (run, _) in runs.iter_mut().zip(operations).filter(|(run, known)| run.is_none() && is_it(known)) {
            *run = Some(Run { rank: data.rank, interval: op_interval(op) });
        }
    }
    for op in tables.rows::<comm_op::Row>() {
        let is_it =
            |known: &Operation| matches!(known.matched_by, MatchedBy::Name) && *known.name == *tables.text(op.name);
        for (run, _) in runs.iter_mut().zip(operations).filter(|(run, known)| run.is_none() && is_it(known)) {
            *run = Some(Run { rank: data.rank, interval: op_interval(&op) });
        }
    }
    runs
}

fn reason((slow, fast): (Run, Run), events: &BTreeMap<Rank, Events>, compat: bool) -> Reason {
    let (Some(of_slow), Some(of_fast)) = (events.get(&slow.rank), events.get(&fast.rank)) else {
        return Reason::Unknown;
    };
    let shift = fast.interval.end - slow.interval.end;
    let since = fast.interval.start - shift;
    let waits_for_device = match compat {
        true => of_slow.waits_for_device(|work| work.start > since && work.end < slow.interval.end),
        false => of_slow.waits_for_device(|work| work.end > since && work.start <= slow.interval.start),
    };
    let kinds = of_slow.kinds_in(of_fast);
    let compare = |of: fn(&Events) -> &Vec<Event>, is_whole: bool| {
        let until = |start: i64| if is_whole { i64::MAX } else { start };
        let slow_events = before(of(of_slow), until(slow.interval.start));
        let fast_events = before(of(of_fast), until(fast.interval.start));
        let Apart { longest, latest } = compare(slow_events, fast_events, &kinds, shift)?;
        let named = |(ns, event): (i64, &Event)| (ns, of_slow.text(event));
        Some(Difference { longest: named(longest), latest: named(latest) })
    };
    match waits_for_device {
        None => Reason::Unknown,
        Some(true) => Reason::DeviceBound(compare(|events| &events.device, compat)),
        Some(false) => {
            let host = compare(|events| &events.operators, false).zip(compare(|events| &events.calls, false));
            Reason::HostBound(host.map(|(operators, calls)| HostDifference { operators, calls }))
        }
    }
}

/// Something that a rank did.
#[derive(Clone, Copy)]
struct Event {
    interval: Interval,
    /// Its number among [`Events::kinds`].
    kind: u32,
}

impl Event {
    fn length(&self) -> i64 {
        self.interval.end - self.interval.start
    }
}

/// Work that was launched: when it ran, and how much longer it waited on the device than for CANN.
#[derive(Clone, Copy)]
struct LaunchedWork {
    interval: Interval,
    wait: i64,
}

/// What events are known by on all ranks: level, if they have one, and name.
type EventKind = (Option<Text>, Text);

/// What a rank did, by start.
#[derive(Serialize, Deserialize)]
struct Events {
    kinds: Vec<EventKind>,
    #[serde(with = "packed")]
    device: Vec<Event>,
    #[serde(with = "packed")]
    operators: Vec<Event>,
    #[serde(with = "packed")]
    calls: Vec<Event>,
    #[serde(with = "packed")]
    launched: Vec<LaunchedWork>,
}

/// Events in few bytes: they follow each other closely, so starts are kept as distances from the one before.
mod packed {
    use npuscope_measures::intervals::Interval;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Event, LaunchedWork};

    /// When it was, and a number.
    pub trait Packed: Copy {
        type Rest: Serialize + for<'de> Deserialize<'de>;
        fn unpack(interval: Interval, rest: Self::Rest) -> Self;
        fn pack(self) -> (Interval, Self::Rest);
    }

    impl Packed for Event {
        type Rest = u32;

        fn unpack(interval: Interval, kind: u32) -> Event {
            Event { interval, kind }
        }

        fn pack(self) -> (Interval, u32) {
            (self.interval, self.kind)
        }
    }

    impl Packed for LaunchedWork {
        type Rest = i64;

        fn unpack(interval: Interval, wait: i64) -> LaunchedWork {
            LaunchedWork { interval, wait }
        }

        fn pack(self) -> (Interval, i64) {
            (self.interval, self.wait)
        }
    }

    pub fn serialize<S: Serializer, P: Packed>(events: &[P], serializer: S) -> Result<S::Ok, S::Error> {
        let mut last = 0i64;
        serializer.collect_seq(events.iter().map(|event| {
            let (Interval { start, end }, rest) = event.pack();
            let distance = start.wrapping_sub(std::mem::replace(&mut last, start));
            (distance, end.wrapping_sub(start), rest)
        }))
    }

    pub fn deserialize<'de, D: Deserializer<'de>, P: Packed>(deserializer: D) -> Result<Vec<P>, D::Error> {
        let packed = Vec::<(i64, i64, P::Rest)>::deserialize(deserializer)?;
        let mut start = 0i64;
        let unpack = |(distance, length, rest)| {
            start = start.wrapping_add(distance);
            P::unpack(Interval { start, end: start.wrapping_add(length) }, rest)
        };
        Ok(packed.into_iter().map(unpack).collect())
    }
}

/// Numbers the kinds of events of a rank.
struct Kinds<'a> {
    tables: &'a RankTables,
    kinds: Vec<EventKind>,
    by_string: HashMap<(Option<Str>, Str), u32, FixedState>,
    by_text: HashMap<EventKind, u32, FixedState>,
}

impl<'a> Kinds<'a> {
    fn new(tables: &'a RankTables) -> Kinds<'a> {
        Kinds { tables, kinds: Vec::new(), by_string: HashMap::default(), by_text: HashMap::default() }
    }

    fn event(&mut self, interval: Interval, name: Str, level: Option<Str>) -> Event {
        let kind = match self.by_string.get(&(level, name)) {
            Some(kind) => *kind,
            None => {
                let kind = (self.tables.opt_text(level).map(Text::from), Text::from(self.tables.text(name)));
                let next = u32::try_from(self.kinds.len()).unwrap_or(u32::MAX);
                let number = *self.by_text.entry(kind.clone()).or_insert(next);
                if number == next {
                    self.kinds.push(kind);
                }
                self.by_string.insert((level, name), number);
                number
            }
        };
        Event { interval, kind }
    }
}

impl Events {
    fn of(tables: &RankTables, compat: bool) -> Events {
        let launches = Launches::of(tables);
        let mut kinds = Kinds::new(tables);
        let (mut device, mut launched) = (Vec::new(), Vec::new());
        let mut connections: HashMap<TaskId, Option<ConnectionId>, FixedState> = HashMap::default();
        let mut copies = Memo::default();
        for (view, rows) in tables.views::<task::Row>() {
            for row in 0..rows {
                let (start, connection) = (view.start.get(row), view.connection_id.get(row));
                let interval = Interval::new(start.0, start.plus(view.duration.get(row).ns()).0);
                if let Some(kind) = view.task_type.get(row)
                    && copies.get(kind, || tables.text(kind).contains("MEMCPY"))
                {
                    device.push(kinds.event(interval, kind, None));
                }
                if compat {
                    launched.extend(launched_work(tables, &launches, interval, connection));
                } else {
                    connections.insert(view.task.get(row), connection);
                }
            }
        }
        let kernels = computing_kernels(tables).into_iter().map(|kernel| {
            let connection = kernel.task.and_then(|task| connections.get(&task).copied().flatten());
            (kernel.interval, kernel.name, connection)
        });
        let operations = tables.rows::<comm_op::Row>().map(|op| (op_interval(&op), op.name, op.connection_id));
        for (interval, name, connection) in kernels.chain(operations) {
            device.push(kinds.event(interval, name, None));
            launched.extend(launched_work(tables, &launches, interval, connection).filter(|_| !compat));
        }
        let (mut operators, mut calls) = host_events(&mut kinds);
        for events in [&mut device, &mut operators, &mut calls] {
            events.sort_by_key(|event| event.interval.start);
        }
        Events { kinds: kinds.kinds, device, operators, calls, launched }
    }

    /// Whether most of the work that is looked at waited for the device; `None` if there is none.
    fn waits_for_device(&self, is_looked_at: impl Fn(Interval) -> bool) -> Option<bool> {
        let (mut all, mut waited) = (0usize, 0usize);
        for work in self.launched.iter().filter(|work| is_looked_at(work.interval)) {
            all += 1;
            waited += usize::from(work.wait > DEVICE_WAIT_NS);
        }
        (all > 0).then_some(waited * 2 > all)
    }

    fn text(&self, event: &Event) -> String {
        match self.kinds.get(event.kind as usize) {
            Some((Some(level), name)) => format!("{level}@{name}"),
            Some((None, name)) => name.to_string(),
            None => String::new(),
        }
    }

    /// The numbers that the kinds of this rank have on another.
    fn kinds_in(&self, other: &Events) -> Vec<Option<u32>> {
        let numbers: HashMap<&EventKind, u32, FixedState> = other.kinds.iter().zip(0..).collect();
        self.kinds.iter().map(|kind| numbers.get(kind).copied()).collect()
    }
}

/// The work of a connection, if `node@launch` launched it for an operator.
///
/// It waited on the device from the end of that call to its start, and for CANN from the end of the operator to
/// the start of the call.
fn launched_work(
    tables: &RankTables,
    launches: &Launches,
    interval: Interval,
    connection: Option<ConnectionId>,
) -> Option<LaunchedWork> {
    let (call, operator) = (launches.call(connection)?, launches.operator(connection)?);
    let is_launch = tables.opt_text(call.level) == Some("node") && tables.text(call.name) == "launch";
    let wait = (interval.start - call.end) - (call.start - operator.end);
    is_launch.then_some(LaunchedWork { interval, wait })
}

/// Operators of the framework, which have `::` in their names, and CANN calls.
fn host_events(events: &mut Kinds<'_>) -> (Vec<Event>, Vec<Event>) {
    let tables = events.tables;
    let (mut operators, mut calls) = (Vec::new(), Vec::new());
    let (mut kinds, mut scoped) = (Memo::default(), Memo::default());
    for (view, rows) in tables.views::<host_op::Row>() {
        for row in 0..rows {
            let (kind, name, start): (Str, Str, Ns) = (view.kind.get(row), view.name.get(row), view.start.get(row));
            let interval = || Interval::new(start.0, start.plus(view.duration.get(row).ns()).0);
            match kinds.get(kind, || Kind::from_name(tables.text(kind))) {
                Some(Kind::Op) if scoped.get(name, || tables.text(name).contains("::")) => {
                    operators.push(events.event(interval(), name, None));
                }
                Some(Kind::Cann) => calls.push(events.event(interval(), name, view.level.get(row))),
                _ => {}
            }
        }
    }
    (operators, calls)
}

/// The events that start before a moment.
fn before(events: &[Event], time: i64) -> &[Event] {
    &events[..events.partition_point(|event| event.interval.start < time)]
}

/// Where the slow rank differed most from the fast one.
struct Apart<'a> {
    longest: (i64, &'a Event),
    latest: (i64, &'a Event),
}

/// Goes back through what both ranks did, each event of the slow one with the last of that name on the fast one
/// that is before those taken already, up to the first pair that is aligned. `None` if none is. `kinds` has the
/// numbers of the slow rank's kinds on the fast one.
fn compare<'a>(slow: &'a [Event], fast: &[Event], kinds: &[Option<u32>], shift: i64) -> Option<Apart<'a>> {
    let mut places: HashMap<u32, Vec<usize>, FixedState> = HashMap::default();
    for (place, event) in fast.iter().enumerate() {
        places.entry(event.kind).or_default().push(place);
    }
    let mut until = fast.len();
    let mut difference: Option<Apart<'a>> = None;
    for event in slow.iter().rev() {
        let kind = kinds.get(event.kind as usize).copied().flatten();
        let Some(of_name) = kind.and_then(|kind| places.get(&kind)) else { continue };
        let Some(last) = of_name.partition_point(|&place| place < until).checked_sub(1) else { continue };
        until = of_name[last];
        let other = &fast[until];
        let longer = (event.length() - other.length(), event);
        let later = (event.interval.start + shift - other.interval.start, event);
        let known = difference.get_or_insert(Apart { longest: longer, latest: later });
        known.longest = if longer.0 > known.longest.0 { longer } else { known.longest };
        known.latest = if later.0 > known.latest.0 { later } else { known.latest };
        if later.0.abs() < ALIGNED_NS {
            return difference;
        }
    }
    None
}
