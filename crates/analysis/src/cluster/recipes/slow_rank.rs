//! `slow_rank`: Find ranks that other ranks wait for in collectives.
//!
//! Reads `comm_op` and the CANN calls that launched the operations. An operation is counted if it belongs to the
//! selected step. Operations are matched across ranks by group, step, kind, bytes and launch order, not by name. In a
//! collective, the rank that arrives last does not wait and therefore has the shortest duration. This rank is a
//! candidate for a slow rank:
//!
//! - with two or three ranks: always, because there are too few ranks for a statistical test;
//! - with four to 100 ranks: if it is an outlier by Dixon's test at 99.5 %;
//! - with more than 100 ranks: if it is more than three standard deviations below the mean, or if the longest
//!   duration is more than three standard deviations above the mean. All other ranks that are more than three
//!   standard deviations below the mean are candidates, too.
//!
//! A candidate is slow only if the median rank (of two ranks, the other one) takes longer by more than 10 % of the
//! candidate's duration, by more than 50 us, and by more than 5 % of the time that the candidate spent since the
//! previous operation of the group. The reason is that comparable ranks do not arrive at exactly the same time.
//!
//! - `SlowRank`: per rank, the number of operations that waited for it and the number of operations that it took part
//!   in with other ranks;
//! - `SlowOpStats`: the operations that waited for a slow rank, with statistics of the durations over their ranks and
//!   the start on the slow ranks.
//!
//! With `--compat`: operations of the same group and name are one collective, and operations without a known launch
//! are not counted; durations are microseconds in columns named `Ns`; a collective needs at least four ranks with
//! different durations; there is no minimum for how much longer the others take; if the collectives of a group have
//! different numbers of ranks, the rows of this group are dropped, and also the rows of other groups at the same row
//! numbers.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_tables::table::comm_op;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::{Ns, Rank, RankTables, Selection, TableId};
use serde::{Deserialize, Serialize};

use super::STAT_COLUMNS;
use crate::cluster::statistics::{Summary, population_deviation};
use crate::cluster::{Absent, Answer, Failure, Job, Mode, RankData};
use crate::communication::{GroupKey, direction_of, group_of, is_point_to_point};
use crate::diagnose::trace::Operation;
use crate::extract::{Analysis, Text};
use crate::meetings::{launched_operations, meet};
use crate::messages::cluster as messages;
use crate::messages::collection;

pub const MODE: Mode =
    Mode { name: "slow_rank", folder: "SlowRankAnalysis", about: "Find ranks that other ranks wait for", run };

const OPERATIONS: Selection = Selection::of(&[TableId::CommOp, TableId::Step]).and_host_ops(&[Kind::Cann]);

/// A rank is late if others wait for it longer than this share of the operation's duration: shorter waits cost little.
const LATE_BY_DURATION: f64 = 0.1;
/// And longer than this many ns: operations that ranks launch together start up to this far apart.
const LATE_BY_NS: f64 = 50_000.0;
/// And longer than this share of the time since the group's previous operation: the same work varies by that much
/// between ranks.
const LATE_BY_PAUSE: f64 = 0.05;

/// Critical values of Dixon's ratio for 3 to 100 values: 0.5 % of normally distributed samples exceed them.
const DIXON: [f64; 98] = [
    0.994, 0.920, 0.823, 0.744, 0.680, 0.723, 0.676, 0.638, 0.707, 0.675, 0.649, 0.672, 0.649, 0.629, 0.611, 0.595,
    0.580, 0.568, 0.556, 0.545, 0.536, 0.526, 0.519, 0.510, 0.503, 0.496, 0.489, 0.484, 0.478, 0.473, 0.468, 0.463,
    0.458, 0.454, 0.450, 0.446, 0.442, 0.439, 0.435, 0.432, 0.429, 0.425, 0.423, 0.420, 0.417, 0.414, 0.412, 0.409,
    0.407, 0.405, 0.402, 0.400, 0.398, 0.396, 0.394, 0.392, 0.391, 0.388, 0.387, 0.385, 0.383, 0.382, 0.380, 0.379,
    0.377, 0.376, 0.374, 0.372, 0.371, 0.370, 0.368, 0.368, 0.366, 0.365, 0.364, 0.363, 0.361, 0.360, 0.359, 0.358,
    0.356, 0.356, 0.355, 0.353, 0.352, 0.352, 0.351, 0.350, 0.349, 0.348, 0.347, 0.346, 0.345, 0.344, 0.344, 0.343,
    0.341, 0.341,
];

/// An operation on one rank.
#[derive(Serialize, Deserialize)]
struct Op {
    what: Operation,
    is_collective: bool,
    start: Ns,
    duration: f64,
    /// ns since the group's last operation, be it a collective or a transfer.
    pause: f64,
    step: Option<i64>,
}

