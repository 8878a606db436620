//! What several modes look up in the tables of a rank: computing kernels, communication, steps, parallel
//! groups.

use npuscope_formats::intervals::Interval;
use npuscope_formats::link::group_hash;
use npuscope_formats::memo::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::table::{comm_op, kernel, metadata, step};
use npuscope_tables::{Ns, RankTables, Str};
use serde_json::Value;

/// A kernel that computed: no collective.
#[derive(Clone, Copy)]
pub struct ComputingKernel {
    pub interval: Interval,
    pub name: Str,
    /// Its task, where it is known.
    pub task: Option<i64>,
}

pub fn computing_kernels(tables: &RankTables) -> Vec<ComputingKernel> {
    let mut kernels = Vec::new();
    let mut collectives = Memo::default();
    for (view, rows) in tables.views::<kernel::Row>() {
        for row in 0..rows {
            let core = view.core.get(row);
            let is_collective = |core| collectives.get(core, || matches!(tables.text(core), "HCCL" | "COMMUNICATION"));
            if !core.is_some_and(is_collective) {
                let interval = interval(view.start.get(row), view.duration.get(row).ns());
                kernels.push(ComputingKernel { interval, name: view.name.get(row), task: view.task.get(row) });
            }
        }
    }
    kernels
}

/// When a communication operation ran.
pub fn op_interval(op: &comm_op::Row) -> Interval {
    interval(op.start, op.duration.ns())
}

fn interval(start: Ns, ns: i64) -> Interval {
    Interval::new(start.0, start.plus(ns).0)
}

/// The greatest value so far.
pub fn running_max(values: impl Iterator<Item = i64>) -> Vec<i64> {
    let max = |max: &mut i64, value: i64| {
        *max = value.max(*max);
        Some(*max)
    };
    values.scan(i64::MIN, max).collect()
}

/// Steps in the order of time.
pub fn steps(tables: &RankTables) -> Vec<step::Row> {
    let mut steps: Vec<step::Row> = tables.rows().collect();
    steps.sort_by_key(|step| (step.start, step.id));
    steps
}

/// The number of the step that a moment is in, both ends included; the later one where two meet.
pub fn step_at(steps: &[step::Row], time: Ns) -> Option<i64> {
    let after = steps.partition_point(|step| step.start <= time);
    let step = steps.get(after.checked_sub(1)?)?;
    step.id.filter(|_| time <= step.end)
}

/// A communication group as the trainer described it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParallelGroup {
    /// The name that operations have it under.
    pub id: String,
    /// Hash of the id.
    pub hash: String,
    /// What it is for: tp, dp, pp …
    pub purpose: String,
    /// Its ranks in the whole job, by their number in the group.
    pub ranks: Vec<i64>,
}

/// The groups that `parallel_group_info` describes.
pub fn parallel_groups(tables: &RankTables) -> Vec<ParallelGroup> {
    let mut rows = tables.rows::<metadata::Row>().filter(|row| tables.text(row.key) == "parallel_group_info");
    let described = rows.find_map(|row| serde_json::from_str::<Value>(tables.text(row.value)).ok());
    let Some(Value::Object(groups)) = described else { return Vec::new() };
    let group = |(id, about): (String, Value)| {
        let mut ranks: Vec<i64> =
            about["global_ranks"].as_array().into_iter().flatten().filter_map(Value::as_i64).collect();
        ranks.sort_unstable();
        let purpose = about["group_name"].as_str().unwrap_or_default().to_owned();
        ParallelGroup { hash: group_hash(&id), id, purpose, ranks }
    };
    groups.into_iter().map(group).collect()
}

/// The group of an operation.
pub fn group_of<'a>(groups: &'a [ParallelGroup], tables: &RankTables, op: &comm_op::Row) -> Option<&'a ParallelGroup> {
    let (name, hash) = (tables.opt_text(op.group_name), tables.opt_text(op.group_hash));
    groups.iter().find(|group| name == Some(&group.id) || hash == Some(&group.hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_in_the_step_around_it() {
        let step = |id, start, end| step::Row { id: Some(id), start: Ns(start), end: Ns(end) };
        let steps = [step(1, 10, 20), step(2, 20, 30), step(3, 40, 50)];
        let found: Vec<Option<i64>> = [9, 10, 19, 20, 30, 35, 50, 51].map(|t| step_at(&steps, Ns(t))).to_vec();
        assert_eq!(found, [None, Some(1), Some(1), Some(2), Some(2), None, Some(3), None]);
    }
}
