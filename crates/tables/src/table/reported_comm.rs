//! `reported_comm`: the time part of communication.json, CommAnalyzerTime.

use crate::Str;

table! {
    ReportedComm = "reported_comm", Reported;
    /// One row per communication operation of a step: how the source says its time divided.
    pub struct Row {
        /// Step key, for example step50.
        pub step: Option<Str>,
        /// collective or p2p.
        pub kind: Option<Str>,
        /// Operation, or Total Op Info.
        pub name: Str,
        /// Hash of the group.
        pub group_hash: Option<Str>,
        /// Start, good to a quarter microsecond.
        pub start: Option<f64> as "us",
        /// Elapsed.
        pub elapse: Option<f64> as "ms",
        /// Moving data.
        pub transit: Option<f64> as "ms",
        /// Waiting for others.
        pub wait: Option<f64> as "ms",
        /// Waiting before the first data moved.
        pub synchronization: Option<f64> as "ms",
        /// The rest.
        pub idle: Option<f64> as "ms",
        /// wait / (wait + transit).
        pub wait_ratio: Option<f64>,
        /// synchronization / (synchronization + transit).
        pub synchronization_ratio: Option<f64>,
    }
}
