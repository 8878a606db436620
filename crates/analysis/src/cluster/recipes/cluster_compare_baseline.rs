//! `cluster_compare_baseline`: Compare this job with a baseline job, which may have a different number of ranks.
//!
//! Needs a baseline profile (`--bp`). A selection of ranks applies to both. msprof-analyze lists this mode but cannot
//! run it.
//!
//! `ClusterCompareBaseline` has the times of `cluster_time_summary` in us, as means over ranks: over all ranks (stage
//! null) and for each pipeline stage that both jobs have; over all steps (step null) and for each step that both jobs
//! have. `difference` is value - baseline, `ratio` is value / baseline.
//!
//! `ClusterCompareBaselineCommunication` compares collectives per operation type and purpose of the group, with times
//! in ns. Operations are matched across ranks by group, step, kind, bytes and launch order. The time of a collective
//! is the shortest duration among its ranks, that is without waiting. A row contains means over collectives, and the
//! number of collectives per rank and step. `lowerBoundNs` is the least time that the baseline's collective would
//! take on the number of ranks of this job. With K ranks here, K0 ranks in the baseline, r = K / K0 > 1 and m bytes
//! per rank, all-gather and reduce-scatter take 60 us * ceil(log2 r) + m / (20 GiB/s) * (r - 1) longer, all-reduce
//! takes twice that longer. For other operations, and if r <= 1, the time stays the same. `ratio` is time /
//! lowerBound. Sends and receives are not compared, because they wait for each other.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_tables::table::comm_op;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::{Rank, Selection, TableId};
use serde::{Deserialize, Serialize};

use super::Microseconds;
use super::cluster_time_summary::{METRICS, StepTimes, Summary, notes_of_both, summarise};
use crate::cluster::{Absent, Answer, Failure, Job, Mode, RankData, Usage};
use crate::communication::{GroupKey, bytes_of_element, direction_of, group_key, op_type, parallel_groups};
use crate::diagnose::trace::Operation;
use crate::extract::{Analysis, Text};
use crate::meetings::{launched_operations, meet};
use crate::overview::stage;
use npuscope_messages::Message;

pub const MODE: Mode = Mode {
    name: "cluster_compare_baseline",
    folder: "ClusterCompareBaseline",
    about: "Compare this job with a baseline job of the same or another size",
    run,
};

const OPERATIONS: Selection = Selection::of(&[TableId::CommOp, TableId::Step]).and_host_ops(&[Kind::Cann]);

/// The least additional time for each doubling of ranks, in ns.
const LATENCY: f64 = 60_000.0;

/// 200 Gbit/s used to 80 %, as msprof-analyze assumes, in bytes per ns.
const BANDWIDTH: f64 = 200.0 / 8.0 * 0.8 * (1u64 << 30) as f64 / 1e9;

/// The values of a job that are compared.
struct Figures {
    summary: Summary,
    stages: HashMap<Rank, i64>,
    /// By type of operation and purpose of the group.
    communication: BTreeMap<(Text, Text), Communication>,
    notes: Vec<Message>,
}

/// Collectives of one type in groups of one purpose.
#[derive(Default)]
struct Communication {
    /// Ranks of a group.
    ranks: usize,
    collectives: usize,
    /// ns, bytes and parts of ranks, added up over collectives.
    ns: f64,
    bytes: f64,
    operations: usize,
    /// Ranks times steps that took part.
    rank_steps: usize,
}

impl Communication {
    fn means(&self) -> CollectiveMeans {
        let of_one = |sum: f64| sum / self.collectives as f64;
        CollectiveMeans {
            ranks: self.ranks,
            per_rank_and_step: self.operations as f64 / self.rank_steps as f64,
            bytes: of_one(self.bytes),
            time: of_one(self.ns),
        }
    }
}

/// An operation on one rank.
#[derive(Serialize, Deserialize)]
struct Op {
    what: Operation,
    step: Option<i64>,
    op_type: Text,
    purpose: Text,
    ns: i64,
    bytes: i64,
    /// Ranks of the group, where known.
    ranks: Option<usize>,
}

