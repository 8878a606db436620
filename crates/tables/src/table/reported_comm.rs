//! `reported_comm`: the time part of communication.json, CommAnalyzerTime.

use crate::Str;

table! {
    ReportedComm = "reported_comm", Reported;
    /// One row per communication operation of a step, with the breakdown of its time as reported by the profiler
    /// (`communication.json`, `CommAnalyzerTime`).
    pub struct Row {
        /// Step key, for example `step50`.
        pub step: Option<Str>,
        /// Kind of operation: `collective` or `p2p`.
        pub kind: Option<Str>,
        /// Name of the operation, or `Total Op Info` for the sum of all.
        pub name: Str,
        /// Hash of the communication group's name.
        pub group_hash: Option<Str>,
        /// Start time, accurate to 0.25 us.
        pub start: Option<f64> as "us",
        /// Elapsed time.
        pub elapse: Option<f64> as "ms",
        /// Time spent moving data.
        pub transit: Option<f64> as "ms",
        /// Time spent waiting for other ranks.
        pub wait: Option<f64> as "ms",
        /// Time spent waiting before the first data moved.
        pub synchronization: Option<f64> as "ms",
        /// Elapsed time that is neither transit nor wait.
        pub idle: Option<f64> as "ms",
        /// Wait ratio: wait / (wait + transit).
        pub wait_ratio: Option<f64>,
        /// Synchronization ratio: synchronization / (synchronization + transit).
        pub synchronization_ratio: Option<f64>,
    }
}
