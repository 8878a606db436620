//! The extract of a rank: its launches in order, the launched work, and the activity of its host.

use std::collections::{BTreeSet, HashMap};

use npuscope_measures::launch::Launches;
use npuscope_measures::step::step_times;
use npuscope_measures::step_of::Steps;
use npuscope_messages::Message;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::{comm_op, comm_task, counter, host_op, kernel, mem_sample, rank, step, task};
use npuscope_tables::{ConnectionId, OpId, Rank, RankTables, Selection, Str, TableId, TableView, TaskId};
use serde::{Deserialize, Serialize};

use crate::communication::{
    Direction, GroupKey, bytes, direction_of, group_key, group_of, is_communication_core, op_type,
};
use crate::diagnose::on_host;
use crate::extract::Text;
use crate::finding::Evidence;

/// What has to be read of a rank.
pub const SELECTION: Selection = Selection::of(&[
    TableId::Step,
    TableId::Task,
    TableId::Kernel,
    TableId::CommOp,
    TableId::CommTask,
    TableId::Counter,
    TableId::MemSample,
    TableId::Metadata,
])
.without_metrics()
.and_host_ops(&[Kind::Cann, Kind::Gc, Kind::Op, Kind::Mstx]);

/// A rank's part in the job. Times are ns by the clock of its host, until clocks are aligned.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RankTrace {
    pub rank: Rank,
    /// The host, by id or name; empty where the profile does not say.
    pub host: String,
    pub steps: Vec<StepSpan>,
    /// Number and step time of each step: [`step_times`].
    pub step_times: Vec<(Option<i64>, i64)>,
    /// In the order in which the host launched them.
    #[serde(with = "packed")]
    pub items: Vec<Item>,
    /// What `Item::what` of kernels points to.
    pub kernels: Vec<KernelName>,
    /// What `Item::what` of communications points to.
    pub operations: Vec<Operation>,
    pub host_work: Vec<HostWork>,
    /// Transfers between ranks, by operation.
    pub pieces: Vec<Piece>,
    /// Samples of the AI Core's frequency.
    pub frequency: Vec<(i64, f64)>,
    /// No device was recorded, and what ranks do together the host does itself, as with gloo: see [`on_host`].
    pub on_host: bool,
    /// Samples of what the framework's allocator has given out, in bytes.
    pub allocated: Vec<(i64, i64)>,
}

/// A step by its marker on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepSpan {
    pub id: i64,
    pub start: i64,
    pub end: i64,
}

/// Something that the host launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// When the host began to launch it, if that is known; its step is the one around it.
    pub called: Option<i64>,
    /// When it was handed to the device, if that is known.
    pub launch: Option<i64>,
    pub start: i64,
    pub end: i64,
    pub what: What,
    /// Stream or, of communications, lane of the group: what is on one does not overlap.
    pub lane: i64,
    /// Number of the step among those of the job: see [`place_in_steps`].
    pub step: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    Kernel(usize),
    Communication(usize),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KernelName {
    pub name: String,
    /// Shapes of the inputs.
    pub shapes: String,
    pub is_aicpu: bool,
}

/// A collective or a transfer between two ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// The group, by name, hash or what the operation's name has of it.
    pub group: Text,
    /// What the group has in common on all ranks: [`group_key`], or what the operation's name has of it.
    pub group_key: GroupKey,
    /// Type in lower case, for example `hcom_allreduce_`.
    pub kind: Text,
    pub name: Text,
    pub bytes: i64,
    /// Of a transfer between two; exchanges among many have none.
    pub direction: Option<Direction>,
    /// For a transfer between two: sender and receiver, numbered within the group.
    pub pair: Option<(i64, i64)>,
}

impl Operation {
    /// Of a row of `comm_op`, without the pair of a transfer, which its pieces name.
    pub fn of(tables: &RankTables, op: &comm_op::Row) -> Operation {
        let name = tables.text(op.name);
        let in_name = || name.split("__").nth(1).and_then(|tail| tail.split('_').next()).unwrap_or_default();
        let or_in_name = |group: &str| Text::from(if group.is_empty() { in_name() } else { group });
        Operation {
            group: or_in_name(group_of(tables, op)),
            group_key: GroupKey(or_in_name(group_key(tables, op).as_str())),
            kind: op_type(tables, op).to_ascii_lowercase().into(),
            name: name.into(),
            // Where the type is not known, elements can still be compared.
            bytes: bytes(tables, op).or(op.count).unwrap_or_default(),
            direction: direction_of(tables, op).filter(|direction| *direction != Direction::Batch),
            pair: None,
        }
    }
}

