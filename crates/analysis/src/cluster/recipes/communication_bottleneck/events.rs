//! Events of a rank, in a representation that can be compared between ranks.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use npuscope_measures::intervals::Interval;
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::{comm_op, task};
use npuscope_tables::{ConnectionId, Ns, RankTables, Selection, Str, TableId, TaskId};
use serde::{Deserialize, Serialize};

use super::super::launches::Launches;
use super::super::rank_facts::{computing_kernels, op_interval};
use super::packed;
use crate::cluster::{Absent, RankData};
use crate::extract::{Analysis, Text};

/// Work is device-bound if it waits longer on the device than for CANN by more than this.
const DEVICE_WAIT_NS: i64 = 100_000;

/// The events of ranks.
#[derive(Serialize)]
pub struct AllEvents {
    pub compat: bool,
}

impl Analysis for AllEvents {
    type Extract = Events;
    const NAME: &'static str = "communication_bottleneck_events";
    const VERSION: u32 = 1;

    fn needs(&self) -> Selection {
        Launches::NEEDED.and(Selection::of(&[TableId::Kernel]).without_metrics())
    }

    fn map(&self, data: &RankData<'_>) -> Result<Events, Absent> {
        Ok(Events::of(&data.tables, self.compat))
    }
}

/// An event of a rank.
#[derive(Clone, Copy)]
pub struct Event {
    pub interval: Interval,
    /// Its number among [`Events::kinds`].
    pub kind: u32,
}

impl Event {
    pub fn length(&self) -> i64 {
        self.interval.end - self.interval.start
    }
}

/// Work that was launched: when it ran, and how much longer it waited on the device than for CANN.
#[derive(Clone, Copy)]
pub struct LaunchedWork {
    pub interval: Interval,
    pub wait: i64,
}

/// What identifies the same event on all ranks: level, if it has one, and name.
type EventKind = (Option<Text>, Text);

/// The events of a rank, by start.
#[derive(Serialize, Deserialize)]
pub struct Events {
    kinds: Vec<EventKind>,
    #[serde(with = "packed")]
    pub device: Vec<Event>,
    #[serde(with = "packed")]
    pub operators: Vec<Event>,
    #[serde(with = "packed")]
    pub calls: Vec<Event>,
    #[serde(with = "packed")]
    launched: Vec<LaunchedWork>,
}

/// Numbers the kinds of events of a rank.
struct Kinds<'a> {
    tables: &'a RankTables,
    kinds: Vec<EventKind>,
    by_string: HashMap<(Option<Str>, Str), u32, FixedState>,
    by_text: HashMap<EventKind, u32, FixedState>,
}

impl<'a> Kinds<'a> {
    fn new(tables: &'a RankTables) -> Kinds<'a> {
        Kinds { tables, kinds: Vec::new(), by_string: HashMap::default(), by_text: HashMap::default() }
    }

    fn event(&mut self, interval: Interval, name: Str, level: Option<Str>) -> Event {
        let kind = match self.by_string.get(&(level, name)) {
            Some(kind) => *kind,
            None => {
                let kind = (self.tables.opt_text(level).map(Text::from), Text::from(self.tables.text(name)));
                let next = u32::try_from(self.kinds.len()).unwrap_or(u32::MAX);
                let number = *self.by_text.entry(kind.clone()).or_insert(next);
                if number == next {
                    self.kinds.push(kind);
                }
                self.by_string.insert((level, name), number);
                number
            }
        };
        Event { interval, kind }
    }
}

impl Events {
    fn of(tables: &RankTables, compat: bool) -> Events {
        let launches = Launches::of(tables);
        let mut kinds = Kinds::new(tables);
        let (mut device, mut launched) = (Vec::new(), Vec::new());
        let mut connections: HashMap<TaskId, Option<ConnectionId>, FixedState> = HashMap::default();
        let mut copies = Memo::default();
        for (view, rows) in tables.views::<task::Row>() {
            for row in 0..rows {
                let (start, connection) = (view.start.get(row), view.connection_id.get(row));
                let interval = Interval::new(start.0, start.plus(view.duration.get(row).ns()).0);
                if let Some(kind) = view.task_type.get(row)
                    && copies.get(kind, || tables.text(kind).contains("MEMCPY"))
                {
                    device.push(kinds.event(interval, kind, None));
                }
                if compat {
                    launched.extend(launched_work(tables, &launches, interval, connection));
                } else {
                    connections.insert(view.task.get(row), connection);
                }
            }
        }
        let kernels = computing_kernels(tables).into_iter().map(|kernel| {
            let connection = kernel.task.and_then(|task| connections.get(&task).copied().flatten());
            (kernel.interval, kernel.name, connection)
        });
        let operations = tables.rows::<comm_op::Row>().map(|op| (op_interval(&op), op.name, op.connection_id));
        for (interval, name, connection) in kernels.chain(operations) {
            device.push(kinds.event(interval, name, None));
            launched.extend(launched_work(tables, &launches, interval, connection).filter(|_| !compat));
        }
        let (mut operators, mut calls) = host_events(&mut kinds);
        for events in [&mut device, &mut operators, &mut calls] {
            events.sort_by_key(|event| event.interval.start);
        }
        Events { kinds: kinds.kinds, device, operators, calls, launched }
    }

