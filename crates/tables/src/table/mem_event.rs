//! `mem_event`: memory allocations.

use crate::{Ns, Str};

table! {
    MemEvent = "mem_event", Fact, time = "start";
    /// One row per memory allocation, with its lifetime and the allocator's totals after the allocation and after the
    /// release.
    pub struct Row {
        /// Kind of allocation: `operator` for allocations at run time, `static` for those planned by a graph compiler.
        pub kind: Str,
        /// Operator that allocated the memory.
        pub name: Str,
        /// Size of the allocation.
        pub bytes: Option<i64> as "B",
        /// Time of the allocation.
        pub start: Option<Ns>,
        /// Time of the release.
        pub release: Option<Ns>,
        /// End of the last use of the memory.
        pub active_release: Option<Ns>,
        /// Time from the allocation to the release.
        pub duration: Option<i64> as "ns",
        /// Time from the allocation to the end of the last use.
        pub active_duration: Option<i64> as "ns",
        /// Total memory allocated after the allocation.
        pub start_allocated: Option<i64> as "B",
        /// Total memory reserved after the allocation.
        pub start_reserved: Option<i64> as "B",
        /// Total active memory after the allocation.
        pub start_active: Option<i64> as "B",
        /// Total memory allocated after the release.
        pub release_allocated: Option<i64> as "B",
        /// Total memory reserved after the release.
        pub release_reserved: Option<i64> as "B",
        /// Total active memory after the release.
        pub release_active: Option<i64> as "B",
        /// Stream, as the allocator's pointer.
        pub stream_ptr: Option<i64>,
        /// Device number on the host.
        pub device: Option<i64>,
        /// static: model name.
        pub model: Option<Str>,
        /// static: graph id.
        pub graph: Option<i64>,
        /// static: first node that uses the memory.
        pub node_start: Option<i64>,
        /// static: last node that uses the memory.
        pub node_end: Option<i64>,
    }
}
