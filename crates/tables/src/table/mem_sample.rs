//! `mem_sample`: memory use over time.

use crate::{Ns, Str};

table! {
    MemSample = "mem_sample", Fact, time = "time";
    /// One row per sample of the memory used by an allocator, a driver module or a process.
    pub struct Row {
        /// Kind of sample: `allocator`, `module`, `process` or `operator`.
        pub kind: Str,
        /// Component: `PTA`, `GE`, `PTA+GE`, `WORKSPACE`, `APP`, a driver module …
        pub component: Str,
        /// Time of the sample.
        pub time: Ns,
        /// Memory allocated.
        pub allocated: Option<i64> as "B",
        /// Memory reserved.
        pub reserved: Option<i64> as "B",
        /// Active memory.
        pub active: Option<i64> as "B",
        /// Stream, as the allocator's pointer.
        pub stream_ptr: Option<i64>,
        /// Device number on the host.
        pub device: Option<i64>,
        /// operator: name of the operator that allocated or released the memory.
        pub name: Option<Str>,
        /// operator: `allocate` or `release`.
        pub action: Option<Str>,
        /// operator: memory address.
        pub address: Option<i64>,
        /// operator: size of the allocation.
        pub bytes: Option<i64> as "B",
        /// operator: thread, as (process id << 32) + thread id.
        pub thread: Option<i64>,
    }
}
