//! The host side: operators, queue, CANN calls, Python frames, user ranges, and the arrows between them.

use npuscope_formats::lanes;
use npuscope_measures::link;
use npuscope_tables::table::flow;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::{ConnectionId, LaneId, Ns, Str};

use super::Recorder;
use crate::blocks::{Block, Module};
use crate::config::Level;
use crate::kernels::Pass;
use crate::play::{KernelRun, Launch, Spot};
use crate::program::{CHECKPOINT_BYTES_PER_NS, Part, Reason, Work};

/// Threads of the training process, by their distance from the process id.
const BACKWARD_THREAD: i64 = 11;
const QUEUE_THREAD: i64 = 12;

/// A launch from the host: where its calls stand and what ties them to the device.
#[derive(Clone, Copy)]
pub struct Launched {
    /// The innermost framework operator.
    pub op: (LaneId, Ns),
    /// The CANN call that launched.
    pub node: (LaneId, Ns),
    pub connection: ConnectionId,
}

/// A forward operator that a backward operator will answer.
#[derive(Clone, Copy)]
pub struct Forward {
    pub node: usize,
    pub place: (LaneId, Ns),
    pub sequence: i64,
}

/// The calls around the backward kernels of one node, while they go on.
#[derive(Clone, Copy)]
pub struct OpenNode {
    spot: (Block, usize, usize),
    node: usize,
    lane: LaneId,
    outer: [Option<Str>; 2],
    start: u64,
    end: u64,
    sequence: i64,
}

/// What a call launches, in words.
pub struct LaunchNames {
    pub enqueue: Str,
    pub dequeue: Str,
    pub api: Str,
    pub workspace_api: Option<Str>,
    /// What the device will run.
    pub item: Str,
}

/// Whether a block runs on the thread of the backward pass.
fn is_on_backward_thread(block: Block) -> bool {
    matches!(
        block,
        Block::HeadBackward
            | Block::LayerBackward
            | Block::EmbeddingBackward
            | Block::Recompute
            | Block::ReduceGradients
            | Block::ReduceEmbedding
    )
}

