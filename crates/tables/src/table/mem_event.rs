//! `mem_event`: allocations.

use crate::{Ns, Str};

table! {
    MemEvent = "mem_event", Fact, time = "start";
    /// One row per allocation with its life, and the allocator's totals when it began and ended.
    pub struct Row {
        /// operator for allocations at run time, static for those a graph compiler planned.
        pub kind: Str,
        /// Operator that allocated.
        pub name: Str,
        /// Bytes.
        pub bytes: Option<i64> as "B",
        /// Allocation.
        pub start: Option<Ns>,
        /// Release.
        pub release: Option<Ns>,
        /// When the last user of the memory was done.
        pub active_release: Option<Ns>,
        /// From allocation to release.
        pub duration: Option<i64> as "ns",
        /// From allocation to the last use.
        pub active_duration: Option<i64> as "ns",
        /// Total allocated after the allocation.
        pub start_allocated: Option<i64> as "B",
        /// Total reserved after the allocation.
        pub start_reserved: Option<i64> as "B",
        /// Total active after the allocation.
        pub start_active: Option<i64> as "B",
        /// Total allocated after the release.
        pub release_allocated: Option<i64> as "B",
        /// Total reserved after the release.
        pub release_reserved: Option<i64> as "B",
        /// Total active after the release.
        pub release_active: Option<i64> as "B",
        /// Stream, as the allocator's pointer.
        pub stream_ptr: Option<i64>,
        /// Device.
        pub device: Option<i64>,
        /// static: model name.
        pub model: Option<Str>,
        /// static: graph.
        pub graph: Option<i64>,
        /// static: first node that uses the memory.
        pub node_start: Option<i64>,
        /// static: last node that uses the memory.
        pub node_end: Option<i64>,
    }
}
