//! What a profiler would have recorded of one rank.

use std::collections::HashMap;

use npuscope_formats::intervals::{Interval, union};
use npuscope_formats::lanes::{self, Lanes};
use npuscope_formats::link;
use npuscope_formats::overlap::device_time;
use npuscope_formats::trace_json::layers;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::{comm_op, comm_task, counter, flow, host_op, kernel, overlap, rank, step, task};
use npuscope_tables::{Ns, RankBuilder, RankTables, Span, Str};

use crate::chip;
use crate::config::JobConfig;
use crate::layout::{DEVICES_PER_HOST, Group, GroupKind, Layout};
use crate::memory::Allocator;
use crate::noise::uniform;
use crate::program::{Action, Collective, Core, Kernel, PointToPoint};
use crate::settings;
use crate::simulate::{HOST_NS, Job, LAUNCH_NS, Timed, same_host};

/// Records rank number `rank` of the job.
pub fn record(job: &Job, rank: usize) -> RankTables {
    let mut recorder = Recorder::new(&job.config, rank);
    let timed = job.replay(rank);
    for step in timed.chunk_by(|a, b| a.step == b.step) {
        recorder.step(step);
    }
    recorder.finish(&timed)
}

/// Threads of the training process, by their distance from the process id.
const BACKWARD_THREAD: i64 = 11;
const QUEUE_THREAD: i64 = 12;

/// Streams: one for computing, one for communication.
const COMPUTE_STREAM: i64 = 2;
const COMM_STREAM: i64 = 5;

/// How traces write "no model", "no sub-task".
const NONE_ID: i64 = 4_294_967_295;

/// Nanoseconds into a launch at which its parts begin, and how long they take.
const ENQUEUE: (u64, u64) = (8_000, 2_000);
const DEQUEUE: (u64, u64) = (HOST_NS, 15_000);
const CALL: (u64, u64) = (HOST_NS + 1_000, 12_000);
const NODE: (u64, u64) = (HOST_NS + 4_000, 5_000);

struct Recorder<'a> {
    config: &'a JobConfig,
    rank: usize,
    device: i64,
    process: i64,
    tables: RankBuilder,
    lanes: Lanes,
    groups: Vec<Group>,
    memory: Allocator,
    /// Operations of each group so far.
    operations: HashMap<GroupKind, usize>,
    next_correlation: i64,
    next_connection: i64,
    next_sequence: i64,
    next_task: i64,
    next_python: i64,
    /// Forward calls of each layer that no backward call has answered.
    forward: HashMap<Option<usize>, Vec<(u32, Ns, i64)>>,
    /// The layer whose forward calls are going on: its number and where its host calls began.
    module: Option<(usize, u64)>,
    computing: Vec<Interval>,
    communication: Vec<Interval>,
}

/// A launch from the host: where the framework call stands and what ties it to the device.
struct Launch {
    op: (u32, Ns),
    node: (u32, Ns),
    connection: i64,
}

impl<'a> Recorder<'a> {
    fn new(config: &'a JobConfig, rank: usize) -> Self {
        let process = 100_000 + i64::try_from(rank % DEVICES_PER_HOST).unwrap_or_default() * 100;
        let device = i64::try_from(rank % DEVICES_PER_HOST).unwrap_or_default();
        Recorder {
            config,
            rank,
            device,
            process,
            tables: RankBuilder::default(),
            lanes: Lanes::new(process),
            groups: Layout::of(config).groups(rank, config),
            memory: Allocator::new(config),
            operations: HashMap::new(),
            next_correlation: 1,
            next_connection: 1,
            next_sequence: 0,
            next_task: 0,
            next_python: 1,
            forward: HashMap::new(),
            module: None,
            computing: Vec::new(),
            communication: Vec::new(),
        }
    }

    fn time(&self, ns: u64) -> Ns {
        Ns(self.config.start.saturating_add(i64::try_from(ns).unwrap_or(i64::MAX)))
    }

