//! Ties between rows that no file states: numbers of tasks and operations, nesting of host slices,
//! pieces to operations, kernels to tasks, groups to operations, steps.

use std::sync::Arc;

use arrow::array::{ArrayRef, PrimitiveArray};
use hashbrown::HashMap;
use npuscope_tables::Memo;
use npuscope_tables::column::{CellView, Primitive};
use npuscope_tables::table::lane::{self, Layer};
use npuscope_tables::table::{comm_op, comm_task, host_op, kernel, reported_comm, step, task};
use npuscope_tables::{LaneId, Ns, OpId, RankBuilder, RankTables, Str, TableId, TaskId};

/// How the framework names the range of a training step.
pub const STEP_PREFIX: &str = "ProfilerStep#";

/// The plane in a lane name such as `Plane 3`.
pub fn plane_in_lane(thread: &str) -> Option<i64> {
    thread.strip_prefix("Plane ")?.parse().ok()
}

/// Numbers the tasks and operations of a trace, which has no ids for them, in the order of the file.
pub fn number_rows(tables: &mut RankTables) {
    for (table, column) in [(TableId::Task, "task"), (TableId::CommOp, "op")] {
        let numbers: Vec<Option<i64>> = (0..).take(tables.len(table)).map(Some).collect();
        set_values(tables, table, column, &numbers);
    }
}

/// Fills `depth` and `parent` of host slices: how they nest on their lane.
///
/// A slice is inside another if it starts no earlier and ends no later, and does not just follow it; of
/// two equal slices the one that stands first in the file is the outer.
pub fn nest_host_ops(tables: &mut RankTables) {
    struct Slice {
        lane: LaneId,
        start: i64,
        end: i64,
        row: u32,
    }
    let mut slices: Vec<Slice> = Vec::with_capacity(tables.len(TableId::HostOp));
    let mut numbers = 0u32..;
    for (view, rows) in tables.views::<host_op::Row>() {
        slices.extend((0..rows).zip(numbers.by_ref()).map(|(at, row)| {
            let start = view.start.get(at);
            Slice { lane: view.lane.get(at), start: start.0, end: start.plus(view.duration.get(at).ns()).0, row }
        }));
    }
    slices.sort_unstable_by_key(|s| (s.lane, s.start, std::cmp::Reverse(s.end), s.row));
    let mut depths: Vec<Option<u32>> = vec![None; slices.len()];
    let mut parents: Vec<Option<u32>> = vec![None; slices.len()];
    let mut open: Vec<&Slice> = Vec::new();
    let mut lane = None;
    for slice in &slices {
        if lane != Some(slice.lane) {
            lane = Some(slice.lane);
            open.clear();
        }
        let contains =
            |outer: &Slice| slice.end <= outer.end && (slice.start < outer.end || slice.start == outer.start);
        while open.last().is_some_and(|outer| !contains(outer)) {
            open.pop();
        }
        if let Some(depth) = depths.get_mut(slice.row as usize) {
            *depth = u32::try_from(open.len()).ok();
        }
        if let Some(parent) = parents.get_mut(slice.row as usize) {
            *parent = open.last().map(|outer| outer.row);
        }
        open.push(slice);
    }
    set_values(tables, TableId::HostOp, "depth", &depths);
    set_values(tables, TableId::HostOp, "parent", &parents);
}

/// Finds the operation that each piece of a trace belongs to: the one of its group that was running.
///
/// The lanes of a group stand together, the group's own lane first, then its planes.
pub fn link_pieces(tables: &mut RankTables) {
    let mut lanes: Vec<lane::Row> = tables
        .rows::<lane::Row>()
        .filter(|row| Layer::from_name(tables.text(row.layer)) == Some(Layer::Communication))
        .collect();
    lanes.sort_by_key(|row| (row.pid, row.thread_sort.unwrap_or(row.tid), row.tid));
    let mut group_of_lane: HashMap<LaneId, LaneId> = HashMap::new();
    let mut group = None;
    for row in &lanes {
        let is_plane = tables.opt_text(row.thread).is_some_and(|name| plane_in_lane(name).is_some());
        if !is_plane {
            group = Some(row.lane);
        }
        group_of_lane.insert(row.lane, group.unwrap_or(row.lane));
    }
    let mut ops: HashMap<LaneId, Vec<(Ns, Ns, OpId)>> = HashMap::new();
    for op in tables.rows::<comm_op::Row>() {
        ops.entry(op.lane).or_default().push((op.start, op.start.plus(op.duration.ns()), op.op));
    }
    for ops in ops.values_mut() {
        ops.sort_unstable();
    }
    let found: Vec<Option<OpId>> = tables
        .rows::<comm_task::Row>()
        .map(|piece| {
            let ops = ops.get(group_of_lane.get(&piece.lane?)?)?;
            let after = ops.partition_point(|&(start, _, _)| start <= piece.start);
            let &(_, end, op) = ops.get(after.checked_sub(1)?)?;
            (piece.start <= end).then_some(op)
        })
        .collect();
    set_values(tables, TableId::CommTask, "op", &found);
}

/// Finds the task that each kernel of a csv file was, by its start and, where that is not enough, its name.
pub fn link_kernels(tables: &mut RankTables) {
    let mut by_start: HashMap<Ns, Vec<(TaskId, Str, Option<i64>)>> = HashMap::new();
    for (view, rows) in tables.views::<task::Row>() {
        for row in 0..rows {
            let task = (view.task.get(row), view.name.get(row), view.stream.get(row));
            by_start.entry(view.start.get(row)).or_default().push(task);
        }
    }
    let found: Vec<Option<TaskId>> = tables
        .rows::<kernel::Row>()
        .map(|kernel| {
            let tasks = by_start.get(&kernel.start)?;
            let exact = tasks.iter().find(|(_, name, stream)| {
                tables.text(*name) == tables.text(kernel.name) && (kernel.stream.is_none() || *stream == kernel.stream)
            });
            exact.map(|&(task, _, _)| task)
        })
        .collect();
    set_values(tables, TableId::Kernel, "task", &found);
}

