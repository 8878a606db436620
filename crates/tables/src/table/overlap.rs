//! `overlap`: computing, communication and free time of a device as intervals.

use crate::{LaneId, Ns, Span, Str};

table! {
    Overlap = "overlap", Fact, time = "start";
    /// One row per interval of computing, communication, exposed communication or free time of the device.
    pub struct Row {
        /// Lane of the slice (`lane.lane`).
        pub lane: LaneId,
        /// Kind of interval: `computing`, `communication`, `exposed_communication` or `free`.
        pub kind: Str,
        /// Device number on the host.
        pub device: Option<i64>,
        /// Start time.
        pub start: Ns,
        /// Duration.
        pub duration: Span,
        /// Further arguments of the slice, as a JSON object.
        pub args: Option<Str>,
    }
}

names! {
    /// The activity of the device in an interval.
    pub enum Kind {
        Computing = "computing",
        Communication = "communication",
        /// Communication while no kernel computes.
        ExposedCommunication = "exposed_communication",
        /// Neither computing nor communication.
        Free = "free",
    }
}
