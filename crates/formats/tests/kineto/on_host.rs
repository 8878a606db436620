//! Jobs without a device: collectives of gloo, and the stacks and modules of operators.

use npuscope_measures::communication::bytes;
use npuscope_measures::deliverable::has_device;
use npuscope_measures::step;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::{comm_op, host_op, lane, reported_bandwidth, reported_comm};
use npuscope_tables::{Ns, RankTables};
use serde_json::json;

use super::made::{HOST, Trace, codes, only};

/// A trace of a rank whose process has the groups `pg_config`, with gloo.
fn trace(pg_config: serde_json::Value) -> Trace {
    let mut trace = Trace::new(1);
    let info = json!({"backend": "gloo", "rank": 1, "world_size": 4, "pg_config": pg_config});
    trace.head = format!(r#""schemaVersion": 1, "deviceProperties": [], "distributedInfo": {info}, "#);
    trace.events.clear();
    trace.name(HOST.0, "CPU");
    trace
}

fn world() -> serde_json::Value {
    json!([{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cpu:gloo,cuda:gloo", "pg_size": 4, "ranks": [0, 1, 2, 3]}])
}

/// Two all-reduces on two threads, the second called before the first has ended, and a broadcast.
fn with_collectives(mut trace: Trace) -> RankTables {
    trace.slice("user_annotation", "ProfilerStep#4", HOST, "0", "100", json!({}));
    for (name, at, shape) in [
        ("c10d::allreduce_", "10", json!([[[2, 3]]])),
        ("c10d::allreduce_", "14", json!([[[8]]])),
        ("c10d::broadcast_", "60", json!([[[5]]])),
    ] {
        trace.slice("cpu_op", name, HOST, at, "2", json!({"Input Dims": shape, "Input type": ["TensorList"]}));
    }
    let [first, second] = [(HOST.0, HOST.1 + 1), (HOST.0, HOST.1 + 2)];
    for (name, thread, at, kind, shape) in [
        ("gloo:all_reduce", second, "15", "c10::BFloat16", json!([[8]])),
        ("gloo:all_reduce", first, "11", "float", json!([[2, 3]])),
        ("gloo:broadcast", first, "61", "long int", json!([[5]])),
    ] {
        trace.slice("user_annotation", name, thread, at, "20", json!({"Input Dims": shape, "Input type": [kind]}));
    }
    trace.slice("user_annotation", "forward", HOST, "5", "4", json!({}));
    trace.read()
}

#[test]
fn collectives_of_gloo_have_their_group_bytes_and_call() {
    let tables = with_collectives(trace(world()));
    assert_eq!(codes(&tables), Vec::<&str>::new());
    let mut ops: Vec<comm_op::Row> = tables.rows().collect();
    ops.sort_by_key(|op| op.start);
    let known: Vec<_> = ops.iter().map(|op| (tables.opt_text(op.op_type), op.start, bytes(&tables, op))).collect();
    assert_eq!(
        known,
        [
            (Some("allreduce"), Ns(11_000), Some(24)),
            (Some("allreduce"), Ns(15_000), Some(16)),
            (Some("broadcast"), Ns(61_000), Some(40))
        ]
    );
    for op in &ops {
        assert_eq!((tables.opt_text(op.group_name), op.rank_size, op.step), (Some("0"), Some(4), Some(4)));
        let lane = tables.rows::<lane::Row>().find(|lane| lane.lane == op.lane).unwrap();
        assert_eq!((tables.text(lane.layer), tables.opt_text(lane.label)), ("communication", Some("CPU")));
    }
    let call = |op: &comm_op::Row| tables.rows::<host_op::Row>().find(|row| row.connection_id == op.connection_id);
    let calls: Vec<_> = ops.iter().filter_map(call).map(|call| (tables.text(call.name), call.start)).collect();
    let [reduce, broadcast] = ["c10d::allreduce_", "c10d::broadcast_"];
    assert_eq!(calls, [(reduce, Ns(10_000)), (reduce, Ns(14_000)), (broadcast, Ns(60_000))]);
}

#[test]
fn what_the_host_communicates_is_no_work_of_a_device_and_no_range_of_the_user() {
    let tables = with_collectives(trace(world()));
    assert!(!has_device(&tables));
    let steps = step::steps(&tables);
    assert_eq!(
        steps.iter().map(|step| (step.id, step.time(), step.device)).collect::<Vec<_>>(),
        [(Some(4), 100_000, None)]
    );
    let ranges = tables.rows::<host_op::Row>().filter(|row| tables.text(row.kind) == Kind::Mstx.name());
    assert_eq!(ranges.map(|row| tables.text(row.name)).collect::<Vec<_>>(), ["ProfilerStep#4", "forward"]);
}

#[test]
fn collectives_of_gloo_are_summed_up_under_names_of_their_own() {
    let tables = with_collectives(trace(world()));
    let names: Vec<&str> = tables.rows::<reported_comm::Row>().map(|row| tables.text(row.name)).collect();
    assert_eq!(names, ["gloo:all_reduce__0", "gloo:all_reduce__1", "gloo:broadcast__0"]);
    let sizes: Vec<_> = tables.rows::<reported_bandwidth::Row>().map(|row| row.transit_size).collect();
    assert_eq!(sizes, [Some(24e-6), Some(16e-6), Some(40e-6)]);
}

#[test]
fn without_markers_a_host_has_no_step() {
    let mut trace = trace(world());
    trace.slice("cpu_op", "aten::mm", HOST, "5", "4", json!({}));
    trace.slice("user_annotation", "gloo:all_reduce", (HOST.0, HOST.1 + 1), "15", "20", json!({}));
    assert_eq!(step::steps(&trace.read()), []);
}

#[test]
fn a_rank_in_several_groups_of_the_host_does_not_know_which_an_operation_is_of() {
    let two = json!([
        {"pg_name": "0", "backend_config": "gloo", "pg_size": 4, "ranks": [0, 1, 2, 3]},
        {"pg_name": "2", "backend_config": "gloo", "pg_size": 2, "ranks": [1, 3]},
    ]);
    let tables = with_collectives(trace(two));
    assert!(tables.rows::<comm_op::Row>().all(|op| op.group_name.is_none() && op.rank_size.is_none()));
}

#[test]
fn operators_have_the_calls_and_modules_around_them() {
    let mut trace = trace(world());
    let python = |trace: &mut Trace, name: &str, at: &str, dur: &str| {
        trace.slice("python_function", name, HOST, at, dur, json!({"Python id": 1}));
    };
    python(&mut trace, "train.py(12): train", "0", "90");
    python(&mut trace, "nn.Module: Net_0", "10", "60");
    python(&mut trace, "net.py(3): forward", "11", "50");
    python(&mut trace, "nn.Module: Linear_1", "20", "30");
    trace.slice("cpu_op", "aten::linear", HOST, "21", "20", json!({}));
    trace.slice("cpu_op", "aten::addmm", HOST, "22", "10", json!({}));
    trace.slice("cpu_op", "aten::zero_", HOST, "80", "2", json!({"Call stack": "own.py(1): f"}));
    trace.slice("cpu_op", "aten::ones", HOST, "95", "2", json!({}));
    trace.slice("cpu_op", "AddBackward0", (HOST.0, HOST.1 + 5), "21", "2", json!({}));
    let tables = trace.read();
    let of = |name: &str| {
        let row = tables.rows::<host_op::Row>().find(|row| tables.text(row.name) == name).unwrap();
        (tables.opt_text(row.stack), tables.opt_text(row.modules))
    };
    let around = (Some("net.py(3): forward;\r\ntrain.py(12): train"), Some("Net_0/Linear_1"));
    assert_eq!((of("aten::linear"), of("aten::addmm")), (around, around));
    assert_eq!(of("aten::zero_"), (Some("own.py(1): f"), None));
    assert_eq!((of("aten::ones"), of("AddBackward0")), ((None, None), (None, None)));
}

#[test]
fn a_collective_without_shapes_has_no_bytes() {
    let mut trace = trace(world());
    trace.slice("user_annotation", "gloo:barrier", HOST, "15", "20", json!({}));
    let tables = trace.read();
    let op: comm_op::Row = only(&tables);
    assert_eq!((tables.opt_text(op.op_type), op.count, op.connection_id), (Some("barrier"), None, None));
}
