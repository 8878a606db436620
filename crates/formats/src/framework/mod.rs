//! The raw files of a framework's profiler: what is in a `FRAMEWORK` directory before anybody parsed it.
//!
//! torch_npu's profiler writes them, and so does our recorder, which adds `npuscope.events` for what torch_npu has no
//! file for: user ranges, marks and counters. Records come in the order of their ends, in ticks of a counter or in
//! nanoseconds of a clock that began when the machine did. A trace of PyTorch's own profiler may lie beside them.

mod clock;
pub mod events;
mod memory;
pub mod mindspore;
mod python;
mod queue;
mod reader;
pub mod records;
pub mod tlv;

pub use clock::Clock;
pub use memory::{Allocations, allocations};
pub use reader::{Finished, Outcome, Reader};

/// The directory in a rank's directory that holds these files.
pub const DIRECTORY: &str = "FRAMEWORK";

pub const OP_RANGE: &str = "torch.op_range";
pub const OP_MARK: &str = "torch.op_mark";
pub const MEMORY_USAGE: &str = "torch.memory_usage";
pub const GC_RECORD: &str = "torch.gc_record";
pub const PYTHON_TRACER_FUNC: &str = "torch.python_tracer_func";
pub const PYTHON_TRACER_HASH: &str = "torch.python_tracer_hash";
pub const PARAM_TENSOR_INFO: &str = "torch.param_tensor_info";

/// Ours: ranges, marks and counters.
pub const EVENTS: &str = "npuscope.events";

pub const MINDSPORE_OP_RANGE: &str = "mindspore.op_range";
pub const MINDSPORE_MEMORY_USAGE: &str = "mindspore.memory_usage";
pub const MINDSPORE_RECORD_SHAPES: &str = "mindspore.record_shapes";

/// The files that rows are made of.
pub const READ: &[&str] = &[OP_RANGE, OP_MARK, MEMORY_USAGE, GC_RECORD, PYTHON_TRACER_FUNC, PYTHON_TRACER_HASH, EVENTS];

/// Files that belong here and that no rows are made of: addresses of parameters, and MindSpore's, whose clock only
/// CANN's raw data has.
pub const NOT_READ: &[&str] = &[PARAM_TENSOR_INFO, MINDSPORE_OP_RANGE, MINDSPORE_MEMORY_USAGE, MINDSPORE_RECORD_SHAPES];

/// The name in [`READ`] that a file has.
pub fn file_called(name: &str) -> Option<&'static str> {
    READ.iter().copied().find(|known| *known == name)
}