/// When the host launched work: when the call was done that handed it to the device, and when the first call for it
/// began.
struct Launched {
    by: HashMap<ConnectionId, i64>,
    at: Launches,
}

impl Launched {
    /// When the first call for an operation began.
    fn call(&self, op: &comm_op::Row) -> Option<i64> {
        let called = self.at.call(op.connection_id).map(|called| called.0);
        called.or_else(|| self.by.get(&op.connection_id?).copied())
    }
}

/// What a host was busy with between launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostWork {
    pub kind: Work,
    pub start: i64,
    pub end: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Work {
    /// Python collected garbage.
    GarbageCollection,
    /// Waited for the next batch.
    DataLoader,
    /// Waited for the device.
    Synchronise,
    /// Asked the driver for memory or gave it back.
    Allocation,
}

/// Data over one link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// Number of the operation in [`RankTrace::operations`].
    pub operation: usize,
    /// Ends of the link, numbered within the group.
    pub source: i64,
    pub target: i64,
    pub bytes: i64,
    pub ns: i64,
    /// What it went over: [`RDMA`], or the kind of link, for example `HCCS`.
    pub transport: Text,
}

/// Items in few bytes: they follow each other closely, so starts are kept as distances from the one before. Which
/// number their steps have in the job is found out later.
mod packed {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::{Item, What};

    /// Start since that of the item before, call and launch before the start, length, what, lane.
    type Packed = (i64, Option<i64>, Option<i64>, i64, What, i64);

    pub fn serialize<S: Serializer>(items: &[Item], serializer: S) -> Result<S::Ok, S::Error> {
        let mut last = 0i64;
        serializer.collect_seq(items.iter().map(|item| -> Packed {
            let Item { called, launch, start, end, what, lane, .. } = *item;
            let distance = start.wrapping_sub(std::mem::replace(&mut last, start));
            let before = |time: i64| start.wrapping_sub(time);
            (distance, called.map(before), launch.map(before), end.wrapping_sub(start), what, lane)
        }))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Item>, D::Error> {
        let mut start = 0i64;
        let unpack = |(distance, called, launch, length, what, lane): Packed| {
            start = start.wrapping_add(distance);
            let time = |before: i64| start.wrapping_sub(before);
            let (called, launch) = (called.map(time), launch.map(time));
            Item { called, launch, start, end: start.wrapping_add(length), what, lane, step: 0 }
        };
        Ok(Vec::<Packed>::deserialize(deserializer)?.into_iter().map(unpack).collect())
    }
}

/// What goes over the network.
pub const RDMA: &str = "RDMA";

impl RankTrace {
    pub fn of(number: Rank, tables: &RankTables) -> RankTrace {
        let row = tables.rows::<rank::Row>().next().unwrap_or_default();
        let host = tables.opt_text(row.host_uid).or_else(|| tables.opt_text(row.host)).unwrap_or_default();
        let mut trace = RankTrace { rank: number, host: host.to_owned(), ..RankTrace::default() };
        let markers = Steps::marked(tables);
        let span = |step: &step::Row| Some(StepSpan { id: step.id?, start: step.start.0, end: step.end.0 });
        trace.steps = markers.iter().filter_map(span).collect();
        trace.step_times = step_times(tables);
        trace.on_host = on_host::is_on_host(tables);
        let launched = Launched { by: trace.host_calls(tables), at: Launches::of(tables) };
        trace.computing(tables, &launched);
        trace.communication(tables, &launched);
        if trace.on_host {
            on_host::complete(&mut trace);
        }
        trace.samples(tables);
        trace.items.sort_by_key(|item| (item.launch.unwrap_or(item.start), item.start));
        trace
    }

