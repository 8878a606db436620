//! `aicpu_op`: operators that ran on the AI CPU.

use crate::{Ns, Span, Str};

table! {
    AicpuOp = "aicpu_op", Fact, time = "time";
    /// One row per operator executed on the device's AI CPU, with its phases.
    pub struct Row {
        /// When it ran.
        pub time: Option<Ns>,
        /// Device.
        pub device: Option<i64>,
        /// Node name.
        pub name: Str,
        /// Computing.
        pub compute: Option<Span>,
        /// Copying.
        pub memcpy: Option<Span>,
        /// Task time.
        pub task: Option<Span>,
        /// Dispatching.
        pub dispatch: Option<Span>,
        /// All of it.
        pub total: Option<Span>,
        /// Stream.
        pub stream: Option<i64>,
        /// Id on its stream.
        pub task_id: Option<i64>,
    }
}