/// The collectives of each rank.
#[derive(Serialize)]
struct Collectives;

impl Analysis for Collectives {
    type Extract = Part;
    const NAME: &'static str = "cluster_compare_baseline";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        OPERATIONS
    }

    fn map(&self, data: &RankData<'_>) -> Result<Part, Absent> {
        Ok(part(data))
    }
}

/// The extract of a rank.
#[derive(Serialize, Deserialize)]
struct Part {
    stage: Option<i64>,
    steps: usize,
    ops: Vec<Op>,
}

/// A job beside a baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineComparison {
    /// By step and stage, those over all of them first.
    pub times: Vec<ComparedTimes>,
    /// By type of operation and purpose of the group.
    pub communication: Vec<ComparedCommunication>,
    pub notes: Vec<Message>,
}

/// How the time of steps divides in both jobs: means over ranks and steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComparedTimes {
    /// `None` over all steps; -1 for all work of ranks without steps.
    pub step: Option<i64>,
    /// The stage of the pipeline; `None` over all ranks.
    pub stage: Option<i64>,
    pub times: StepTimes,
    pub baseline: StepTimes,
}

/// Collectives of one type in groups of one purpose, in both jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedCommunication {
    pub op_type: Text,
    /// What the trainer calls the group, for example `dp`; empty where it does not say.
    pub purpose: Text,
    pub here: CollectiveMeans,
    pub baseline: CollectiveMeans,
    /// The least time that the baseline's collective would take on the number of ranks of this job, in ns.
    pub lower_bound: f64,
}

impl ComparedCommunication {
    /// Time by [`lower_bound`](ComparedCommunication::lower_bound); `None` if that is 0.
    pub fn ratio(&self) -> Option<f64> {
        (self.lower_bound != 0.0).then(|| self.here.time / self.lower_bound)
    }
}

/// Means over collectives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollectiveMeans {
    /// Ranks of a group.
    pub ranks: usize,
    /// How many there are for each rank and step.
    pub per_rank_and_step: f64,
    pub bytes: f64,
    /// On the rank where it is shortest, in ns.
    pub time: f64,
}

/// Compares a job with its baseline.
pub fn rows(job: &Job<'_>) -> Result<BaselineComparison, Failure> {
    let Some(baseline) = &job.options.baseline else {
        return Err(Usage::NoBaseline { mode: MODE.name }.into());
    };
    let ours = figures(job)?;
    let base = job.of_baseline(baseline, job.options, figures)?;
    let (times, communication) = (times(&ours, &base), communication(&ours, &base));
    Ok(BaselineComparison { times, communication, notes: notes_of_both(ours.notes, base.notes) })
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let BaselineComparison { times, communication, notes } = rows(job)?;
    let tables = vec![time_table(&times), communication_table(&communication)];
    Ok(Answer { tables, notes, ..Answer::default() })
}

fn figures(job: &Job<'_>) -> Result<Figures, Failure> {
    let (summary, notes) = summarise(job)?;
    let parts = job.extracts(&Collectives)?;
    let stages = parts.iter().filter_map(|(rank, part)| Some((*rank, part.stage?))).collect();
    Ok(Figures { summary, stages, communication: collectives(&parts), notes })
}