    /// Notes what the host was busy with; when each launch was done, by connection.
    fn host_calls(&mut self, tables: &RankTables) -> HashMap<ConnectionId, i64> {
        let mut launches = HashMap::new();
        let work_of = |name: &str| {
            let name = name.to_ascii_lowercase();
            if name.contains("synchronize") {
                Some(Work::Synchronise)
            } else if name.starts_with("aclrtmalloc") || name.starts_with("aclrtfree") {
                Some(Work::Allocation)
            } else {
                None
            }
        };
        let mut work_by_name: HashMap<Str, Option<Work>> = HashMap::new();
        for op in tables.rows::<host_op::Row>() {
            let (start, end) = (op.start.0, op.start.plus(op.duration.ns()).0);
            let work = match Kind::from_name(tables.text(op.kind)) {
                Some(Kind::Cann) if tables.opt_text(op.level) == Some("node") => {
                    if let Some(connection) = op.connection_id {
                        launches.insert(connection, end);
                    }
                    None
                }
                Some(Kind::Cann) => *work_by_name.entry(op.name).or_insert_with(|| work_of(tables.text(op.name))),
                Some(Kind::Gc) => Some(Work::GarbageCollection),
                // The call that started an operation of the host has its connection.
                Some(Kind::Op) if self.on_host && op.connection_id.is_some() => {
                    launches.extend(op.connection_id.map(|connection| (connection, start)));
                    None
                }
                // Kineto marks data loaders as ranges; on an NPU there is an operator, too.
                Some(kind) if kind == Kind::Op || kind == Kind::Mstx && self.on_host => {
                    *work_by_name.entry(op.name).or_insert_with(|| {
                        tables.text(op.name).to_ascii_lowercase().contains("dataloader").then_some(Work::DataLoader)
                    })
                }
                _ => None,
            };
            self.host_work.extend(work.map(|kind| HostWork { kind, start, end }));
        }
        self.host_work.sort_by_key(|work| work.end);
        launches
    }

    /// The place in `steps` of the step that an item belongs to: see [`npuscope_measures::step_of`].
    pub fn step_of(&self, item: &Item) -> Option<usize> {
        let time = item.called.unwrap_or(item.start);
        let place = self.steps.partition_point(|step| step.start <= time).checked_sub(1)?;
        self.steps.get(place).filter(|step| time <= step.end).map(|_| place)
    }

    fn computing(&mut self, tables: &RankTables, launched: &Launched) {
        let mut connections: HashMap<TaskId, ConnectionId> = HashMap::new();
        for (view, rows) in tables.views::<task::Row>() {
            connections.extend((0..rows).filter_map(|row| Some((view.task.get(row), view.connection_id.get(row)?))));
        }
        let mut numbers: HashMap<(Str, Option<Str>, Option<Str>), usize> = HashMap::new();
        let views = tables
            .views::<kernel::Row>()
            .flat_map(|(view, rows)| (0..rows).map(move |row| (view.row(row), launched.at.kernel(&view, row))));
        for (row, called) in views {
            let core = tables.opt_text(row.core).unwrap_or_default();
            if is_communication_core(core) {
                continue;
            }
            let kernel = *numbers.entry((row.name, row.input_shapes, row.core)).or_insert_with(|| {
                self.kernels.push(KernelName {
                    name: tables.text(row.name).to_owned(),
                    shapes: tables.opt_text(row.input_shapes).unwrap_or_default().to_owned(),
                    is_aicpu: core.replace('_', "").eq_ignore_ascii_case("aicpu"),
                });
                self.kernels.len() - 1
            });
            let connection = row.task.and_then(|task| connections.get(&task));
            let start = row.start.0;
            self.items.push(Item {
                called: called.map(|called| called.0),
                launch: connection.and_then(|id| launched.by.get(id)).map(|&launch| launch.min(start)),
                start,
                end: row.start.plus(row.duration.ns()).0,
                what: What::Kernel(kernel),
                lane: row.stream.unwrap_or_default(),
                step: 0,
            });
        }
    }

