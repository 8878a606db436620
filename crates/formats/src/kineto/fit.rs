//! A trace of PyTorch's own profiler in the words of an NPU's profile, as far as those have words for it.
//!
//! Deliverables know threads of the framework, calls of a runtime, user ranges, streams and groups of communication,
//! each in a layer of its own. Kineto has all that on a thread's one lane. What has no layer there is counted, and
//! stays in the trace file: ranges on the device, counters, the profiler's own overhead.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use npuscope_measures::communication::{device_operations, is_communication, runs_on_host};
use npuscope_measures::device_time::device_time;
use npuscope_measures::intervals::{Interval, union};
use npuscope_measures::link::{self, STEP_PREFIX};
use npuscope_messages::Message;
use npuscope_tables::Framework;
use npuscope_tables::Memo;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::lane::{self, Layer};
use npuscope_tables::table::{comm_op, flow, kernel, mem_event, mem_sample, metadata, overlap, rank, task};
use npuscope_tables::{Interner, LaneId, Ns, RankBuilder, RankPieces, RankTables, Span, Str, TableId};

use super::allocations::{allocations, thread_of};
use super::host_collectives::link_host_collectives;
use super::launches::name_launchers;
use super::stacks::fill_stacks;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lanes::{self, Lanes};
use crate::messages;
use crate::trace_json::host_ops::HostOps;
use crate::trace_json::layers;

/// Arrows from a call to what it started on the device, in the words of all versions.
const LAUNCHES: &[&str] = &["ac2g", "async_cpu_to_gpu", "async_gpu"];

/// What of a trace has no place in the deliverables of an NPU: how much of what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unfit {
    device_ranges: u64,
    host_events: u64,
    counter_samples: u64,
}

impl Unfit {
    /// What was left out; nothing if all had a place.
    pub fn message(&self) -> Option<Message> {
        let kinds = [
            (self.device_ranges, messages::left_device_ranges(self.device_ranges)),
            (self.host_events, messages::left_host_events(self.host_events)),
            (self.counter_samples, messages::left_counter_samples(self.counter_samples)),
        ];
        let left: Vec<Message> = kinds.into_iter().filter(|(count, _)| *count > 0).map(|(_, left)| left).collect();
        (!left.is_empty()).then(|| messages::left_in_trace(left))
    }

    /// A row of `diagnostic` that reports it.
    pub fn diagnostic(&self) -> Option<Diagnostic> {
        Some(Diagnostic::new(Severity::Info, Code::LeftInTrace, "", self.message()?))
    }
}

/// The rows that were read of a trace and what follows from them, when there is no rank of its own.
pub fn finished(pieces: RankPieces) -> RankTables {
    let mut tables = pieces.finish();
    link::number_rows(&mut tables);
    link::fill_waits(&mut tables);
    link::nest_host_ops(&mut tables);
    name_launchers(&mut tables);
    link_host_collectives(&mut tables);
    link::with_more(fill_stacks(tables), allocations)
}

/// Converts the tables of a rank that has only a trace of PyTorch's profiler to tables as torch_npu records them.
pub fn to_torch_npu(tables: &RankTables) -> (RankTables, Unfit) {
    let mut lanes = Lanes::new(0);
    let mut host_ops = HostOps::default();
    let mut out = RankBuilder::default();
    let left = fit(tables, false, 0, &mut lanes, &mut host_ops, &mut out);
    host_ops.append_to(&mut out);
    lanes.record(&mut out);
    let framework = out.strings.intern(Framework::TorchNpu.name());
    let texts = |strings: &mut Interner, text: Option<Str>| text.map(|text| strings.intern(tables.text(text)));
    for row in tables.rows::<rank::Row>() {
        let strings = &mut out.strings;
        let row = rank::Row {
            host: texts(strings, row.host),
            host_uid: texts(strings, row.host_uid),
            chip: texts(strings, row.chip),
            framework: Some(framework),
            framework_version: texts(strings, row.framework_version),
            cann_version: None,
            schema_version: None,
            format: strings.intern(tables.text(row.format)),
            level: None,
            aic_metrics: None,
            directory: strings.intern(tables.text(row.directory)),
            ..row
        };
        out.rank.push(row);
    }
    let mut fitted = out.finish();
    link::nest_host_ops(&mut fitted);
    let fitted = link::with_more(fitted, |tables, more| {
        link::marked_steps(tables).into_iter().for_each(|step| more.step.push(step));
    });
    (fitted, left)
}

