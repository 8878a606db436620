//! `overlap`: how a device's time divides.

use crate::{LaneId, Ns, Span, Str};

table! {
    Overlap = "overlap", Fact, time = "start";
    /// One row per interval of the device's computing, communication, exposed communication or free time.
    pub struct Row {
        /// Lane.
        pub lane: LaneId,
        /// computing, communication, exposed_communication or free.
        pub kind: Str,
        /// Device.
        pub device: Option<i64>,
        /// Start.
        pub start: Ns,
        /// Duration.
        pub duration: Span,
        /// Further arguments of the slice, as a JSON object.
        pub args: Option<Str>,
    }
}

names! {
    /// What the device did during an interval.
    pub enum Kind {
        Computing = "computing",
        Communication = "communication",
        /// Communication with no computing beside it.
        ExposedCommunication = "exposed_communication",
        /// Neither.
        Free = "free",
    }
}
