//! `task`: tasks on device streams.

use crate::{ConnectionId, LaneId, Ns, Span, Str, TaskId};

table! {
    Task = "task", Fact, time = "start";
    /// One row per device task on a stream: kernel, copy, event, notify, or task of a collective.
    pub struct Row {
        /// Lane of the stream.
        pub lane: LaneId,
        /// Number of the task within the rank; `kernel.task` and `comm_task.task` refer to it.
        pub task: TaskId,
        /// Start time.
        pub start: Ns,
        /// Duration.
        pub duration: Span,
        /// Kernel name, or the kind of task if it is not a kernel.
        pub name: Str,
        /// Task type, as in the source.
        pub task_type: Option<Str>,
        /// Device that the task ran on.
        pub device: Option<i64>,
        /// Stream id.
        pub stream: Option<i64>,
        /// Task id within the stream; it wraps around, so that it is unique only together with the batch id.
        pub task_id: Option<i64>,
        /// Number of times that the task id had wrapped around.
        pub batch_id: Option<i64>,
        /// Id within the task, for tasks that consist of several.
        pub subtask_id: Option<i64>,
        /// Id of the model that the task belongs to.
        pub model_id: Option<i64>,
        /// Call that launched the task: `host_op.connection_id` of the CANN, CUDA or HIP call.
        pub connection_id: Option<ConnectionId>,
        /// Step that launched the task: see `step_of_work` in `npuscope glossary`; filled where `step_time` has rows.
        pub step: Option<i64>,
        /// Bytes copied, for copies.
        pub bytes: Option<i64> as "B",
        /// Bandwidth of the copy, as reported by the profiler.
        pub bandwidth: Option<f64> as "GB/s",
        /// Direction of the copy.
        pub operation: Option<Str>,
        /// Further arguments of the slice, as a JSON object.
        pub args: Option<Str>,
    }
}
