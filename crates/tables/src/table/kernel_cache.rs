//! `kernel_cache`: cache behaviour of kernels.

use crate::Str;

table! {
    KernelCache = "kernel_cache", Fact;
    /// One row per kernel and cache: L2 hits and victims, or TLB hits and misses.
    pub struct Row {
        /// l2 or tlb.
        pub cache: Str,
        /// Device.
        pub device: Option<i64>,
        /// Stream.
        pub stream: Option<i64>,
        /// Id on its stream.
        pub task_id: Option<i64>,
        /// Kernel name.
        pub name: Option<Str>,
        /// Share of accesses that hit.
        pub hit_rate: Option<f64>,
        /// L2: share of accesses that evicted a line.
        pub victim_rate: Option<f64>,
        /// TLB: share of accesses that missed.
        pub miss_rate: Option<f64>,
    }
}
