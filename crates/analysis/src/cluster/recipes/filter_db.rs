//! `filter_db`: Write a reduced database of each rank, so that a viewer can open all ranks of a large job.
//!
//! Reads all tables. The reduced database of a rank contains:
//!
//! - communication operations, steps, mstx ranges and the tasks that show them, metadata, host and device, and the
//!   intervals in which the device computed, communicated or was free;
//! - the `--top_num` (1000) longest computing kernels, with tensors and metrics;
//! - the `--top_num` longest framework operators, and the operators that launched any of the work above;
//! - the CANN calls that launched any of the work above, and the flows between all of these.
//!
//! If a step is selected, only work that starts in it is kept. Communication tasks, other tasks and calls, Python
//! frames, memory and counters are omitted. Rows that are kept are not changed. The databases have the schema of the
//! profiler's own databases and are written as `FilterDb/{place of the rank's deliverables}/{its database}`. Ranks
//! that were saved as text get a database, too.

use std::path::Path;

use foldhash::fast::FixedState;
use hashbrown::HashSet;
use npuscope_formats::db::write_profiler_db;
use npuscope_measures::link::STEP_PREFIX;
use npuscope_tables::Framework;
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::{comm_op, flow, kernel, overlap, step, task};
use npuscope_tables::{ConnectionId, LaneId, Ns, RankTables, Selection, TableId, TaskId};

use super::rank_files::path_of;
use crate::cluster::{Absent, Answer, Failure, Job, Mode, RankData, ResultFile};
use crate::communication::is_communication_core;
use crate::messages::collection;

pub const MODE: Mode =
    Mode { name: "filter_db", folder: "FilterDb", about: "Write a reduced database of each rank for viewers", run };

const DEFAULT_TOP: usize = 1000;

/// Tables that say what, where and how was profiled, or that are cut down.
const KEPT: Selection = Selection::of(&[
    TableId::Rank,
    TableId::Step,
    TableId::Lane,
    TableId::HostOp,
    TableId::Task,
    TableId::Kernel,
    TableId::CommOp,
    TableId::Overlap,
    TableId::Flow,
    TableId::Metadata,
    TableId::Source,
    TableId::Sheet,
    TableId::Diagnostic,
]);

/// Ranks are read again each time, without the cache: the result is a large part of their tables.
fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let top = job.options.top_num.unwrap_or(DEFAULT_TOP);
    let parts = job.each(KEPT, |data| {
        let tables = filtered(data, top)?;
        let name = match Framework::of(&tables) {
            Framework::MindSpore => format!("ascend_mindspore_profiler_{}.db", data.rank),
            _ => format!("ascend_pytorch_profiler_{}.db", data.rank),
        };
        Ok((path_of(&MODE, job, data.source, &name), tables))
    })?;
    let mut answer = Answer::default();
    for (rank, (path, tables)) in parts {
        let write = move |path: &Path| write_profiler_db(&tables, rank, path);
        answer.files.push(ResultFile::new(path, write).of_rank(rank));
    }
    match answer.files.is_empty() {
        true => Err(Failure::missing(
            MODE.name,
            collection::data_kernels_operators_or_communication(),
            collection::collect_level0(),
        )),
        false => Ok(answer),
    }
}

/// Lane and start of a slice.
type Place = (LaneId, Ns);

type Set<T> = HashSet<T, FixedState>;

/// The reduced tables of a rank.
fn filtered(data: &RankData<'_>, top: usize) -> Result<RankTables, Absent> {
    if Framework::of(&data.tables) == Framework::Kineto {
        return Err(Absent::NoPlaceInDatabases);
    }
    let mut tables = data.tables.clone();
    for table in TableId::ALL.iter().copied().filter(|table| !KEPT.has(*table)) {
        tables.clear(table);
    }
    keep_times(&mut tables, data);
    keep_kernels(&mut tables, data, top);
    let marks = marks(&tables, data);
    let (places, connections) = keep_tasks(&mut tables, &marks);
    let launching = keep_arrows(&mut tables, &places);
    keep_host_ops(&mut tables, data, top, &HostKept { connections, launching });
    let is_left = [TableId::Kernel, TableId::CommOp, TableId::HostOp].iter().any(|table| !tables.is_empty(*table));
    if is_left { Ok(tables) } else { Err(Absent::NothingKept) }
}

fn keep_times(tables: &mut RankTables, data: &RankData<'_>) {
    let steps: Vec<bool> = tables.rows::<step::Row>().map(|step| data.has_moment(step.start)).collect();
    tables.retain(TableId::Step, |row| steps[row]);
    let operations: Vec<bool> = tables.rows::<comm_op::Row>().map(|op| data.has_operation(&op)).collect();
    tables.retain(TableId::CommOp, |row| operations[row]);
    let overlaps: Vec<bool> = tables.rows::<overlap::Row>().map(|part| data.has_moment(part.start)).collect();
    tables.retain(TableId::Overlap, |row| overlaps[row]);
}

/// Which of the rows with these durations are the `top` longest; `None` is ignored. Of equal durations the first rows.
fn longest(durations: &[Option<i64>], top: usize) -> Vec<bool> {
    let mut order: Vec<usize> = (0..durations.len()).filter(|&row| durations[row].is_some()).collect();
    let key = |row: &usize| (std::cmp::Reverse(durations[*row]), *row);
    if top < order.len() {
        order.select_nth_unstable_by_key(top, key);
        order.truncate(top);
    }
    let mut is_long = vec![false; durations.len()];
    order.into_iter().for_each(|row| is_long[row] = true);
    is_long
}

