//! `reported_op_type`: op_statistic.csv.

use crate::Str;

table! {
    ReportedOpType = "reported_op_type", Reported;
    /// One row per operator type and core, with the time of its kernels as reported by the profiler
    /// (`op_statistic.csv`).
    pub struct Row {
        /// Device number on the host.
        pub device: Option<i64>,
        /// Operator type.
        pub op_type: Str,
        /// Accelerator core.
        pub core: Option<Str>,
        /// Number of kernels.
        pub count: Option<i64>,
        /// Total duration.
        pub total: Option<f64> as "us",
        /// Minimum duration.
        pub min: Option<f64> as "us",
        /// Average duration.
        pub avg: Option<f64> as "us",
        /// Maximum duration.
        pub max: Option<f64> as "us",
        /// Share of the time of all kernels.
        pub ratio: Option<f64> as "%",
    }
}
