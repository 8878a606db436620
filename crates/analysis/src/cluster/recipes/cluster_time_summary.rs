//! `cluster_time_summary`: Split the time of each step of each rank into its parts.
//!
//! Reads `kernel`, `task`, `comm_op`, the CANN calls that launched them, and `step`. `npuscope glossary` defines step
//! time and device time. Without steps, all work has step -1. `ClusterTimeSummary` has one row per rank and step,
//! with times in us:
//!
//! - stepTime: the step time;
//! - computation, communication, communicationNotOverlapComputation (exposed communication),
//!   communicationOverlapComputation, free: the parts of the device time;
//! - memory: the time within the device time in which at least one copy runs;
//!   memoryNotOverlapComputationCommunication: the part of free in which at least one copy runs;
//! - communicationTransmitStageTime: the sum over collectives of the shortest duration among the ranks, which is that
//!   of the rank that arrived last; communicationWaitStageTime: the sum of the additional time that the rank spent in
//!   these collectives. Operations are matched across ranks by group, step, kind, bytes and launch order. Collectives
//!   with missing ranks, sends and receives are not counted.
//!
//! With `--compat`: computation, communication and free time are those that the profile reports;
//! memoryNotOverlapComputationCommunication is computed by the sweep of msprof-analyze and subtracted from free;
//! device work other than communication operations belongs to the step in which it starts; operations without a known
//! launch are not counted; operations of the same group, name and step are one collective; missing ranks are ignored.

use std::collections::{BTreeMap, HashMap};

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_measures::intervals::Interval;
use npuscope_measures::step::{self, DeviceTime, Step, steps as measured_steps};
use npuscope_measures::step_of::Steps;
use npuscope_tables::table::{comm_op, kernel, reported_step, task};
use npuscope_tables::{Ns, Rank, RankTables, Selection};
use serde::{Deserialize, Serialize};

use super::Microseconds;
use crate::cluster::{Absent, Answer, Export, Failure, Job, Mode, RankData};
use crate::communication::{GroupKey, direction_of, group_key, is_communication_core};
use crate::diagnose::trace::Operation;
use crate::extract::Analysis;
use crate::layout::RankGroups;
use crate::meetings::{launched_operations, meet};
use crate::messages::cluster as messages;
use crate::messages::collection;
use npuscope_messages::Message;

pub const MODE: Mode = Mode {
    name: "cluster_time_summary",
    folder: "ClusterTimeSummary",
    about: "Compute the time parts of each step of each rank",
    run,
};

const WORK: Selection = step::NEEDS;

/// The table that other modes look for.
pub(super) const TABLE: &str = "ClusterTimeSummary";

/// Times of a step: their columns, and their titles in csv files.
pub(super) const METRICS: [(&str, &str); 10] = [
    ("stepTime", "Step Time(us)"),
    ("computation", "Computation(us)"),
    ("communicationNotOverlapComputation", "Communication Not Overlap Computation(us)"),
    ("communicationOverlapComputation", "Communication Overlap Computation(us)"),
    ("communication", "Communication(us)"),
    ("free", "Free(us)"),
    ("communicationWaitStageTime", "Communication Wait Stage Time(us)"),
    ("communicationTransmitStageTime", "Communication Transmit Stage Time(us)"),
    ("memory", "Memory(us)"),
    ("memoryNotOverlapComputationCommunication", "Memory Not Overlap Computation Communication(us)"),
];

/// The step of work without steps.
pub(super) const NO_STEP: i64 = -1;

/// The parts of a step time of a rank; the comment at the top defines them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepTimes {
    pub step: Microseconds,
    pub computing: Microseconds,
    /// Communication while nothing was computed.
    pub exposed: Microseconds,
    /// Communication while something was computed.
    pub overlapped: Microseconds,
    pub communication: Microseconds,
    pub free: Microseconds,
    /// Waiting in collectives for the rank that came last.
    pub wait: Microseconds,
    /// Collectives without waiting.
    pub transmit: Microseconds,
    pub copying: Microseconds,
    /// Copying while nothing was computed or communicated.
    pub bare_copying: Microseconds,
}

impl StepTimes {
    /// In the order of [`METRICS`].
    pub(super) fn in_order(&self) -> [Microseconds; METRICS.len()] {
        let StepTimes { step, computing, exposed, overlapped, communication, .. } = *self;
        let StepTimes { free, wait, transmit, copying, bare_copying, .. } = *self;
        [step, computing, exposed, overlapped, communication, free, wait, transmit, copying, bare_copying]
    }