    /// Whether most of the considered work waited for the device; `None` if there is none.
    pub fn waits_for_device(&self, is_looked_at: impl Fn(Interval) -> bool) -> Option<bool> {
        let (mut all, mut waited) = (0usize, 0usize);
        for work in self.launched.iter().filter(|work| is_looked_at(work.interval)) {
            all += 1;
            waited += usize::from(work.wait > DEVICE_WAIT_NS);
        }
        (all > 0).then_some(waited * 2 > all)
    }

    pub fn text(&self, event: &Event) -> String {
        match self.kinds.get(event.kind as usize) {
            Some((Some(level), name)) => format!("{level}@{name}"),
            Some((None, name)) => name.to_string(),
            None => String::new(),
        }
    }

    /// The numbers that the kinds of this rank have on another.
    pub fn kinds_in(&self, other: &Events) -> Vec<Option<u32>> {
        let numbers: HashMap<&EventKind, u32, FixedState> = other.kinds.iter().zip(0..).collect();
        self.kinds.iter().map(|kind| numbers.get(kind).copied()).collect()
    }
}

/// The work of a connection, if `node@launch` launched it for an operator.
///
/// It waited on the device from the end of that call to its start, and for CANN from the end of the operator to
/// the start of the call.
fn launched_work(
    tables: &RankTables,
    launches: &Launches,
    interval: Interval,
    connection: Option<ConnectionId>,
) -> Option<LaunchedWork> {
    let (call, operator) = (launches.call(connection)?, launches.operator(connection)?);
    let is_launch = tables.opt_text(call.level) == Some("node") && tables.text(call.name) == "launch";
    let wait = (interval.start - call.end) - (call.start - operator.end);
    is_launch.then_some(LaunchedWork { interval, wait })
}

/// Operators of the framework, which have `::` in their names, and CANN calls.
fn host_events(events: &mut Kinds<'_>) -> (Vec<Event>, Vec<Event>) {
    let tables = events.tables;
    let (mut operators, mut calls) = (Vec::new(), Vec::new());
    let (mut kinds, mut scoped) = (Memo::default(), Memo::default());
    for (view, rows) in tables.views::<host_op::Row>() {
        for row in 0..rows {
            let (kind, name, start): (Str, Str, Ns) = (view.kind.get(row), view.name.get(row), view.start.get(row));
            let interval = || Interval::new(start.0, start.plus(view.duration.get(row).ns()).0);
            match kinds.get(kind, || Kind::from_name(tables.text(kind))) {
                Some(Kind::Op) if scoped.get(name, || tables.text(name).contains("::")) => {
                    operators.push(events.event(interval(), name, None));
                }
                Some(Kind::Cann) => calls.push(events.event(interval(), name, view.level.get(row))),
                _ => {}
            }
        }
    }
    (operators, calls)
}

/// The events that start before a moment.
pub fn before(events: &[Event], time: i64) -> &[Event] {
    &events[..events.partition_point(|event| event.interval.start < time)]
}