/// The ranks' parts of one operation, by rank.
type Collective<'a> = Vec<(Rank, &'a Op)>;

/// The ranks that others wait for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SlowRanks {
    /// Those that were waited for most often first.
    pub ranks: Vec<SlowRank>,
    /// The operations that waited, by group, name and start.
    pub operations: Vec<SlowOperation>,
}

/// A rank that others wait for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowRank {
    pub rank: Rank,
    /// Operations that waited for it.
    pub slow_operations: usize,
    /// Operations that it took part in with others.
    pub operations: usize,
    /// How long they waited, in ns: median less minimum of the durations, summed over the operations that waited.
    pub late_ns: f64,
}

/// An operation in which ranks waited for others.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowOperation {
    /// The ranks that were waited for.
    pub slow: Vec<Rank>,
    pub name: Text,
    pub group: Text,
    /// When the first of the slow ranks started.
    pub start: Ns,
    pub step: Option<i64>,
    /// Over all ranks, in ns; in microseconds with `--compat`.
    pub durations: Summary,
}

/// The collectives of each rank, in the order of launches; with `compat` all operations, in the order of the source.
#[derive(Serialize)]
struct Operations {
    compat: bool,
}

impl Analysis for Operations {
    type Extract = Vec<Op>;
    const NAME: &'static str = "slow_rank";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        OPERATIONS
    }

    fn map(&self, data: &RankData<'_>) -> Result<Vec<Op>, Absent> {
        Ok(if self.compat { operations_as_peer(data) } else { operations(data) })
    }
}

/// Finds the ranks that others wait for.
pub fn rows(job: &Job<'_>) -> Result<SlowRanks, Failure> {
    let compat = job.options.compat;
    let ranks = job.extracts(&Operations { compat })?;
    if ranks.iter().all(|(_, ops)| ops.is_empty()) {
        let (what, hint) = (collection::data_operations(), collection::collect_level1_or_mstx());
        return Err(Failure::missing(MODE.name, what, hint));
    }
    let collectives = if compat { collectives_as_peer(&ranks) } else { collectives(&ranks) };
    let together = collectives.iter().filter(|ranks| ranks.len() > 1);
    Ok(slow_ranks(together, compat))
}

fn collectives(ranks: &[(Rank, Vec<Op>)]) -> Vec<Collective<'_>> {
    let lists = ranks.iter().map(|(rank, ops)| (*rank, ops.as_slice()));
    let met = meet(lists, |op| (&op.what, op.step)).into_values();
    met.filter(|ranks| ranks.first().is_some_and(|(_, op)| op.is_collective)).collect()
}

/// Operations of one name in a group are one.
fn collectives_as_peer(ranks: &[(Rank, Vec<Op>)]) -> Vec<Collective<'_>> {
    let dropped = uneven_rows(ranks);
    let mut collectives: BTreeMap<(&str, &str), Collective<'_>> = BTreeMap::new();
    for (rank, ops) in ranks {
        let is_kept = |(row, op): &(usize, &Op)| !is_point_to_point(&op.what.name) && !dropped.contains(row);
        for (_, op) in ops.iter().enumerate().filter(is_kept) {
            collectives.entry((&op.what.group, &op.what.name)).or_default().push((*rank, op));
        }
    }
    collectives.into_values().collect()
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let rows = rows(job)?;
    let answer = Answer::of_tables([rank_table(&rows, job.options.compat), operation_table(&rows, job.options.compat)]);
    Ok(match answer.tables.iter().all(ResultTable::is_empty) {
        true => answer.note(messages::note_no_slow_rank()),
        false => answer,
    })
}

/// The operations of a rank, in the order of launches.
fn operations(data: &RankData<'_>) -> Vec<Op> {
    let tables = &data.tables;
    let launched = launched_operations(tables, data.step_of());
    let chosen = launched.iter().filter(|(_, step)| data.has_step(*step));
    let mut ops: Vec<Op> = chosen.map(|(op, step)| operation(tables, op, *step)).collect();
    fill_pauses(&mut ops);
    ops
}

/// The operations of a rank that were launched in the marker of the chosen step, in the order of the source. Durations
/// are in microseconds.
fn operations_as_peer(data: &RankData<'_>) -> Vec<Op> {
    let tables = &data.tables;
    let operation = |op: comm_op::Row| {
        let launch = data.step_of().launches().call(op.connection_id).filter(|launch| data.has_moment(*launch))?;
        let mut of_group = operation(tables, &op, data.steps().at(launch));
        // msprof-analyze identifies groups by name.
        of_group.what.group = group_of(tables, &op).into();
        Some(Op { duration: of_group.duration / 1000.0, ..of_group })
    };
    tables.rows::<comm_op::Row>().filter_map(operation).collect()
}

