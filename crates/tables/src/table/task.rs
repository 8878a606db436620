//! `task`: what the device ran.

use crate::{ConnectionId, LaneId, Ns, Span, Str, TaskId};

table! {
    Task = "task", Fact, time = "start";
    /// One row per device task on a stream: kernel, copy, event, notify, piece of a collective.
    pub struct Row {
        /// Lane of the stream.
        pub lane: LaneId,
        /// Number of the task within the rank; `kernel.task` and `comm_task.task` point here.
        pub task: TaskId,
        /// Start.
        pub start: Ns,
        /// Duration.
        pub duration: Span,
        /// Kernel name, or the kind of task where it is no kernel.
        pub name: Str,
        /// Task type as the source gave it.
        pub task_type: Option<Str>,
        /// Device the task ran on.
        pub device: Option<i64>,
        /// Stream.
        pub stream: Option<i64>,
        /// Id on its stream; wraps, so it is unique only with the batch id.
        pub task_id: Option<i64>,
        /// How often the task id had wrapped.
        pub batch_id: Option<i64>,
        /// Id within the task, for tasks that run as several.
        pub subtask_id: Option<i64>,
        /// Model the task belongs to.
        pub model_id: Option<i64>,
        /// Call that launched the task: `host_op.connection_id` of the CANN, CUDA or HIP call.
        pub connection_id: Option<ConnectionId>,
        /// Step that launched the task: see `step_of_work` in `npuscope glossary`. Filled where `step_time` is.
        pub step: Option<i64>,
        /// Bytes copied, for copies.
        pub bytes: Option<i64> as "B",
        /// Bandwidth of the copy, as reported.
        pub bandwidth: Option<f64> as "GB/s",
        /// Direction of the copy.
        pub operation: Option<Str>,
        /// Further arguments of the slice, as a JSON object.
        pub args: Option<Str>,
    }
}
