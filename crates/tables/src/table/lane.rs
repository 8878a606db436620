//! `lane`: lanes of the timeline.

use crate::{LaneId, Str};

table! {
    Lane = "lane", Fact;
    /// One row per lane of the timeline: a thread of a process, a stream of a device, a plane of a communication group,
    /// or a counter layer.
    pub struct Row {
        /// Number of the lane within the rank; other tables refer to it.
        pub lane: LaneId,
        /// Layer that the lane belongs to: `framework`, `cann`, `hardware`, `communication`, `overlap`, `counter`,
        /// `mstx`, `gc` or `other`.
        pub layer: Str,
        /// Process id in the trace.
        pub pid: i64,
        /// Thread id in the trace.
        pub tid: i64,
        /// Process id, where the trace has text instead of a number.
        pub pid_text: Option<Str>,
        /// Thread id, where the trace has text instead of a number.
        pub tid_text: Option<Str>,
        /// Process name.
        pub process: Option<Str>,
        /// Thread name.
        pub thread: Option<Str>,
        /// Label of the process, for example CPU or NPU 0.
        pub label: Option<Str>,
        /// Sort index of the process in the trace.
        pub process_sort: Option<i64>,
        /// Sort index of the thread within its process.
        pub thread_sort: Option<i64>,
    }
}

names! {
    /// The kind of activity on a lane.
    pub enum Layer {
        /// Operators, queues and Python functions of the framework.
        Framework = "framework",
        Cann = "cann",
        /// Streams of a device.
        Hardware = "hardware",
        /// Groups and planes of collective communication.
        Communication = "communication",
        /// Computing, communication and free time of a device, as intervals.
        Overlap = "overlap",
        Counter = "counter",
        Mstx = "mstx",
        Gc = "gc",
        Other = "other",
    }
}
