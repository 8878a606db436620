//! `reported_step`: step_trace_time.csv, StepTraceTime.

use crate::Str;

table! {
    ReportedStep = "reported_step", Reported;
    /// One row per step: how the source says its time divided.
    pub struct Row {
        /// Device.
        pub device: Option<i64>,
        /// Step, as text: peers also write none.
        pub step: Option<Str>,
        /// Computing.
        pub computing: Option<f64> as "us",
        /// Communication that no computing covers.
        pub communication_not_overlapped: Option<f64> as "us",
        /// Communication that computing covers.
        pub overlapped: Option<f64> as "us",
        /// Communication.
        pub communication: Option<f64> as "us",
        /// Neither computing nor communication.
        pub free: Option<f64> as "us",
        /// From the first to the last activity, without the bubble.
        pub stage: Option<f64> as "us",
        /// Waiting to receive.
        pub bubble: Option<f64> as "us",
        /// Communication that no computing covers, without the bubble.
        pub communication_not_overlapped_exclude_receive: Option<f64> as "us",
        /// From the step's start on the host to the first activity of the device.
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
