//! The device work that each operator launched.
//!
//! An operator launched what arrows (`async_npu`) lead to from it; in traces of GPUs, the kernels that have the
//! connection id of a call within it.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::{comm_op, flow, kernel, sheet, task};
use npuscope_tables::{ConnectionId, Interner, LaneId, Ns, RankTables, Selection, Str, TableId, TaskId};

use crate::communication::op_type;
use crate::extract::RankData;

/// What has to be read of a rank.
pub fn selection(compat: bool) -> Selection {
    const ALWAYS: Selection = Selection::of(&[TableId::Flow, TableId::Task, TableId::Kernel, TableId::CommOp])
        .without_metrics()
        .nested()
        .and_host_ops(&[Kind::Op, Kind::Mstx]);
    if compat { ALWAYS.and(Selection::of(&[TableId::Sheet])) } else { ALWAYS }
}

/// Strings of the answer. Those of a rank's tables are looked up once each.
#[derive(Default)]
pub struct Names {
    strings: Interner,
    known: Vec<Option<Str>>,
}

impl Names {
    pub fn intern(&mut self, text: &str) -> Str {
        self.strings.intern(text)
    }

    /// A string of the rank's tables; they must be the same each time.
    pub fn of_table(&mut self, tables: &RankTables, id: Str) -> Str {
        let at = id.0 as usize;
        if at >= self.known.len() {
            self.known.resize(at + 1, None);
        }
        *self.known[at].get_or_insert_with(|| self.strings.intern(tables.text(id)))
    }

    pub fn get(&self, id: Str) -> &str {
        self.strings.get(id)
    }

    pub fn list(&self, ids: &[Str]) -> String {
        let names: Vec<&str> = ids.iter().map(|id| self.get(*id)).collect();
        names.join(", ")
    }
}

/// A kernel or a communication.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    pub name: Str,
    pub start: Ns,
    pub ns: i64,
    kind: WorkKind,
}

impl Work {
    /// Row number in `kernel`; none for communication.
    pub fn kernel(&self) -> Option<usize> {
        if let WorkKind::Kernel(row) = self.kind { Some(row) } else { None }
    }
}

/// In the order in which msprof-analyze lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum WorkKind {
    Kernel(usize),
    Communication,
    /// A task that schedules a communication while it goes on.
    Schedule,
}

/// A call of an operator that launched device work.
#[derive(Clone, Debug)]
pub struct Call {
    pub name: Str,
    pub start: Ns,
    pub end: Ns,
    /// What it launched, by number in [`Calls::all_work`].
    pub work: Range<usize>,
}

/// The operators that launched device work, in order of start.
#[derive(Default)]
pub struct Calls {
    pub calls: Vec<Call>,
    work: Vec<Work>,
    /// Slices of forward operators and of the backward operators that answer them.
    pub backward: Vec<(Slice, Slice)>,
}

/// Start and end of an operator.
pub type Slice = (Ns, Ns);

/// Where a slice begins.
type Place = (LaneId, Ns);

impl Calls {
    /// Reads the operators of a rank. Device work is in order of start. With `compat`, an operator's kernels come
    /// before its communications, as in msprof-analyze, and tasks that schedule communications count as well, though
    /// they run at the same time.
    pub fn read(tables: &RankTables, names: &mut Names, compat: bool) -> Calls {
        let (launches, answers) = arrows(tables);
        let ops = operators(tables);
        // Of several that begin at once, the innermost launches.
        let innermost = |place: Place| {
            let after = ops.partition_point(|op| (op.lane, op.start) <= place);
            after.checked_sub(1).filter(|at| (ops[*at].lane, ops[*at].start) == place)
        };
        let work = join(launches, device_work(tables, names, compat));
        let launched = work.filter_map(|(from, work)| Some((innermost(from)?, work))).collect();
        Calls { backward: backward_pairs(&ops, &answers), ..Calls::of(tables, names, &ops, launched, compat) }
    }

    /// Reads the operators of a trace of a GPU, which has no arrows from operators to the device. All of the trace
    /// has to be there.
    pub fn read_gpu(tables: &RankTables, names: &mut Names) -> Calls {
        let (_, answers) = arrows(tables);
        let backward = backward_pairs(&operators(tables), &answers);
        let (slices, launched) = launched_by_calls(tables, names);
        Calls { backward, ..Calls::of(tables, names, &slices, launched, false) }
    }