    fn communication(&mut self, tables: &RankTables, launched: &Launched) {
        let mut numbers: HashMap<OpId, usize> = HashMap::new();
        for op in tables.rows::<comm_op::Row>() {
            numbers.insert(op.op, self.operations.len());
            let start = op.start.0;
            self.items.push(Item {
                called: launched.call(&op),
                launch: op.connection_id.and_then(|id| launched.by.get(&id)).map(|&launch| launch.min(start)),
                start,
                end: op.start.plus(op.duration.ns()).0,
                what: What::Communication(self.operations.len()),
                lane: i64::from(op.lane.0),
                step: 0,
            });
            self.operations.push(Operation::of(tables, &op));
        }
        let mut transports: HashMap<(Option<Str>, Option<Str>), Text> = HashMap::new();
        for piece in tables.rows::<comm_task::Row>() {
            let (Some(&operation), Some(source), Some(target)) =
                (piece.op.and_then(|op| numbers.get(&op)), piece.src_rank, piece.dst_rank)
            else {
                continue;
            };
            let bytes = piece.bytes.unwrap_or_default();
            if source == target || bytes <= 0 {
                continue;
            }
            let transport = transports.entry((piece.transport, piece.link)).or_insert_with(|| {
                transport_name(tables.opt_text(piece.transport), tables.opt_text(piece.link)).into()
            });
            let (ns, transport) = (piece.duration.ns(), transport.clone());
            self.pieces.push(Piece { operation, source, target, bytes, ns, transport });
            if let Some(operation) = self.operations.get_mut(operation).filter(|op| op.direction.is_some()) {
                operation.pair = Some((source, target));
            }
        }
        self.pieces.sort_by_key(|piece| piece.operation);
    }

    fn samples(&mut self, tables: &RankTables) {
        for sample in tables.rows::<counter::Row>() {
            if tables.text(sample.name).starts_with("AI Core Freq") {
                self.frequency.push((sample.time.0, sample.value));
            }
        }
        for sample in tables.rows::<mem_sample::Row>() {
            let is_allocator = tables.text(sample.kind) == "allocator" && tables.text(sample.component) == "PTA";
            if let (true, Some(bytes)) = (is_allocator, sample.allocated) {
                self.allocated.push((sample.time.0, bytes));
            }
        }
    }

    /// Whether what points to kernels and operations does.
    pub fn is_sound(&self) -> bool {
        let is_there = |item: &Item| match item.what {
            What::Kernel(number) => number < self.kernels.len(),
            What::Communication(number) => number < self.operations.len(),
        };
        self.items.iter().all(is_there)
            && self.pieces.iter().all(|piece| piece.operation < self.operations.len())
            && self.pieces.is_sorted_by_key(|piece| piece.operation)
    }

    /// Moves all times by what `correct` makes of them.
    pub fn correct_times(&mut self, correct: impl Fn(i64) -> i64) {
        for step in &mut self.steps {
            (step.start, step.end) = (correct(step.start), correct(step.end));
        }
        for item in &mut self.items {
            (item.called, item.launch) = (item.called.map(&correct), item.launch.map(&correct));
            (item.start, item.end) = (correct(item.start), correct(item.end));
        }
        for work in &mut self.host_work {
            (work.start, work.end) = (correct(work.start), correct(work.end));
        }
        self.frequency.iter_mut().for_each(|sample| sample.0 = correct(sample.0));
        self.allocated.iter_mut().for_each(|sample| sample.0 = correct(sample.0));
    }

    pub fn operation(&self, item: &Item) -> Option<&Operation> {
        match item.what {
            What::Communication(number) => self.operations.get(number),
            What::Kernel(_) => None,
        }
    }