    fn intern(&mut self, text: &str) -> Str {
        self.tables.strings.intern(text)
    }

    fn thread(&mut self, offset: i64) -> u32 {
        self.lanes.framework(self.process << 32 | (self.process + offset))
    }

    fn step(&mut self, actions: &[Timed]) {
        let (Some(first), Some(last)) = (actions.first(), actions.last()) else { return };
        let id = self.config.first_step + i64::try_from(first.step).unwrap_or_default();
        let start = first.launch - LAUNCH_NS - HOST_NS - 40_000;
        let end = last.end.max(last.launch) + 20_000;
        self.tables.step.push(step::Row { id: Some(id), start: self.time(start), end: self.time(end) });
        let lane = self.thread(0);
        let marker = host_op::Row { sequence: Some(-1), forward_thread: Some(0), ..host_op::Row::default() };
        self.host_op(lane, Kind::Op, start, end - start, &format!("{}{id}", link::STEP_PREFIX), marker);
        self.forward.clear();
        for timed in actions {
            match &timed.action {
                Action::Kernel(kernel) => self.kernel(timed, kernel, id),
                Action::Collective(collective) => self.collective(timed, collective),
                Action::Send(transfer) => self.transfer(timed, transfer, "send"),
                Action::Receive(transfer) => self.transfer(timed, transfer, "receive"),
            }
        }
        self.close_module(last.launch);
    }

    fn host_op(&mut self, lane: u32, kind: Kind, start: u64, ns: u64, name: &str, row: host_op::Row) -> Ns {
        let start = self.time(start);
        let (kind, name) = (self.intern(kind.name()), self.intern(name));
        let duration = Span::from_ns(i64::try_from(ns).unwrap_or(i64::MAX));
        self.tables.host_op.push(host_op::Row { lane, kind, start, duration, name, ..row });
        start
    }

    /// The host side of a launch: operator, queue, CANN calls, and the arrows between them.
    fn launch(
        &mut self,
        timed: &Timed,
        op: &str,
        is_backward: bool,
        row: host_op::Row,
        item: &str,
        api: &str,
    ) -> Launch {
        let begin = timed.launch - LAUNCH_NS - HOST_NS;
        let lane = self.thread(if is_backward { BACKWARD_THREAD } else { 0 });
        let stack = format!(
            "/home/user/model.py({}): {op};\r\n/home/user/train.py(88): train_step;\r\n/home/user/train.py(21): main",
            40 + op.len()
        );
        let stack = (!is_backward).then(|| self.intern(&stack));
        let start = self.host_op(lane, Kind::Op, begin, HOST_NS - 2_000, op, host_op::Row { stack, ..row });
        let correlation = self.next_correlation;
        self.next_correlation += 1;
        let queued = host_op::Row { connection_id: Some(correlation), ..host_op::Row::default() };
        let enqueue =
            self.host_op(lane, Kind::Enqueue, begin + ENQUEUE.0, ENQUEUE.1, &format!("Enqueue@{api}"), queued);
        let queue = self.thread(QUEUE_THREAD);
        let dequeue =
            self.host_op(queue, Kind::Dequeue, begin + DEQUEUE.0, DEQUEUE.1, &format!("Dequeue@{api}"), queued);
        self.flow("async_task_queue", correlation, (lane, enqueue), (queue, dequeue));
        let thread = self.process << 32 | (self.process + QUEUE_THREAD);
        let cann = self.lanes.host_layer(lanes::CANN, thread);
        let connection = self.next_connection;
        self.next_connection += 2;
        let (acl, node) = (self.intern("acl"), self.intern("node"));
        let (mode, launch_mode) = (self.intern("ACL_NN"), self.intern("launch"));
        let (zero, item) = (self.intern("0"), self.intern(item));
        let call = host_op::Row {
            level: Some(acl),
            mode: Some(mode),
            item: Some(zero),
            connection_id: Some(connection),
            ..host_op::Row::default()
        };
        self.host_op(cann, Kind::Cann, begin + CALL.0, CALL.1, api, call);
        let launch = host_op::Row {
            level: Some(node),
            mode: Some(launch_mode),
            item: Some(item),
            api_id: Some(zero),
            connection_id: Some(connection + 1),
            ..host_op::Row::default()
        };
        let node = self.host_op(cann, Kind::Cann, begin + NODE.0, NODE.1, "launch", launch);
        Launch { op: (lane, start), node: (cann, node), connection: connection + 1 }
    }

