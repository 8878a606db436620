//! Traces of PyTorch's profiler that the tests make themselves: what each part of them becomes.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use npuscope_formats::output::{Output, OutputError};
use npuscope_formats::{db, kineto, text};
use npuscope_measures::deliverable;
use npuscope_store::discover::{Profile, discover};
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_tables::Flavour;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::{
    comm_op, counter, diagnostic, flow, host_op, kernel, lane, mem_event, mem_sample, metadata, rank, source, step,
    task,
};
use npuscope_tables::{Interner, Ns, RankPieces, RankTables, Table, TableId};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The base of times in the traces that have one.
const BASE: i64 = 1_711_964_646_000_000_000;

/// A trace: its text, event by event.
struct Trace {
    events: Vec<String>,
    head: String,
    tail: String,
}

impl Trace {
    /// A trace of `rank` on GPU 0, whose process is 77.
    fn new(rank: i64) -> Trace {
        let head = format!(
            r#""schemaVersion": 1, "deviceProperties": [{{"id": 0, "name": "NVIDIA H100"}}, {{"id": 1, "name": "other"}}],
            "distributedInfo": {{"backend": "nccl", "rank": {rank}, "world_size": 4}}, "record_shapes": 1, "#
        );
        let mut trace = Trace { events: Vec::new(), head, tail: r#", "traceName": "a.json""#.to_owned() };
        trace.name(77, "CPU");
        trace.name(0, "GPU 0");
        trace
    }

    fn name(&mut self, pid: i64, label: &str) {
        let one = |name: &str, key: &str, value: Value| json!({"ph": "M", "name": name, "pid": pid, "tid": 0, "args": {key: value}});
        self.add(&one("process_name", "name", json!("python3")).to_string());
        self.add(&one("process_labels", "labels", json!(label)).to_string());
        self.add(&one("process_sort_index", "sort_index", json!(pid + 5)).to_string());
    }

    fn add(&mut self, event: &str) -> &mut Trace {
        self.events.push(event.to_owned());
        self
    }

    fn slice(&mut self, category: &str, name: &str, (pid, tid): (i64, i64), ts: &str, dur: &str, args: Value) {
        let name = json!(name);
        self.add(&format!(
            r#"{{"ph": "X", "cat": "{category}", "name": {name}, "pid": {pid}, "tid": {tid}, "ts": {ts}, "dur": {dur}, "args": {args}}}"#
        ));
    }

    fn text(&self) -> String {
        format!("{{{}\"traceEvents\": [\n{}\n]{}}}", self.head, self.events.join(",\n"), self.tail)
    }

    fn read(&self) -> RankTables {
        let directory = tempfile::tempdir().unwrap();
        read_path(&put(&directory, "trace.json", self.text().as_bytes()))
    }
}

fn put(directory: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = directory.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn read(profile: &Profile, index: usize) -> RankTables {
    read_rank(&profile.ranks[index], ReadOptions { threads: 2, ..ReadOptions::default() })
}

fn read_path(path: &Path) -> RankTables {
    read(&discover(path).unwrap(), 0)
}

fn only<T: Table>(tables: &RankTables) -> T {
    let mut rows = tables.rows::<T>();
    let row = rows.next().expect("a row");
    assert!(rows.next().is_none(), "more than one row");
    row
}

/// Codes of what was told, but for ranks that are not known.
fn codes(tables: &RankTables) -> Vec<&str> {
    let codes = tables.rows::<diagnostic::Row>().map(|row| tables.text(row.code));
    codes.filter(|code| *code != "no-rank").collect()
}

fn args(tables: &RankTables, args: Option<npuscope_tables::Str>) -> Value {
    tables.opt_text(args).map_or(Value::Null, |text| serde_json::from_str(text).unwrap())
}

const HOST: (i64, i64) = (77, 77);
const STREAM: (i64, i64) = (0, 7);

/// Two steps: in each an operator launches a kernel through `call`.
fn two_steps(call: (&str, &str)) -> Trace {
    let mut trace = Trace::new(3);
    for (step, at) in [(8, 1000), (9, 2000)] {
        let time = |us: i64| format!("{}.250", at + us);
        trace.slice("user_annotation", &format!("ProfilerStep#{step}"), HOST, &time(0), "900.500", json!({}));
        trace.slice("gpu_user_annotation", &format!("ProfilerStep#{step}"), STREAM, &time(100), "400", json!({}));
        trace.slice("cpu_op", "aten::linear", HOST, &time(10), "100", json!({"External id": at}));
        trace.slice("cpu_op", "aten::addmm", HOST, &time(20), "80", json!({"External id": at + 1}));
        trace.slice(call.0, call.1, HOST, &time(30), "5", json!({"correlation": at, "cbid": 211}));
        let launch =
            json!({"device": 0, "stream": 7, "correlation": at, "grid": [512, 1, 1], "block": [32, 2, 1], "queued": 0});
        trace.slice("kernel", "gemm", STREAM, &time(100), "300", launch);
        for (phase, (pid, tid), us) in [("s", HOST, 30), ("f", STREAM, 100)] {
            trace.add(&format!(
                r#"{{"ph": "{phase}", "id": {at}, "pid": {pid}, "tid": {tid}, "ts": {}, "cat": "ac2g", "name": "ac2g", "bp": "e"}}"#,
                time(us)
            ));
        }
    }
    trace
}

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
        assert_eq!(kernels.iter().map(|row| row.task).collect::<Vec<_>>(), [Some(0), Some(1)]);
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
    assert_eq!((tables.opt_text(first.dtype), first.connection_id, first.device), (Some("BFloat16"), Some(5), Some(0)));
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
    assert_eq!((call.connection_id, tables.opt_text(call.item)), (Some(118), Some("gemm")));
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
fn a_trace_of_the_host_alone_has_no_device() {
    let mut trace = Trace { events: Vec::new(), head: String::new(), tail: String::new() };
    trace.name(77, "CPU");
    trace.slice("cpu_op", "aten::mm", HOST, "1", "2", json!({}));
    let tables = trace.read();
    let row: rank::Row = only(&tables);
    assert_eq!((row.device, row.chip, row.process), (None, None, Some(77)));
    assert_eq!(only::<host_op::Row>(&tables).duration.ns(), 2_000);
}

#[test]
fn each_trace_of_a_directory_is_a_rank() {
    let directory = tempfile::tempdir().unwrap();
    let text = |rank| {
        two_steps(("cuda_runtime", "cudaLaunchKernel")).text().replace("\"rank\": 3", &format!("\"rank\": {rank}"))
    };
    let nameless = two_steps(("cuda_runtime", "cudaLaunchKernel")).text().replace("\"rank\": 3, ", "");
    put(&directory, "node1_77.1695835542513910000.pt.trace.json", text(5).as_bytes());
    put(&directory, "node1_78.1695835542513910000.pt.trace.json.gz", &packed(text(2).as_bytes()));
    put(&directory, "packed without saying so.json", &packed(text(6).as_bytes()));
    put(&directory, "rank1.json", nameless.as_bytes());
    put(&directory, "trace.json", nameless.as_bytes());
    put(&directory, "config.json", br#"{"learning_rate": 0.1, "schemaVersion": 2}"#);
    put(&directory, "events.json", br#"[{"ph": "X"}]"#);
    let of_a_browser = put(&directory, "browser.json", br#"{"traceEvents": [{"ph": "i", "name": "load", "ts": 1}]}"#);
    assert_eq!(read_path(&of_a_browser).len(TableId::HostOp), 1);
    put(&directory, "notes.txt", b"hello");
    let profile = discover(directory.path()).unwrap();
    let ranks: Vec<i64> = profile.ranks.iter().map(|source| source.rank).collect();
    assert_eq!(ranks, [0, 1, 2, 5, 6]);
    for (index, source) in profile.ranks.iter().enumerate() {
        assert_eq!(source.flavour, Flavour::Kineto);
        let tables = read(&profile, index);
        assert_eq!(tables.len(TableId::Kernel), 2, "{source:?}");
        assert_eq!(codes(&tables), Vec::<&str>::new());
    }
    assert!(profile.ranks[0].files[0].name == "trace.json" && profile.ranks[0].problems[0].code == "no-rank");
    let host = only::<rank::Row>(&read(&profile, 3)).host;
    assert_eq!(read(&profile, 3).opt_text(host), Some("node1"));
}

#[test]
fn of_two_traces_of_a_rank_the_newer_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let text = two_steps(("cuda_runtime", "cudaLaunchKernel")).text();
    let newer = "node_77.1695835550000000000.pt.trace.json";
    put(&directory, newer, text.as_bytes());
    put(&directory, "node_77.1695835540000000000.pt.trace.json", text.as_bytes());
    let profile = discover(directory.path()).unwrap();
    assert_eq!(profile.ranks.len(), 1);
    assert_eq!((profile.ranks[0].rank, profile.ranks[0].files[0].name.as_str()), (3, newer));
    let problem = &profile.ranks[0].problems[0];
    assert_eq!((problem.code, problem.file.as_str()), ("duplicate-rank", "node_77.1695835540000000000.pt.trace.json"));
    assert!(problem.message.contains(newer), "{}", problem.message);
}

/// A trace that does not say its rank.
fn nameless() -> String {
    two_steps(("cuda_runtime", "cudaLaunchKernel")).text().replace("\"rank\": 3, ", "")
}

/// Rank and first file of each rank.
fn numbered(profile: &Profile) -> Vec<(i64, &str)> {
    profile.ranks.iter().map(|source| (source.rank, source.files[0].name.as_str())).collect()
}

#[test]
fn a_host_that_is_called_after_a_number_gives_no_rank() {
    let directory = tempfile::tempdir().unwrap();
    let names = [11, 12, 13, 14].map(|pid| format!("myjob-worker-3_{pid}.1700000000000.pt.trace.json"));
    names.iter().for_each(|name| drop(put(&directory, name, nameless().as_bytes())));
    let profile = discover(directory.path()).unwrap();
    assert_eq!(numbered(&profile), (0..).zip(names.iter().map(String::as_str)).collect::<Vec<_>>());
}

#[test]
fn of_traces_whose_names_have_the_same_number_none_is_lost() {
    let directory = tempfile::tempdir().unwrap();
    let stated = two_steps(("cuda_runtime", "cudaLaunchKernel")).text();
    put(&directory, "a.json", stated.as_bytes());
    for name in ["rank1_b.json", "rank1_c.json", "rank2.json", "rank3.json"] {
        put(&directory, name, nameless().as_bytes());
    }
    let profile = discover(directory.path()).unwrap();
    let expected = [(0, "rank1_b.json"), (1, "rank1_c.json"), (2, "rank2.json"), (3, "a.json"), (4, "rank3.json")];
    assert_eq!(numbered(&profile), expected);
}

#[test]
fn a_process_that_records_several_times_is_one_rank() {
    let directory = tempfile::tempdir().unwrap();
    let name = |pid: i64, time: &str| format!("node_{pid}.{time}.pt.trace.json");
    // Milliseconds and nanoseconds.
    let newest = name(77, "1700000003000");
    for time in ["1700000001000000000", "1700000002000000000", "1700000003000"] {
        put(&directory, &name(77, time), nameless().as_bytes());
    }
    let other = name(78, "1700000001000000000");
    put(&directory, &other, nameless().as_bytes());
    let profile = discover(directory.path()).unwrap();
    assert_eq!(numbered(&profile), [(0, newest.as_str()), (1, other.as_str())]);
    let told = profile.ranks[0].problems.iter().filter(|problem| problem.code == "duplicate-rank");
    let mut told: Vec<&str> = told.map(|problem| problem.file.as_str()).collect();
    told.sort_unstable();
    assert_eq!(told, [name(77, "1700000001000000000"), name(77, "1700000002000000000")]);
}

#[test]
fn ranks_of_npus_and_of_gpus_do_not_displace_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let trace = two_steps(("cuda_runtime", "cudaLaunchKernel"));
    for rank in [0, 1] {
        let output = directory.path().join(format!("npu_{rank}")).join("ASCEND_PROFILER_OUTPUT");
        fs::create_dir_all(&output).unwrap();
        fs::write(output.join("trace_view.json"), "[]").unwrap();
        fs::write(output.with_file_name(format!("profiler_info_{rank}.json")), "{}").unwrap();
        let text = trace.text().replace("\"rank\": 3", &format!("\"rank\": {rank}"));
        put(&directory, &format!("gpu{rank}.json"), text.as_bytes());
    }
    let profile = discover(directory.path()).unwrap();
    let flavours: Vec<_> = profile.ranks.iter().map(|source| (source.rank, source.flavour)).collect();
    let (npu, gpu) = (Flavour::TorchNpu, Flavour::Kineto);
    assert_eq!(flavours, [(0, npu), (1, npu), (2, gpu), (3, gpu)]);
    assert_eq!(profile.ranks[3].files[0].name, "gpu1.json");
    assert_eq!(profile.ranks[3].problems[0].code, "renumbered-rank");
}

#[test]
fn a_file_that_is_no_trace_is_no_profile() {
    let directory = tempfile::tempdir().unwrap();
    for (name, bytes) in
        [("a.json", &b"{\"a\": 1}"[..]), ("b.json.gz", b"\x1f\x8b\x08"), ("c.json", b""), ("d.json.gz", b"not packed")]
    {
        assert!(discover(&put(&directory, name, bytes)).is_err(), "{name}");
    }
    assert!(discover(directory.path()).is_err());
    // The name alone makes it one, and then it is told what is wrong with it.
    let path = put(&directory, "x.pt.trace.json.gz", b"\x1f\x8b\x08");
    assert_eq!(codes(&read_path(&path)), ["cut-file", "empty-file"]);
    let path = put(&directory, "y.pt.trace.json", b"{}");
    assert_eq!(codes(&read_path(&path)), ["not-a-trace"]);
}

/// A trace of many operators, each of another name.
fn many(count: usize) -> Trace {
    let mut trace = Trace::new(0);
    for number in 0..count {
        let args = json!({"External id": number, "Input Dims": [[number, number * 7919 % 1000], []]});
        trace.slice(
            "cpu_op",
            &format!("op {}", number * 104_729 % 99_991),
            HOST,
            &format!("{number}.125"),
            "0.5",
            args,
        );
    }
    trace.tail.push_str(&format!(r#", "baseTimeNanoseconds": {BASE}"#));
    trace
}

#[test]
fn a_cut_trace_keeps_every_event_before_the_cut() {
    let text = many(500).text();
    let cut = text.find("\"op ").map(|first| first + (text.len() - first) / 2).unwrap();
    let text = &text[..cut];
    let whole = text.matches("\"dur\": 0.5, \"args\": {").count();
    let directory = tempfile::tempdir().unwrap();
    for (name, bytes) in [("a.json", text.as_bytes().to_vec()), ("a.json.gz", packed(text.as_bytes()))] {
        let tables = read_path(&put(&directory, name, &bytes));
        let rows = tables.len(TableId::HostOp);
        assert!(rows == whole || rows + 1 == whole, "{rows} of {whole}");
        // The base of the times went with the rest.
        assert_eq!(codes(&tables), ["cut-file", "no-base-time"], "{name}");
        let cut = tables.rows::<diagnostic::Row>().next().unwrap();
        assert_eq!(tables.opt_text(cut.file), Some(name));
        assert!(cut.offset.is_some_and(|offset| offset > 0 && offset < text.len() as i64));
        assert_eq!(tables.text(cut.message).contains("unpacked text"), name == "a.json.gz");
    }
}

#[test]
fn damaged_packing_costs_only_what_lies_behind_it() {
    let text = many(20_000).text();
    let whole = packed(text.as_bytes());
    let directory = tempfile::tempdir().unwrap();
    let half = whole.len() / 2;
    let mut damaged = whole.clone();
    damaged[half..half + 500].fill(0xa5);
    for (name, bytes, code) in
        [("cut.json.gz", &whole[..half], "cut-file"), ("damaged.json.gz", &damaged, "damaged-gzip")]
    {
        let tables = read_path(&put(&directory, name, bytes));
        let rows = tables.len(TableId::HostOp);
        assert!((8_000..20_000).contains(&rows), "{name}: {rows}");
        let told = tables.rows::<diagnostic::Row>().next().unwrap();
        assert_eq!((tables.text(told.code), tables.opt_text(told.file)), (code, Some(name)));
        let offset = usize::try_from(told.offset.unwrap()).unwrap();
        assert!((half..=whole.len()).contains(&offset), "{name}: {offset} of {half}");
    }
}

#[test]
fn a_broken_tail_costs_no_event() {
    let mut trace = two_steps(("cuda_runtime", "cudaLaunchKernel"));
    trace.tail = r#", "traceName" "a", "baseTimeNanoseconds": 5"#.to_owned();
    let tables = trace.read();
    assert_eq!(tables.len(TableId::Kernel), 2);
    assert_eq!(codes(&tables), ["garbage", "no-base-time"]);
}

#[test]
fn times_are_told_of_if_the_file_ends_between_the_events_and_their_base() {
    let text = many(20).text();
    let cut = text.rfind(']').unwrap() + 1;
    let directory = tempfile::tempdir().unwrap();
    let tables = read_path(&put(&directory, "a.json", &text.as_bytes()[..cut]));
    assert_eq!(codes(&tables), ["cut-file", "no-base-time"]);
    // Whole, it never had a base; nor has a list that stands alone.
    let whole = [&text[..cut], "}"].concat();
    assert_eq!(codes(&read_path(&put(&directory, "b.json", whole.as_bytes()))), Vec::<&str>::new());
}

#[test]
fn a_list_that_stands_alone_is_a_trace_if_it_is_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let text = format!("[{}]", two_steps(("cuda_runtime", "cudaLaunchKernel")).events.join(","));
    let tables = read_path(&put(&directory, "events.json", text.as_bytes()));
    assert_eq!((tables.len(TableId::Kernel), codes(&tables)), (2, vec![]));
    // Among other files it may be anything.
    assert!(discover(directory.path()).is_err());
}

#[test]
fn arguments_of_counters_that_are_no_numbers_are_told_of() {
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

#[test]
fn neither_stretches_nor_threads_change_the_rows() {
    let mut trace = many(3000);
    for number in 0..500 {
        let group =
            json!({"Process Group Name": (number % 3).to_string(), "correlation": number, "device": 0, "stream": 9});
        trace.slice("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", (0, 9), &format!("{number}"), "0.5", group);
        trace.slice("kernel", "gemm", (0, 7), &format!("{number}"), "0.25", json!({"correlation": number}));
    }
    let text = trace.text();
    let read = |stretches, threads| {
        let mut pieces = RankPieces::default();
        let summary = kineto::read_in(text.as_bytes(), "t", stretches, threads, &mut pieces);
        assert_eq!((summary.events, summary.problems.len()), (4006, 0));
        pieces.finish()
    };
    let one = read(1, 1);
    for (stretches, threads) in [(5, 1), (5, 3)] {
        let many = read(stretches, threads);
        let kernels =
            |tables: &RankTables| tables.rows::<kernel::Row>().map(|row| (row.task, row.start)).collect::<Vec<_>>();
        assert_eq!(kernels(&one), kernels(&many));
        let ops = |tables: &RankTables| {
            let key = |row: comm_op::Row| (row.lane, row.start, tables.opt_text(row.group_name).unwrap().to_owned());
            tables.rows().map(key).collect::<Vec<_>>()
        };
        assert_eq!(ops(&one), ops(&many));
        let host = |tables: &RankTables| {
            let key = |row: host_op::Row| {
                (row.start, tables.text(row.name).to_owned(), tables.opt_text(row.args).map(str::to_owned))
            };
            tables.rows().map(key).collect::<Vec<_>>()
        };
        assert_eq!(host(&one), host(&many));
    }
}

#[test]
fn the_files_of_an_npu_are_not_made_of_a_gpu_trace() {
    let directory = tempfile::tempdir().unwrap();
    let out = || Output::new(directory.path()).unwrap();
    let tables = || two_steps(("cuda_runtime", "cudaLaunchKernel")).read();
    for error in [text::write_rank(tables(), 0, &out()), db::write_rank(tables(), 0, &out())] {
        assert!(matches!(error.unwrap_err(), OutputError::NoPlace { .. }));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
