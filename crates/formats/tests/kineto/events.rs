//! What each part of a trace becomes.

use npuscope_measures::deliverable;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::{comm_op, flow, host_op, kernel, lane, mem_sample, rank, step, task};
use npuscope_tables::{ConnectionId, Interner, Ns, TaskId};
use serde_json::json;

use super::made::{BASE, HOST, Trace, args, codes, only, two_steps};

#[test]
fn kernels_calls_and_operators_of_cuda_and_rocm_are_tied_together() {
    for call in
        [("cuda_runtime", "cudaLaunchKernel"), ("cuda_runtime", "hipLaunchKernel"), ("cuda_driver", "cuLaunchKernelEx")]
    {
        let tables = two_steps(call).read();
        assert_eq!(codes(&tables), Vec::<&str>::new());
        let calls: Vec<host_op::Row> =
            tables.rows().filter(|row: &host_op::Row| tables.text(row.kind) == Kind::Cann.name()).collect();
        assert_eq!(calls.len(), 2);
        assert_eq!((tables.text(calls[0].name), tables.opt_text(calls[0].category)), (call.1, Some(call.0)));
        assert_eq!(tables.opt_text(calls[0].level), Some(call.0.strip_prefix("cuda_").unwrap()));
        assert_eq!(args(&tables, calls[0].args), json!({"cbid": 211}));
        let task = tables.rows::<task::Row>().next().unwrap();
        assert_eq!((task.device, task.stream, task.connection_id), (Some(0), Some(7), calls[0].connection_id));
        assert_eq!((task.start, task.duration.ns()), (Ns(1_100_250), 300_000));
        assert_eq!(tables.opt_text(task.task_type), Some("kernel"));
        assert_eq!(args(&tables, task.args), json!({"queued": 0}));
        let kernels: Vec<kernel::Row> = tables.rows().collect();
        assert_eq!(kernels.iter().map(|row| row.task).collect::<Vec<_>>(), [Some(TaskId(0)), Some(TaskId(1))]);
        assert_eq!(tables.opt_text(kernels[1].op_type), Some("aten::addmm"));
        assert_eq!(
            (tables.opt_text(kernels[1].grid), tables.opt_text(kernels[1].block)),
            (Some("512,1,1"), Some("32,2,1"))
        );
        let flows: Vec<flow::Row> = tables.rows().collect();
        assert_eq!(flows.len(), 2);
        assert_eq!((flows[0].src_time, flows[0].dst_time), (Some(Ns(1_030_250)), Some(Ns(1_100_250))));
        assert_eq!(tables.text(flows[0].kind), "ac2g");
    }
}

#[test]
fn steps_are_those_of_the_host_and_their_time_is_that_of_the_device() {
    let tables = two_steps(("cuda_runtime", "cudaLaunchKernel")).read();
    let steps: Vec<(Option<i64>, Ns, Ns)> =
        tables.rows::<step::Row>().map(|row| (row.id, row.start, row.end)).collect();
    assert_eq!(steps, [(Some(8), Ns(1_000_250), Ns(1_900_750)), (Some(9), Ns(2_000_250), Ns(2_900_750))]);
    let times = deliverable::step_trace_db(&tables, &mut Interner::default());
    assert_eq!(times.iter().map(|row| row.computing.unwrap()).collect::<Vec<_>>(), [300.0, 300.0]);
    assert_eq!(times.iter().map(|row| row.preparing.unwrap()).collect::<Vec<_>>(), [100.0, 100.0]);
}

