//! `reported_step`: step_trace_time.csv, StepTraceTime.

use crate::Str;

table! {
    ReportedStep = "reported_step", Reported;
    /// One row per step, with the breakdown of its time as reported by the profiler (`step_trace_time.csv`,
    /// `StepTraceTime`).
    pub struct Row {
        /// Device number on the host.
        pub device: Option<i64>,
        /// Step as text, because some profilers write no step number.
        pub step: Option<Str>,
        /// Computing time.
        pub computing: Option<f64> as "us",
        /// Communication time that computing does not overlap.
        pub communication_not_overlapped: Option<f64> as "us",
        /// Communication time that computing overlaps.
        pub overlapped: Option<f64> as "us",
        /// Communication time.
        pub communication: Option<f64> as "us",
        /// Time without computing and communication.
        pub free: Option<f64> as "us",
        /// Time from the first to the last activity, without the bubble.
        pub stage: Option<f64> as "us",
        /// Time spent waiting to receive.
        pub bubble: Option<f64> as "us",
        /// Communication time that computing does not overlap, without the bubble.
        pub communication_not_overlapped_exclude_receive: Option<f64> as "us",
        /// Time from the start of the step on the host to the first activity of the device.
        pub preparing: Option<f64> as "us",
    }
}

impl Row {
    /// Its figures, in the order of `step_trace_time.csv`.
    pub fn figures(&self) -> [Option<f64>; 9] {
        [
            self.computing,
            self.communication_not_overlapped,
            self.overlapped,
            self.communication,
            self.free,
            self.stage,
            self.bubble,
            self.communication_not_overlapped_exclude_receive,
            self.preparing,
        ]
    }
}
