//! A rank as a trace of PyTorch's own profiler, as if the job had run on GPUs: the same steps, operators, kernels and
//! collectives at the same times, under the names that Kineto and NCCL use.

use std::io::{self, Write};

use hashbrown::HashMap;
use npuscope_measures::communication::{self, is_communication};
use npuscope_measures::link::STEP_PREFIX;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::{comm_op, host_op, kernel, step, task};
use npuscope_tables::{ConnectionId, Ns, RankTables, TaskId};
use serde_json::{Value, json};

/// The process of the device; that of the host has another number.
const DEVICE: i64 = 0;
const HOST: i64 = 1000;

/// A trace that is written step by step.
pub struct TraceWriter<W> {
    out: W,
}

impl<W: Write> TraceWriter<W> {
    pub fn new(mut out: W, rank: usize, ranks: usize) -> io::Result<Self> {
        let distributed = json!({"backend": "nccl", "rank": rank, "world_size": ranks});
        let device = json!([{"id": DEVICE, "name": "simulated"}]);
        write!(
            out,
            r#"{{"schemaVersion": 1, "deviceProperties": {device}, "distributedInfo": {distributed}, "traceEvents": ["#
        )?;
        write!(out, "{}", json!({"ph": "M", "name": "process_labels", "pid": HOST, "args": {"labels": "CPU"}}))?;
        let mut trace = TraceWriter { out };
        let labels = json!({"labels": format!("GPU {DEVICE}")});
        trace.event(&json!({"ph": "M", "name": "process_labels", "pid": DEVICE, "args": labels}))?;
        Ok(trace)
    }

    /// Adds the rows of a step.
    pub fn append(&mut self, tables: &RankTables) -> io::Result<()> {
        for step in tables.rows::<step::Row>() {
            let name = format!("{STEP_PREFIX}{}", step.id.unwrap_or_default());
            self.slice("user_annotation", &name, step.start, step.end.since(step.start), (HOST, HOST), json!({}))?;
        }
        // Markers of steps are operators, too.
        let is_marker = |op: &host_op::Row| tables.text(op.name).starts_with(STEP_PREFIX);
        for op in tables.rows::<host_op::Row>().filter(|op| !is_marker(op)) {
            let (category, args) = match Kind::from_name(tables.text(op.kind)) {
                Some(Kind::Op) => ("cpu_op", json!({})),
                Some(Kind::Cann) => ("cuda_runtime", json!({"correlation": op.connection_id})),
                _ => continue,
            };
            let lane = (HOST, HOST + i64::from(op.lane.0));
            self.slice(category, tables.text(op.name), op.start, op.duration.ns(), lane, args)?;
        }
        let connections: HashMap<TaskId, Option<ConnectionId>> =
            tables.rows::<task::Row>().map(|task| (task.task, task.connection_id)).collect();
        for kernel in tables.rows::<kernel::Row>().filter(|kernel| !is_communication(tables, kernel)) {
            let connection = kernel.task.and_then(|task| connections.get(&task).copied().flatten());
            let stream = kernel.stream.unwrap_or_default();
            let args = json!({"device": DEVICE, "stream": stream, "correlation": connection});
            let name = tables.text(kernel.name);
            self.slice("kernel", name, kernel.start, kernel.duration.ns(), (DEVICE, stream), args)?;
        }
        for op in tables.rows::<comm_op::Row>() {
            let (name, collective) = nccl_names(&communication::kind(tables.text(op.name)));
            // A lane of the group stands in for its stream.
            let stream = 100 + i64::from(op.lane.0);
            let args = json!({
                "device": DEVICE, "stream": stream, "correlation": op.connection_id, "Collective name": collective,
                "Process Group Name": tables.opt_text(op.group_name), "Group size": op.rank_size,
                "In msg nelems": op.count, "dtype": tables.opt_text(op.dtype),
            });
            self.slice("kernel", name, op.start, op.duration.ns(), (DEVICE, stream), args)?;
        }
        Ok(())
    }

    fn slice(
        &mut self,
        category: &str,
        name: &str,
        start: Ns,
        ns: i64,
        (pid, tid): (i64, i64),
        args: Value,
    ) -> io::Result<()> {
        let (category, name) = (json!(category), json!(name));
        let (start, duration) = (microseconds(start.0), microseconds(ns));
        write!(
            self.out,
            ",\n{{\"ph\": \"X\", \"cat\": {category}, \"name\": {name}, \"pid\": {pid}, \"tid\": {tid}, \
             \"ts\": {start}, \"dur\": {duration}, \"args\": {args}}}"
        )
    }

    fn event(&mut self, event: &Value) -> io::Result<()> {
        write!(self.out, ",\n{event}")
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.out.write_all(b"\n]}\n")
    }
}

/// Nanoseconds as Kineto writes them: microseconds with three decimals.
fn microseconds(ns: i64) -> String {
    format!("{}.{:03}", ns / 1000, ns % 1000)
}

/// The kernel of NCCL and the name of the collective for a kind of operation.
fn nccl_names(kind: &str) -> (&'static str, &'static str) {
    match kind {
        "allreduce" => ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "allreduce"),
        "allgather" => ("ncclDevKernel_AllGather_RING_LL", "_allgather_base"),
        "reducescatter" => ("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", "_reduce_scatter_base"),
        "broadcast" => ("ncclDevKernel_Broadcast_RING_LL", "broadcast"),
        "send" => ("ncclDevKernel_SendRecv", "send"),
        "receive" | "recv" => ("ncclDevKernel_SendRecv", "recv"),
        "batchsendrecv" => ("ncclDevKernel_SendRecv", "coalesced"),
        _ => ("ncclDevKernel_SendRecv", "all_to_allv"),
    }
}
