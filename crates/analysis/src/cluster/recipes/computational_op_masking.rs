//! `computational_op_masking`: Compute how much communication is hidden by computing, per type of parallel group.
//!
//! Reads `step`, `comm_op`, `kernel` and the `parallel_group_info` of the trainer. `--parallel_types` selects the
//! types of groups. Sets are separated by semicolons; the types within a set are separated by commas and counted as
//! one. The default is `dp,edp;edp;dp;ep;pp;mp;tp`. `ComputationalOperatorMaskingLinearity` has one row per rank,
//! step and set for which the rank has communication operations, with times in ns:
//!
//! - `totalCommunicationOperatorTime`: time in which at least one operation of the set runs;
//! - `timeRatioOfStepCommunicationOperator`: the share of this time in the step;
//! - `totalTimeWithoutCommunicationBlackout`: the part of this time in which no kernel computes;
//! - `ratioOfUnmaskedCommunication`: the share of that part in the step.
//!
//! Only time inside the step is counted. With `--compat`, an operation that continues after the end of its step is
//! counted completely in both steps, and there is no column `rank`.

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_measures::intervals::{Interval, subtract, total, union};
use npuscope_tables::number::round;
use npuscope_tables::table::{comm_op, step};
use npuscope_tables::{Ns, Rank, Selection, TableId};
use serde::{Deserialize, Serialize};

use super::rank_facts::{computing_kernels, group_of, op_interval, parallel_groups, running_max};
use crate::cluster::{Absent, Answer, Export, Failure, Job, Mode, RankData};
use crate::extract::Analysis;
use crate::messages::cluster as messages;
use crate::messages::collection;

pub const MODE: Mode = Mode {
    name: "computational_op_masking",
    folder: "ComputationalOpMasking",
    about: "Compute how much communication is hidden by computing, per group type",
    run,
};

const DEFAULT_TYPES: &str = "dp,edp;edp;dp;ep;pp;mp;tp";

const COLUMNS: &[(&str, ColumnKind)] = &[
    ("stepId", ColumnKind::Int),
    ("parallelType", ColumnKind::Text),
    ("stepStartTime", ColumnKind::Int),
    ("stepEndTime", ColumnKind::Int),
    ("totalCommunicationOperatorTime", ColumnKind::Int),
    ("timeRatioOfStepCommunicationOperator", ColumnKind::Real),
    ("totalTimeWithoutCommunicationBlackout", ColumnKind::Int),
    ("ratioOfUnmaskedCommunication", ColumnKind::Real),
    ("rank", ColumnKind::Int),
];

/// Communication of one set of groups in one step.
#[derive(Serialize, Deserialize)]
struct Masking {
    step: Option<i64>,
    start: Ns,
    end: Ns,
    /// Number of the set.
    set: usize,
    communication: i64,
    exposed: i64,
}

/// Kinds of groups that are taken together.
type KindSet = Vec<String>;

/// The communication of each rank by sets of kinds of groups.
#[derive(Serialize)]
struct Maskings<'a> {
    compat: bool,
    sets: &'a [KindSet],
}

impl Analysis for Maskings<'_> {
    type Extract = Part;
    const NAME: &'static str = "computational_op_masking";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        Selection::of(&[TableId::Step, TableId::CommOp, TableId::Kernel]).without_metrics()
    }

    fn map(&self, data: &RankData<'_>) -> Result<Part, Absent> {
        Ok(part(data, self.sets, self.compat))
    }
}

/// The extract of a rank.
#[derive(Serialize, Deserialize)]
struct Part {
    has_groups: bool,
    rows: Vec<Masking>,
}

/// Communication of some kinds of groups in one step of a rank. Times are in ns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupMasking {
    pub rank: Rank,
    pub step: Option<i64>,
    pub start: Ns,
    pub end: Ns,
    /// Kinds of groups that are taken together.
    pub kinds: Vec<String>,
    /// Time in which at least one operation of these groups ran.
    pub communication: i64,
    /// The part of it in which no kernel computed.
    pub exposed: i64,
}

impl GroupMasking {
    /// Share of the step: `time / (end - start)`; 0 of nothing.
    fn share(&self, time: i64) -> f64 {
        let length = self.end.since(self.start) as f64;
        if length > 0.0 { time as f64 / length } else { 0.0 }
    }

    /// Share of the step in which these groups communicated.
    pub fn communication_share(&self) -> f64 {
        self.share(self.communication)
    }