fn keep_kernels(tables: &mut RankTables, data: &RankData<'_>, top: usize) {
    let mut durations = Vec::with_capacity(tables.len(TableId::Kernel));
    let mut collectives = Memo::default();
    for (view, rows) in tables.views::<kernel::Row>() {
        durations.extend((0..rows).map(|row| {
            let core = view.core.get(row);
            let is_collective =
                core.is_some_and(|core| collectives.get(core, || is_communication_core(tables.text(core))));
            let is_wanted = !is_collective && data.has_kernel(&view, row);
            is_wanted.then(|| view.duration.get(row).ns())
        }));
    }
    let is_long = longest(&durations, top);
    tables.retain(TableId::Kernel, |row| is_long[row]);
}

/// The connections of mstx ranges.
fn marks(tables: &RankTables, data: &RankData<'_>) -> Set<ConnectionId> {
    let mut marks = Set::default();
    let mut kinds = Memo::default();
    for (view, rows) in tables.views::<host_op::Row>() {
        for row in 0..rows {
            let kind = view.kind.get(row);
            if kinds.get(kind, || tables.text(kind) == Kind::Mstx.name()) && data.has_moment(view.start.get(row)) {
                marks.extend(view.connection_id.get(row));
            }
        }
    }
    marks
}

/// Keeps the tasks of kernels and marks. Returns the places of the device work that is kept, and its connections.
fn keep_tasks(tables: &mut RankTables, marks: &Set<ConnectionId>) -> (Set<Place>, Set<ConnectionId>) {
    let mut of_kernels: Set<TaskId> = Set::default();
    for (view, rows) in tables.views::<kernel::Row>() {
        of_kernels.extend((0..rows).filter_map(|row| view.task.get(row)));
    }
    let (mut places, mut connections) = (Set::default(), Set::default());
    let mut is_kept = Vec::with_capacity(tables.len(TableId::Task));
    for (view, rows) in tables.views::<task::Row>() {
        for row in 0..rows {
            let connection = view.connection_id.get(row);
            let is_wanted = of_kernels.contains(&view.task.get(row))
                || connection.is_some_and(|connection| marks.contains(&connection));
            if is_wanted {
                places.insert((view.lane.get(row), view.start.get(row)));
                connections.extend(connection);
            }
            is_kept.push(is_wanted);
        }
    }
    for (view, rows) in tables.views::<comm_op::Row>() {
        for row in 0..rows {
            places.insert((view.lane.get(row), view.start.get(row)));
            connections.extend(view.connection_id.get(row));
        }
    }
    tables.retain(TableId::Task, |row| is_kept[row]);
    (places, connections)
}

/// Keeps the flows to the device work that is kept. Returns the places where they start.
fn keep_arrows(tables: &mut RankTables, places: &Set<Place>) -> Set<Place> {
    let mut launching = Set::default();
    let mut is_kept = Vec::with_capacity(tables.len(TableId::Flow));
    for (view, rows) in tables.views::<flow::Row>() {
        for row in 0..rows {
            let reached = view.dst_lane.get(row).zip(view.dst_time.get(row));
            let is_wanted = reached.is_some_and(|place| places.contains(&place));
            if is_wanted {
                launching.extend(view.src_lane.get(row).zip(view.src_time.get(row)));
            }
            is_kept.push(is_wanted);
        }
    }
    tables.retain(TableId::Flow, |row| is_kept[row]);
    launching
}

/// The device work and flows for which host slices are kept.
struct HostKept {
    /// Connections of the device work that is kept.
    connections: Set<ConnectionId>,
    /// Places where flows start.
    launching: Set<Place>,
}

fn keep_host_ops(tables: &mut RankTables, data: &RankData<'_>, top: usize, kept: &HostKept) {
    let mut durations = Vec::with_capacity(tables.len(TableId::HostOp));
    let mut is_kept = Vec::with_capacity(tables.len(TableId::HostOp));
    let (mut kinds, mut steps) = (Memo::default(), Memo::default());
    for (view, rows) in tables.views::<host_op::Row>() {
        for row in 0..rows {
            let (kind, start, name) = (view.kind.get(row), view.start.get(row), view.name.get(row));
            let is_inside = data.has_moment(start);
            let kind = kinds.get(kind, || Kind::from_name(tables.text(kind))).filter(|_| is_inside);
            is_kept.push(match kind {
                Some(Kind::Mstx) => true,
                Some(Kind::Cann) => view.connection_id.get(row).is_some_and(|id| kept.connections.contains(&id)),
                Some(Kind::Op) => {
                    kept.launching.contains(&(view.lane.get(row), start))
                        || steps.get(name, || tables.text(name).starts_with(STEP_PREFIX))
                }
                _ => false,
            });
            durations.push((kind == Some(Kind::Op)).then(|| view.duration.get(row).ns()));
        }
    }
    let is_long = longest(&durations, top);
    tables.retain(TableId::HostOp, |row| is_kept[row] || is_long[row]);
}