    /// Of times in the order of [`METRICS`].
    pub(super) fn of(times: [Microseconds; METRICS.len()]) -> StepTimes {
        let [step, computing, exposed, overlapped, communication, free, wait, transmit, copying, bare_copying] = times;
        StepTimes { step, computing, exposed, overlapped, communication, free, wait, transmit, copying, bare_copying }
    }
}

/// The parts of the step times of all ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeSummary {
    /// By rank and step.
    pub steps: Vec<StepOfRank>,
    pub notes: Vec<Message>,
}

/// The parts of a step time of a rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepOfRank {
    pub rank: Rank,
    /// `None` for a rank without steps: all of its work.
    pub step: Option<i64>,
    pub times: StepTimes,
}

/// Times by rank and step.
pub(super) type Summary = BTreeMap<(Rank, i64), StepTimes>;

/// The number of a step; `None` where there are no steps.
pub(super) fn numbered(step: i64) -> Option<i64> {
    (step != NO_STEP).then_some(step)
}

/// A step in a table.
pub(super) fn step_cell(step: Option<i64>) -> Cell {
    step.unwrap_or(NO_STEP).into()
}

/// An operation on one rank.
#[derive(Serialize, Deserialize)]
struct Op {
    what: Operation,
    step: i64,
    /// ns.
    duration: i64,
    /// Ranks of the group, where known.
    ranks: Option<usize>,
}

/// The extract of a rank.
#[derive(Serialize, Deserialize)]
struct Part {
    steps: BTreeMap<i64, StepTimes>,
    ops: Vec<Op>,
}

/// The times of the steps of each rank, and its communication operations.
#[derive(Serialize)]
struct TimesOfRanks {
    compat: bool,
}

impl Analysis for TimesOfRanks {
    type Extract = Part;
    const NAME: &'static str = "cluster_time_summary";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        if self.compat { WORK } else { WORK.and(RankGroups::SELECTION) }
    }

    fn map(&self, data: &RankData<'_>) -> Result<Part, Absent> {
        Ok(if self.compat { compatible_part(data) } else { part(data) })
    }
}

/// The parts of each step time of each rank.
pub fn rows(job: &Job<'_>) -> Result<TimeSummary, Failure> {
    let (summary, notes) = summarise(job)?;
    let of_rank = |((rank, step), times)| StepOfRank { rank, step: numbered(step), times };
    Ok(TimeSummary { steps: summary.into_iter().map(of_rank).collect(), notes })
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let TimeSummary { steps, notes } = rows(job)?;
    Ok(Answer { tables: vec![table(&steps, job.export() != Export::Db)], notes, ..Answer::default() })
}

/// `ClusterTimeSummary`; with titles for people if it becomes text.
fn table(steps: &[StepOfRank], is_text: bool) -> ResultTable {
    let mut columns = match is_text {
        true => vec![("Rank", ColumnKind::Int), ("Step", ColumnKind::Int)],
        false => vec![("rank", ColumnKind::Int), ("step", ColumnKind::Int)],
    };
    columns.extend(METRICS.map(|(column, title)| (if is_text { title } else { column }, ColumnKind::Real)));
    let mut table = ResultTable::new(TABLE, "cluster_time_summary", &columns);
    for StepOfRank { rank, step, times } in steps {
        let place = [Cell::from(*rank), step_cell(*step)];
        table.push(place.into_iter().chain(times.in_order().map(Cell::from)));
    }
    table
}

/// The parts of each step time of each rank, and notes.
pub(super) fn summarise(job: &Job<'_>) -> Result<(Summary, Vec<Message>), Failure> {
    let compat = job.options.compat;
    let parts = job.extracts(&TimesOfRanks { compat })?;
    let is_missing = |part: &Part| part.ops.is_empty() && (compat || part.steps.is_empty());
    if parts.iter().all(|(_, part)| is_missing(part)) {
        let needs = if compat { collection::data_operations() } else { collection::data_kernels_or_operations() };
        return Err(Failure::missing(MODE.name, needs, collection::collect_npu_level1()));
    }
    let (waits, incomplete) = waits(&parts, compat);
    let mut summary = Summary::new();
    for (rank, part) in &parts {
        summary.extend(part.steps.iter().map(|(step, times)| ((*rank, *step), *times)));
    }
    for (key, (wait, transmit)) in waits {
        let times = summary.entry(key).or_default();
        (times.wait, times.transmit) = (wait, transmit);
    }
    let is_chosen = |step: i64| job.options.step.is_none_or(|chosen| chosen == step);
    summary.retain(|(_, step), _| is_chosen(*step));
    let mut notes = Vec::new();
    if incomplete > 0 {
        notes.push(messages::note_incomplete_collectives(incomplete));
    }
    Ok((summary, notes))
}

