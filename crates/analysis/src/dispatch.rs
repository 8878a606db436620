//! The way of kernels from an operator of the framework over the task queue and a launch to the device.

use hashbrown::HashMap;
use npuscope_formats::source::RankSource;
use npuscope_measures::step_of::StepOf;
use npuscope_store::{Store, StoreError};
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::{kernel, lane, task};
use npuscope_tables::{ConnectionId, LaneId, Rank, RankTables, Selection, Str, TableId, TaskId};
use serde::{Deserialize, Serialize};

use crate::extract::{Absent, Analysis, RankData, Text, extracts_by_rank};
use crate::scope::Scope;

/// What it is read from; `parent` counts rows of all of `host_op`.
const NEEDS: Selection =
    Selection::of(&[TableId::HostOp, TableId::Kernel, TableId::Task, TableId::Step, TableId::Lane]).without_metrics();

/// The way of one kernel. Phases follow each other, times are in ns: the operator up to its entry in the queue, that
/// entry, the time in the queue, the launch, and the wait until the kernel begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dispatch {
    pub rank: Rank,
    pub name: Text,
    /// Operator of the framework.
    pub op: Option<Text>,
    /// When the operator began, or the first phase that is known.
    pub start: i64,
    pub prepare: Option<i64>,
    pub enqueue: Option<i64>,
    pub queue: Option<i64>,
    pub launch: i64,
    pub kernel_wait: i64,
    pub kernel_start: i64,
}

impl Dispatch {
    /// End-to-end time: `kernel_start - start`.
    pub fn end_to_end(&self) -> i64 {
        self.kernel_start - self.start
    }
}

/// The kernels of each rank that took longest. An extract of all kernels would be as large as the columns of the rank,
/// so that each step and limit has its own.
#[derive(Serialize)]
struct Longest {
    step: Option<i64>,
    limit: usize,
}

impl Analysis for Longest {
    type Extract = Option<Vec<Dispatch>>;
    const NAME: &'static str = "dispatch";
    const VERSION: u32 = 1;

    fn needs(&self) -> Selection {
        NEEDS
    }

    fn map(&self, rank: &RankData<'_>) -> Result<Option<Vec<Dispatch>>, Absent> {
        let scope = Scope { step: self.step, ..Scope::default() };
        Ok(dispatches(rank.rank, &rank.tables, &scope, self.limit))
    }
}

/// The kernels of some ranks that took longest from the beginning of their operator to their own, those first, at most
/// `limit`; `None` if no call launches any.
pub fn ask(
    store: &Store,
    sources: &[&RankSource],
    scope: &Scope,
    limit: usize,
) -> Result<Option<Vec<Dispatch>>, StoreError> {
    let of_ranks: Vec<Option<Vec<Dispatch>>> = match scope.is_stretch() {
        true => store.each(sources, NEEDS, |rank, tables| dispatches(rank.rank, &tables, scope, limit))?,
        false => {
            let kept = extracts_by_rank(store, sources, &Longest { step: scope.step, limit })?;
            kept.into_iter().map(|(_, dispatches)| dispatches).collect()
        }
    };
    let has_calls = of_ranks.iter().any(Option::is_some);
    Ok(has_calls.then(|| longest(of_ranks.into_iter().flatten().flatten().collect(), limit)))
}

/// [`ask`] of one rank.
fn dispatches(rank: Rank, tables: &RankTables, scope: &Scope, limit: usize) -> Option<Vec<Dispatch>> {
    let launches = Launches::of(tables);
    let found = || longest(dispatches_of(rank, tables, &launches, scope), limit);
    (!launches.calls.is_empty()).then(found)
}

/// The longest, those first.
fn longest(mut all: Vec<Dispatch>, limit: usize) -> Vec<Dispatch> {
    all.sort_by_key(|dispatch| std::cmp::Reverse(dispatch.end_to_end()));
    all.truncate(limit);
    all
}

/// A slice of the host.
#[derive(Clone, Copy)]
struct Slice {
    kind: Option<Kind>,
    start: i64,
    end: i64,
    name: Str,
    parent: Option<u32>,
}

/// The slices of the host, and how they are connected.
struct Launches {
    /// All slices, by their row.
    slices: Vec<Slice>,
    /// Calls of CANN, CUDA or HIP by connection: slice and thread.
    calls: HashMap<ConnectionId, (usize, i64)>,
    /// Entries that left the queue, by thread, in order of start.
    dequeues: HashMap<i64, Vec<(usize, Option<ConnectionId>)>>,
    /// Entries into the queue, by their number.
    enqueues: HashMap<ConnectionId, usize>,
}

