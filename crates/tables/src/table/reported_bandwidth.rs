//! `reported_bandwidth`: the bandwidth part of communication.json, CommAnalyzerBandwidth.

use crate::Str;

table! {
    ReportedBandwidth = "reported_bandwidth", Reported;
    /// One row per operation, transport and packet size; packet columns are null where the source lists no packets.
    pub struct Row {
        /// Step key, for example step50.
        pub step: Option<Str>,
        /// collective or p2p.
        pub kind: Option<Str>,
        /// Operation, or Total Op Info.
        pub name: Str,
        /// Hash of the group.
        pub group_hash: Option<Str>,
        /// RDMA, HCCS, PCIE, SDMA, SIO …
        pub transport: Str,
        /// Moved.
        pub transit_size: Option<f64> as "MB",
        /// Time it took.
        pub transit_time: Option<f64> as "ms",
        /// Their quotient.
        pub bandwidth: Option<f64> as "GB/s",
        /// Share of packets above the size that uses the link well.
        pub large_packet_ratio: Option<f64>,
        /// Packet size, as the source's text.
        pub package_size: Option<Str> as "MB",
        /// Packets of that size.
        pub count: Option<f64>,
        /// Time of those packets.
        pub total_duration: Option<f64> as "ms",
    }
}
