//! `host_op`: activity of host threads.

use crate::{ConnectionId, LaneId, Ns, Span, Str};

table! {
    HostOp = "host_op", Fact, time = "start";
    /// One row per slice on the host: framework operator, Python function, queue entry, call of CANN, CUDA or HIP, user
    /// range, or garbage collection.
    pub struct Row {
        /// Lane of the slice (`lane.lane`).
        pub lane: LaneId,
        /// Kind of slice: `op`, `enqueue`, `dequeue`, `python`, `cann` (CANN, CUDA or HIP), `mstx` (user range), `gc`
        /// or `other`.
        pub kind: Str,
        /// Start time.
        pub start: Ns,
        /// Duration.
        pub duration: Span,
        /// Name of the operator, function or API.
        pub name: Str,
        /// Number of enclosing slices on the same lane.
        pub depth: Option<u32>,
        /// Row number, within the rank, of the innermost enclosing slice on the same lane.
        pub parent: Option<u32>,
        /// API level of `cann` slices: `acl`, `node`, `model`, `runtime`, `hccl` or `communication`; on GPUs `runtime`
        /// or `driver`.
        pub level: Option<Str>,
        /// Id that links a call to the work it launched: queue correlation id, CANN connection id, or correlation id of
        /// a GPU trace.
        pub connection_id: Option<ConnectionId>,
        /// Autograd sequence number.
        pub sequence: Option<i64>,
        /// Thread of the forward operator, for backward operators.
        pub forward_thread: Option<i64>,
        /// Input shapes, one tensor per line.
        pub shapes: Option<Str>,
        /// Input types, one tensor per line.
        pub dtypes: Option<Str>,
        /// Call stack, innermost frame first, one frame per line.
        pub stack: Option<Str>,
        /// Module path of the operator.
        pub modules: Option<Str>,
        /// Number of floating-point operations of the operator.
        pub flops: Option<f64>,
        /// Id of the Python frame.
        pub python_id: Option<i64>,
        /// Id of the calling Python frame.
        pub python_parent_id: Option<i64>,
        /// Id of the module instance, for nn.Module frames.
        pub python_module_id: Option<i64>,
        /// CANN: call mode, for example `ACL_NN`.
        pub mode: Option<Str>,
        /// CANN: object of the call, for example the launched kernel.
        pub item: Option<Str>,
        /// CANN: id text, where it differs from the API name.
        pub api_id: Option<Str>,
        /// mstx: domain of the range.
        pub domain: Option<Str>,
        /// mstx: marker, push/pop or start/end; GPU traces: `instant` for instant events, else the phase of the event.
        pub event_type: Option<Str>,
        /// Category in the trace, where the kind does not imply it.
        pub category: Option<Str>,
        /// Further arguments of the slice, as a JSON object.
        pub args: Option<Str>,
    }
}

names! {
    /// The kind of a host slice.
    pub enum Kind {
        /// Framework operator.
        Op = "op",
        Enqueue = "enqueue",
        Dequeue = "dequeue",
        /// Python function or module call.
        Python = "python",
        /// CANN API call.
        Cann = "cann",
        /// User range or mark.
        Mstx = "mstx",
        /// Python garbage collection.
        Gc = "gc",
        Other = "other",
    }
}