    pub fn kernel(&self, item: &Item) -> Option<&KernelName> {
        match item.what {
            What::Kernel(number) => self.kernels.get(number),
            What::Communication(_) => None,
        }
    }
}

/// Says of each item in which step it was launched, by a number that is the same on all ranks; gives the ids of the
/// steps by that number. A rank without markers, such as one whose trace is cut, has the steps of the first rank with
/// some; where no rank has any, all is one step.
///
/// A step is the same on all ranks if it has the same id. Where a rank has ids that do not ascend, its first step is
/// the first of the others.
pub fn place_in_steps(traces: &mut [RankTrace]) -> Vec<i64> {
    let of_others = traces.iter().map(|trace| &trace.steps).find(|steps| !steps.is_empty()).cloned();
    for trace in traces.iter_mut().filter(|trace| trace.steps.is_empty()) {
        if let Some(steps) = &of_others {
            trace.steps.clone_from(steps);
            continue;
        }
        let start = trace.items.iter().map(|item| item.called.unwrap_or(item.start)).min().unwrap_or_default();
        let end = trace.items.iter().map(|item| item.end).max().unwrap_or_default();
        trace.steps.push(StepSpan { id: 0, start, end });
    }
    // Windows of stages each have a part of a step.
    let by_id = traces.iter().all(|trace| trace.steps.is_sorted_by_key(|step| step.id));
    let ids_of = |trace: &RankTrace| trace.steps.iter().map(|step| step.id).collect::<Vec<i64>>();
    let ids: Vec<i64> = if by_id {
        traces.iter().flat_map(ids_of).collect::<BTreeSet<i64>>().into_iter().collect()
    } else {
        traces.iter().map(ids_of).max_by_key(Vec::len).unwrap_or_default()
    };
    for trace in traces {
        let number = |own: usize| if by_id { ids.binary_search(&trace.steps[own].id).unwrap_or(own) } else { own };
        let numbers: Vec<usize> = (0..trace.steps.len()).map(number).collect();
        for place in 0..trace.items.len() {
            let item = trace.items[place];
            // What is in no step is replayed with the step before it.
            let before = || {
                let time = item.called.unwrap_or(item.start);
                trace.steps.partition_point(|step| step.start <= time).saturating_sub(1)
            };
            trace.items[place].step = numbers[trace.step_of(&item).unwrap_or_else(before)];
        }
    }
    ids
}

/// The time before each step of the job, and between its parts, that is in no step of any rank: the least of all ranks,
/// from the end of a marker to the start of the next. Between windows it is long, and nothing of it was recorded.
pub fn time_between(traces: &[RankTrace], ids: &[i64]) -> Vec<i64> {
    let by_id = traces.iter().all(|trace| trace.steps.is_sorted_by_key(|step| step.id));
    let mut least: Vec<Option<i64>> = vec![None; ids.len()];
    for trace in traces {
        let mut own: Vec<Option<i64>> = vec![None; ids.len()];
        for (place, step) in trace.steps.iter().enumerate() {
            let number = if by_id { ids.binary_search(&step.id).unwrap_or(place) } else { place };
            let before = place.checked_sub(1).and_then(|place| trace.steps.get(place));
            let gap = before.map_or(0, |before| (step.start - before.end).max(0));
            if let Some(sum) = own.get_mut(number) {
                *sum = Some(sum.unwrap_or(0) + gap);
            }
        }
        for (least, own) in least.iter_mut().zip(own) {
            *least = [*least, own].into_iter().flatten().min();
        }
    }
    least.into_iter().map(Option::unwrap_or_default).collect()
}

/// What to call what a transfer goes over.
pub fn transport_name<'a>(transport: Option<&'a str>, link: Option<&'a str>) -> &'a str {
    let link = link.filter(|link| !matches!(*link, "INVALID_TYPE" | "N/A" | "RESERVED"));
    match (transport, link) {
        (Some(RDMA), _) => RDMA,
        (_, Some(link)) => link,
        (Some(transport), None) => transport,
        (None, None) => "unnamed",
    }
}

impl RankTrace {
    /// Leaves out what is not in a step of that number.
    pub fn keep_step(&mut self, id: i64) {
        let steps = std::mem::take(&mut self.steps);
        let is_within = |time: i64| steps.iter().any(|step| step.id == id && step.start <= time && time <= step.end);
        // An item is in the step in which it was called.
        self.items.retain(|item| is_within(item.called.unwrap_or(item.start)));
        self.host_work.retain(|work| is_within(work.start));
        self.frequency.retain(|(time, _)| is_within(*time));
        self.allocated.retain(|(time, _)| is_within(*time));
        self.step_times.retain(|(step, _)| *step == Some(id));
        self.steps = steps.into_iter().filter(|step| step.id == id).collect();
    }

    /// The transfers of an operation.
    pub fn pieces_of(&self, operation: usize) -> &[Piece] {
        let first = self.pieces.partition_point(|piece| piece.operation < operation);
        let end = self.pieces.partition_point(|piece| piece.operation <= operation);
        self.pieces.get(first..end).unwrap_or_default()
    }

    /// An item as evidence.
    pub fn evidence(&self, item: &Item, what: Message) -> Evidence {
        let step = self.step_of(item).and_then(|step| self.steps.get(step)).map(|step| step.id);
        Evidence { step, ..self.evidence_at((item.start, item.end), what) }
    }

    /// Some time of the rank as evidence.
    pub fn evidence_at(&self, (start, end): (i64, i64), what: Message) -> Evidence {
        let step = self.steps.partition_point(|step| step.start <= start).checked_sub(1);
        let step = step.and_then(|step| self.steps.get(step)).map(|step| step.id);
        Evidence { rank: self.rank, step, start_ns: start, end_ns: end, what }
    }
}