fn part(data: &RankData<'_>) -> Part {
    let tables = &data.tables;
    let groups: HashMap<GroupKey, (Text, usize)> = parallel_groups(tables)
        .into_iter()
        .map(|group| (group.hash, (group.purpose.into(), group.ranks.len())))
        .collect();
    let launched = launched_operations(tables, data.step_of());
    let is_chosen = |(op, _): &&(comm_op::Row, _)| data.has_operation(op) && direction_of(tables, op).is_none();
    let ops = launched.iter().filter(is_chosen).map(|(op, step)| {
        let group = group_key(tables, op);
        let known = groups.get(&group);
        let size = op.rank_size.and_then(|size| usize::try_from(size).ok());
        Op {
            what: Operation::of(tables, op),
            step: *step,
            op_type: op_type(tables, op).into(),
            purpose: known.map(|(purpose, _)| purpose.clone()).unwrap_or_default(),
            ns: op.duration.ns(),
            bytes: op.count.unwrap_or_default()
                * tables.opt_text(op.dtype).and_then(bytes_of_element).unwrap_or_default(),
            ranks: known.map(|(_, ranks)| *ranks).filter(|ranks| *ranks > 0).or(size),
        }
    });
    let steps = data.steps().iter().filter(|step| data.has_moment(step.start)).count();
    Part { stage: stage(data.rank, tables), steps: steps.max(1), ops: ops.collect() }
}

fn collectives(parts: &[(Rank, Part)]) -> BTreeMap<(Text, Text), Communication> {
    let mut classes: BTreeMap<(Text, Text), Communication> = BTreeMap::new();
    for (_, part) in parts {
        let mut took_part = BTreeSet::new();
        for op in &part.ops {
            took_part.insert((&op.op_type, &op.purpose));
        }
        for (op_type, purpose) in took_part {
            classes.entry((op_type.clone(), purpose.clone())).or_default().rank_steps += part.steps;
        }
    }
    let lists = parts.iter().map(|(rank, part)| (*rank, part.ops.as_slice()));
    for ops in meet(lists, |op| (&op.what, op.step)).into_values() {
        let Some((_, shortest)) = ops.iter().min_by_key(|(_, op)| op.ns) else { continue };
        let class = classes.entry((shortest.op_type.clone(), shortest.purpose.clone())).or_default();
        class.ranks = class.ranks.max(shortest.ranks.unwrap_or(ops.len()));
        class.collectives += 1;
        class.ns += shortest.ns as f64;
        class.bytes += shortest.bytes as f64;
        class.operations += ops.len();
    }
    classes
}

/// The least time on `to` ranks of a collective of `bytes` that takes `ns` on `from` ranks.
fn lower_bound(op_type: &str, ns: f64, bytes: f64, from: usize, to: usize) -> f64 {
    let name = op_type.to_ascii_lowercase();
    let rounds = match () {
        () if name.contains("allreduce") => 2.0,
        () if name.contains("allgather") || name.contains("reducescatter") => 1.0,
        () => 0.0,
    };
    let ratio = to as f64 / from as f64;
    if ratio <= 1.0 {
        return ns;
    }
    ns + rounds * (LATENCY * ratio.log2().ceil() + bytes / BANDWIDTH * (ratio - 1.0))
}

fn times(ours: &Figures, base: &Figures) -> Vec<ComparedTimes> {
    let steps: BTreeSet<i64> = ours.summary.keys().map(|(_, step)| *step).collect();
    let stages: BTreeSet<i64> = ours.stages.values().copied().collect();
    let mut compared = Vec::new();
    for step in [None].into_iter().chain(steps.into_iter().map(Some)) {
        for stage in [None].into_iter().chain(stages.iter().copied().map(Some)) {
            let means = ours.means(step, stage).zip(base.means(step, stage));
            compared.extend(means.map(|(times, baseline)| ComparedTimes { step, stage, times, baseline }));
        }
    }
    compared
}

impl Figures {
    /// Times of a step, or of all, on the ranks of a stage, or on all: means.
    fn means(&self, step: Option<i64>, stage: Option<i64>) -> Option<StepTimes> {
        let is_chosen = |(rank, number): &(Rank, i64)| {
            step.is_none_or(|step| step == *number) && stage.is_none_or(|stage| self.stages.get(rank) == Some(&stage))
        };
        let chosen = self.summary.iter().filter(|(key, _)| is_chosen(key));
        let chosen: Vec<_> = chosen.map(|(_, times)| times.in_order()).collect();
        let mut means = [Microseconds::default(); METRICS.len()];
        for (metric, mean) in means.iter_mut().enumerate() {
            *mean = Microseconds::mean(chosen.iter().map(|times| times[metric]))?;
        }
        Some(StepTimes::of(means))
    }
}