/// The notes of a job and of its baseline.
pub(super) fn notes_of_both(ours: Vec<Message>, baseline: Vec<Message>) -> Vec<Message> {
    ours.into_iter().chain(baseline.into_iter().map(messages::note_of_baseline)).collect()
}

/// Waiting and transmitting.
type Spent = (Microseconds, Microseconds);

/// Waiting and transmitting per rank and step.
type Waits = BTreeMap<(Rank, i64), Spent>;

/// The ranks' parts of a collective.
type Members<'a> = Vec<(Rank, &'a Op)>;

/// Each collective, as [`meet`] finds them.
fn collectives(parts: &[(Rank, Part)]) -> Vec<Members<'_>> {
    let lists = parts.iter().map(|(rank, part)| (*rank, part.ops.as_slice()));
    meet(lists, |op| (&op.what, Some(op.step))).into_values().collect()
}

/// Operations of one group, name and step as one collective.
fn collectives_as_peer(parts: &[(Rank, Part)]) -> Vec<Members<'_>> {
    let mut collectives: BTreeMap<(&GroupKey, &str, i64), Members<'_>> = BTreeMap::new();
    for (rank, part) in parts {
        for op in &part.ops {
            collectives.entry((&op.what.group_key, &op.what.name, op.step)).or_default().push((*rank, op));
        }
    }
    collectives.into_values().collect()
}

/// Waits, and how many collectives were left out.
fn waits(parts: &[(Rank, Part)], compat: bool) -> (Waits, usize) {
    let mut collectives = if compat { collectives_as_peer(parts) } else { collectives(parts) };
    let found = collectives.len();
    if !compat {
        collectives.retain(|ranks| ranks.len() >= ranks.iter().map(|(_, op)| op.ranks.unwrap_or(2)).max().unwrap_or(2));
    }
    let incomplete = found - collectives.len();
    let mut times: BTreeMap<(Rank, i64), Vec<Spent>> = BTreeMap::new();
    for ranks in collectives {
        let transmit = us(ranks.iter().map(|(_, op)| op.duration).min().unwrap_or_default());
        for (rank, op) in ranks {
            let spent = (us(op.duration) - transmit, transmit);
            times.entry((rank, op.step)).or_default().push(if parts.len() > 1 { spent } else { Spent::default() });
        }
    }
    let sum = |times: &[Spent], part: fn(&Spent) -> Microseconds| Microseconds::compensated_sum(times.iter().map(part));
    let added = |times: Vec<Spent>| (sum(&times, |spent| spent.0), sum(&times, |spent| spent.1));
    (times.into_iter().map(|(key, times)| (key, added(times))).collect(), incomplete)
}

fn us(ns: i64) -> Microseconds {
    Microseconds::of_ns(ns as f64)
}

fn interval(start: Ns, ns: i64) -> Interval {
    Interval::new(start.0, start.plus(ns).0)
}

fn part(data: &RankData<'_>) -> Part {
    let tables = &data.tables;
    let steps = step::whole(measured_steps(tables));
    let has_numbers = steps.iter().any(|step| step.id.is_some());
    let groups = RankGroups::of(tables);
    let sizes: HashMap<GroupKey, usize> =
        groups.declared.into_iter().map(|group| (group.hash, group.ranks.len())).collect();
    // Where nothing states the size of a group, the least that its links show.
    let linked: HashMap<GroupKey, i64> =
        groups.used.into_iter().filter_map(|group| Some((group.hash, group.size?))).collect();
    let mut ops = Vec::new();
    for (op, step) in launched_operations(tables, data.step_of()) {
        let Some(step) = step.or((!has_numbers).then_some(NO_STEP)) else { continue };
        if direction_of(tables, &op).is_some() {
            continue;
        }
        let key = group_key(tables, &op);
        let declared = sizes.get(&key).copied().filter(|ranks| *ranks > 0);
        let size = op.rank_size.or_else(|| linked.get(&key).copied());
        let ranks = declared.or(size.and_then(|size| usize::try_from(size).ok()));
        ops.push(operation(tables, &op, step, ranks));
    }
    let times = |step: &Step| Some((step.id.unwrap_or(NO_STEP), times(step, step.device.as_ref()?)));
    Part { steps: steps.iter().filter_map(times).collect(), ops }
}