    /// Calls with what each of `ops`, by number, launched.
    fn of(
        tables: &RankTables,
        names: &mut Names,
        ops: &[Operator],
        mut launched: Vec<(usize, Work)>,
        compat: bool,
    ) -> Calls {
        let kind = |work: &Work| match work.kind {
            _ if !compat => WorkKind::Kernel(0),
            WorkKind::Kernel(_) => WorkKind::Kernel(0),
            other => other,
        };
        launched.sort_by_key(|(op, work)| (ops[*op].start, *op, kind(work), work.start));
        let mut calls = Calls::default();
        for group in launched.chunk_by(|a, b| a.0 == b.0) {
            let op = &ops[group[0].0];
            let first = calls.work.len();
            calls.work.extend(group.iter().map(|(_, work)| *work));
            let name = names.of_table(tables, op.name);
            calls.calls.push(Call { name, start: op.start, end: op.end, work: first..calls.work.len() });
        }
        calls
    }

    /// What all calls launched.
    pub fn all_work(&self) -> &[Work] {
        &self.work
    }

    /// What a call launched.
    pub fn work(&self, call: &Call) -> &[Work] {
        &self.work[call.work.clone()]
    }

    /// Leaves out the calls that do not start in the chosen step.
    pub fn keep_chosen(&mut self, data: &RankData<'_>) {
        self.calls.retain(|call| data.has_moment(call.start));
    }
}

struct Operator {
    lane: LaneId,
    start: Ns,
    end: Ns,
    name: Str,
}

/// The framework's operators by place, outer ones first.
fn operators(tables: &RankTables) -> Vec<Operator> {
    let mut ops = Vec::new();
    for_each_host_op(tables, Kind::Op, |view, row| {
        let start = view.start.get(row);
        let end = start.plus(view.duration.get(row).ns());
        ops.push(Operator { lane: view.lane.get(row), start, end, name: view.name.get(row) });
    });
    ops.sort_by_key(|op| (op.lane, op.start, Reverse(op.end)));
    ops
}

/// Calls `take` with the rows of a kind, by view and number in it.
pub fn for_each_host_op(tables: &RankTables, kind: Kind, mut take: impl FnMut(&host_op::View, usize)) {
    let mut last = None;
    for (view, rows) in tables.views::<host_op::Row>() {
        for row in 0..rows {
            let id = view.kind.get(row);
            let (_, is_wanted) = match last {
                Some(known @ (last_id, _)) if last_id == id => known,
                _ => (id, tables.text(id) == kind.name()),
            };
            last = Some((id, is_wanted));
            if is_wanted {
                take(&view, row);
            }
        }
    }
}

/// Forward and backward operators that arrows tie. Of several that begin at once, the outermost is meant.
fn backward_pairs(ops: &[Operator], arrows: &[Arrow]) -> Vec<(Slice, Slice)> {
    let outermost = |place: Place| {
        let op = ops.get(ops.partition_point(|op| (op.lane, op.start) < place))?;
        ((op.lane, op.start) == place).then_some((op.start, op.end))
    };
    arrows.iter().filter_map(|&(from, to)| Some((outermost(from)?, outermost(to)?))).collect()
}

/// The slices of the host, and the kernels that they launched, by their numbers. A kernel is launched by the
/// innermost operator around the call that has its connection id, or by the call if there is none.
fn launched_by_calls(tables: &RankTables, names: &mut Names) -> (Vec<Operator>, Vec<(usize, Work)>) {
    let mut slices = Vec::new();
    let mut is_op = Vec::new();
    let mut parents = Vec::new();
    let mut calls: HashMap<ConnectionId, usize> = HashMap::new();
    for op in tables.rows::<host_op::Row>() {
        let kind = Kind::from_name(tables.text(op.kind));
        if let (Some(Kind::Cann), Some(connection)) = (kind, op.connection_id) {
            calls.entry(connection).or_insert(slices.len());
        }
        let end = op.start.plus(op.duration.ns());
        slices.push(Operator { lane: op.lane, start: op.start, end, name: op.name });
        is_op.push(kind == Some(Kind::Op));
        parents.push(op.parent);
    }
    let launcher = |call: usize| {
        let mut slice = call;
        while !is_op[slice] {
            match parents[slice] {
                Some(parent) => slice = parent as usize,
                None => return call,
            }
        }
        slice
    };
    let kernels = kernels_by_task(tables, names);
    let mut launched = Vec::new();
    for (view, rows) in tables.views::<task::Row>() {
        for row in 0..rows {
            let call = view.connection_id.get(row).and_then(|connection| calls.get(&connection));
            let kernel = kernels.binary_search_by_key(&view.task.get(row), |(task, _)| *task);
            if let (Some(call), Ok(at)) = (call, kernel) {
                launched.push((launcher(*call), kernels[at].1));
            }
        }
    }
    (slices, launched)
}

