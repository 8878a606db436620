//! Arguments of events, events of every phase, settings: what has no column is kept.

use npuscope_tables::table::{counter, flow, host_op, mem_event, mem_sample, metadata, rank, source, task};
use npuscope_tables::{ConnectionId, Ns, RankPieces, TableId};
use serde_json::{Value, json};

use super::made::{HOST, STREAM, Trace, args, codes, only, two_steps};

#[test]
fn arguments_of_operators_have_their_columns_and_the_rest_is_kept() {
    let mut trace = Trace::new(0);
    let of_op = json!({
        "External id": 9, "Sequence number": 4, "Fwd thread id": 1, "Input Dims": [[5, 128], [], [[2], [3]]],
        "Input type": ["float", "Scalar", "TensorList"], "Concrete Inputs": ["", "-0.001"], "Ev Idx": 3,
    });
    trace.slice("cpu_op", "aten::cat", HOST, "1", "9", of_op);
    let of_call = json!({"stream": "0x0", "correlation": 118, "kernel": "gemm", "grid": [3, 1, 1], "size": "2560"});
    trace.slice("cuda_runtime", "hipLaunchKernel", HOST, "2", "1", of_call);
    let of_frame = json!({"Python id": 3, "Python parent id": 2, "Python module id": 0, "Ev Idx": 3});
    trace.slice("python_function", "nn.Module: Linear_0", HOST, "3", "1", of_frame);
    let of_copy = json!({"bytes": 92928, "memory bandwidth (GB/s)": 7.744, "kind": "HtoD", "device": 0, "stream": 7});
    trace.slice("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", STREAM, "4", "1", of_copy);
    trace.slice("overhead", "Buffer Flush", (-1, 0), "5", "1", json!({}));
    trace.slice("brand_new", "on the device", STREAM, "6", "1", json!({"a": 1}));
    let tables = trace.read();
    let ops: Vec<host_op::Row> = tables.rows().collect();
    let named = |name: &str| *ops.iter().find(|row| tables.text(row.name) == name).unwrap();
    let op = named("aten::cat");
    assert_eq!((op.sequence, op.forward_thread), (Some(4), Some(1)));
    assert_eq!(tables.opt_text(op.shapes), Some("5,128;\r\n;\r\n[[2],[3]]"));
    assert_eq!(tables.opt_text(op.dtypes), Some("float;\r\nScalar;\r\nTensorList"));
    assert_eq!(args(&tables, op.args), json!({"External id": 9, "Concrete Inputs": ["", "-0.001"], "Ev Idx": 3}));
    let call = named("hipLaunchKernel");
    assert_eq!((call.connection_id, tables.opt_text(call.item)), (Some(ConnectionId(118)), Some("gemm")));
    assert_eq!(args(&tables, call.args), json!({"stream": "0x0", "grid": [3, 1, 1], "size": "2560"}));
    let frame = named("nn.Module: Linear_0");
    assert_eq!((frame.python_id, frame.python_parent_id, frame.python_module_id), (Some(3), Some(2), Some(0)));
    assert_eq!((tables.text(frame.kind), frame.category), ("python", None));
    let overhead = named("Buffer Flush");
    assert_eq!((tables.text(overhead.kind), tables.opt_text(overhead.category)), ("other", Some("overhead")));
    let tasks: Vec<task::Row> = tables.rows().collect();
    assert_eq!((tasks[0].bytes, tasks[0].bandwidth), (Some(92928), Some(7.744)));
    assert_eq!(tables.opt_text(tasks[0].operation), Some("HtoD"));
    assert_eq!(
        (tables.opt_text(tasks[1].task_type), tasks[1].device, tasks[1].stream),
        (Some("brand_new"), Some(0), Some(7))
    );
    assert!(tables.is_empty(TableId::Kernel));
}

