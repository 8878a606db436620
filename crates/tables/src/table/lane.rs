//! `lane`: the rows of a timeline.

use crate::{LaneId, Str};

table! {
    Lane = "lane", Fact;
    /// One row per line of the timeline: a thread of a process, a stream of a device, a plane of a group, a counter layer.
    pub struct Row {
        /// Number of the lane within the rank; other tables point here.
        pub lane: LaneId,
        /// Layer the lane belongs to: framework, cann, hardware, communication, overlap, counter, mstx, gc or other.
        pub layer: Str,
        /// Process id in the trace.
        pub pid: i64,
        /// Thread id in the trace.
        pub tid: i64,
        /// Process id where the trace gave text instead of a number.
        pub pid_text: Option<Str>,
        /// Thread id where the trace gave text instead of a number.
        pub tid_text: Option<Str>,
        /// Name of the process.
        pub process: Option<Str>,
        /// Name of the thread.
        pub thread: Option<Str>,
        /// Label of the process, for example CPU or NPU 0.
        pub label: Option<Str>,
        /// Where the process sorts among its siblings.
        pub process_sort: Option<i64>,
        /// Where the thread sorts among its siblings.
        pub thread_sort: Option<i64>,
    }
}

names! {
    /// What kind of activity a lane shows.
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
