//! Windows of a rank: what was recorded without interruption, each from a directory or file of its own.
//!
//! The tables of a rank hold the rows of all its windows, those of one window in batches of their own. A batch of a later
//! window has the column `window`; rows of the first one, and so those of nearly every rank, do without.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch, UInt32Array};
use arrow::datatypes::{ArrowPrimitiveType, Field, Int64Type, Schema, UInt32Type};
use hashbrown::HashMap;

use crate::column::ColumnType;
use crate::schema::{self, ColumnSpec, TableSpec};
use crate::table::lane;
use crate::{Interner, LaneId, RankTables, Str, Table, TableId, TableView, Window};

/// The column that holds the window of a row.
pub const WINDOW: &str = "window";

const DOC: &str = "Window the row belongs to: windows of a job are numbered from 0.";

pub(crate) fn window_column() -> ColumnSpec {
    ColumnSpec::new(WINDOW, ColumnType::Int, false, "", DOC)
}

/// The window that the rows of a stored batch belong to.
pub fn window_of(batch: &RecordBatch) -> Window {
    let column = batch.column_by_name(WINDOW).and_then(|column| column.as_primitive_opt::<Int64Type>());
    Window(column.filter(|column| !column.is_empty()).map_or(0, |column| column.value(0)))
}

/// The window of each row of a stored batch, as a query sees it.
pub(crate) fn windows(batch: &RecordBatch) -> ArrayRef {
    Arc::new(Int64Array::from_value(window_of(batch).0, batch.num_rows()))
}

impl RankTables {
    /// The windows whose rows these are, in the order in which they were joined.
    pub fn windows(&self) -> Vec<Window> {
        let mut windows: Vec<Window> = self.batches(TableId::Window).iter().map(window_of).collect();
        windows.dedup();
        windows
    }

    /// The rows of a table with their windows.
    pub fn rows_of_windows<T: Table>(&self) -> impl Iterator<Item = (Window, T)> + '_ {
        self.batches(T::ID).iter().flat_map(|batch| {
            let (window, view) = (window_of(batch), T::View::new(batch));
            (0..batch.num_rows()).map(move |row| (window, view.row(row)))
        })
    }
}

/// The tables of a rank, of those of its windows. Ids of a window are moved up, so that they differ from those of the
/// windows before it; lanes that say the same of themselves are one lane.
pub fn join(windows: Vec<(Window, RankTables)>) -> RankTables {
    let mut joined = Joined::default();
    for (window, tables) in &windows {
        joined.add(*window, tables);
    }
    RankTables::new(joined.strings.finish(), joined.batches)
}

#[derive(Default)]
struct Joined {
    strings: Interner,
    batches: Vec<Vec<RecordBatch>>,
    lanes: HashMap<LaneKey, LaneId>,
    next: Next,
}

/// What a lane says of itself: layer, process and thread, by number and by text, and their names.
type LaneKey = (Str, [i64; 2], [Option<Str>; 5]);

/// The first id that no earlier window has.
#[derive(Clone, Copy, Default)]
struct Next {
    task: i64,
    op: i64,
    connection: i64,
    python: i64,
    host_op: u32,
}

impl Joined {
    fn add(&mut self, window: Window, tables: &RankTables) {
        let text = self.strings.absorb(&Interner::from(tables.strings()));
        let (lanes, mut fresh) = self.merge_lanes(tables, &text);
        let (first, mut next) = (self.next, self.next);
        self.batches.resize(TableId::ALL.len(), Vec::new());
        for (place, spec) in self.batches.iter_mut().zip(schema::all()) {
            for batch in tables.batches(spec.id) {
                let mut translated = Translation { spec, text: &text, lanes: &lanes, first, next: &mut next }.of(batch);
                if spec.id == TableId::Lane {
                    let wanted = (0..batch.num_rows()).map(|_| fresh.next().unwrap_or_default());
                    let wanted = wanted.map(Some).collect();
                    translated = arrow::compute::filter_record_batch(&translated, &wanted).unwrap_or(translated);
                }
                if translated.num_rows() > 0 {
                    place.push(with_window(translated, window));
                }
            }
        }
        next.host_op = next.host_op.saturating_add(u32::try_from(tables.len(TableId::HostOp)).unwrap_or(u32::MAX));
        self.next = next;
    }

