//! `reported_api`: api_statistic.csv.

use crate::Str;

table! {
    ReportedApi = "reported_api", Reported;
    /// One row per CANN API: how much time the source says its calls took.
    pub struct Row {
        /// Device, or host.
        pub device: Option<Str>,
        /// acl, node, model, runtime, hccl or communication.
        pub level: Str,
        /// API.
        pub name: Str,
        /// Sum of durations.
        pub total: Option<f64> as "us",
        /// Calls.
        pub count: Option<i64>,
        /// Mean.
        pub avg: Option<f64> as "us",
        /// Shortest.
        pub min: Option<f64> as "us",
        /// Longest.
        pub max: Option<f64> as "us",
        /// Population variance.
        pub variance: Option<f64> as "us2",
    }
}