    fn flow(&mut self, kind: &str, id: i64, src: (u32, Ns), dst: (u32, Ns)) {
        let kind = self.intern(kind);
        self.tables.flow.push(flow::Row {
            kind,
            id: Some(id),
            src_lane: Some(src.0),
            src_time: Some(src.1),
            dst_lane: Some(dst.0),
            dst_time: Some(dst.1),
            ..flow::Row::default()
        });
    }

    /// Arrows from a launch to what it started.
    fn launched(&mut self, launch: &Launch, place: (u32, Ns)) {
        self.flow("HostToDevice", launch.connection << 32, launch.node, place);
        self.flow("async_npu", place.1.0, launch.op, place);
    }

    fn kernel(&mut self, timed: &Timed, kernel: &Kernel, step: i64) {
        self.module_call(timed, kernel);
        let api = format!("aclnn{}", kernel.op_type);
        let name = format!("{api}_{0}_{0}", kernel.op_type);
        let thread = self.process;
        let (sequence, forward_thread) = self.sequence(timed, kernel, thread);
        let dims: Vec<String> = kernel.inputs.iter().map(|shape| joined(shape)).collect();
        let row = host_op::Row {
            sequence: Some(sequence),
            forward_thread: Some(forward_thread),
            shapes: Some(self.intern(&dims.join(";\r\n"))),
            dtypes: Some(self.intern(&vec!["c10::BFloat16"; dims.len()].join(";\r\n"))),
            ..host_op::Row::default()
        };
        let launch = self.launch(timed, kernel.op, kernel.is_backward, row, &name, &api);
        let (start, ns) = (self.time(timed.start), i64::try_from(timed.end - timed.start).unwrap_or_default());
        let lane = self.lanes.stream(self.device, COMPUTE_STREAM);
        let core = match kernel.core {
            Core::Cube => "AI_CORE",
            Core::Vector => "AI_VECTOR_CORE",
            Core::Mix => "MIX_AIC",
        };
        let (task_number, task_id) =
            self.task(lane, start, ns, &name, core, COMPUTE_STREAM, NONE_ID, launch.connection);
        self.launched(&launch, (lane, start));
        self.computing.push(Interval::new(start.0, start.0 + ns));
        self.memory.kernel(timed, kernel, launch.op.1);
        let quoted =
            |shapes: &[Vec<u64>]| format!("\"{}\"", shapes.iter().map(|s| joined(s)).collect::<Vec<_>>().join(";"));
        let many = |word: &str| vec![word; kernel.inputs.len()].join(";");
        let row = kernel::Row {
            task: Some(task_number),
            step: Some(step),
            device: Some(self.device),
            start,
            duration: Span::from_ns(ns),
            name: self.intern(&name),
            op_type: Some(self.intern(kernel.op_type)),
            state: Some(self.intern("dynamic")),
            core: Some(self.intern(core)),
            stream: Some(COMPUTE_STREAM),
            task_id: Some(task_id),
            model_id: Some(NONE_ID),
            block_num: Some(if kernel.core == Core::Vector { 48 } else { 24 }),
            mix_block_num: Some(if kernel.core == Core::Mix { 48 } else { 0 }),
            hf32: Some(self.intern("NO")),
            input_shapes: Some(self.intern(&quoted(&kernel.inputs))),
            input_dtypes: Some(self.intern(&many("DT_BF16"))),
            input_formats: Some(self.intern(&many("ND"))),
            output_shapes: Some(self.intern(&quoted(std::slice::from_ref(&kernel.output)))),
            output_dtypes: Some(self.intern("DT_BF16")),
            output_formats: Some(self.intern("ND")),
            ..metrics(self.config, kernel, ns, uniform([self.config.seed, 7, timed.step as u64, timed.index as u64]))
        };
        self.tables.kernel.push(row);
    }