    /// The lane that each lane of a window is in the rank, and which rows of `lane` are new.
    fn merge_lanes(&mut self, tables: &RankTables, text: &[Str]) -> (Vec<LaneId>, std::vec::IntoIter<bool>) {
        let translate = |id: Str| text.get(id.0 as usize).copied().unwrap_or_default();
        let (mut lanes, mut fresh) = (Vec::new(), Vec::new());
        for row in tables.rows::<lane::Row>() {
            let texts = [row.pid_text, row.tid_text, row.process, row.thread, row.label];
            let key = (translate(row.layer), [row.pid, row.tid], texts.map(|text| text.map(translate)));
            let count = LaneId(u32::try_from(self.lanes.len()).unwrap_or(u32::MAX));
            let lane = *self.lanes.entry(key).or_insert(count);
            fresh.push(lane == count);
            let at = row.lane.index();
            if lanes.len() <= at && at <= lanes.len() + tables.len(TableId::Lane) {
                lanes.resize(at + 1, LaneId(0));
            }
            if let Some(place) = lanes.get_mut(at) {
                *place = lane;
            }
        }
        (lanes, fresh.into_iter())
    }
}

/// From the ids of a window to those of its rank.
struct Translation<'a> {
    spec: &'a TableSpec,
    text: &'a [Str],
    lanes: &'a [LaneId],
    first: Next,
    next: &'a mut Next,
}

impl Translation<'_> {
    fn of(mut self, batch: &RecordBatch) -> RecordBatch {
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns());
        let columns = columns.map(|(field, column)| self.column(field.name(), column)).collect();
        RecordBatch::try_new(schema.clone(), columns).unwrap_or_else(|_| batch.clone())
    }

    fn column(&mut self, name: &str, column: &ArrayRef) -> ArrayRef {
        let Next { task, op, connection, python, host_op } = self.first;
        let is_text = self.spec.column(name).is_some_and(|column| column.ty == ColumnType::Text);
        match (self.spec.id, name) {
            _ if is_text => map(column, |id: u32| self.text.get(id as usize).copied().unwrap_or_default().0),
            (_, "lane" | "src_lane" | "dst_lane") => {
                map(column, |lane: u32| self.lanes.get(lane as usize).copied().unwrap_or_default().0)
            }
            (TableId::HostOp, "parent") => map(column, |row: u32| row.saturating_add(host_op)),
            (TableId::HostOp, "python_id" | "python_parent_id" | "python_module_id") => {
                shift(column, python, &mut self.next.python)
            }
            (TableId::Task | TableId::Kernel | TableId::CommTask, "task") => shift(column, task, &mut self.next.task),
            (TableId::CommOp | TableId::CommTask, "op") => shift(column, op, &mut self.next.op),
            (_, "connection_id") => shift(column, connection, &mut self.next.connection),
            _ => column.clone(),
        }
    }
}

/// A column of ids as `Id`s of Arrow's, each replaced.
fn map(column: &ArrayRef, replace: impl Fn(u32) -> u32) -> ArrayRef {
    match column.as_primitive_opt::<UInt32Type>() {
        Some(ids) => Arc::new(ids.unary::<_, UInt32Type>(replace)) as Arc<UInt32Array>,
        None => column.clone(),
    }
}

/// A column of ids moved up by `first`; `next` is then above each of them. Ids below 0 mean that there is none.
fn shift(column: &ArrayRef, first: i64, next: &mut i64) -> ArrayRef {
    type Native = <Int64Type as ArrowPrimitiveType>::Native;
    let Some(ids) = column.as_primitive_opt::<Int64Type>() else { return column.clone() };
    let moved = |id: Native| if id < 0 { id } else { id.saturating_add(first) };
    let ids = ids.unary::<_, Int64Type>(moved);
    *next = arrow::compute::max(&ids).map_or(*next, |last| last.saturating_add(1).max(*next));
    Arc::new(ids)
}