/// Adds the rows of a trace to those of a rank, which has `tasks` tasks so far. If it has steps too, those of the
/// trace are left out: the recorder knows better when a step was over.
pub fn fit(
    tables: &RankTables,
    has_steps: bool,
    tasks: usize,
    lanes: &mut Lanes,
    host_ops: &mut HostOps,
    out: &mut RankBuilder,
) -> Unfit {
    let places = tables.rows::<lane::Row>().map(|row| (row.lane, Place::of(&row, tables))).collect();
    let mut fitter = Fitter { tables, places, lanes, out, texts: Memo::default(), left: Unfit::default() };
    let process = fitter.places.values().find(|place| !place.on_device && place.has_numbers);
    fitter.lanes.set_process(process.map(|place| place.thread >> 32).unwrap_or_default());
    fitter.host_ops(has_steps, host_ops);
    fitter.tasks(i64::try_from(tasks).unwrap_or_default());
    fitter.communication();
    fitter.flows();
    fitter.memory();
    fitter.overlap();
    fitter.metadata();
    fitter.left.counter_samples = tables.len(TableId::Counter) as u64;
    fitter.left
}

/// What a lane of the trace is.
#[derive(Clone, Copy)]
struct Place {
    /// Process id << 32 | thread id.
    thread: i64,
    on_device: bool,
    /// Its ids are numbers, as those of threads are.
    has_numbers: bool,
}

impl Place {
    fn of(row: &lane::Row, tables: &RankTables) -> Place {
        Place {
            thread: thread_of(row.pid, row.tid),
            on_device: tables.text(row.layer) == Layer::Hardware.name(),
            has_numbers: row.pid_text.is_none() && row.tid_text.is_none(),
        }
    }
}

struct Fitter<'a> {
    tables: &'a RankTables,
    places: HashMap<LaneId, Place>,
    lanes: &'a mut Lanes,
    out: &'a mut RankBuilder,
    /// From strings of the trace to ours.
    texts: Memo<Str>,
    left: Unfit,
}

