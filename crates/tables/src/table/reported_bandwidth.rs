//! `reported_bandwidth`: the bandwidth part of communication.json, CommAnalyzerBandwidth.

use crate::Str;

table! {
    ReportedBandwidth = "reported_bandwidth", Reported;
    /// One row per communication operation, transport and packet size, as reported by the profiler
    /// (`communication.json`, `CommAnalyzerBandwidth`); packet columns are null where the source lists no packets.
    pub struct Row {
        /// Step key, for example `step50`.
        pub step: Option<Str>,
        /// Kind of operation: `collective` or `p2p`.
        pub kind: Option<Str>,
        /// Name of the operation, or `Total Op Info` for the sum of all.
        pub name: Str,
        /// Hash of the communication group's name.
        pub group_hash: Option<Str>,
        /// Transport: `RDMA`, `HCCS`, `PCIE`, `SDMA`, `SIO` …
        pub transport: Str,
        /// Data moved.
        pub transit_size: Option<f64> as "MB",
        /// Time spent moving the data.
        pub transit_time: Option<f64> as "ms",
        /// Bandwidth: transit_size / transit_time.
        pub bandwidth: Option<f64> as "GB/s",
        /// Share of packets that are large enough to use the link efficiently.
        pub large_packet_ratio: Option<f64>,
        /// Packet size, as text of the source.
        pub package_size: Option<Str> as "MB",
        /// Number of packets of that size.
        pub count: Option<f64>,
        /// Total duration of those packets.
        pub total_duration: Option<f64> as "ms",
    }
}