    /// Sequence number and forward thread of a call; a backward call answers a forward call of its layer.
    fn sequence(&mut self, timed: &Timed, kernel: &Kernel, thread: i64) -> (i64, i64) {
        let begin = self.time(timed.launch - LAUNCH_NS - HOST_NS);
        if !kernel.is_backward {
            let lane = self.thread(0);
            let sequence = self.next_sequence;
            self.next_sequence += 1;
            self.forward.entry(kernel.layer).or_default().push((lane, begin, sequence));
            return (sequence, 0);
        }
        let lane = self.thread(BACKWARD_THREAD);
        match self.forward.get_mut(&kernel.layer).and_then(Vec::pop) {
            Some((forward_lane, forward_start, sequence)) => {
                self.flow("fwdbwd", sequence, (forward_lane, forward_start), (lane, begin));
                (sequence, thread)
            }
            None => (-1, thread),
        }
    }

    /// Keeps a module call open over the forward calls of a layer.
    fn module_call(&mut self, timed: &Timed, kernel: &Kernel) {
        let begin = timed.launch - LAUNCH_NS - HOST_NS;
        let layer = kernel.layer.filter(|_| !kernel.is_backward);
        if self.module.map(|(open, _)| open) != layer {
            self.close_module(timed.launch);
            self.module = layer.map(|layer| (layer, begin - 500));
        }
    }

    /// Ends the open module call before the launch at `launch`.
    fn close_module(&mut self, launch: u64) {
        let Some((layer, start)) = self.module.take() else { return };
        let end = launch - LAUNCH_NS - HOST_NS - 1_000;
        let lane = self.thread(0);
        let id = self.next_python;
        self.next_python += 1;
        let row = host_op::Row {
            python_id: Some(id),
            python_parent_id: Some(0),
            python_module_id: i64::try_from(layer).ok(),
            ..host_op::Row::default()
        };
        self.host_op(
            lane,
            Kind::Python,
            start,
            end.saturating_sub(start),
            &format!("nn.Module: TransformerLayer_{layer}"),
            row,
        );
    }

    #[expect(clippy::too_many_arguments, reason = "these are the columns of a task")]
    fn task(
        &mut self,
        lane: u32,
        start: Ns,
        ns: i64,
        name: &str,
        kind: &str,
        stream: i64,
        subtask: i64,
        connection: i64,
    ) -> (i64, i64) {
        let number = self.next_task;
        self.next_task += 1;
        let task_id = number % 65_536;
        let row = task::Row {
            lane,
            task: number,
            start,
            duration: Span::from_ns(ns),
            name: self.intern(name),
            task_type: Some(self.intern(kind)),
            device: Some(self.device),
            stream: Some(stream),
            task_id: Some(task_id),
            batch_id: Some(number / 65_536),
            subtask_id: Some(subtask),
            model_id: Some(NONE_ID),
            connection_id: Some(connection),
            ..task::Row::default()
        };
        self.tables.task.push(row);
        (number, task_id)
    }