fn operation(tables: &RankTables, op: &comm_op::Row, step: Option<i64>) -> Op {
    let duration = op.duration.ns() as f64;
    let is_collective = direction_of(tables, op).is_none();
    Op { what: Operation::of(tables, op), is_collective, start: op.start, duration, pause: 0.0, step }
}

/// Fills in the time from the end of the previous operation of the group to the start of each operation.
fn fill_pauses(ops: &mut [Op]) {
    let mut order: Vec<usize> = (0..ops.len()).collect();
    order.sort_by_key(|&place| ops[place].start);
    let mut ends: HashMap<GroupKey, Ns> = HashMap::new();
    for place in order {
        let op = &mut ops[place];
        let end = op.start.plus(op.duration as i64);
        match ends.get_mut(&op.what.group_key) {
            Some(last) => op.pause = op.start.since(std::mem::replace(last, end)).max(0) as f64,
            None => {
                ends.insert(op.what.group_key.clone(), end);
            }
        }
    }
}

/// The row numbers, on any rank, that msprof-analyze drops because the operations of a group have different numbers of
/// ranks.
fn uneven_rows(ranks: &[(Rank, Vec<Op>)]) -> BTreeSet<usize> {
    let rows = ranks.iter().flat_map(|(_, ops)| ops.iter().enumerate());
    let collectives: Vec<(usize, &Op)> = rows.filter(|(_, op)| !is_point_to_point(&op.what.name)).collect();
    let mut counts: HashMap<&str, HashMap<&str, usize>> = HashMap::new();
    for (_, op) in &collectives {
        *counts.entry(&op.what.group).or_default().entry(&op.what.name).or_default() += 1;
    }
    let is_uneven = |group: &str| {
        let counts: BTreeSet<&usize> = counts.get(group).into_iter().flat_map(HashMap::values).collect();
        counts.len() > 1
    };
    let uneven: BTreeSet<&str> = counts.keys().copied().filter(|group| is_uneven(group)).collect();
    collectives.iter().filter(|(_, op)| uneven.contains(&*op.what.group)).map(|(row, _)| *row).collect()
}

/// The places of slow ranks among the durations of an operation.
fn slow(durations: &[f64], compat: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..durations.len()).collect();
    order.sort_by(|a, b| durations[*a].total_cmp(&durations[*b]));
    let sorted: Vec<f64> = order.iter().map(|place| durations[*place]).collect();
    match sorted.len() {
        2 | 3 if !compat => vec![order[0]],
        4..=100 => Vec::from_iter(is_outlier(&sorted, compat).then_some(order[0])),
        101.. => below_all(&sorted).map(|place| order[place]).collect(),
        _ => Vec::new(),
    }
}

/// Dixon's test of the least of 4 to 100 ascending values.
fn is_outlier(sorted: &[f64], compat: bool) -> bool {
    let count = sorted.len();
    let mut different = sorted.to_vec();
    different.dedup();
    if compat && different.len() <= 3 {
        return false;
    }
    let (next, last) = match count {
        ..=7 => (1, count - 1),
        8..=10 => (1, count - 2),
        11..=13 => (2, count - 2),
        _ => (2, count - 3),
    };
    let spread = sorted[last] - sorted[0];
    spread != 0.0 && (sorted[next] - sorted[0]) / spread > DIXON[count - 3]
}

/// The places of ascending values more than three deviations below their mean; the least also if the greatest is
/// as far above.
fn below_all(sorted: &[f64]) -> impl Iterator<Item = usize> {
    let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
    let allowed = 3.0 * population_deviation(sorted);
    let below = sorted.iter().take_while(|duration| **duration < mean - allowed).count();
    let is_above = sorted.last().is_some_and(|duration| *duration > mean + allowed);
    0..below.max(usize::from(is_above))
}

/// The slow ranks of an operation.
fn slow_of<'a>(ranks: &[(Rank, &'a Op)], compat: bool) -> Vec<(Rank, &'a Op)> {
    let mut durations: Vec<f64> = ranks.iter().map(|(_, op)| op.duration).collect();
    let mut slow: Vec<(Rank, &Op)> = slow(&durations, compat).into_iter().map(|place| ranks[place]).collect();
    if !compat && !slow.is_empty() {
        let place = durations.len() / 2;
        let (_, middle, _) = durations.select_nth_unstable_by(place, f64::total_cmp);
        slow.retain(|(_, op)| is_significant(*middle - op.duration, op));
    }
    slow
}

