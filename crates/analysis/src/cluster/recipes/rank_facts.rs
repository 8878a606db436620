//! What several modes look up in the tables of a rank: computing kernels, communication, parallel groups.

use npuscope_measures::intervals::Interval;
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::table::{comm_op, kernel};
use npuscope_tables::{Ns, RankTables, Str, TaskId};

pub use crate::communication::parallel_groups;
use crate::communication::{DeclaredGroup, group_key, is_communication_core};

/// A kernel that computed: no collective.
#[derive(Clone, Copy)]
pub struct ComputingKernel {
    pub interval: Interval,
    pub name: Str,
    /// Its task, where it is known.
    pub task: Option<TaskId>,
}

pub fn computing_kernels(tables: &RankTables) -> Vec<ComputingKernel> {
    let mut kernels = Vec::new();
    let mut collectives = Memo::default();
    for (view, rows) in tables.views::<kernel::Row>() {
        for row in 0..rows {
            let core = view.core.get(row);
            let is_collective = |core| collectives.get(core, || is_communication_core(tables.text(core)));
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

/// The group of an operation.
pub fn group_of<'a>(groups: &'a [DeclaredGroup], tables: &RankTables, op: &comm_op::Row) -> Option<&'a DeclaredGroup> {
    let key = group_key(tables, op);
    groups.iter().find(|group| group.hash == key)
}
