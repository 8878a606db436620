//! The tables of the databases, column by column.

mod analysis;
mod communication;
mod host;
mod samples;
mod tasks;

use npuscope_tables::{Ns, Span};

pub use analysis::{
    COMM_ANALYZER_BANDWIDTH, COMM_ANALYZER_MATRIX, COMM_ANALYZER_MATRIX_OF_OPERATIONS, COMM_ANALYZER_TIME,
    STEP_TRACE_TIME,
};
pub use communication::{COMMUNICATION_OP, COMMUNICATION_TASK_INFO, CommOpRow, CommTaskRow};
pub use host::{
    ApiRow, CANN_API, CONNECTION_IDS, ConnectionRow, FrameRow, GC_RECORD, MSTX_EVENTS, OSRT_API, PYTORCH_API,
    PYTORCH_API_SWAPPED, PYTORCH_CALLCHAINS,
};
pub use samples::{
    MEMORY_RECORD, META_DATA, NPU_MODULE_MEM, NPU_OP_MEM, OP_MEMORY, OVERLAP_ANALYSIS, OverlapRow, STEP_TIME,
};
pub use tasks::{
    COMPUTE_TASK_INFO, COMPUTE_TASK_INFO_1_0, KERNEL_NAMES, KernelName, MEMCPY_INFO, MemcpyRow, PmuRow, TASK,
    TASK_PMU_INFO, TaskRow,
};

/// How databases write "no rank", "no plane", "no context".
const NONE_U32: i64 = 4_294_967_295;

const fn nothing<R>(_: &mut R) {}

/// From start to end; a row that ends before it starts takes no time.
fn span(start: Ns, end: Ns) -> Span {
    Span::from_ns(end.since(start).max(0))
}
