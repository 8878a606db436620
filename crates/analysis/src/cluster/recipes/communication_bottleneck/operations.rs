//! The longest communication operations of a rank, and when they ran on the others.

use npuscope_measures::intervals::Interval;
use npuscope_tables::table::comm_op;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::{Rank, Selection, TableId};
use serde::{Deserialize, Serialize};

use super::super::rank_facts::op_interval;
use crate::cluster::{Absent, Failure, Job, RankData, Usage};
use crate::communication::direction_of;
use crate::diagnose::trace;
use crate::extract::{Analysis, Text};
use crate::meetings::{KeptKey, Key, Keys, launched_operations};

const DEFAULT_TOP: usize = 10;

const OPERATIONS: Selection = Selection::of(&[TableId::CommOp, TableId::Step]).and_host_ops(&[Kind::Cann]);

/// Ranks whose times of an operation differ by less are equally fast.
const ALIKE: f64 = 0.05;

/// An operation on the analysed rank.
#[derive(Serialize, Deserialize)]
pub struct Operation {
    pub name: Text,
    matched_by: MatchedBy,
    pub interval: Interval,
    pub step: Option<i64>,
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

/// When an operation ran on a rank.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Run {
    pub rank: Rank,
    pub interval: Interval,
}

impl Run {
    fn length(&self) -> i64 {
        self.interval.end - self.interval.start
    }
}

/// The longest operations of the analysed rank.
pub fn longest(job: &Job<'_>) -> Result<Vec<Operation>, Failure> {
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
pub enum Compared {
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

    pub fn pair(&self) -> Option<(Run, Run)> {
        if let Compared::Differ(slow, fast) = self { Some((*slow, *fast)) } else { None }
    }
}

/// How the ranks of each operation differ.
pub fn slow_and_fast(job: &Job<'_>, operations: &[Operation]) -> Result<Vec<Compared>, Failure> {
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
