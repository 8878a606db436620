//! `host_op`: what host threads did.

use crate::{ConnectionId, LaneId, Ns, Span, Str};

table! {
    HostOp = "host_op", Fact, time = "start";
    /// One row per host slice: framework operator, Python function, queue entry, call of CANN, CUDA or HIP, user range, garbage collection.
    pub struct Row {
        /// Lane of the slice.
        pub lane: LaneId,
        /// op, enqueue, dequeue, python, cann (CANN, CUDA or HIP), mstx (a range of the user), gc or other.
        pub kind: Str,
        /// Start.
        pub start: Ns,
        /// Duration.
        pub duration: Span,
        /// Operator, function or API name.
        pub name: Str,
        /// Slices of the same lane around this one.
        pub depth: Option<u32>,
        /// Row number, within the rank, of the innermost slice around this one on its lane.
        pub parent: Option<u32>,
        /// For cann: acl, node, model, runtime, hccl or communication; on GPUs runtime or driver.
        pub level: Option<Str>,
        /// Ties a call to what it caused: queue correlation id, CANN connection id, or correlation of a GPU trace.
        pub connection_id: Option<ConnectionId>,
        /// Autograd sequence number.
        pub sequence: Option<i64>,
        /// Thread of the forward operator, for backward operators.
        pub forward_thread: Option<i64>,
        /// Input shapes, one tensor a line.
        pub shapes: Option<Str>,
        /// Input types, one tensor a line.
        pub dtypes: Option<Str>,
        /// Call stack, innermost frame first, one frame a line.
        pub stack: Option<Str>,
        /// Module path of the operator.
        pub modules: Option<Str>,
        /// Floating-point operations of the operator.
        pub flops: Option<f64>,
        /// Id of a Python frame.
        pub python_id: Option<i64>,
        /// Id of the calling Python frame.
        pub python_parent_id: Option<i64>,
        /// Id of the module instance, for nn.Module frames.
        pub python_module_id: Option<i64>,
        /// CANN: call mode, for example ACL_NN.
        pub mode: Option<Str>,
        /// CANN: what the call worked on, for example the kernel launched.
        pub item: Option<Str>,
        /// CANN: id text where it is not the API name.
        pub api_id: Option<Str>,
        /// mstx: domain of the range.
        pub domain: Option<Str>,
        /// mstx: marker, push/pop or start/end. GPU traces: instant for marks in time, else the phase of the event.
        pub event_type: Option<Str>,
        /// Category the trace gave, where it is not implied by the kind.
        pub category: Option<Str>,
        /// Further arguments of the slice, as a JSON object.
        pub args: Option<Str>,
    }
}

names! {
    /// What kind of host slice a row is.
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
