//! The device side: tasks on streams, and kernels with what is known of them.

use npuscope_tables::table::{kernel, kernel_cache, task};
use npuscope_tables::{ConnectionId, LaneId, Ns, Span, Str, TaskId};

use super::host::Launched;
use super::names::{joined, quoted};
use super::{COMPUTE_STREAM, NONE_ID, Recorder, metrics};
use crate::config::Level;
use crate::kernels::Core;
use crate::network::scaled;
use crate::play::{KernelRun, frequency};

/// A task to be recorded.
pub struct NewTask<'a> {
    pub stream: i64,
    /// From and until when, in ns from the start of the job.
    pub span: (u64, u64),
    pub name: &'a str,
    pub kind: &'a str,
    pub subtask: i64,
    pub connection: Option<ConnectionId>,
}

/// Where a task that was recorded is.
#[derive(Clone, Copy)]
pub struct Placed {
    pub lane: LaneId,
    pub start: Ns,
    pub duration: Span,
    pub number: TaskId,
    pub task_id: i64,
}

impl Recorder<'_> {
    pub fn task(&mut self, new: &NewTask<'_>) -> Placed {
        let (name, kind) = (self.intern(new.name), self.intern(new.kind));
        self.place(
            new.stream,
            new.span,
            name,
            kind,
            new.subtask,
            task::Row { connection_id: new.connection, ..task::Row::default() },
        )
    }

    fn place(&mut self, stream: i64, span: (u64, u64), name: Str, kind: Str, subtask: i64, row: task::Row) -> Placed {
        let number = self.next_task;
        self.next_task = number.plus(1);
        let task_id = number.0 % 65_536;
        let lane = self.lanes.stream(self.device, stream);
        let (start, duration) = self.slice(span.0, span.1);
        self.tables.task.push(task::Row {
            lane,
            task: number,
            start,
            duration,
            name,
            task_type: Some(kind),
            device: Some(self.device),
            stream: Some(stream),
            task_id: Some(task_id),
            batch_id: Some(number.0 / 65_536),
            subtask_id: Some(subtask),
            model_id: Some(NONE_ID),
            ..row
        });
        Placed { lane, start, duration, number, task_id }
    }

    /// A kernel ran.
    pub fn run_kernel(&mut self, run: &KernelRun<'_>, launched: &Launched) {
        let names = self.names.kernel(run.number, run.spec, &mut self.tables.strings);
        let words = self.names.words(&mut self.tables.strings);
        let connection = task::Row { connection_id: Some(launched.connection), ..task::Row::default() };
        let task = self.place(COMPUTE_STREAM, (run.start, run.end), names.kernel, names.core, NONE_ID, connection);
        self.arrows(launched, (task.lane, task.start));
        let end = task.start.plus(task.duration.ns());
        self.computing.push(npuscope_measures::intervals::Interval::new(task.start.0, end.0));
        let mut row = kernel::Row {
            task: Some(task.number),
            reported_step: Some(self.marked_number()),
            device: Some(self.device),
            start: task.start,
            duration: task.duration,
            name: names.kernel,
            ..kernel::Row::default()
        };
        if self.config.level > Level::Level0 {
            let core = run.spec.operator.core;
            let on_core = metrics::metrics(self.config, run, frequency(self.config, self.rank, self.step));
            row = kernel::Row {
                op_type: Some(names.op_type),
                state: Some(words.dynamic),
                core: Some(names.core),
                stream: Some(COMPUTE_STREAM),
                task_id: Some(task.task_id),
                model_id: Some(NONE_ID),
                block_num: Some(match core {
                    Core::Vector => 48,
                    Core::AiCpu => 1,
                    _ => 24,
                }),
                mix_block_num: Some(if core == Core::Mix { 48 } else { 0 }),
                hf32: Some(words.no),
                input_shapes: Some(names.input_shapes),
                input_dtypes: Some(names.input_dtypes),
                input_formats: Some(names.input_formats),
                output_shapes: Some(names.output_shapes),
                output_dtypes: Some(names.output_dtype),
                output_formats: Some(words.nd),
                task: row.task,
                reported_step: row.reported_step,
                device: row.device,
                start: row.start,
                duration: row.duration,
                name: row.name,
                ..on_core
            };
            if run.expert_factor > 1.0 {
                self.expert_shapes(run, &mut row);
            }
        }
        self.kernels.push(row);
        if self.config.l2_cache && run.spec.operator.core != Core::AiCpu {
            let (hits, victims) = metrics::cache(run.spec);
            self.tables.kernel_cache.push(kernel_cache::Row {
                cache: words.l2,
                stream: Some(COMPUTE_STREAM),
                task_id: Some(task.task_id),
                name: Some(names.kernel),
                hit_rate: Some(hits),
                victim_rate: Some(victims),
                ..kernel_cache::Row::default()
            });
        }
    }

    /// The shapes of a kernel of experts that got more tokens.
    fn expert_shapes(&mut self, run: &KernelRun<'_>, row: &mut kernel::Row) {
        let more = |shape: &[u64]| match shape {
            [rows, rest @ ..] => [&[scaled(*rows, run.expert_factor)], rest].concat(),
            [] => Vec::new(),
        };
        let mut inputs: Vec<String> = run.spec.inputs.iter().map(|shape| joined(shape)).collect();
        if let (Some(text), Some(tokens)) = (inputs.first_mut(), run.spec.inputs.first()) {
            *text = joined(&more(tokens));
        }
        row.input_shapes = Some(self.intern(&quoted(&inputs)));
        row.output_shapes = Some(self.intern(&quoted(&[joined(&more(&run.spec.output))])));
    }

    /// The computing stream waited for a communication.
    pub fn event_wait(&mut self, from: u64, until: u64) {
        self.plain_task((from, until), "EVENT_WAIT", None);
    }

    /// The computing stream notified a stream of communication that its data is there.
    pub fn event_record(&mut self, at: u64, connection: ConnectionId) {
        self.plain_task((at, at), "EVENT_RECORD", Some(connection));
    }

    fn plain_task(&mut self, span: (u64, u64), name: &str, connection: Option<ConnectionId>) -> Placed {
        self.task(&NewTask { stream: COMPUTE_STREAM, span, name, kind: name, subtask: NONE_ID, connection })
    }

    /// The device's side of a user range, which is recorded at every level.
    pub fn marker_task(&mut self, message: &str, stream: i64, span: (u64, u64), connection: ConnectionId) {
        let (subtask, connection) = (NONE_ID, Some(connection));
        self.task(&NewTask { stream, span, name: message, kind: "MSTX", subtask, connection });
    }

    /// The batch goes to the device.
    pub fn copy_to_device(&mut self, bytes: u64, span: (u64, u64)) {
        self.copy(span, bytes, "host to device");
    }

    /// The weights go to the host, which then writes them.
    pub fn copy_to_host(&mut self, bytes: u64, from: u64) {
        self.copy((from, from + self.config.chip.copy_ns(bytes)), bytes, "device to host");
    }

    fn copy(&mut self, span: (u64, u64), bytes: u64, operation: &str) {
        let (lane, start, connection) = self.runtime_call((span.0, span.1), "aclrtMemcpyAsync");
        let name = self.intern("MEMCPY_ASYNC");
        let operation = self.intern(operation);
        let row = task::Row {
            connection_id: Some(connection),
            bytes: (self.config.level == Level::Level2).then(|| i64::try_from(bytes).unwrap_or(i64::MAX)),
            operation: (self.config.level == Level::Level2).then_some(operation),
            ..task::Row::default()
        };
        let task = self.place(COMPUTE_STREAM, span, name, name, NONE_ID, row);
        let words = self.names.words(&mut self.tables.strings);
        self.flow(words.host_to_device, connection.0 << 32, (lane, start), (task.lane, task.start));
    }
}
