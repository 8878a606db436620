//! `reported_link`: communication_matrix.json, CommAnalyzerMatrix.

use crate::Str;

table! {
    ReportedLink = "reported_link", Reported;
    /// One row per operation class and link, with the data moved over it as reported by the profiler
    /// (`communication_matrix.json`, `CommAnalyzerMatrix`).
    pub struct Row {
        /// Step key, for example `step50`.
        pub step: Option<Str>,
        /// Kind of operation: `collective` or `p2p`.
        pub kind: Option<Str>,
        /// Operation class and position, for example `allreduce-top1`; the operation in older files.
        pub name: Str,
        /// Hash of the communication group's name.
        pub group_hash: Option<Str>,
        /// Sending rank, numbered within the group.
        pub src_rank: Option<Str>,
        /// Receiving rank, numbered within the group.
        pub dst_rank: Option<Str>,
        /// Transport: `LOCAL`, `HCCS`, `RDMA`, `PCIE`, `SIO` …
        pub transport: Option<Str>,
        /// Data moved.
        pub transit_size: Option<f64> as "MB",
        /// Time spent moving the data.
        pub transit_time: Option<f64> as "ms",
        /// Bandwidth: transit_size / transit_time.
        pub bandwidth: Option<f64> as "GB/s",
        /// Operation that the values are taken from.
        pub op_name: Option<Str>,
    }
}