/// Whether a rank was late whose operation was shorter than that of others by `less` ns.
fn is_significant(less: f64, op: &Op) -> bool {
    less > (LATE_BY_DURATION * op.duration).max(LATE_BY_NS).max(LATE_BY_PAUSE * op.pause)
}

fn slow_ranks<'a>(collectives: impl Iterator<Item = &'a Collective<'a>>, compat: bool) -> SlowRanks {
    let mut ranks: BTreeMap<Rank, SlowRank> = BTreeMap::new();
    let mut operations = Vec::new();
    let new = |rank| SlowRank { rank, slow_operations: 0, operations: 0, late_ns: 0.0 };
    for parts in collectives {
        parts.iter().for_each(|(rank, _)| ranks.entry(*rank).or_insert_with(|| new(*rank)).operations += 1);
        let slow = slow_of(parts, compat);
        let Some(first) = slow.iter().map(|(_, op)| op).min_by_key(|op| op.start) else { continue };
        let durations = Summary::of(&parts.iter().map(|(_, op)| op.duration).collect::<Vec<_>>());
        for (rank, _) in &slow {
            let rank = ranks.entry(*rank).or_insert_with(|| new(*rank));
            rank.slow_operations += 1;
            rank.late_ns += durations.median - durations.min;
        }
        operations.push(SlowOperation {
            slow: slow.iter().map(|(rank, _)| *rank).collect(),
            name: first.what.name.clone(),
            group: first.what.group.clone(),
            start: first.start,
            step: first.step,
            durations,
        });
    }
    let mut ranks: Vec<SlowRank> = ranks.into_values().filter(|rank| rank.slow_operations > 0).collect();
    ranks.sort_by_key(|rank| std::cmp::Reverse(rank.slow_operations));
    operations.sort_by(|a, b| (&a.group, &a.name, a.start).cmp(&(&b.group, &b.name, b.start)));
    SlowRanks { ranks, operations }
}

fn rank_table(rows: &SlowRanks, compat: bool) -> ResultTable {
    let key = [("rankId", ColumnKind::Int), ("slowAffectCount", ColumnKind::Int)];
    let all = [("operationCount", ColumnKind::Int)];
    let columns = [&key[..], if compat { &[] } else { &all }].concat();
    let mut table = ResultTable::new("SlowRank", "rank_stats", &columns).indexed(1);
    for row in &rows.ranks {
        table.push([Cell::from(row.rank), row.slow_operations.into(), row.operations.into()]);
    }
    table
}

fn operation_table(rows: &SlowRanks, compat: bool) -> ResultTable {
    let key = [
        ("SlowRank", ColumnKind::Text),
        ("OpName", ColumnKind::Text),
        ("GroupName", ColumnKind::Text),
        ("Timestamp", ColumnKind::Int),
    ];
    let step = [("StepId", ColumnKind::Int)];
    let columns = [&key[..], STAT_COLUMNS, if compat { &[] } else { &step }].concat();
    let mut table = ResultTable::new("SlowOpStats", "slow_op_stats", &columns);
    for row in &rows.operations {
        let slow = row.slow.iter().map(Rank::to_string).collect::<Vec<_>>().join(",");
        let key = [Cell::from(slow), (&row.name).into(), (&row.group).into(), row.start.0.into()];
        table.push(key.into_iter().chain(row.durations.cells()).chain([row.step.into()]));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_the_one_that_comes_last_is_slow() {
        assert_eq!(slow(&[300.0, 100.0], false), [1]);
        assert_eq!(slow(&[300.0, 100.0], true), [0usize; 0]);
    }

    #[test]
    fn a_rank_is_late_if_it_comes_much_later() {
        let op = |duration, pause| Op {
            what: Operation::default(),
            is_collective: true,
            start: Ns(0),
            duration,
            pause,
            step: None,
        };
        assert!(is_significant(300e3, &op(600e3, 5e6)));
        assert!(!is_significant(40e3, &op(10e3, 0.0)));
        assert!(!is_significant(300e3, &op(4e6, 0.0)));
        assert!(!is_significant(300e3, &op(600e3, 50e6)));
    }

    #[test]
    fn of_many_an_outlier_is_slow() {
        let mut durations = vec![200e3, 201e3, 202e3, 50e3, 203e3];
        assert_eq!(slow(&durations, false), [3]);
        durations[0] = 110e3;
        assert_eq!(slow(&durations, false), [0usize; 0]);
        let mut many: Vec<f64> = (0..200).map(|place| 1000.0 + f64::from(place % 7)).collect();
        (many[17], many[18]) = (500.0, 400.0);
        assert_eq!(slow(&many, true), [18, 17]);
    }
}