fn with_window(batch: RecordBatch, window: Window) -> RecordBatch {
    if window == Window(0) {
        return batch;
    }
    let schema = batch.schema();
    let fields = schema.fields().iter().cloned().chain([Arc::new(Field::new(WINDOW, ColumnType::Int.stored(), true))]);
    let column: ArrayRef = Arc::new(Int64Array::from_value(window.0, batch.num_rows()));
    let columns = batch.columns().iter().cloned().chain([column]).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields.collect::<Vec<_>>())), columns).unwrap_or(batch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{comm_op, comm_task, host_op, kernel, task, window};
    use crate::{ConnectionId, Ns, OpId, RankBuilder, TaskId};

    /// A window with a thread and, if wanted, a stream before it; a call inside another that launches a kernel.
    fn recorded(start: i64, name: &str, has_stream: bool) -> RankTables {
        let mut rank = RankBuilder::default();
        let directory = rank.strings.intern(name);
        rank.window.push(window::Row { directory, start: Some(Ns(start)), ..Default::default() });
        if has_stream {
            let layer = rank.strings.intern("hardware");
            rank.lane.push(lane::Row { lane: LaneId(0), layer, pid: 9, ..Default::default() });
        }
        let (lane, layer) = (LaneId(u32::from(has_stream)), rank.strings.intern("cann"));
        rank.lane.push(lane::Row { lane, layer, pid: 7, ..Default::default() });
        let (name, connection_id) = (rank.strings.intern(name), Some(ConnectionId(5)));
        rank.host_op.push(host_op::Row { lane, name, start: Ns(start), ..Default::default() });
        rank.host_op.push(host_op::Row {
            lane,
            name,
            start: Ns(start),
            parent: Some(0),
            connection_id,
            ..Default::default()
        });
        let task = TaskId(3);
        rank.task.push(task::Row { task, connection_id, start: Ns(start), ..Default::default() });
        rank.kernel.push(kernel::Row { task: Some(task), start: Ns(start), ..Default::default() });
        rank.comm_op.push(comm_op::Row { op: OpId(0), start: Ns(start), ..Default::default() });
        rank.comm_task.push(comm_task::Row { op: Some(OpId(0)), start: Ns(start), ..Default::default() });
        rank.finish()
    }

    #[test]
    fn rows_refer_to_rows_of_their_own_window() {
        let joined = join(vec![(Window(0), recorded(10, "a", false)), (Window(2), recorded(50, "b", true))]);
        let calls: Vec<_> = joined.rows_of_windows::<host_op::Row>().collect();
        let parents: Vec<_> = calls.iter().map(|(window, row)| (window.0, row.parent)).collect();
        assert_eq!(parents, [(0, None), (0, Some(0)), (2, None), (2, Some(2))]);
        let tasks: Vec<_> = joined.rows::<task::Row>().map(|row| (row.task, row.connection_id)).collect();
        assert_eq!(tasks, [(TaskId(3), Some(ConnectionId(5))), (TaskId(7), Some(ConnectionId(11)))]);
        assert_eq!(calls[3].1.connection_id, Some(ConnectionId(11)));
        let kernels: Vec<_> = joined.rows::<kernel::Row>().map(|row| row.task).collect();
        assert_eq!(kernels, [Some(TaskId(3)), Some(TaskId(7))]);
        let pieces: Vec<_> = joined.rows::<comm_task::Row>().map(|row| row.op).collect();
        assert_eq!(pieces, joined.rows::<comm_op::Row>().map(|row| Some(row.op)).collect::<Vec<_>>());
        assert_ne!(pieces[0], pieces[1]);
        assert_eq!(joined.text(calls[2].1.name), "b");
    }

    #[test]
    fn a_thread_that_two_windows_recorded_is_one_lane() {
        let joined = join(vec![(Window(0), recorded(10, "a", false)), (Window(1), recorded(50, "b", true))]);
        let lanes: Vec<_> = joined.rows::<lane::Row>().map(|row| (row.lane.0, row.pid)).collect();
        assert_eq!(lanes, [(0, 7), (1, 9)]);
        assert!(joined.rows::<host_op::Row>().all(|row| row.lane == LaneId(0)));
        assert_eq!(joined.windows(), [Window(0), Window(1)]);
    }

    #[test]
    fn queries_see_the_window_of_each_row() {
        let joined = join(vec![(Window(0), recorded(10, "a", false)), (Window(1), recorded(50, "b", false))]);
        let spec = schema::spec(TableId::Kernel);
        let place = spec.schema.index_of(WINDOW).unwrap();
        let seen = joined.batches(TableId::Kernel).iter().map(|batch| {
            let scanned = crate::scan::scan_batch(batch, spec, &[place], joined.strings()).unwrap();
            scanned.column(0).as_primitive::<Int64Type>().values().to_vec()
        });
        assert_eq!(seen.collect::<Vec<_>>(), [[0], [1]]);
    }
}
