//! `reported_operator`: operator_details.csv.

use crate::Str;

table! {
    ReportedOperator = "reported_operator", Reported;
    /// One row per call of a framework operator, with its host and device time as reported by the profiler
    /// (`operator_details.csv`).
    pub struct Row {
        /// Operator name.
        pub name: Str,
        /// Input shapes, one tensor per line.
        pub shapes: Option<Str>,
        /// Call stack, innermost frame first, one frame per line.
        pub stack: Option<Str>,
        /// Host time without nested operators.
        pub host_self: Option<f64> as "us",
        /// Host time with nested operators.
        pub host_total: Option<f64> as "us",
        /// Device time of the kernels that the operator launched itself.
        pub device_self: Option<f64> as "us",
        /// Device time of all kernels launched within the operator.
        pub device_total: Option<f64> as "us",
        /// Part of `device_self` on AI Core.
        pub device_self_aicore: Option<f64> as "us",
        /// Part of `device_total` on AI Core.
        pub device_total_aicore: Option<f64> as "us",
    }
}
