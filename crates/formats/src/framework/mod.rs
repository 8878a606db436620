//! The raw files of a framework's profiler: what is in a `FRAMEWORK` directory before anybody parsed it.
//!
//! torch_npu's profiler writes them, and so does our recorder, which adds `npuscope.events` for what torch_npu has no
//! file for: user ranges, marks and counters. Records come in the order of their ends, in ticks of a counter or in
//! nanoseconds of a clock that began when the machine did.

pub mod events;
pub mod records;
pub mod tlv;

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
