//! `comm_task`: the tasks of communication operations.

use crate::{LaneId, Ns, OpId, Span, Str, TaskId};

table! {
    CommTask = "comm_task", Fact, time = "start";
    /// One row per task of a communication operation on a link: copy, reduction, notify, or RDMA send.
    pub struct Row {
        /// Lane of the plane.
        pub lane: Option<LaneId>,
        /// Communication operation that the task belongs to (`comm_op.op`).
        pub op: Option<OpId>,
        /// Operation that the task names, where it differs from the name of `op` or is not in `comm_op`.
        pub op_name: Option<Str>,
        /// Device task (`task.task`), where known.
        pub task: Option<TaskId>,
        /// Start time.
        pub start: Ns,
        /// Duration.
        pub duration: Span,
        /// Kind of task: `Memcpy`, `Reduce_Inline`, `Notify_Wait`, `Notify_Record`, `RDMASend` …
        pub name: Str,
        /// Task type in the arguments, where it differs from the name.
        pub task_type: Option<Str>,
        /// Plane; null where the source has none.
        pub plane: Option<i64>,
        /// Name of the communication group, where known.
        pub group_name: Option<Str>,
        /// Sending rank, numbered within the group; null if there is none.
        pub src_rank: Option<i64>,
        /// Receiving rank, numbered within the group; null if there is none.
        pub dst_rank: Option<i64>,
        /// Transport: `SDMA`, `RDMA`, `LOCAL` …
        pub transport: Option<Str>,
        /// Link type: `ON_CHIP`, `HCCS`, `PCIE`, `ROCE`, `SIO` …
        pub link: Option<Str>,
        /// Kind of RDMA payload.
        pub rdma_type: Option<Str>,
        /// Bytes moved.
        pub bytes: Option<i64> as "B",
        /// Element type.
        pub dtype: Option<Str>,
        /// Id of the notify that the task records or waits for.
        pub notify_id: Option<Str>,
        /// Duration expected from size and link.
        pub estimated: Option<f64> as "us",
        /// Bandwidth, as reported by the profiler.
        pub bandwidth: Option<f64> as "GB/s",
        /// Whether the task is on the plane that determines the times of the operation.
        pub master: Option<bool>,
        /// Stream id.
        pub stream: Option<i64>,
        /// Task id within the stream.
        pub task_id: Option<i64>,
        /// Context id of the task.
        pub context_id: Option<i64>,
        /// Model id.
        pub model_id: Option<i64>,
        /// Further arguments of the slice, as a JSON object.
        pub args: Option<Str>,
    }
}
