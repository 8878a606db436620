//! `reported_api`: api_statistic.csv.

use crate::Str;

table! {
    ReportedApi = "reported_api", Reported;
    /// One row per CANN API, with the time of its calls as reported by the profiler (`api_statistic.csv`).
    pub struct Row {
        /// Device number, or `host`.
        pub device: Option<Str>,
        /// API level: `acl`, `node`, `model`, `runtime`, `hccl` or `communication`.
        pub level: Str,
        /// API name.
        pub name: Str,
        /// Total duration.
        pub total: Option<f64> as "us",
        /// Number of calls.
        pub count: Option<i64>,
        /// Average duration.
        pub avg: Option<f64> as "us",
        /// Minimum duration.
        pub min: Option<f64> as "us",
        /// Maximum duration.
        pub max: Option<f64> as "us",
        /// Population variance of the durations.
        pub variance: Option<f64> as "us²",
    }
}
