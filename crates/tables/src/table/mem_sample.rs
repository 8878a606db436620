//! `mem_sample`: memory over time.

use crate::{Ns, Str};

table! {
    MemSample = "mem_sample", Fact, time = "time";
    /// One row per point on a memory curve of an allocator, a driver module or a process.
    pub struct Row {
        /// allocator, module, process or operator.
        pub kind: Str,
        /// PTA, GE, PTA+GE, WORKSPACE, APP, a driver module …
        pub component: Str,
        /// When.
        pub time: Ns,
        /// Allocated.
        pub allocated: Option<i64> as "B",
        /// Reserved.
        pub reserved: Option<i64> as "B",
        /// Active.
        pub active: Option<i64> as "B",
        /// Stream, as the allocator's pointer.
        pub stream_ptr: Option<i64>,
        /// Device.
        pub device: Option<i64>,
        /// operator: who allocated or released.
        pub name: Option<Str>,
        /// operator: allocate or release.
        pub action: Option<Str>,
        /// operator: address.
        pub address: Option<i64>,
        /// operator: bytes.
        pub bytes: Option<i64> as "B",
        /// operator: thread, as process id << 32 | thread id.
        pub thread: Option<i64>,
    }
}