fn operation(tables: &RankTables, op: &comm_op::Row, step: i64, ranks: Option<usize>) -> Op {
    Op { what: Operation::of(tables, op), step, duration: op.duration.ns(), ranks }
}

/// The times of a step, without those of waiting and transmitting.
fn times(step: &Step, device: &DeviceTime) -> StepTimes {
    let DeviceTime { computing, communication, exposed, free, copying, bare_copying, .. } = *device;
    StepTimes {
        step: us(step.time()),
        computing: us(computing),
        exposed: us(exposed),
        overlapped: us(device.overlapped()),
        communication: us(communication),
        free: us(free),
        copying: us(copying),
        bare_copying: us(bare_copying),
        ..StepTimes::default()
    }
}

/// The data that msprof-analyze uses of a rank.
fn compatible_part(data: &RankData<'_>) -> Part {
    let tables = &data.tables;
    let (steps, launches) = (Steps::marked(tables), data.step_of().launches());
    let mut ops = Vec::new();
    let mut events: BTreeMap<i64, Vec<(Interval, Event)>> = BTreeMap::new();
    for op in tables.rows::<comm_op::Row>() {
        let launch = launches.call(op.connection_id);
        if let Some(step) = launch.and_then(|launch| steps.at(launch)) {
            ops.push(operation(tables, &op, step, None));
        }
        if let Some(step) = steps.at(op.start) {
            events.entry(step).or_default().push((interval(op.start, op.duration.ns()), Event::Communication));
        }
    }
    for row in tables.rows::<kernel::Row>().filter(|row| row.duration.ns() > 0) {
        let is_computing = !tables.opt_text(row.core).is_some_and(is_communication_core);
        if let Some(step) = steps.at(row.start).filter(|_| is_computing) {
            events.entry(step).or_default().push((interval(row.start, row.duration.ns()), Event::Computing));
        }
    }
    for row in tables.rows::<task::Row>().filter(|row| tables.opt_text(row.task_type) == Some("MEMCPY_ASYNC")) {
        if let Some(step) = steps.at(row.start) {
            events.entry(step).or_default().push((interval(row.start, row.duration.ns()), Event::Copy));
        }
    }
    let mut times: BTreeMap<i64, StepTimes> = BTreeMap::new();
    for row in tables.rows::<reported_step::Row>() {
        let step = tables.opt_text(row.step).and_then(|step| step.parse().ok()).unwrap_or(NO_STEP);
        let parts = [row.computing, row.communication_not_overlapped, row.overlapped, row.communication, row.free];
        let [computing, exposed, overlapped, communication, free] = parts.map(Option::unwrap_or_default);
        let length = if steps.is_empty() { computing + exposed + free } else { 0.0 };
        let reported = [length, computing, exposed, overlapped, communication, free, 0.0, 0.0, 0.0, 0.0];
        times.insert(step, StepTimes::of(reported.map(Microseconds::of_us)));
    }
    for step in steps.iter() {
        times.entry(step.id.unwrap_or(NO_STEP)).or_default().step = us(step.end.since(step.start));
    }
    for (step, mut events) in events {
        events.sort_unstable();
        let times = times.entry(step).or_default();
        let copies = events.iter().filter(|(_, event)| *event == Event::Copy);
        times.copying = us(copies.map(|(interval, _)| interval.end - interval.start).sum());
        times.bare_copying = us(bare_copies(&events));
        times.free = times.free - times.bare_copying;
    }
    Part { steps: times, ops }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Computing,
    Communication,
    Copy,
}

/// ns of copies that nothing hides, as msprof-analyze sweeps over events in order.
fn bare_copies(events: &[(Interval, Event)]) -> i64 {
    let Some((first, _)) = events.first() else { return 0 };
    let (mut start, mut end, mut kind) = (first.start, first.start, None);
    let mut bare = 0;
    for (event, event_kind) in events {
        if kind == Some(Event::Copy) {
            bare += (end.min(event.start) - start).max(0);
        }
        if event.start > end {
            (start, end, kind) = (event.start, event.end, Some(*event_kind));
        } else if event.end > end {
            (start, end, kind) = (end, event.end, Some(*event_kind));
        } else {
            start = event.end;
        }
    }
    if kind == Some(Event::Copy) { bare + end - start } else { bare }
}