impl Recorder<'_> {
    fn thread(&mut self, offset: i64) -> LaneId {
        self.lanes.framework(self.process << 32 | (self.process + offset))
    }

    pub fn thread_of(&mut self, block: Block) -> LaneId {
        self.thread(if is_on_backward_thread(block) { BACKWARD_THREAD } else { 0 })
    }

    fn cann_lane(&mut self, offset: i64) -> LaneId {
        self.lanes.host_layer(lanes::CANN, self.process << 32 | (self.process + offset))
    }

    /// Records a slice of the host; when it starts.
    fn host_op(&mut self, lane: LaneId, kind: Str, (from, until): (u64, u64), name: Str, row: host_op::Row) -> Ns {
        let (start, duration) = self.slice(from, until);
        self.tables.host_op.push(host_op::Row { lane, kind, start, duration, name, ..row });
        start
    }

    /// An operator of the framework that is no part of the backward graph.
    fn plain_op(&mut self, lane: LaneId, span: (u64, u64), name: &str) -> Ns {
        let (kind, name) = (self.intern(Kind::Op.name()), self.intern(name));
        let row = host_op::Row { sequence: Some(-1), forward_thread: Some(0), ..host_op::Row::default() };
        self.host_op(lane, kind, span, name, row)
    }

    pub fn flow(&mut self, kind: Str, id: i64, src: (LaneId, Ns), dst: (LaneId, Ns)) {
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
    pub fn arrows(&mut self, launched: &Launched, place: (LaneId, Ns)) {
        let words = self.names.words(&mut self.tables.strings);
        self.flow(words.host_to_device, launched.connection.0 << 32, launched.node, place);
        self.flow(words.async_npu, place.1.0, launched.op, place);
    }

    /// Records the call of a kernel's operator and what it does below.
    pub fn launch_kernel(&mut self, run: &KernelRun<'_>) -> Launched {
        let names = self.names.kernel(run.number, run.spec, &mut self.tables.strings);
        let words = self.names.words(&mut self.tables.strings);
        let lane = self.thread_of(run.spot.block);
        let Launch { start, end, .. } = run.launch;
        // A little later than the call around it, and over a little before: so it is inside, and not what
        // follows.
        let part = (end - start) / 40;
        let is_backward = run.spec.pass == Pass::Backward;
        let (sequence, forward_thread) = self.sequence(run, lane);
        let mut depth = 0;
        if is_backward {
            self.open_node(run, lane, names.outer, sequence);
            depth = 2;
        } else {
            for name in names.outer.into_iter().flatten() {
                let row = host_op::Row { sequence: Some(sequence), forward_thread: Some(0), ..host_op::Row::default() };
                self.host_op(lane, words.op, (start + depth * part, end - (depth + 1) * part), name, row);
                depth += 1;
            }
        }
        let row = host_op::Row {
            sequence: Some(sequence),
            forward_thread: Some(forward_thread),
            shapes: self.config.record_shapes.then_some(names.shapes),
            dtypes: self.config.record_shapes.then_some(names.dtypes),
            stack: (self.config.with_stack && !is_backward).then_some(names.stack),
            ..host_op::Row::default()
        };
        let op = self.host_op(lane, words.op, (start + depth * part, end - (depth + 1) * part), names.op, row);
        if self.config.mfu_ranges && run.spec.is_matrix() && !is_on_backward_thread(run.spot.block) {
            self.range(&format!("{}-{}", run.spec.flops, run.spec.operator.op), "mfu_flops", (start, end), None);
        }
        let launch_names = LaunchNames {
            enqueue: names.enqueue,
            dequeue: names.dequeue,
            api: names.api,
            workspace_api: Some(names.workspace_api),
            item: names.kernel,
        };
        self.launch(&run.launch, (lane, op), &launch_names)
    }

    /// Records how a call goes through the queue and CANN.
    pub fn launch(&mut self, launch: &Launch, op: (LaneId, Ns), names: &LaunchNames) -> Launched {
        let words = self.names.words(&mut self.tables.strings);
        let correlation = self.next_correlation;
        self.next_correlation = correlation.plus(1);
        let queued = host_op::Row { connection_id: Some(correlation), ..host_op::Row::default() };
        let host = launch.end - launch.start;
        let enqueued = (launch.start + host * 7 / 10, launch.start + host * 8 / 10);
        let enqueue = self.host_op(op.0, words.enqueue, enqueued, names.enqueue, queued);
        let queue = self.thread(QUEUE_THREAD);
        let dequeue = self.host_op(queue, words.dequeue, (launch.dequeue, launch.launched), names.dequeue, queued);
        self.flow(words.async_task_queue, correlation.0, (op.0, enqueue), (queue, dequeue));
        let cann = self.cann_lane(QUEUE_THREAD);
        let queued = launch.launched - launch.dequeue;
        let at = |twentieths: u64| launch.dequeue + queued * twentieths / 20;
        if !self.sees_device() {
            return Launched { op, node: (cann, dequeue), connection: ConnectionId(0) };
        }
        let acl = host_op::Row {
            level: Some(words.acl),
            mode: Some(words.acl_nn),
            item: Some(words.zero),
            ..host_op::Row::default()
        };
        if let Some(api) = names.workspace_api {
            self.cann(cann, (at(1), at(5)), api, acl);
        }
        self.cann(cann, (at(6), at(19)), names.api, acl);
        let node = host_op::Row {
            level: Some(words.node),
            mode: Some(words.launch),
            item: Some(names.item),
            api_id: Some(words.zero),
            ..host_op::Row::default()
        };
        let start = self.cann(cann, (at(8), at(17)), words.launch, node);
        let connection = self.next_connection.plus(-1);
        if self.config.level == Level::Level2 {
            let runtime =
                host_op::Row { level: Some(words.runtime), item: Some(words.zero), ..host_op::Row::default() };
            self.cann(cann, (at(10), at(15)), words.kernel_launch, runtime);
        }
        Launched { op, node: (cann, start), connection }
    }

    pub fn take_connection(&mut self) -> ConnectionId {
        let connection = self.next_connection;
        self.next_connection = connection.plus(1);
        connection
    }

    /// A CANN call, which takes the next connection id.
    fn cann(&mut self, lane: LaneId, span: (u64, u64), name: Str, row: host_op::Row) -> Ns {
        let connection = self.take_connection();
        if !self.sees_details() {
            return self.time(span.0);
        }
        let words = self.names.words(&mut self.tables.strings);
        self.host_op(lane, words.cann, span, name, host_op::Row { connection_id: Some(connection), ..row })
    }

    /// A call of the CANN runtime from the main thread.
    pub fn runtime_call(&mut self, span: (u64, u64), name: &str) -> (LaneId, Ns, ConnectionId) {
        let lane = self.cann_lane(0);
        let words = self.names.words(&mut self.tables.strings);
        let mode = self.intern("ACL_RTS");
        let name = self.intern(name);
        let row = host_op::Row {
            level: Some(words.acl),
            mode: Some(mode),
            item: Some(words.zero),
            ..host_op::Row::default()
        };
        let start = self.cann(lane, span, name, row);
        (lane, start, self.next_connection.plus(-1))
    }

    /// Sequence number and forward thread of an operator; a backward operator answers a forward one.
    fn sequence(&mut self, run: &KernelRun<'_>, lane: LaneId) -> (i64, i64) {
        let Spot { block, layer, micro_batch, .. } = run.spot;
        match run.spec.pass {
            Pass::Forward if block != Block::Recompute => {
                let key = (block, layer, micro_batch);
                let known = self.forward.get(&key).and_then(|made| made.last().filter(|last| last.node == run.node));
                if let Some(last) = known {
                    return (last.sequence, 0);
                }
                let sequence = self.next_sequence;
                self.next_sequence += 1;
                let place = (lane, self.time(run.launch.start));
                self.forward.entry(key).or_default().push(Forward { node: run.node, place, sequence });
                (sequence, 0)
            }
            Pass::Backward => {
                let spot = (block, layer, micro_batch);
                if let Some(open) = self.open_node.filter(|open| open.spot == spot && open.node == run.node) {
                    return (open.sequence, self.process);
                }
                self.close_node();
                let made = self.forward.get_mut(&(block.forward(), layer, micro_batch));
                match made.and_then(|made| made.pop_if(|last| last.node == run.node)) {
                    Some(forward) => {
                        let kind = self.intern("fwdbwd");
                        // The outermost call of the backward node begins with its first kernel.
                        let begin = self.time(run.launch.start);
                        self.flow(kind, forward.sequence, forward.place, (lane, begin));
                        (forward.sequence, self.process)
                    }
                    None => (-1, self.process),
                }
            }
            _ => (-1, 0),
        }
    }

    fn open_node(&mut self, run: &KernelRun<'_>, lane: LaneId, outer: [Option<Str>; 2], sequence: i64) {
        let spot = (run.spot.block, run.spot.layer, run.spot.micro_batch);
        match &mut self.open_node {
            Some(open) if open.spot == spot && open.node == run.node => open.end = run.launch.end,
            _ => {
                let (start, end) = (run.launch.start, run.launch.end);
                self.open_node = Some(OpenNode { spot, node: run.node, lane, outer, start, end, sequence });
            }
        }
    }

    /// Records the calls around the backward kernels of a node, which are over.
    pub fn close_node(&mut self) {
        let Some(open) = self.open_node.take() else { return };
        let words = self.names.words(&mut self.tables.strings);
        let row = host_op::Row {
            sequence: Some(open.sequence),
            forward_thread: Some(self.process),
            ..host_op::Row::default()
        };
        let shift = (open.end - open.start) / 200;
        for (depth, name) in (0..).zip(open.outer.into_iter().flatten()) {
            self.host_op(open.lane, words.op, (open.start + depth * shift, open.end - (depth + 1) * shift), name, row);
        }
    }

    /// `ProfilerStep#`, around everything of the step.
    pub fn step_marker(&mut self, number: i64, span: (u64, u64)) {
        self.close_node();
        let lane = self.thread(0);
        self.plain_op(lane, span, &format!("{}{number}", link::STEP_PREFIX));
        if self.config.with_stack {
            self.python("megatron/training/training.py(410): train_step", None, span);
        }
    }

    /// Begins a Python call, which takes the next id.
    pub fn begin_frame(&mut self) {
        self.frames.push(self.next_python);
        self.next_python += 1;
    }

    /// Records the Python call that was begun last.
    fn python(&mut self, name: &str, module: Option<usize>, span: (u64, u64)) {
        let row = host_op::Row {
            python_id: self.frames.last().copied(),
            python_parent_id: Some(self.frames.iter().rev().nth(1).copied().unwrap_or_default()),
            python_module_id: module.and_then(|module| i64::try_from(module).ok()),
            ..host_op::Row::default()
        };
        let (lane, kind, name) = (self.thread(0), self.intern(Kind::Python.name()), self.intern(name));
        self.host_op(lane, kind, span, name, row);
    }

    /// A range that the user's code marked.
    pub fn range(&mut self, message: &str, domain: &str, span: (u64, u64), connection: Option<ConnectionId>) {
        if !self.config.mstx {
            return;
        }
        let lane = self.lanes.host_layer(lanes::MSTX, self.process << 32 | self.process);
        let id = self.next_range;
        self.next_range += 1;
        let row = host_op::Row {
            connection_id: connection,
            event_type: Some(self.intern("start/end")),
            domain: Some(self.intern(domain)),
            args: Some(self.intern(&format!("{{\"rangeId\":{id}}}"))),
            ..host_op::Row::default()
        };
        let (kind, message) = (self.intern(Kind::Mstx.name()), self.intern(message));
        self.host_op(lane, kind, span, message, row);
    }

    /// A part of the step is over: on the host, and on the device, where a marker shows it.
    pub fn part(&mut self, part: Part, host: (u64, u64), device: (u64, u64)) {
        if part == Part::Optimizer {
            let lane = self.thread(0);
            self.plain_op(lane, host, "Optimizer.step#AdamW.step");
        } else if self.config.with_stack {
            let file = match part {
                Part::Stage(_) => "mindspeed_rl/workers/actor_hybrid_worker.py(150)",
                _ => "megatron/core/pipeline_parallel/schedules.py(180)",
            };
            self.python(&format!("{file}: {}", part.name()), None, host);
        }
        if self.config.mstx {
            let connection = self.take_connection();
            self.range(part.name(), "default", host, Some(connection));
            self.marker_task(part.name(), super::COMPUTE_STREAM, device, connection);
        }
    }

    /// A module's call is over. Only forward calls go through modules.
    pub fn module(&mut self, module: Module, layer: usize, spot: Spot, from: u64, until: u64) {
        if is_on_backward_thread(spot.block) {
            return;
        }
        let name = format!("{}_{layer}", module.name());
        if self.config.with_modules {
            self.python(&format!("nn.Module: {name}"), Some(layer), (from, until));
        }
        self.range(&name, "Module", (from, until), None);
    }

    pub fn host_work(&mut self, work: Work, from: u64, until: u64) {
        match work {
            Work::DataLoader => {
                let lane = self.thread(0);
                self.plain_op(
                    lane,
                    (from, until - call_ns(until - from)),
                    "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                );
            }
            Work::GarbageCollection => {
                let lane = self.lanes.garbage_collection(self.process << 32 | self.process);
                let (start, duration) = self.slice(from, until);
                let (kind, name) = (self.intern(Kind::Gc.name()), self.intern("GC"));
                let row = host_op::Row { lane, kind, start, duration, name, ..host_op::Row::default() };
                self.tables.host_op.push(row);
            }
        }
    }

    /// The host waited for the device.
    pub fn synchronisation(&mut self, reason: Reason, busy: u64, from: u64, until: u64) {
        self.close_node();
        let lane = self.thread(0);
        let step = call_ns(until - from);
        let inner = (from + 2 * step, until - 3 * step);
        match reason {
            Reason::Loss | Reason::Item => {
                self.plain_op(lane, (from, until - step), "aten::item");
                self.plain_op(lane, (from + step, until - 2 * step), "aten::_local_scalar_dense");
                self.call_if_seen(inner, "aclrtSynchronizeStreamWithTimeout");
            }
            Reason::Allocation => {
                self.plain_op(lane, (from, until - step / 2), "empty_tensor");
                let (waited, freed) = (until - busy, until - busy / 5 * 4);
                self.call_if_seen((from + step, waited), "aclrtSynchronizeStreamWithTimeout");
                self.call_if_seen((waited, freed), "aclrtFree");
                self.call_if_seen((freed, until - step), "aclrtMallocAlign32");
            }
            Reason::Checkpoint => {
                if self.config.with_stack {
                    self.begin_frame();
                    self.python("megatron/training/checkpointing.py(290): save_checkpoint", None, (from, until));
                    self.frames.pop();
                }
                self.call_if_seen((from, until - busy), "aclrtSynchronizeStreamWithTimeout");
                if self.sees_device() {
                    self.copy_to_host(busy * CHECKPOINT_BYTES_PER_NS, until - busy);
                }
            }
        }
    }

    fn call_if_seen(&mut self, span: (u64, u64), name: &str) {
        if self.sees_device() {
            self.runtime_call(span, name);
        }
    }

    /// The call of a communication.
    pub fn launch_communication(
        &mut self,
        spot: Spot,
        launch: &Launch,
        (op, api): (&str, &str),
        item: &str,
    ) -> Launched {
        self.close_node();
        let lane = self.thread_of(spot.block);
        let part = (launch.end - launch.start) / 40;
        let start = self.plain_op(lane, (launch.start, launch.end - part), op);
        let names = LaunchNames {
            enqueue: self.intern(&format!("Enqueue@{api}")),
            dequeue: self.intern(&format!("Dequeue@{api}")),
            api: self.intern(api),
            workspace_api: None,
            item: self.intern(item),
        };
        self.launch(launch, (lane, start), &names)
    }
}

/// What one call needs around another that takes so long in all.
fn call_ns(ns: u64) -> u64 {
    const MOST_NS: u64 = 2_000;
    (ns / 50).min(MOST_NS)
}
