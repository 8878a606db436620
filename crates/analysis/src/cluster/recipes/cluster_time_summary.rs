//! `cluster_time_summary`: where the time of each step of each rank went.
//!
//! Reads `kernel`, `task`, `comm_op`, the calls of CANN that launched them, and `step`. Step time and device time are
//! those of `npuscope glossary`; without steps all is step -1. `ClusterTimeSummary` has by rank and step, in us:
//! - stepTime: the step time;
//! - computation, communication, communicationNotOverlapComputation (exposed), communicationOverlapComputation, free:
//!   how the device time divides;
//! - memory: time within the device time in which any copy ran; memoryNotOverlapComputationCommunication: the part of
//!   free in which any copy ran;
//! - communicationTransmitStageTime: of each collective the duration on the rank where it was shortest, the one that
//!   came last; communicationWaitStageTime: what the others took longer. Collectives of
//!   different ranks are matched by group, step, kind, bytes and launch order. Those of which a rank is missing are left
//!   out, as are sends and receives.
//!
//! With `--compat` computation, communication and free time are those that the profile reports, memory that was not
//! hidden is found by the sweep of msprof-analyze and taken from the free time, work on the device other than
//! operations belongs to the step in which it started, operations count whose launch is known, those of one group, name
//! and step are one, and missing ranks are ignored.

use std::collections::{BTreeMap, HashMap};

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_measures::intervals::Interval;
use npuscope_measures::step::{self, DeviceTime, Step, steps as measured_steps};
use npuscope_measures::step_of::Steps;
use npuscope_tables::table::{comm_op, kernel, reported_step, task};
use npuscope_tables::{Ns, Rank, RankTables, Selection};
use serde::{Deserialize, Serialize};

use crate::cluster::statistics::sum;
use crate::cluster::{Absent, Answer, Export, Failure, Job, Mode, RankData};
use crate::communication::{GroupKey, direction_of, group_key, is_communication_core};
use crate::diagnose::trace::Operation;
use crate::extract::Analysis;
use crate::layout::RankGroups;
use crate::meetings::{launched_operations, meet};