#[test]
fn allocations_live_from_their_mark_to_that_of_their_release() {
    let mut trace = Trace::new(0);
    trace.slice("cpu_op", "aten::linear", HOST, "1000", "900", json!({}));
    trace.slice("cpu_op", "aten::empty", HOST, "1100", "100", json!({}));
    let mut mark = |us: i64, bytes: i64, address: i64, total: i64| {
        trace.add(&format!(
            r#"{{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 77, "tid": 77, "ts": {us}.001,
            "args": {{"Total Reserved": 4096, "Total Allocated": {total}, "Bytes": {bytes}, "Addr": {address}, "Device Id": 0, "Device Type": 1, "Ev Idx": 4}}}}"#
        ));
    };
    mark(1150, 512, 140_000, 512);
    mark(1300, 256, 150_000, 768);
    mark(1400, -512, 140_000, 256);
    mark(1500, -64, 999, 192);
    let out_of_memory =
        r#"{"ph": "i", "s": "t", "name": "[OutOfMemory]", "pid": 77, "tid": 77, "ts": 1600, "args": {"Bytes": 1}}"#;
    trace.add(out_of_memory);
    let tables = trace.read();
    let samples: Vec<mem_sample::Row> = tables.rows().collect();
    let actions: Vec<Option<&str>> = samples.iter().map(|row| tables.opt_text(row.action)).collect();
    assert_eq!(actions, [Some("allocate"), Some("allocate"), Some("release"), Some("release")]);
    assert_eq!((samples[2].bytes, samples[2].allocated, samples[2].reserved), (Some(512), Some(256), Some(4096)));
    assert_eq!((tables.text(samples[0].component), samples[0].thread), ("CUDA", Some(77 << 32 | 77)));
    let events: Vec<mem_event::Row> = tables.rows().collect();
    let names: Vec<&str> = events.iter().map(|row| tables.text(row.name)).collect();
    assert_eq!(names, ["aten::empty", "aten::linear", "aten::linear"]);
    assert_eq!((events[0].start, events[0].duration), (Some(Ns(1_150_001)), Some(250_000)));
    assert_eq!((events[0].start_allocated, events[0].release_allocated), (Some(512), Some(256)));
    assert_eq!((events[1].release, events[2].start, events[2].bytes), (None, None, Some(64)));
    // What has no column is named, and a mark that is no allocation stays a mark.
    let unread = tables.rows::<source::Row>().next().unwrap().unread;
    assert_eq!(args(&tables, unread), json!(["[memory] Ev Idx"]));
    let marks = tables.rows::<host_op::Row>().filter(|row| tables.opt_text(row.event_type) == Some("instant"));
    let marks: Vec<(&str, Value)> = marks.map(|row| (tables.text(row.name), args(&tables, row.args))).collect();
    assert_eq!(marks, [("[OutOfMemory]", json!({"s": "t", "Bytes": 1}))]);
}

