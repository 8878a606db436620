//! `reported_op_type`: op_statistic.csv.

use crate::Str;

table! {
    ReportedOpType = "reported_op_type", Reported;
    /// One row per operator type and core: how much time the source says its kernels took.
    pub struct Row {
        /// Device.
        pub device: Option<i64>,
        /// Operator type.
        pub op_type: Str,
        /// Accelerator core.
        pub core: Option<Str>,
        /// Kernels.
        pub count: Option<i64>,
        /// Sum of durations.
        pub total: Option<f64> as "us",
        /// Shortest.
        pub min: Option<f64> as "us",
        /// Mean.
        pub avg: Option<f64> as "us",
        /// Longest.
        pub max: Option<f64> as "us",
        /// Share of all kernels' time.
        pub ratio: Option<f64> as "%",
    }
}
