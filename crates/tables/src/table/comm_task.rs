//! `comm_task`: the pieces of a collective.

use crate::{LaneId, Ns, OpId, Span, Str, TaskId};

table! {
    CommTask = "comm_task", Fact, time = "start";
    /// One row per piece of a communication operation on a link: copy, reduction, notify, RDMA send.
    pub struct Row {
        /// Lane of the plane.
        pub lane: Option<LaneId>,
        /// Operation it belongs to (`comm_op.op`).
        pub op: Option<OpId>,
        /// Name of the operation, where the piece names another than `op` has, or an operation that is not there.
        pub op_name: Option<Str>,
        /// The task (`task.task`), where it is known.
        pub task: Option<TaskId>,
        /// Start.
        pub start: Ns,
        /// Duration.
        pub duration: Span,
        /// Kind of piece: Memcpy, Reduce_Inline, Notify_Wait, Notify_Record, RDMASend …
        pub name: Str,
        /// Kind as the arguments gave it, where it is not the name.
        pub task_type: Option<Str>,
        /// Plane, null where the source has none.
        pub plane: Option<i64>,
        /// Name of the communication group, where known.
        pub group_name: Option<Str>,
        /// Sending rank, numbered within the group; null for none.
        pub src_rank: Option<i64>,
        /// Receiving rank, numbered within the group; null for none.
        pub dst_rank: Option<i64>,
        /// SDMA, RDMA, LOCAL …
        pub transport: Option<Str>,
        /// ON_CHIP, HCCS, PCIE, ROCE, SIO …
        pub link: Option<Str>,
        /// RDMA payload kind.
        pub rdma_type: Option<Str>,
        /// Bytes moved.
        pub bytes: Option<i64> as "B",
        /// Element type.
        pub dtype: Option<Str>,
        /// Notify the piece records or waits for.
        pub notify_id: Option<Str>,
        /// Duration expected from size and link.
        pub estimated: Option<f64> as "us",
        /// Bandwidth as reported.
        pub bandwidth: Option<f64> as "GB/s",
        /// Whether the piece is on the plane that the operation's times are taken from.
        pub master: Option<bool>,
        /// Stream.
        pub stream: Option<i64>,
        /// Id on its stream.
        pub task_id: Option<i64>,
        /// Context of the task.
        pub context_id: Option<i64>,
        /// Model.
        pub model_id: Option<i64>,
        /// Further arguments of the slice, as a JSON object.
        pub args: Option<Str>,
    }
}
