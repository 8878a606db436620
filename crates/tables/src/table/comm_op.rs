//! `comm_op`: collectives and point-to-point operations.

use crate::{ConnectionId, LaneId, Ns, OpId, Span, Str};

table! {
    CommOp = "comm_op", Fact, time = "start";
    /// One row per collective or point-to-point operation of a rank.
    pub struct Row {
        /// Lane of the group.
        pub lane: LaneId,
        /// Number of the operation within the rank; `comm_task.op` points here.
        pub op: OpId,
        /// Start.
        pub start: Ns,
        /// Duration.
        pub duration: Span,
        /// Name, for example hcom_allReduce__586_0_1.
        pub name: Str,
        /// Operation type as the source gave it, for example hcom_allReduce_.
        pub op_type: Option<Str>,
        /// Name of the communication group, where known.
        pub group_name: Option<Str>,
        /// Hash of the group name: the number after @ in communication.json.
        pub group_hash: Option<Str>,
        /// Ranks in the group.
        pub rank_size: Option<i64>,
        /// Element type.
        pub dtype: Option<Str>,
        /// Elements.
        pub count: Option<i64>,
        /// Algorithm.
        pub algorithm: Option<Str>,
        /// Whether a relay path was used.
        pub relay: Option<Str>,
        /// Whether data was sent again.
        pub retry: Option<Str>,
        /// CANN call that launched the operation.
        pub connection_id: Option<ConnectionId>,
        /// Step that launched the operation: see `step_of_work` in `npuscope glossary`. Filled where `step_time` is.
        pub step: Option<i64>,
        /// Model.
        pub model_id: Option<i64>,
        /// Device.
        pub device: Option<i64>,
        /// Gap to the previous operation, where a viewer stored it.
        pub wait: Option<Span>,
        /// Further arguments of the slice, as a JSON object.
        pub args: Option<Str>,
    }
}
