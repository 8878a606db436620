//! `reported_operator`: operator_details.csv.

use crate::Str;

table! {
    ReportedOperator = "reported_operator", Reported;
    /// One row per framework operator call: host and device time the source attributes to it.
    pub struct Row {
        /// Operator.
        pub name: Str,
        /// Input shapes, one tensor a line.
        pub shapes: Option<Str>,
        /// Call stack, innermost frame first, one frame a line.
        pub stack: Option<Str>,
        /// Host time without the operators inside.
        pub host_self: Option<f64> as "us",
        /// Host time.
        pub host_total: Option<f64> as "us",
        /// Device time of the kernels it launched itself.
        pub device_self: Option<f64> as "us",
        /// Device time of all kernels launched within.
        pub device_total: Option<f64> as "us",
        /// Of device_self, on AI Core.
        pub device_self_aicore: Option<f64> as "us",
        /// Of device_total, on AI Core.
        pub device_total_aicore: Option<f64> as "us",
    }
}