fn communication(ours: &Figures, base: &Figures) -> Vec<ComparedCommunication> {
    let compared = |((op_type, purpose), here): (&(Text, Text), &Communication)| {
        let there = base.communication.get(&(op_type.clone(), purpose.clone()))?;
        let (here, baseline) = (here.means(), there.means());
        let lower_bound = lower_bound(op_type, baseline.time, baseline.bytes, baseline.ranks, here.ranks);
        let (op_type, purpose) = (op_type.clone(), purpose.clone());
        Some(ComparedCommunication { op_type, purpose, here, baseline, lower_bound })
    };
    ours.communication.iter().filter_map(compared).collect()
}

/// `ClusterCompareBaseline`: a row for each time.
fn time_table(rows: &[ComparedTimes]) -> ResultTable {
    let columns = [
        ("step", ColumnKind::Int),
        ("stage", ColumnKind::Int),
        ("metric", ColumnKind::Text),
        ("value", ColumnKind::Real),
        ("baseline", ColumnKind::Real),
        ("difference", ColumnKind::Real),
        ("ratio", ColumnKind::Real),
    ];
    let mut table = ResultTable::new("ClusterCompareBaseline", "cluster_compare_baseline", &columns);
    for ComparedTimes { step, stage, times, baseline } in rows {
        let times = times.in_order().into_iter().zip(baseline.in_order());
        for ((metric, _), (time, base)) in METRICS.iter().zip(times) {
            table.push([
                Cell::from(*step),
                (*stage).into(),
                Cell::from(*metric),
                time.into(),
                base.into(),
                (time - base).into(),
                time.ratio(base).into(),
            ]);
        }
    }
    table
}

/// `ClusterCompareBaselineCommunication`.
fn communication_table(rows: &[ComparedCommunication]) -> ResultTable {
    let columns = [
        ("opType", ColumnKind::Text),
        ("group", ColumnKind::Text),
        ("groupSize", ColumnKind::Int),
        ("groupSizeBaseline", ColumnKind::Int),
        ("countPerRankAndStep", ColumnKind::Real),
        ("countPerRankAndStepBaseline", ColumnKind::Real),
        ("dataSize", ColumnKind::Real),
        ("dataSizeBaseline", ColumnKind::Real),
        ("timeNs", ColumnKind::Real),
        ("timeBaselineNs", ColumnKind::Real),
        ("lowerBoundNs", ColumnKind::Real),
        ("ratio", ColumnKind::Real),
    ];
    let name = "ClusterCompareBaselineCommunication";
    let mut table = ResultTable::new(name, "cluster_compare_baseline_communication", &columns);
    for row in rows {
        let ComparedCommunication { op_type, purpose, here, baseline, lower_bound } = row;
        table.push([
            Cell::from(op_type),
            purpose.into(),
            here.ranks.into(),
            baseline.ranks.into(),
            here.per_rank_and_step.into(),
            baseline.per_rank_and_step.into(),
            here.bytes.into(),
            baseline.bytes.into(),
            here.time.into(),
            baseline.time.into(),
            (*lower_bound).into(),
            row.ratio().into(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_ranks_take_longer() {
        let second = BANDWIDTH * 1e9;
        assert_eq!(lower_bound("hcom_allGather_", 1e6, second, 4, 8), 1e6 + 60_000.0 + 1e9);
        assert_eq!(lower_bound("hcom_allReduce_", 1e6, 0.0, 4, 32), 1e6 + 2.0 * 180_000.0);
        assert_eq!(lower_bound("hcom_allReduce_", 1e6, second, 8, 4), 1e6);
        assert_eq!(lower_bound("hcom_broadcast_", 1e6, second, 4, 8), 1e6);
    }
}