#[test]
fn events_of_any_phase_are_kept() {
    let mut trace = Trace::new(0);
    trace.add(r#"{"ph": "C", "name": "GPU memory", "pid": 0, "tid": 0, "ts": 5, "args": {"used": 3, "free": 4.5}}"#);
    trace.add(r#"{"ph": "C", "name": "state", "pid": 0, "tid": 0, "ts": 5, "args": {"is": "idle"}}"#);
    trace.add(r#"{"ph": "b", "cat": "user", "name": "request", "id": "0x7", "pid": 77, "tid": 77, "ts": 6, "args": {"a": 1}}"#);
    trace.add(r#"{"ph": "e", "cat": "user", "name": "request", "id": "0x7", "pid": 77, "tid": 77, "ts": 7}"#);
    trace.add(r#"{"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": 8}"#);
    trace.add(r#"{"ph": "M", "name": "num_cpus", "pid": 77, "tid": 0, "args": {"number": 64}}"#);
    for (phase, at) in [("s", 10), ("t", 11), ("f", 12)] {
        trace.add(&format!(
            r#"{{"ph": "{phase}", "cat": "async", "name": "hop", "id": 3, "pid": 77, "tid": 77, "ts": {at}}}"#
        ));
    }
    let tables = trace.read();
    assert_eq!(codes(&tables), Vec::<&str>::new());
    let counters = tables.rows::<counter::Row>().map(|row| (tables.text(row.series), row.value));
    assert_eq!(counters.collect::<Vec<_>>(), [("used", 3.0), ("free", 4.5)]);
    let marks = tables.rows::<host_op::Row>();
    let marks: Vec<(Option<&str>, i64, Value)> =
        marks.map(|row| (tables.opt_text(row.event_type), row.start.0, args(&tables, row.args))).collect();
    assert_eq!(
        marks,
        [
            (Some("C"), 5_000, json!({"is": "idle"})),
            (Some("b"), 6_000, json!({"id": "0x7", "a": 1})),
            (Some("e"), 7_000, json!({"id": "0x7"})),
            (Some("instant"), 8_000, json!({"s": "g"})),
        ]
    );
    let arrows = tables.rows::<flow::Row>().map(|row| (row.src_time.unwrap().0, row.dst_time.unwrap().0, row.branch));
    assert_eq!(arrows.collect::<Vec<_>>(), [(10_000, 11_000, None), (10_000, 12_000, Some(true))]);
    let setting = tables.rows::<metadata::Row>().find(|row| tables.text(row.key) == "num_cpus").unwrap();
    assert_eq!(tables.text(setting.value), r#"{"number": 64}"#);
}

#[test]
fn numbers_that_fit_no_column_stay_as_they_are() {
    let mut trace = Trace::new(0);
    trace.add(
        r#"{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 0.0000001, "args":
        {"device": 0.5, "stream": 123456789012345678901234567890, "correlation": "7", "bytes": -3, "grid": "all", "blocks per SM": inf}}"#,
    );
    trace
        .add(r#"{"ph": "X", "cat": "kernel", "name": "no time", "pid": 0, "tid": 7, "ts": nan, "dur": 1, "args": {}}"#);
    trace.add(r#"{"ph": "X", "cat": "kernel", "name": "backwards", "pid": 0, "tid": 7, "ts": 5, "dur": -2}"#);
    let tables = trace.read();
    assert_eq!(codes(&tables), ["no-time"]);
    let tasks: Vec<task::Row> = tables.rows().collect();
    assert_eq!(tasks.len(), 2);
    assert_eq!(
        (tasks[0].device, tasks[0].stream, tasks[0].connection_id, tasks[0].bytes),
        (Some(0), Some(7), None, Some(-3))
    );
    assert_eq!(
        tables.opt_text(tasks[0].args),
        Some(
            r#"{"device": 0.5, "stream": 123456789012345678901234567890, "correlation": "7", "grid": "all", "blocks per SM": "inf"}"#
        )
    );
    assert_eq!((tasks[0].duration.ns(), tasks[0].duration.us()), (0, 0.000_000_1));
    assert_eq!(tasks[1].duration.ns(), -2_000);
}

#[test]
fn settings_before_and_behind_the_events_are_kept() {
    let tables = two_steps(("cuda_runtime", "cudaLaunchKernel")).read();
    let keys: Vec<&str> = tables.rows::<metadata::Row>().map(|row| tables.text(row.key)).collect();
    assert_eq!(keys, ["schemaVersion", "deviceProperties", "distributedInfo", "record_shapes", "traceName"]);
    let row: rank::Row = only(&tables);
    assert_eq!((row.device, row.process, row.world_size), (Some(0), Some(77), Some(4)));
    assert_eq!(tables.opt_text(row.chip), Some("NVIDIA H100"));
    assert_eq!((tables.opt_text(row.framework), tables.text(row.format)), (Some("torch"), "kineto"));
}

#[test]
fn arguments_of_counters_that_are_no_numbers_are_reported() {
    let mut trace = Trace::new(0);
    trace.add(r#"{"ph": "C", "name": "load", "pid": 0, "tid": 0, "ts": 5, "args": {"a": 1, "unit": "%", "b": [2]}}"#);
    trace.add(r#"{"ph": "C", "name": "text", "pid": 0, "tid": 0, "ts": 5, "args": {"kept": "x"}}"#);
    let tables = trace.read();
    assert_eq!((tables.len(TableId::Counter), tables.len(TableId::HostOp)), (1, 1));
    let unread = tables.rows::<source::Row>().next().unwrap().unread;
    assert_eq!(args(&tables, unread), json!(["b", "unit"]));
    let mut pieces = RankPieces::default();
    let text = format!("[{}]", trace.events.join(","));
    let summary = npuscope_formats::trace_json::read(text.as_bytes(), "trace_view.json", 1, &mut pieces);
    assert_eq!(summary.unread_keys, ["unit", "b", "kept"]);
}
