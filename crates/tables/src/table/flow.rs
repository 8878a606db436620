//! `flow`: arrows of the timeline.

use crate::{ConnectionId, LaneId, Ns, Str};

table! {
    Flow = "flow", Fact, time = "src_time";
    /// One row per arrow between two slices; an end that is missing in the source is null.
    pub struct Row {
        /// Kind of flow: `async_task_queue`, `async_npu`, `fwdbwd`, `HostToDevice`, `MsTx` …
        pub kind: Str,
        /// Flow id within its kind, if it is a number.
        pub id: Option<i64>,
        /// Flow id, if it does not fit a number.
        pub id_text: Option<Str>,
        /// Name, where kind and id do not imply it.
        pub name: Option<Str>,
        /// Lane of the slice at the start of the arrow.
        pub src_lane: Option<LaneId>,
        /// Start time of the slice at the start of the arrow.
        pub src_time: Option<Ns>,
        /// Lane of the slice at the end of the arrow.
        pub dst_lane: Option<LaneId>,
        /// Start time of the slice at the end of the arrow.
        pub dst_time: Option<Ns>,
        /// Connection id of the work at the end of the arrow, where the source has it; needed because two tasks of a
        /// stream may start at the same time.
        pub connection_id: Option<ConnectionId>,
        /// True for further ends of a flow, whose start is in an earlier row.
        pub branch: Option<bool>,
        /// Whether the start event has a binding point, where that differs from the default of the kind.
        pub src_binding: Option<bool>,
    }
}
