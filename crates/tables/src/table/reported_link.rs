//! `reported_link`: communication_matrix.json, CommAnalyzerMatrix.

use crate::Str;

table! {
    ReportedLink = "reported_link", Reported;
    /// One row per operation class and link: what the source says went over it.
    pub struct Row {
        /// Step key, for example step50.
        pub step: Option<Str>,
        /// collective or p2p.
        pub kind: Option<Str>,
        /// Class and place, for example allreduce-top1; an operation in older files.
        pub name: Str,
        /// Hash of the group.
        pub group_hash: Option<Str>,
        /// Sending rank, numbered within the group.
        pub src_rank: Option<Str>,
        /// Receiving rank, numbered within the group.
        pub dst_rank: Option<Str>,
        /// LOCAL, HCCS, RDMA, PCIE, SIO …
        pub transport: Option<Str>,
        /// Moved.
        pub transit_size: Option<f64> as "MB",
        /// Time it took.
        pub transit_time: Option<f64> as "ms",
        /// Their quotient.
        pub bandwidth: Option<f64> as "GB/s",
        /// Operation the figures are from.
        pub op_name: Option<Str>,
    }
}