    fn collective(&mut self, timed: &Timed, collective: &Collective) {
        let Some(group) = self.groups.iter().find(|g| g.kind == collective.group).cloned() else { return };
        let (op, waited) = self.operation(timed, &group, collective.name, collective.elements, collective.dtype);
        let count = group.ranks.len() as u64;
        let local = group.local(self.rank);
        let next = (local + 1) % group.ranks.len();
        let peer = group.ranks.get(next).copied().unwrap_or_default();
        // A ring: as many pieces as there are rounds, each of one share of the data.
        let rounds = 2 * (count - 1);
        let share = collective.bytes() / count;
        for round in 0..rounds {
            let name = if round < count - 1 { "Reduce_Inline" } else { "Memcpy" };
            let all = timed.end - waited;
            let (begin, end) = (waited + all * round / rounds, waited + all * (round + 1) / rounds);
            self.piece(&op, begin, end, name, (local, next), Some((share, peer)), collective.dtype, round);
        }
    }

    fn transfer(&mut self, timed: &Timed, transfer: &PointToPoint, name: &str) {
        let Some(group) = self.groups.iter().find(|g| g.kind == GroupKind::Pipeline).cloned() else { return };
        let (op, waited) = self.operation(timed, &group, name, transfer.elements, "BFP16");
        let (local, peer) = (group.local(self.rank), group.local(transfer.peer));
        let ends = if name == "send" { (local, peer) } else { (peer, local) };
        self.piece(&op, waited, timed.end, "Memcpy", ends, Some((transfer.bytes(), transfer.peer)), "BFP16", 0);
    }

    /// Records an operation and the wait it begins with; the result is where it goes on and when.
    fn operation(&mut self, timed: &Timed, group: &Group, name: &str, elements: u64, dtype: &str) -> (Operation, u64) {
        let number = self.operations.entry(group.kind).or_default();
        let full_name = format!("hcom_{name}__{}_{number}_1", group.digits());
        *number += 1;
        let op_type = format!("hcom_{name}_");
        let op = match name {
            "send" => "c10d::send",
            "receive" => "c10d::recv_",
            _ => "c10d::allreduce_",
        };
        let row = host_op::Row { sequence: Some(-1), forward_thread: Some(0), ..host_op::Row::default() };
        let launch = self.launch(timed, op, false, row, &op_type, &op_type);
        let first_lane = self.group_lane(group);
        let lane = self.lanes.device_layer(lanes::COMMUNICATION, self.device, first_lane, || {
            Some(format!("Group {} Communication", group.name))
        });
        let plane =
            self.lanes.device_layer(lanes::COMMUNICATION, self.device, first_lane + 1, || Some("Plane 0".to_owned()));
        let stream = COMM_STREAM + group.kind as i64;
        let stream_lane = self.lanes.stream(self.device, stream);
        let start = self.time(timed.start);
        let ns = i64::try_from(timed.end - timed.start).unwrap_or_default();
        let op_number = i64::try_from(self.operations.values().sum::<usize>()).unwrap_or_default();
        let common = (self.intern(&full_name), self.intern(&op_type));
        let (group_name, group_hash) = (self.intern(&group.name), self.intern(&group.hash));
        let row = comm_op::Row {
            lane,
            op: op_number,
            start,
            duration: Span::from_ns(ns),
            name: common.0,
            op_type: Some(common.1),
            group_name: Some(group_name),
            group_hash: Some(group_hash),
            rank_size: i64::try_from(group.ranks.len()).ok(),
            dtype: Some(self.intern(dtype)),
            count: i64::try_from(elements).ok(),
            algorithm: Some(self.intern("MESH-RING")),
            relay: Some(self.intern("no")),
            retry: Some(self.intern("no")),
            connection_id: Some(launch.connection),
            model_id: Some(NONE_ID),
            device: Some(self.device),
            ..comm_op::Row::default()
        };
        self.tables.comm_op.push(row);
        let core = self.intern("COMMUNICATION");
        let row = kernel::Row {
            step: Some(self.config.first_step + i64::try_from(timed.step).unwrap_or_default()),
            device: Some(self.device),
            start,
            duration: Span::from_ns(ns),
            name: common.0,
            op_type: Some(common.1),
            core: Some(core),
            model_id: Some(NONE_ID),
            block_num: Some(0),
            ..kernel::Row::default()
        };
        self.tables.kernel.push(row);
        self.launched(&launch, (lane, start));
        self.communication.push(Interval::new(start.0, start.0 + ns));
        let operation =
            Operation { number: op_number, plane, stream, stream_lane, group_name, connection: launch.connection };
        // All that is not moving data is waiting for the others to come.
        let moving = match name {
            "send" => timed.end - timed.start,
            "receive" => 1_000.min(timed.end - timed.start),
            _ => crate::simulate::collective_ns(elements * if dtype == "FP32" { 4 } else { 2 }, &group.ranks)
                .min(timed.end - timed.start),
        };
        let waited = timed.end - moving;
        let local = group.local(self.rank);
        self.piece(&operation, timed.start, waited, "Notify_Wait", (local, local), None, dtype, 0);
        // The rank's own share is put in place first: a copy on the chip.
        let own = elements * 2 / group.ranks.len() as u64;
        self.piece(
            &operation,
            waited,
            waited + moving / 50,
            "Memcpy",
            (local, local),
            Some((own, self.rank)),
            dtype,
            0,
        );
        (operation, waited)
    }

