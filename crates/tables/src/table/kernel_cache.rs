//! `kernel_cache`: cache statistics of kernels.

use crate::Str;

table! {
    KernelCache = "kernel_cache", Fact;
    /// One row per kernel and cache: L2 hit and victim rates, or TLB hit and miss rates.
    pub struct Row {
        /// Cache: `l2` or `tlb`.
        pub cache: Str,
        /// Device number on the host.
        pub device: Option<i64>,
        /// Stream id.
        pub stream: Option<i64>,
        /// Task id within the stream.
        pub task_id: Option<i64>,
        /// Kernel name.
        pub name: Option<Str>,
        /// Share of accesses that hit.
        pub hit_rate: Option<f64>,
        /// L2: share of accesses that evicted a cache line.
        pub victim_rate: Option<f64>,
        /// TLB: share of accesses that missed.
        pub miss_rate: Option<f64>,
    }
}