pub const MODE: Mode = Mode {
    name: "cluster_time_summary",
    folder: "ClusterTimeSummary",
    about: "Where the time of each step of each rank went",
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
const NO_STEP: i64 = -1;

/// Times of a step in us, in the order of [`METRICS`].
pub(super) type Times = [f64; METRICS.len()];

/// Times by rank and step.
pub(super) type Summary = BTreeMap<(Rank, i64), Times>;

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

/// What is kept of a rank.
#[derive(Serialize, Deserialize)]
struct Part {
    steps: BTreeMap<i64, Times>,
    ops: Vec<Op>,
}

/// The times of the steps of each rank, and its communication operations.
#[derive(Serialize)]
struct StepTimes {
    compat: bool,
}

impl Analysis for StepTimes {
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

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let (summary, notes) = summarise(job)?;
    let is_text = job.export() != Export::Db;
    let mut columns = match is_text {
        true => vec![("Rank", ColumnKind::Int), ("Step", ColumnKind::Int)],
        false => vec![("rank", ColumnKind::Int), ("step", ColumnKind::Int)],
    };
    columns.extend(METRICS.map(|(column, title)| (if is_text { title } else { column }, ColumnKind::Real)));
    let mut table = ResultTable::new(TABLE, "cluster_time_summary", &columns);
    for ((rank, step), times) in summary {
        table.push([Cell::from(rank), step.into()].into_iter().chain(times.map(Cell::from)));
    }
    let mut answer = Answer::of_tables([table]);
    answer.notes = notes;
    Ok(answer)
}

/// Where the time of each step of each rank went, and what is to be said of it.
pub(super) fn summarise(job: &Job<'_>) -> Result<(Summary, Vec<String>), Failure> {
    let compat = job.options.compat;
    let parts = job.extracts(&StepTimes { compat })?;
    let needs = if compat { "communication operations" } else { "kernels or communication operations" };
    let is_missing = |part: &Part| part.ops.is_empty() && (compat || part.steps.is_empty());
    if parts.iter().all(|(_, part)| is_missing(part)) {
        return Err(Failure::missing(MODE.name, needs, "collect NPU activities at level1 or above"));
    }
    let (waits, incomplete) = waits(&parts, compat);
    let mut summary = Summary::new();
    for (rank, part) in &parts {
        summary.extend(part.steps.iter().map(|(step, times)| ((*rank, *step), *times)));
    }
    for (key, (wait, transmit)) in waits {
        let times = summary.entry(key).or_default();
        (times[6], times[7]) = (wait, transmit);
    }
    let is_chosen = |step: i64| job.options.step.is_none_or(|chosen| chosen == step);
    summary.retain(|(_, step), _| is_chosen(*step));
    let mut notes = Vec::new();
    if incomplete > 0 {
        notes.push(format!("{incomplete} collectives lack ranks: they are in neither wait nor transmit time"));
    }
    Ok((summary, notes))
}

/// What is to be said of a job and of what it is compared with.
pub(super) fn notes_of_both(ours: Vec<String>, baseline: Vec<String>) -> Vec<String> {
    ours.into_iter().chain(baseline.into_iter().map(|note| format!("baseline: {note}"))).collect()
}

/// us of waiting and of transmitting by rank and step.
type Waits = BTreeMap<(Rank, i64), (f64, f64)>;

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
    let mut times: BTreeMap<(Rank, i64), Vec<(f64, f64)>> = BTreeMap::new();
    for ranks in collectives {
        let transmit = us(ranks.iter().map(|(_, op)| op.duration).min().unwrap_or_default());
        for (rank, op) in ranks {
            let spent = (us(op.duration) - transmit, transmit);
            times.entry((rank, op.step)).or_default().push(if parts.len() > 1 { spent } else { (0.0, 0.0) });
        }
    }
    let added = |times: Vec<(f64, f64)>| (sum(times.iter().map(|t| t.0)), sum(times.iter().map(|t| t.1)));
    (times.into_iter().map(|(key, times)| (key, added(times))).collect(), incomplete)
}

fn us(ns: i64) -> f64 {
    ns as f64 / 1000.0
}

fn interval(start: Ns, ns: i64) -> Interval {
    Interval::new(start.0, start.plus(ns).0)
}

fn part(data: &RankData<'_>) -> Part {
    let tables = &data.tables;
    let steps = measured_steps(tables);
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
fn times(step: &Step, device: &DeviceTime) -> Times {
    let DeviceTime { computing, communication, exposed, free, copying, bare_copying, .. } = *device;
    [step.time(), computing, exposed, device.overlapped(), communication, free, 0, 0, copying, bare_copying].map(us)
}

/// What msprof-analyze takes of a rank.
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
    let mut times: BTreeMap<i64, Times> = BTreeMap::new();
    for row in tables.rows::<reported_step::Row>() {
        let step = tables.opt_text(row.step).and_then(|step| step.parse().ok()).unwrap_or(NO_STEP);
        let parts = [row.computing, row.communication_not_overlapped, row.overlapped, row.communication, row.free];
        let [computing, exposed, overlapped, communication, free] = parts.map(Option::unwrap_or_default);
        let length = if steps.is_empty() { computing + exposed + free } else { 0.0 };
        times.insert(step, [length, computing, exposed, overlapped, communication, free, 0.0, 0.0, 0.0, 0.0]);
    }
    for step in steps.iter() {
        times.entry(step.id.unwrap_or(NO_STEP)).or_default()[0] = us(step.end.since(step.start));
    }
    for (step, mut events) in events {
        events.sort_unstable();
        let times = times.entry(step).or_default();
        let copies = events.iter().filter(|(_, event)| *event == Event::Copy);
        times[8] = us(copies.map(|(interval, _)| interval.end - interval.start).sum());
        times[9] = us(bare_copies(&events));
        times[5] -= times[9];
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