    /// The number of a group's own lane; its plane comes after it.
    fn group_lane(&self, group: &Group) -> i64 {
        self.groups.iter().position(|g| g.kind == group.kind).map_or(0, |i| 2 * i as i64)
    }

    #[expect(clippy::too_many_arguments, reason = "these are the columns of a piece")]
    fn piece(
        &mut self,
        op: &Operation,
        begin: u64,
        end: u64,
        name: &str,
        (src, dst): (usize, usize),
        moved: Option<(u64, usize)>,
        dtype: &str,
        round: u64,
    ) {
        let (start, ns) = (self.time(begin), i64::try_from(end - begin).unwrap_or_default());
        let task_name = if name == "Notify_Wait" { "Notify Wait" } else { "SDMA" };
        let subtask = i64::try_from(round).unwrap_or_default();
        let (task, task_id) =
            self.task(op.stream_lane, start, ns, task_name, task_name, op.stream, subtask, op.connection);
        let link = match moved {
            Some((_, peer)) if peer == self.rank => "ON_CHIP",
            Some((_, peer)) if same_host(self.rank, peer) => "HCCS",
            Some(_) => "HCCS_SW",
            None => "INVALID_TYPE",
        };
        let bytes = moved.map_or(0, |(bytes, _)| bytes);
        #[expect(clippy::cast_precision_loss, reason = "sizes are below 2^53")]
        let bandwidth = if ns > 0 { bytes as f64 / ns as f64 } else { 0.0 };
        let row = comm_task::Row {
            lane: Some(op.plane),
            op: Some(op.number),
            task: Some(task),
            start,
            duration: Span::from_ns(ns),
            name: self.intern(name),
            plane: Some(0),
            group_name: Some(op.group_name),
            src_rank: i64::try_from(src).ok(),
            dst_rank: i64::try_from(dst).ok(),
            transport: Some(self.intern(if moved.is_some() { "SDMA" } else { "LOCAL" })),
            link: Some(self.intern(link)),
            rdma_type: Some(self.intern("INVALID_TYPE")),
            bytes: i64::try_from(bytes).ok(),
            dtype: Some(self.intern(dtype)),
            notify_id: Some(self.intern(&(1000 + op.number).to_string())),
            estimated: Some(0.0),
            bandwidth: Some(bandwidth),
            master: Some(true),
            stream: Some(op.stream),
            task_id: Some(task_id),
            context_id: Some(subtask),
            model_id: Some(NONE_ID),
            ..comm_task::Row::default()
        };
        self.tables.comm_task.push(row);
    }

