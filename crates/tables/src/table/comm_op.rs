//! `comm_op`: communication operations: collectives, sends and receives.

use crate::{ConnectionId, LaneId, Ns, OpId, Span, Str};

table! {
    CommOp = "comm_op", Fact, time = "start";
    /// One row per communication operation of a rank: a collective, or a point-to-point operation.
    pub struct Row {
        /// Lane of the communication group.
        pub lane: LaneId,
        /// Number of the operation within the rank; `comm_task.op` refers to it.
        pub op: OpId,
        /// Start time.
        pub start: Ns,
        /// Duration.
        pub duration: Span,
        /// Name of the operation, for example `hcom_allReduce__586_0_1`.
        pub name: Str,
        /// Operation type, as in the source, for example `hcom_allReduce_`.
        pub op_type: Option<Str>,
        /// Name of the communication group, where known.
        pub group_name: Option<Str>,
        /// Hash of the communication group's name: the number after @ in `communication.json`.
        pub group_hash: Option<Str>,
        /// Number of ranks in the communication group.
        pub rank_size: Option<i64>,
        /// Element type.
        pub dtype: Option<Str>,
        /// Number of elements.
        pub count: Option<i64>,
        /// Algorithm.
        pub algorithm: Option<Str>,
        /// Whether a relay path was used.
        pub relay: Option<Str>,
        /// Whether data was sent again.
        pub retry: Option<Str>,
        /// CANN call that launched the operation.
        pub connection_id: Option<ConnectionId>,
        /// Step that launched the operation: see `step_of_work` in `npuscope glossary`; filled where `step_time` has
        /// rows.
        pub step: Option<i64>,
        /// Model id.
        pub model_id: Option<i64>,
        /// Device number on the host.
        pub device: Option<i64>,
        /// Gap to the previous operation, if the source has it: databases that MindStudio Insight has opened.
        pub wait: Option<Span>,
        /// Further arguments of the slice, as a JSON object.
        pub args: Option<Str>,
    }
}