    /// Share of the step in which they did and no kernel computed.
    pub fn exposed_share(&self) -> f64 {
        self.share(self.exposed)
    }
}

/// How much communication of each kind of group computing hides, by rank, set of kinds and step.
pub fn rows(job: &Job<'_>) -> Result<Vec<GroupMasking>, Failure> {
    let set = |set: &str| set.split(',').map(|kind| kind.trim().to_owned()).collect();
    let sets: Vec<KindSet> = types(job).split(';').map(set).collect();
    let parts = job.extracts(&Maskings { compat: job.options.compat, sets: &sets })?;
    if parts.iter().all(|(_, part)| !part.has_groups) {
        let hint = collection::collect_parallel_groups_by_hand();
        return Err(Failure::missing(MODE.name, collection::data_parallel_groups(), hint));
    }
    let row = |rank: Rank, row: &Masking| {
        let Masking { step, start, end, set, communication, exposed } = *row;
        let kinds = sets.get(set).cloned().unwrap_or_default();
        GroupMasking { rank, step, start, end, kinds, communication, exposed }
    };
    Ok(parts.iter().flat_map(|(rank, part)| part.rows.iter().map(move |of| row(*rank, of))).collect())
}

/// The types of groups that are analysed.
fn types<'a>(job: &'a Job<'_>) -> &'a str {
    job.options.parallel_types.as_deref().unwrap_or(DEFAULT_TYPES)
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    job.require_export(&MODE, &[Export::Db, Export::Text])?;
    let columns = if job.options.compat { &COLUMNS[..COLUMNS.len() - 1] } else { COLUMNS };
    let mut table =
        ResultTable::new("ComputationalOperatorMaskingLinearity", "computational_operator_masking_linearity", columns);
    rows(job)?.iter().for_each(|row| table.push(cells(row, job.options.compat)));
    let is_empty = table.is_empty();
    let answer = Answer::of_tables([table]);
    Ok(if is_empty { answer.note(messages::note_no_masked_operation(types(job))) } else { answer })
}

fn part(data: &RankData<'_>, sets: &[KindSet], compat: bool) -> Part {
    let tables = &data.tables;
    let groups = parallel_groups(tables);
    let ops: Vec<(&str, Interval)> = tables
        .rows::<comm_op::Row>()
        .filter_map(|op| Some((group_of(&groups, tables, &op)?.purpose.as_str(), op_interval(&op))))
        .collect();
    let computing = union(computing_kernels(tables).iter().map(|kernel| kernel.interval).collect());
    let mut rows = Vec::new();
    for (set, kinds) in sets.iter().enumerate() {
        let mut of_set: Vec<Interval> = ops
            .iter()
            .filter(|(kind, _)| kinds.iter().any(|known| known == kind))
            .map(|(_, interval)| *interval)
            .collect();
        if of_set.is_empty() {
            continue;
        }
        of_set.sort_unstable();
        let reach: Vec<i64> = running_max(of_set.iter().map(|op| op.end));
        for step in data.steps().iter().filter(|step| step.id.is_some() && data.has_moment(step.start)) {
            let communication = union(in_step(&of_set, &reach, step, compat));
            let exposed = total(&subtract(&communication, &computing));
            let (step, start, end) = (step.id, step.start, step.end);
            rows.push(Masking { step, start, end, set, communication: total(&communication), exposed });
        }
    }
    Part { has_groups: !groups.is_empty(), rows }
}

/// The operations that run in a step, cut at its ends unless they count whole. `reach` is the latest end so far.
fn in_step(sorted: &[Interval], reach: &[i64], step: &step::Row, whole: bool) -> Vec<Interval> {
    let (start, end) = (step.start.0, step.end.0);
    let from = reach.partition_point(|&end| end <= start);
    let until = sorted.partition_point(|op| op.start < end).max(from);
    let running = sorted[from..until].iter().filter(|op| op.end > start);
    let cut = |op: &Interval| Interval::new(op.start.max(start), op.end.min(end));
    running.map(|op| if whole { *op } else { cut(op) }).collect()
}

fn cells(row: &GroupMasking, compat: bool) -> [Cell; 9] {
    let exposed = row.exposed_share();
    [
        row.step.into(),
        row.kinds.join("+").into(),
        row.start.0.into(),
        row.end.0.into(),
        row.communication.into(),
        row.communication_share().into(),
        row.exposed.into(),
        if compat { round(exposed, 5) } else { exposed }.into(),
        row.rank.into(),
    ]
}