    fn finish(mut self, timed: &[Timed]) -> RankTables {
        let end = timed.last().map_or(0, |t| t.end);
        self.overlap();
        self.counters(end);
        let Allocator { events, samples, .. } = std::mem::replace(&mut self.memory, Allocator::new(self.config));
        for event in events {
            let row = event.row(&mut self.tables.strings, self.config, self.device);
            self.tables.mem_event.push(row);
        }
        for sample in samples {
            sample.record(&mut self.tables, self.config, self.device);
        }
        settings::record(&mut self.tables, self.config, self.rank, &self.groups);
        self.rank_row(end);
        let Recorder { lanes, mut tables, .. } = self;
        lanes.record(&mut tables);
        let mut tables = tables.finish();
        link::fill_waits(&mut tables);
        link::nest_host_ops(&mut tables);
        tables
    }

    fn overlap(&mut self) {
        let computing = union(std::mem::take(&mut self.computing));
        let communication = union(std::mem::take(&mut self.communication));
        for (kind, interval) in device_time(&computing, &communication) {
            let name = layers::overlap_name(kind).to_owned();
            let lane = self.lanes.device_layer(lanes::OVERLAP, self.device, kind as i64, || Some(name));
            let kind = self.intern(kind.name());
            self.tables.overlap.push(overlap::Row {
                lane,
                kind,
                device: Some(self.device),
                start: Ns(interval.start),
                duration: Span::from_ns(interval.end - interval.start),
                args: None,
            });
        }
    }

    /// Samples of the hardware, fifty a second.
    fn counters(&mut self, end: u64) {
        const EVERY: u64 = 20_000_000;
        let freq = self.lanes.device_layer(lanes::AI_CORE_FREQ, self.device, 0, || None);
        let hbm = self.lanes.device_layer(lanes::HBM, self.device, 0, || None);
        let llc = self.lanes.device_layer(lanes::LLC, self.device, 0, || None);
        let memory = self.lanes.device_layer(lanes::NPU_MEM, self.device, 0, || None);
        for (number, at) in (0..=end).step_by(usize::try_from(EVERY).unwrap_or(1)).enumerate() {
            let noise = uniform([self.config.seed, 11, self.rank as u64, number as u64]);
            let time = self.time(at);
            self.sample(freq, time, "AI Core Freq", "", Some("MHz"), chip::FREQUENCY);
            for instance in 0..4 {
                let bandwidth = (40e9 + 20e9 * noise).round();
                self.sample(hbm, time, &format!("HBM {instance}/Read"), "Read", Some("B/s"), bandwidth);
                self.sample(
                    hbm,
                    time,
                    &format!("HBM {instance}/Write"),
                    "Write",
                    Some("B/s"),
                    (bandwidth / 2.0).round(),
                );
            }
            let hit_rate = (800.0 + 100.0 * noise).round() / 1000.0;
            self.sample(llc, time, "LLC 0 Read/Hit Rate", "Hit Rate(%)", None, hit_rate);
            self.sample(llc, time, "LLC 0 Read/Throughput", "Throughput", Some("B/s"), (9e9 * noise).round());
            for (owner, bytes) in [("APP", 52.0), ("Device", 54.0)] {
                let bytes = bytes * f64::from(1 << 30);
                self.sample(memory, time, &format!("{owner}/DDR"), "", Some("B"), 0.0);
                self.sample(memory, time, &format!("{owner}/HBM"), "", Some("B"), bytes);
                self.sample(memory, time, &format!("{owner}/Memory"), "", Some("B"), bytes);
            }
            self.memory.process(at, 52 << 30);
        }
    }

    fn sample(&mut self, lane: u32, time: Ns, name: &str, series: &str, unit: Option<&str>, value: f64) {
        let row = counter::Row {
            lane,
            time,
            name: self.intern(name),
            series: self.intern(series),
            instance: None,
            value,
            unit: unit.map(|unit| self.tables.strings.intern(unit)),
        };
        self.tables.counter.push(row);
    }