impl Launches {
    fn of(tables: &RankTables) -> Launches {
        let threads: HashMap<LaneId, i64> = tables.rows::<lane::Row>().map(|lane| (lane.lane, lane.tid)).collect();
        let mut found = Launches {
            slices: Vec::with_capacity(tables.len(TableId::HostOp)),
            calls: HashMap::new(),
            dequeues: HashMap::new(),
            enqueues: HashMap::new(),
        };
        let mut kinds = Memo::default();
        for (view, rows) in tables.views::<host_op::Row>() {
            for row in 0..rows {
                let (kind, start) = (view.kind.get(row), view.start.get(row));
                let kind = kinds.get(kind, || Kind::from_name(tables.text(kind)));
                let end = start.plus(view.duration.get(row).ns()).0;
                let thread = threads.get(&view.lane.get(row)).copied().unwrap_or_default();
                let (place, connection) = (found.slices.len(), view.connection_id.get(row));
                match (kind, connection) {
                    (Some(Kind::Cann), Some(connection)) => {
                        let is_node = tables.opt_text(view.level.get(row)) == Some("node");
                        if is_node || !found.calls.contains_key(&connection) {
                            found.calls.insert(connection, (place, thread));
                        }
                    }
                    (Some(Kind::Enqueue), Some(number)) => drop(found.enqueues.insert(number, place)),
                    (Some(Kind::Dequeue), number) => found.dequeues.entry(thread).or_default().push((place, number)),
                    _ => {}
                }
                let (name, parent) = (view.name.get(row), view.parent.get(row));
                found.slices.push(Slice { kind, start: start.0, end, name, parent });
            }
        }
        let slices = &found.slices;
        found.dequeues.values_mut().for_each(|list| list.sort_by_key(|(place, _)| slices[*place].start));
        found
    }

    /// The entry that a thread was at work on, and its number.
    fn dequeue(&self, thread: i64, time: i64) -> Option<(Slice, Option<ConnectionId>)> {
        let list = self.dequeues.get(&thread)?;
        let begun = list.partition_point(|(place, _)| self.slices[*place].start <= time);
        let (place, number) = list.get(begun.checked_sub(1)?)?;
        Some((self.slices[*place], *number)).filter(|(slice, _)| time <= slice.end)
    }

    /// The innermost operator of the framework around a slice.
    fn operator(&self, slice: Slice) -> Option<Slice> {
        let mut around = slice.parent;
        while let Some(parent) = around.and_then(|row| self.slices.get(row as usize)) {
            if parent.kind == Some(Kind::Op) {
                return Some(*parent);
            }
            around = parent.parent;
        }
        None
    }
}

fn dispatches_of(rank: Rank, tables: &RankTables, launches: &Launches, scope: &Scope) -> Vec<Dispatch> {
    let mut connections: HashMap<TaskId, ConnectionId> = HashMap::with_capacity(tables.len(TableId::Task));
    for (view, rows) in tables.views::<task::Row>() {
        let known = (0..rows).filter_map(|row| Some((view.task.get(row), view.connection_id.get(row)?)));
        connections.extend(known);
    }
    let step_of = scope.step.map(|_| StepOf::of(tables));
    let mut found = Vec::new();
    for (view, rows) in tables.views::<kernel::Row>() {
        for row in 0..rows {
            let start = view.start.get(row);
            let end = start.plus(view.duration.get(row).ns());
            let is_in_step = step_of.as_ref().is_none_or(|step_of| step_of.kernel(&view, row) == scope.step);
            let is_in_scope = is_in_step && scope.reaches(start.0, end.0);
            let connection = view.task.get(row).and_then(|task| connections.get(&task));
            let call = connection.and_then(|connection| launches.calls.get(connection));
            if let Some((call, thread)) = call.filter(|_| is_in_scope) {
                found.push(dispatch_of(rank, tables, launches, (*call, *thread), view.name.get(row), start.0));
            }
        }
    }
    found
}

fn dispatch_of(
    rank: Rank,
    tables: &RankTables,
    launches: &Launches,
    (call, thread): (usize, i64),
    name: Str,
    kernel_start: i64,
) -> Dispatch {
    let call = launches.slices[call];
    let dequeue = launches.dequeue(thread, call.start);
    let enqueue = dequeue.and_then(|(_, number)| launches.enqueues.get(&number?)).map(|place| launches.slices[*place]);
    let operator = launches.operator(enqueue.unwrap_or(call));
    let begun = dequeue.map_or(call.start, |(slice, _)| slice.start);
    let entered = enqueue.map_or(begun, |slice| slice.start);
    Dispatch {
        rank,
        name: tables.text(name).into(),
        op: operator.map(|slice| tables.text(slice.name).into()),
        start: operator.map_or(entered, |slice| slice.start),
        prepare: operator.map(|slice| entered - slice.start),
        enqueue: enqueue.map(|slice| slice.end - slice.start),
        queue: enqueue.map(|slice| begun - slice.end),
        launch: call.end - begun,
        kernel_wait: kernel_start - call.end,
        kernel_start,
    }
}
