//! `aicpu_op`: operators that ran on the AI CPU.

use crate::{Ns, Span, Str};

table! {
    AicpuOp = "aicpu_op", Fact, time = "time";
    /// One row per operator that ran on the device's AI CPU, with the duration of its phases.
    pub struct Row {
        /// Time at which the operator ran.
        pub time: Option<Ns>,
        /// Device number on the host.
        pub device: Option<i64>,
        /// Node name.
        pub name: Str,
        /// Compute time.
        pub compute: Option<Span>,
        /// Copy time.
        pub memcpy: Option<Span>,
        /// Task time.
        pub task: Option<Span>,
        /// Dispatch time.
        pub dispatch: Option<Span>,
        /// Total time.
        pub total: Option<Span>,
        /// Stream id.
        pub stream: Option<i64>,
        /// Task id within the stream.
        pub task_id: Option<i64>,
    }
}