    fn rank_row(&mut self, end: u64) {
        let Layout { tp, pp, dp } = Layout::of(self.config);
        let size = |n: usize| i64::try_from(n).ok();
        let row = rank::Row {
            device: Some(self.device),
            host: Some(self.intern(&settings::host(self.rank))),
            host_uid: Some(self.intern(&settings::host_uid(self.rank))),
            chip: Some(self.intern(chip::NAME)),
            process: Some(self.process),
            framework: Some(self.intern(self.config.flavour.name())),
            level: Some(self.intern("level1")),
            format: self.intern("text"),
            start: Some(self.time(0)),
            end: Some(self.time(end)),
            session_start: Some(self.time(0)),
            session_end: Some(self.time(end + 50_000_000)),
            world_size: size(self.config.ranks()),
            tp_size: size(tp),
            pp_size: size(pp),
            dp_size: size(dp),
            cp_size: Some(1),
            ep_size: Some(1),
            ..rank::Row::default()
        };
        self.tables.rank.push(row);
    }
}

/// Where the pieces of an operation go.
struct Operation {
    number: i64,
    plane: u32,
    stream: i64,
    stream_lane: u32,
    group_name: Str,
    connection: i64,
}

fn joined(shape: &[u64]) -> String {
    shape.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// AI Core metrics that fit the kernel: cube kernels are busy in the cube, vector kernels in transfers.
#[expect(clippy::cast_precision_loss, reason = "a duration in ns")]
fn metrics(_: &JobConfig, kernel: &Kernel, ns: i64, noise: f64) -> kernel::Row {
    let whole = |value: f64| Some(value.round());
    let ratio = |share: f64| Some((share * (0.95 + 0.1 * noise) * 1000.0).round() / 1000.0);
    let busy = ns as f64 * 0.97;
    let zero = Some(0.0);
    let time = |share: f64| whole(busy * ratio(share).unwrap_or_default());
    let cycles = |cores: f64| whole(busy * cores * chip::FREQUENCY / 1000.0);
    let cube = |on: bool| if on { 1.0 } else { 0.0 };
    let (aic, aiv) = (cube(kernel.core != Core::Vector), cube(kernel.core != Core::Cube));
    kernel::Row {
        aic_total_time: whole(busy * aic),
        aic_total_cycles: cycles(24.0 * aic),
        aic_mac_time: time(0.78 * aic),
        aic_mac_ratio: ratio(0.78 * aic),
        aic_scalar_time: time(0.2 * aic),
        aic_scalar_ratio: ratio(0.2 * aic),
        aic_mte1_time: time(0.5 * aic),
        aic_mte1_ratio: ratio(0.5 * aic),
        aic_mte2_time: time(0.6 * aic),
        aic_mte2_ratio: ratio(0.6 * aic),
        aic_fixpipe_time: time(0.1 * aic),
        aic_fixpipe_ratio: ratio(0.1 * aic),
        aic_icache_miss_rate: if aic > 0.0 { ratio(0.01) } else { zero },
        aiv_total_time: whole(busy * aiv),
        aiv_total_cycles: cycles(48.0 * aiv),
        aiv_vec_time: time(0.3 * aiv),
        aiv_vec_ratio: ratio(0.3 * aiv),
        aiv_scalar_time: time(0.15 * aiv),
        aiv_scalar_ratio: ratio(0.15 * aiv),
        aiv_mte2_time: time(0.7 * aiv),
        aiv_mte2_ratio: ratio(0.7 * aiv),
        aiv_mte3_time: time(0.4 * aiv),
        aiv_mte3_ratio: ratio(0.4 * aiv),
        aiv_icache_miss_rate: if aiv > 0.0 { ratio(0.02) } else { zero },
        cube_utilization: whole(ratio(0.75 * aic).unwrap_or_default() * 100.0),
        ..kernel::Row::default()
    }
}