#[test]
fn times_keep_every_nanosecond_with_and_without_a_base() {
    let times = |tail: &str, ts: &str, dur: &str| {
        let mut trace = Trace::new(0);
        trace.slice("cpu_op", "aten::mm", HOST, ts, dur, json!({}));
        trace.add(&format!(r#"{{"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 77, "tid": 77, "ts": {ts}, "args": {{"Bytes": 1, "Addr": 2}}}}"#));
        trace.add(&format!(
            r#"{{"ph": "s", "cat": "fwdbwd", "name": "fwdbwd", "id": 1, "pid": 77, "tid": 77, "ts": {ts}}}"#
        ));
        trace.tail.push_str(tail);
        let tables = trace.read();
        assert_eq!(codes(&tables), Vec::<&str>::new());
        let op = tables.rows::<host_op::Row>().next().unwrap();
        assert_eq!(only::<mem_sample::Row>(&tables).time, op.start);
        assert_eq!(only::<flow::Row>(&tables).src_time, Some(op.start));
        (op.start.0, op.duration.ns())
    };
    let base = format!(r#", "displayTimeUnit": "ms", "baseTimeNanoseconds": {BASE}"#);
    for (tail, ts, dur, expected) in [
        ("", "1695835542515301", "104", (1_695_835_542_515_301_000, 104_000)),
        (r#", "displayTimeUnit": "ns""#, "1712195495519689.047", "63.813", (1_712_195_495_519_689_047, 63_813)),
        (&base, "4458676522690.655", "0.001", (BASE + 4_458_676_522_690_655, 1)),
        (&base, "-0.001", "0", (BASE - 1, 0)),
        ("", "1.712195495519689e15", "1e3", (1_712_195_495_519_689_000, 1_000_000)),
        ("", "\"1712195495519689.047\"", "\"2.5\"", (1_712_195_495_519_689_047, 2_500)),
    ] {
        assert_eq!(times(tail, ts, dur), expected, "{tail} {ts}");
    }
}

#[test]
fn a_collective_is_a_task_a_kernel_and_an_operation_of_its_group() {
    let metadata = json!({
        "device": 0, "stream": 40, "correlation": 5, "queued": 0, "Collective name": "_allgather_base", "In msg nelems": 1024,
        "Out msg nelems": 4096, "Group size": 4, "dtype": "BFloat16", "In split size": "[]", "Process Group Name": "13",
        "Process Group Description": "dp", "Process Group Ranks": "[0, 1, 2, 3]", "Rank": 2, "new in 2027": [1],
    });
    let mut trace = Trace::new(0);
    trace.slice(
        "kernel",
        "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        (0, 40),
        "10",
        "5.5",
        metadata,
    );
    // Of older versions and of ROCm, only the name says that it is one.
    trace.slice(
        "kernel",
        "ncclKernel_ReduceScatter_RING_LL_Sum_float(ncclDevComm*)",
        (0, 41),
        "20",
        "3",
        json!({"stream": 41}),
    );
    trace.slice("kernel", "ncclDevKernel_Generic(ncclDevComm*)", (0, 41), "30", "3", json!({"stream": 41}));
    trace.slice("kernel", "gemm", (0, 7), "12", "2", json!({}));
    let tables = trace.read();
    let ops: Vec<comm_op::Row> = tables.rows().collect();
    let types: Vec<Option<&str>> = ops.iter().map(|op| tables.opt_text(op.op_type)).collect();
    assert_eq!(types, [Some("_allgather_base"), Some("reduce_scatter"), None]);
    let first = &ops[0];
    assert_eq!((tables.opt_text(first.group_name), first.rank_size, first.count), (Some("13"), Some(4), Some(1024)));
    assert_eq!(
        (tables.opt_text(first.dtype), first.connection_id, first.device),
        (Some("BFloat16"), Some(ConnectionId(5)), Some(0))
    );
    assert_eq!((first.start, first.duration.ns()), (Ns(10_000), 5_500));
    let about_group = json!({"Out msg nelems": 4096, "In split size": "[]", "Process Group Description": "dp", "Process Group Ranks": "[0, 1, 2, 3]", "Rank": 2});
    assert_eq!(args(&tables, first.args), about_group);
    let tasks: Vec<task::Row> = tables.rows().collect();
    assert_eq!(tasks.len(), 4);
    assert_eq!(args(&tables, tasks[0].args), json!({"queued": 0, "new in 2027": [1]}));
    let cores: Vec<Option<&str>> = tables.rows::<kernel::Row>().map(|row| tables.opt_text(row.core)).collect();
    assert_eq!(cores, [Some("COMMUNICATION"), Some("COMMUNICATION"), Some("COMMUNICATION"), None]);
    let lane_of = |op: &comm_op::Row| tables.rows::<lane::Row>().find(|row| row.lane == op.lane).unwrap();
    let lanes: Vec<Option<&str>> = ops.iter().map(|op| tables.opt_text(lane_of(op).thread)).collect();
    assert_eq!(
        lanes,
        [Some("Group 13 Communication"), Some("Stream 41 Communication"), Some("Stream 41 Communication")]
    );
    assert_eq!(tables.text(lane_of(first).layer), "communication");
}

#[test]
fn a_kernel_that_says_nothing_of_its_collective_has_it_from_the_operator_that_announced_it() {
    let mut trace = Trace::new(0);
    let said = json!({
        "Collective name": "allreduce", "dtype": "Float", "In msg nelems": 2049, "Out msg nelems": 2049, "Group size": 8,
        "Process Group Name": "2", "Process Group Ranks": "[0, 1]", "Ev Idx": 50,
    });
    trace.slice("cpu_op", "record_param_comms", HOST, "10", "20", said.clone());
    trace.slice("cuda_runtime", "cudaLaunchKernelExC", HOST, "15", "2", json!({"correlation": 5}));
    trace.slice("cuda_runtime", "cudaLaunchKernelExC", HOST, "40", "2", json!({"correlation": 6}));
    for (correlation, at) in [(5, "100"), (6, "200")] {
        trace.slice(
            "kernel",
            "ncclDevKernel_Generic(x)",
            (0, 40),
            at,
            "5",
            json!({"correlation": correlation, "stream": 40}),
        );
    }
    let tables = trace.read();
    let ops: Vec<comm_op::Row> = tables.rows().collect();
    let first = &ops[0];
    assert_eq!((tables.opt_text(first.op_type), tables.opt_text(first.group_name)), (Some("allreduce"), Some("2")));
    assert_eq!((first.rank_size, first.count, tables.opt_text(first.dtype)), (Some(8), Some(2049), Some("Float")));
    assert_eq!(args(&tables, first.args), json!({"Out msg nelems": 2049, "Process Group Ranks": "[0, 1]"}));
    assert_eq!((ops[1].op_type, ops[1].group_name, ops[1].count), (None, None, None));
    let of_kernels: Vec<_> = tables.rows::<kernel::Row>().map(|row| row.op_type).collect();
    assert_eq!(of_kernels, [first.op_type, None]);
    assert_ne!(first.lane, ops[1].lane);
    // The operator keeps all it said.
    let operator = tables.rows::<host_op::Row>().find(|row| tables.text(row.name) == "record_param_comms").unwrap();
    assert_eq!(args(&tables, operator.args), said);
}

#[test]
fn a_trace_of_the_host_alone_has_no_device() {
    let mut trace = Trace { events: Vec::new(), head: String::new(), tail: String::new() };
    trace.name(77, "CPU");
    trace.slice("cpu_op", "aten::mm", HOST, "1", "2", json!({}));
    let tables = trace.read();
    let row: rank::Row = only(&tables);
    assert_eq!((row.device, row.chip, row.process), (None, None, Some(77)));
    assert_eq!(only::<host_op::Row>(&tables).duration.ns(), 2_000);
}