/// Finds the task that each piece of a trace was, by its start, stream and ids.
pub fn link_piece_tasks(tables: &mut RankTables) {
    let mut by_ids = HashMap::new();
    for row in tables.rows::<task::Row>() {
        by_ids.insert((row.start, row.stream, row.task_id, row.subtask_id), row.task);
    }
    let found: Vec<Option<TaskId>> = tables
        .rows::<comm_task::Row>()
        .map(|piece| by_ids.get(&(piece.start, piece.stream, piece.task_id, piece.context_id)).copied())
        .collect();
    set_values(tables, TableId::CommTask, "task", &found);
}

/// Fills the gap before each kernel where the source gives none at all: from the end of the kernel before
/// it on the device, by start, to its own start; 0 where they overlap.
pub fn fill_waits(tables: &mut RankTables) {
    struct Kernel {
        device: Option<i64>,
        start: Ns,
        end: Ns,
        row: usize,
    }
    let mut kernels: Vec<Kernel> = Vec::with_capacity(tables.len(TableId::Kernel));
    for (view, rows) in tables.views::<kernel::Row>() {
        for at in 0..rows {
            if view.wait.get(at).is_some() {
                return;
            }
            let start = view.start.get(at);
            let end = start.plus(view.duration.get(at).ns());
            kernels.push(Kernel { device: view.device.get(at), start, end, row: kernels.len() });
        }
    }
    kernels.sort_by_key(|kernel| (kernel.device, kernel.start));
    let mut waits: Vec<Option<i64>> = vec![None; kernels.len()];
    let mut before: Option<&Kernel> = None;
    for kernel in &kernels {
        let gap = match before {
            Some(before) if before.device == kernel.device => kernel.start.since(before.end).max(0),
            _ => 0,
        };
        if let Some(wait) = waits.get_mut(kernel.row) {
            *wait = Some(gap);
        }
        before = Some(kernel);
    }
    set_values(tables, TableId::Kernel, "wait", &waits);
}

/// Fills the group hash of operations that only `communication.json` knows the group of.
pub fn fill_group_hashes(tables: &mut RankTables) {
    let hashes: HashMap<Str, Str> =
        tables.rows::<reported_comm::Row>().filter_map(|row| Some((row.name, row.group_hash?))).collect();
    let found: Vec<Option<Str>> =
        tables.rows::<comm_op::Row>().map(|op| op.group_hash.or(hashes.get(&op.name).copied())).collect();
    set_values(tables, TableId::CommOp, "group_hash", &found);
}

/// The hash by which text deliverables name a group: two 32-bit polynomial hashes side by side.
pub fn group_hash(name: &str) -> String {
    let hash = |prime: u32| name.chars().fold(0u32, |sum, c| sum.wrapping_mul(prime).wrapping_add(c as u32));
    (u64::from(hash(29)) << 32 | u64::from(hash(131))).to_string()
}

/// The steps that framework ranges mark, in order.
pub fn marked_steps(tables: &RankTables) -> Vec<step::Row> {
    let mut steps: Vec<step::Row> = Vec::new();
    let mut names = Memo::default();
    for (view, rows) in tables.views::<host_op::Row>() {
        for row in 0..rows {
            let name = view.name.get(row);
            if !names.get(name, || tables.text(name).contains(STEP_PREFIX)) {
                continue;
            }
            // Kineto marks steps as ranges of the user.
            let is_range = tables.text(view.kind.get(row)) == host_op::Kind::Op.name()
                || tables.opt_text(view.category.get(row)) == Some("user_annotation");
            if let Some((_, id)) = tables.text(name).split_once(STEP_PREFIX).filter(|_| is_range) {
                let start = view.start.get(row);
                steps.push(step::Row { id: id.parse().ok(), start, end: start.plus(view.duration.get(row).ns()) });
            }
        }
    }
    steps.sort_by_key(|s| (s.start, s.id));
    steps
}

/// First and last moment of the steps and slices of the tables.
pub fn time_span(tables: &RankTables) -> Option<(Ns, Ns)> {
    let mut span: Option<(Ns, Ns)> = None;
    let mut cover = |start: Ns, end: Ns| {
        let (first, last) = span.unwrap_or((start, end));
        span = Some((first.min(start), last.max(end)));
    };
    macro_rules! cover_slices {
        ($($table:ident),+) => {
            $(for (view, rows) in tables.views::<$table::Row>() {
                for row in 0..rows {
                    let start = view.start.get(row);
                    cover(start, start.plus(view.duration.get(row).ns()));
                }
            })+
        };
    }
    cover_slices!(host_op, task, kernel, comm_op);
    tables.rows::<step::Row>().for_each(|r| cover(r.start, r.end));
    span
}

/// Fills a column of a table with `values`, one per row.
pub fn set_values<T: Primitive>(tables: &mut RankTables, table: TableId, column: &str, values: &[Option<T>]) {
    let mut values = values.iter().map(|value| value.map(T::into_native));
    tables.set_column(table, column, |rows| {
        Arc::new(values.by_ref().take(rows).collect::<PrimitiveArray<T::Arrow>>()) as ArrayRef
    });
}

/// Adds rows that were computed from the tables of a rank to them.
pub fn with_more(tables: RankTables, add: impl FnOnce(&RankTables, &mut RankBuilder)) -> RankTables {
    let mut rank = RankBuilder::default();
    add(&tables, &mut rank);
    tables.with(rank)
}