impl Fitter<'_> {
    fn text(&mut self, id: Str) -> Str {
        let (tables, strings) = (self.tables, &mut self.out.strings);
        self.texts.get(id, || strings.intern(tables.text(id)))
    }

    fn opt(&mut self, id: Option<Str>) -> Option<Str> {
        id.map(|id| self.text(id))
    }

    fn place(&self, lane: LaneId) -> Option<Place> {
        self.places.get(&lane).copied().filter(|place| place.has_numbers)
    }

    fn host_ops(&mut self, has_steps: bool, host_ops: &mut HostOps) {
        let tables = self.tables;
        for row in tables.rows::<host_op::Row>() {
            let kind = Kind::from_name(tables.text(row.kind)).unwrap_or(Kind::Other);
            let place = self.place(row.lane);
            let name = tables.text(row.name);
            let is_step = kind == Kind::Mstx && name.contains(STEP_PREFIX);
            match (kind, place) {
                (Kind::Mstx, Some(place)) if !place.on_device && is_step => {
                    // Deliverables mark steps by operators.
                    if !has_steps {
                        let lane = self.lanes.framework(place.thread);
                        self.host_op(row, Kind::Op, lane, None, host_ops);
                    }
                }
                (Kind::Mstx, Some(place)) if !place.on_device => {
                    let lane = self.lanes.host_layer(lanes::MSTX, place.thread);
                    self.host_op(row, kind, lane, Some("push/pop"), host_ops);
                }
                (Kind::Op | Kind::Python, Some(place)) => {
                    let lane = self.lanes.framework(place.thread);
                    self.host_op(row, kind, lane, None, host_ops);
                }
                (Kind::Cann, Some(place)) => {
                    let lane = self.lanes.host_layer(lanes::CANN, place.thread);
                    self.host_op(row, kind, lane, None, host_ops);
                }
                // The device's view of a range whose host side is kept.
                (Kind::Mstx, _) => self.left.device_ranges += 1,
                // The operation has it.
                (Kind::Other, _) if runs_on_host(name) => {}
                _ => self.left.host_events += 1,
            }
        }
    }

    fn host_op(
        &mut self,
        row: host_op::Row,
        kind: Kind,
        lane: LaneId,
        event_type: Option<&str>,
        host_ops: &mut HostOps,
    ) {
        let strings = &mut self.out.strings;
        let (kind_word, event_type) = (strings.intern(kind.name()), event_type.map(|word| strings.intern(word)));
        // Deliverables know one level of calls below the framework here.
        let level = row.level.map(|_| strings.intern("runtime"));
        let fitted = host_op::Row {
            lane,
            kind: kind_word,
            name: self.text(row.name),
            depth: None,
            parent: None,
            level,
            shapes: self.opt(row.shapes),
            dtypes: self.opt(row.dtypes),
            stack: self.opt(row.stack),
            modules: self.opt(row.modules),
            mode: self.opt(row.mode),
            item: self.opt(row.item),
            api_id: self.opt(row.api_id),
            domain: self.opt(row.domain),
            event_type,
            category: None,
            args: self.opt(row.args),
            ..row
        };
        host_ops.push(kind, fitted);
    }

    /// Tasks and kernels, in their order: a kernel names its task by number.
    fn tasks(&mut self, before: i64) {
        for row in self.tables.rows::<task::Row>() {
            let (device, stream) = (row.device.unwrap_or_default(), row.stream.unwrap_or_default());
            let fitted = task::Row {
                lane: self.lanes.stream(device, stream),
                name: self.text(row.name),
                task_type: self.opt(row.task_type),
                operation: self.opt(row.operation),
                args: self.opt(row.args),
                ..row
            };
            self.out.task.push(fitted);
        }
        for row in self.tables.rows::<kernel::Row>() {
            let fitted = kernel::Row {
                task: row.task.map(|task| task.plus(before)),
                name: self.text(row.name),
                op_type: self.opt(row.op_type),
                core: self.opt(row.core),
                grid: self.opt(row.grid),
                block: self.opt(row.block),
                metrics: self.opt(row.metrics),
                ..kernel_numbers(&row)
            };
            self.out.kernel.push(fitted);
        }
    }

    fn communication(&mut self) {
        let mut groups: HashMap<(i64, Option<Str>), i64> = HashMap::new();
        for row in self.tables.rows::<comm_op::Row>() {
            let device = row.device.unwrap_or_default();
            let next = i64::try_from(groups.len()).unwrap_or_default();
            let number = *groups.entry((device, row.group_name)).or_insert(next);
            let group = self.tables.opt_text(row.group_name).unwrap_or_default();
            let name = || Some(format!("Group {group} Communication"));
            let lane = match runs_on_host(self.tables.text(row.name)) {
                true => self.lanes.host_group(number, name),
                false => self.lanes.device_layer(lanes::COMMUNICATION, device, number, name),
            };
            let fitted = comm_op::Row {
                lane,
                name: self.text(row.name),
                op_type: self.opt(row.op_type),
                group_name: self.opt(row.group_name),
                group_hash: self.opt(row.group_hash),
                dtype: self.opt(row.dtype),
                algorithm: self.opt(row.algorithm),
                relay: self.opt(row.relay),
                retry: self.opt(row.retry),
                args: self.opt(row.args),
                ..row
            };
            self.out.comm_op.push(fitted);
        }
    }

    /// Arrows from calls to the device, and from forward to backward operators.
    fn flows(&mut self) {
        let tables = self.tables;
        for row in tables.rows::<flow::Row>() {
            let kind = tables.text(row.kind);
            let (src, dst) =
                (row.src_lane.and_then(|lane| self.place(lane)), row.dst_lane.and_then(|lane| self.place(lane)));
            let (Some(src), Some(dst)) = (src, dst) else { continue };
            let fitted = if LAUNCHES.contains(&kind) && !src.on_device && dst.on_device {
                let (device, stream) = (dst.thread >> 32, dst.thread & 0xffff_ffff);
                flow::Row {
                    kind: self.out.strings.intern("HostToDevice"),
                    // As databases number them: by the call's connection, moved up.
                    id: row.id.and_then(|id| id.checked_mul(1 << 32)),
                    src_lane: Some(self.lanes.host_layer(lanes::CANN, src.thread)),
                    dst_lane: Some(self.lanes.stream(device, stream)),
                    ..row
                }
            } else if !src.on_device && !dst.on_device {
                flow::Row {
                    kind: self.text(row.kind),
                    src_lane: Some(self.lanes.framework(src.thread)),
                    dst_lane: Some(self.lanes.framework(dst.thread)),
                    ..row
                }
            } else {
                continue;
            };
            let (id_text, name) = (self.opt(row.id_text), None);
            self.out.flow.push(flow::Row { id_text, name, src_binding: None, ..fitted });
        }
    }

    /// What an allocation says of the totals is a point on the allocator's curve.
    fn memory(&mut self) {
        let kind = self.out.strings.intern("allocator");
        for row in self.tables.rows::<mem_sample::Row>() {
            let component = self.text(row.component);
            let (time, device, allocated, reserved) = (row.time, row.device, row.allocated, row.reserved);
            let row =
                mem_sample::Row { kind, component, time, device, allocated, reserved, ..mem_sample::Row::default() };
            self.out.mem_sample.push(row);
        }
        for row in self.tables.rows::<mem_event::Row>() {
            let row = mem_event::Row {
                kind: self.text(row.kind),
                name: self.text(row.name),
                model: self.opt(row.model),
                // Kineto does not report memory that is kept for a stream: what is allocated is in use.
                start_active: row.start_allocated,
                release_active: row.release_allocated,
                ..row
            };
            self.out.mem_event.push(row);
        }
    }

    /// How the time of each device divides, which an NPU's trace has and Kineto's lacks.
    fn overlap(&mut self) {
        let tables = self.tables;
        let interval = |start: Ns, duration: Span| Interval::new(start.0, start.plus(duration.ns()).0);
        let mut devices: BTreeMap<i64, [Vec<Interval>; 2]> = BTreeMap::new();
        for row in tables.rows::<kernel::Row>().filter(|row| !is_communication(tables, row)) {
            let [computing, _] = devices.entry(row.device.unwrap_or_default()).or_default();
            computing.push(interval(row.start, row.duration));
        }
        for row in device_operations(tables) {
            let [_, communication] = devices.entry(row.device.unwrap_or_default()).or_default();
            communication.push(interval(row.start, row.duration));
        }
        for (device, [computing, communication]) in devices {
            for (kind, interval) in device_time(&union(computing), &union(communication)) {
                let name = || Some(layers::overlap_name(kind).to_owned());
                let row = overlap::Row {
                    lane: self.lanes.device_layer(lanes::OVERLAP, device, kind as i64, name),
                    kind: self.out.strings.intern(kind.name()),
                    device: Some(device),
                    start: Ns(interval.start),
                    duration: Span::from_ns(interval.end - interval.start),
                    args: None,
                };
                self.out.overlap.push(row);
            }
        }
    }

    fn metadata(&mut self) {
        for row in self.tables.rows::<metadata::Row>() {
            let row = metadata::Row { file: self.text(row.file), key: self.text(row.key), value: self.text(row.value) };
            self.out.metadata.push(row);
        }
    }
}

/// The columns of a kernel that are no text.
fn kernel_numbers(row: &kernel::Row) -> kernel::Row {
    kernel::Row {
        task: row.task,
        device: row.device,
        start: row.start,
        duration: row.duration,
        wait: row.wait,
        stream: row.stream,
        task_id: row.task_id,
        model_id: row.model_id,
        ..kernel::Row::default()
    }
}