type Arrow = (Place, Place);

/// The arrows from operators to device work, and those to backward operators.
fn arrows(tables: &RankTables) -> (Vec<Arrow>, Vec<Arrow>) {
    let (mut launches, mut answers) = (Vec::new(), Vec::new());
    for (view, rows) in tables.views::<flow::Row>() {
        for row in 0..rows {
            let list = match tables.text(view.kind.get(row)) {
                "async_npu" => &mut launches,
                "fwdbwd" => &mut answers,
                _ => continue,
            };
            let from = view.src_lane.get(row).zip(view.src_time.get(row));
            let to = view.dst_lane.get(row).zip(view.dst_time.get(row));
            list.extend(from.zip(to));
        }
    }
    (launches, answers)
}

fn kernels_by_task(tables: &RankTables, names: &mut Names) -> Vec<(TaskId, Work)> {
    let mut kernels: Vec<(TaskId, Work)> = Vec::new();
    let mut first = 0;
    for (view, rows) in tables.views::<kernel::Row>() {
        for row in 0..rows {
            let Some(task) = view.task.get(row) else { continue };
            let name = names.of_table(tables, view.name.get(row));
            let (start, ns) = (view.start.get(row), view.duration.get(row).ns());
            kernels.push((task, Work { name, start, ns, kind: WorkKind::Kernel(first + row) }));
        }
        first += rows;
    }
    kernels.sort_by_key(|(task, _)| *task);
    kernels
}

/// Kernels and communications, by place. With `compat`, what schedules a communication is where that is.
fn device_work(tables: &RankTables, names: &mut Names, compat: bool) -> Vec<(Place, Work)> {
    let kernels = kernels_by_task(tables, names);
    let scheduling = if compat { scheduling_tasks(tables, names) } else { HashMap::new() };
    let mut found = Vec::with_capacity(kernels.len());
    let mut places: HashMap<ConnectionId, Place> = HashMap::new();
    for op in tables.rows::<comm_op::Row>() {
        let name = names.intern(op_type(tables, &op));
        let work = Work { name, start: op.start, ns: op.duration.ns(), kind: WorkKind::Communication };
        found.push(((op.lane, op.start), work));
        if !scheduling.is_empty() {
            places.extend(op.connection_id.map(|connection| (connection, (op.lane, op.start))));
        }
    }
    for (view, rows) in tables.views::<task::Row>() {
        for row in 0..rows {
            let (task, start) = (view.task.get(row), view.start.get(row));
            let place = (view.lane.get(row), start);
            if let Ok(at) = kernels.binary_search_by_key(&task, |(task, _)| *task) {
                found.push((place, kernels[at].1));
            }
            if let Some(&name) = scheduling.get(&task) {
                let place = view.connection_id.get(row).and_then(|id| places.get(&id)).copied().unwrap_or(place);
                let ns = view.duration.get(row).ns();
                found.push((place, Work { name, start, ns, kind: WorkKind::Schedule }));
            }
        }
    }
    found.sort_by_key(|(place, _)| *place);
    found
}

/// Names of tasks that schedule communications, by number of the task: a table that only some databases have.
fn scheduling_tasks(tables: &RankTables, names: &mut Names) -> HashMap<TaskId, Str> {
    let mut by_row: HashMap<i64, (Option<TaskId>, Option<Str>)> = HashMap::new();
    let is_wanted = |row: &sheet::Row| tables.opt_text(row.sheet) == Some("COMMUNICATION_SCHEDULE_TASK_INFO");
    for cell in tables.rows::<sheet::Row>().filter(is_wanted) {
        let row = by_row.entry(cell.row).or_default();
        match tables.text(cell.column) {
            "globalTaskId" => row.0 = tables.opt_text(cell.value).and_then(|id| id.parse().ok().map(TaskId)),
            "name" => row.1 = cell.value.map(|name| names.of_table(tables, name)),
            _ => {}
        }
    }
    by_row.into_values().filter_map(|(task, name)| task.zip(name)).collect()
}

/// Joins the start of each flow with the work at its end.
fn join(mut arrows: Vec<Arrow>, work: Vec<(Place, Work)>) -> impl Iterator<Item = (Place, Work)> {
    arrows.sort_unstable_by_key(|(_, to)| *to);
    let mut next = 0;
    arrows.into_iter().flat_map(move |(from, to)| {
        next += work[next..].iter().take_while(|(place, _)| *place < to).count();
        let there: Vec<Work> = work[next..].iter().take_while(|(place, _)| *place == to).map(|(_, w)| *w).collect();
        there.into_iter().map(move |work| (from, work))
    })
}
