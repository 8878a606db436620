//! `cluster_compare_baseline`: this job against another, which may be of another size.
//!
//! Needs a baseline (`--bp`): a profile, of which the same ranks are taken if some were chosen. msprof-analyze lists
//! this mode and cannot run it.
//!
//! `ClusterCompareBaseline` has the times of `cluster_time_summary`, in us, as means over ranks: of all ranks
//! (stage null) and of each pipeline stage that both jobs have; over all steps (step null) and in each
//! step that both have. `difference` is value - baseline, `ratio` value / baseline.
//!
//! `ClusterCompareBaselineCommunication` has collectives by type and purpose of their group, in ns. Those of
//! different ranks are matched by group, step, kind, bytes and launch order. The time of a
//! collective is the shortest among its ranks, without waiting; a row has means over collectives, and how many
//! there are for each rank and step. `lowerBoundNs` is what the baseline's time would become on as many ranks as
//! here, at least: for K ranks after K0, r = K / K0 > 1, m bytes from each, all-gather and reduce-scatter take
//! 60 us * ceil(log2 r) + m / (20 GiB/s) * (r - 1) longer, all-reduce twice that. Others, and fewer ranks, keep
//! their time. `ratio` is time / lowerBound. Sends and receives wait for each other and are left out.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_tables::table::comm_op;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::{Rank, Selection, TableId};
use serde::{Deserialize, Serialize};

use super::cluster_time_summary::{METRICS, Summary, notes_of_both, summarise};
use crate::cluster::{Absent, Answer, Failure, Job, Mode, RankData, Usage};
use crate::communication::{GroupKey, bytes_of_element, direction_of, group_key, op_type, parallel_groups};
use crate::diagnose::trace::Operation;
use crate::extract::{Analysis, Text};
use crate::meetings::{launched_operations, meet};
use crate::overview::stage;

pub const MODE: Mode = Mode {
    name: "cluster_compare_baseline",
    folder: "ClusterCompareBaseline",
    about: "This job against another, which may be of another size",
    run,
};

const OPERATIONS: Selection = Selection::of(&[TableId::CommOp, TableId::Step]).and_host_ops(&[Kind::Cann]);

/// What a further doubling of ranks costs at least, in ns.
const LATENCY: f64 = 60_000.0;

/// 200 Gbit/s used to 80 %, as msprof-analyze reckons, in bytes per ns.
const BANDWIDTH: f64 = 200.0 / 8.0 * 0.8 * (1u64 << 30) as f64 / 1e9;

/// What is compared of a job.
struct Figures {
    summary: Summary,
    stages: HashMap<Rank, i64>,
    /// By type of operation and purpose of the group.
    communication: BTreeMap<(Text, Text), Communication>,
    notes: Vec<String>,
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
    fn mean_ns(&self) -> f64 {
        self.ns / self.collectives as f64
    }

    fn mean_bytes(&self) -> f64 {
        self.bytes / self.collectives as f64
    }

    fn per_rank_and_step(&self) -> f64 {
        self.operations as f64 / self.rank_steps as f64
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

/// What is kept of a rank.
#[derive(Serialize, Deserialize)]
struct Part {
    stage: Option<i64>,
    steps: usize,
    ops: Vec<Op>,
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let Some(baseline) = &job.options.baseline else {
        return Err(Usage::NoBaseline { mode: MODE.name }.into());
    };
    let ours = figures(job)?;
    let base = job.of_baseline(baseline, job.options, figures)?;
    let mut answer = Answer::of_tables([times(&ours, &base), communication(&ours, &base)]);
    answer.notes = notes_of_both(ours.notes, base.notes);
    Ok(answer)
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

/// What a collective of `bytes` that takes `ns` on `from` ranks takes on `to` ranks, at least.
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

fn times(ours: &Figures, base: &Figures) -> ResultTable {
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
    let steps: BTreeSet<i64> = ours.summary.keys().map(|(_, step)| *step).collect();
    let stages: BTreeSet<i64> = ours.stages.values().copied().collect();
    for step in [None].into_iter().chain(steps.into_iter().map(Some)) {
        for stage in [None].into_iter().chain(stages.iter().copied().map(Some)) {
            let Some((ours, base)) = ours.means(step, stage).zip(base.means(step, stage)) else { continue };
            for ((metric, _), (value, base)) in METRICS.iter().zip(ours.into_iter().zip(base)) {
                table.push([
                    Cell::from(step),
                    stage.into(),
                    Cell::from(*metric),
                    value.into(),
                    base.into(),
                    (value - base).into(),
                    quotient(value, base),
                ]);
            }
        }
    }
    table
}

impl Figures {
    /// Times of a step, or of all, on the ranks of a stage, or on all: means.
    fn means(&self, step: Option<i64>, stage: Option<i64>) -> Option<Vec<f64>> {
        let is_chosen = |(rank, number): &(Rank, i64)| {
            step.is_none_or(|step| step == *number) && stage.is_none_or(|stage| self.stages.get(rank) == Some(&stage))
        };
        let chosen: Vec<_> = self.summary.iter().filter(|(key, _)| is_chosen(key)).map(|(_, times)| times).collect();
        let mean = |metric: usize| chosen.iter().map(|times| times[metric]).sum::<f64>() / chosen.len() as f64;
        (!chosen.is_empty()).then(|| (0..METRICS.len()).map(mean).collect())
    }
}

/// Null where it means nothing.
fn quotient(value: f64, by: f64) -> Cell {
    if by == 0.0 { Cell::Null } else { (value / by).into() }
}

fn communication(ours: &Figures, base: &Figures) -> ResultTable {
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
    for ((op_type, purpose), here) in &ours.communication {
        let Some(there) = base.communication.get(&(op_type.clone(), purpose.clone())) else { continue };
        let bound = lower_bound(op_type, there.mean_ns(), there.mean_bytes(), there.ranks, here.ranks);
        table.push([
            Cell::from(op_type),
            purpose.into(),
            here.ranks.into(),
            there.ranks.into(),
            here.per_rank_and_step().into(),
            there.per_rank_and_step().into(),
            here.mean_bytes().into(),
            there.mean_bytes().into(),
            here.mean_ns().into(),
            there.mean_ns().into(),
            bound.into(),
            quotient(here.mean_ns(), bound),
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
