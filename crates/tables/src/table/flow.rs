//! `flow`: arrows of the timeline.

use crate::{ConnectionId, LaneId, Ns, Str};

table! {
    Flow = "flow", Fact, time = "src_time";
    /// One row per arrow between two slices. Either end may be missing where the source lost it.
    pub struct Row {
        /// async_task_queue, async_npu, fwdbwd, HostToDevice, MsTx …
        pub kind: Str,
        /// Id of the flow within its kind, where it is a number.
        pub id: Option<i64>,
        /// Id of the flow where it does not fit a number.
        pub id_text: Option<Str>,
        /// Name, where it is not implied by kind and id.
        pub name: Option<Str>,
        /// Lane of the slice the arrow leaves.
        pub src_lane: Option<LaneId>,
        /// When that slice starts.
        pub src_time: Option<Ns>,
        /// Lane of the slice the arrow reaches.
        pub dst_lane: Option<LaneId>,
        /// When that slice starts.
        pub dst_time: Option<Ns>,
        /// Connection id of the work the arrow reaches, where the source names it. Lane and time are not always enough:
        /// two tasks of a stream may start together.
        pub connection_id: Option<ConnectionId>,
        /// Set on further ends of a flow: its start is that of an earlier row.
        pub branch: Option<bool>,
        /// Whether the start event names a binding point, where that is not the habit of the kind.
        pub src_binding: Option<bool>,
    }
}
