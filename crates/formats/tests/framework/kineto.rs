//! Traces of PyTorch's own profiler as deliverables of an NPU: beside raw files, and alone.

use std::fs;
use std::path::Path;

use npuscope_formats::framework::records::{OpRange, scope};
use npuscope_formats::output::Output;
use npuscope_formats::{db, framework, kineto, messages, text};
use npuscope_store::discover::{discover, discover_raw};
use npuscope_store::parse::{Export, parse};
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_tables::Framework;
use npuscope_tables::table::{comm_op, host_op, kernel, lane, mem_event, overlap, rank, reported_step, step, task};
use npuscope_tables::{Ns, Rank, RankTables};
use serde_json::{Value, json};

use crate::raw::{RawDirectory, SHIFT};

const NAME: &str = "node1_77_20261115185652123_ascend_pt";

/// A trace of two steps on a thread of process 77 and, if there is one, on a GPU.
fn trace(has_gpu: bool) -> String {
    let mut events = Vec::new();
    let mut process = |pid: i64, label: &str| {
        for (name, key, value) in [("process_name", "name", "python3"), ("process_labels", "labels", label)] {
            events.push(json!({"ph": "M", "name": name, "pid": pid, "tid": 0, "args": {key: value}}));
        }
    };
    process(77, "CPU");
    if has_gpu {
        process(0, "GPU 0");
    }
    let mut slice = |cat: &str, name: &str, place: (i64, i64), start: i64, end: i64, args: Value| {
        let (pid, tid) = place;
        let ts = SHIFT / 1000 + start;
        events.push(json!({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": end - start, "args": args}));
    };
    let (main, stream) = ((77, 77), (0, 7));
    for (number, at) in [(5, 1000), (6, 2000)] {
        slice("user_annotation", &format!("ProfilerStep#{number}"), main, at, at + 900, json!({}));
        slice(
            "cpu_op",
            "aten::mm",
            main,
            at + 100,
            at + 200,
            json!({"Input Dims": [[2, 3], [3, 4]], "External id": 9}),
        );
        slice("user_annotation", "Optimizer.step", main, at + 500, at + 700, json!({}));
        if has_gpu {
            let launch = |call: i64| json!({"correlation": call, "cbid": 211});
            slice("cuda_runtime", "cudaLaunchKernel", main, at + 110, at + 130, launch(at + 1));
            slice("cuda_driver", "cuLaunchKernel", main, at + 140, at + 150, launch(at + 2));
            slice("gpu_user_annotation", "Optimizer.step", stream, at + 550, at + 600, json!({}));
            let on = |call: i64| json!({"device": 0, "stream": 7, "correlation": call});
            slice("kernel", "gemm", stream, at + 300, at + 400, on(at + 1));
            slice("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", stream, at + 450, at + 600, on(at + 2));
        }
    }
    if has_gpu {
        for at in [1000, 2000] {
            for (phase, pid, tid, time) in [("s", 77, 77, at + 110), ("f", 0, 7, at + 300)] {
                events.push(json!({"ph": phase, "cat": "ac2g", "name": "ac2g", "id": at + 1, "pid": pid, "tid": tid, "ts": SHIFT / 1000 + time, "bp": "e"}));
            }
        }
    }
    for (time, bytes) in [(1150, 4096), (1800, -4096)] {
        let args = json!({"Total Allocated": 4096, "Total Reserved": 0, "Addr": 64, "Bytes": bytes, "Device Id": -1, "Device Type": 0});
        events.push(json!({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 77, "tid": 77, "ts": SHIFT / 1000 + time, "args": args}));
    }
    json!({"schemaVersion": 1, "deviceProperties": [], "traceEvents": events}).to_string()
}

fn read(path: &Path) -> RankTables {
    let profile = discover(path).unwrap();
    assert_eq!(profile.ranks.len(), 1);
    read_rank(&profile.ranks[0], ReadOptions::default())
}

fn at(us: i64) -> Ns {
    Ns(SHIFT + us * 1000)
}

/// What happened, in words that all formats share.
fn happened(tables: &RankTables) -> Vec<String> {
    let place = |number| {
        let row = tables.rows::<lane::Row>().find(|row| row.lane == number).unwrap();
        format!("{} {}", tables.text(row.layer), row.tid)
    };
    let mut rows = Vec::new();
    for row in tables.rows::<host_op::Row>() {
        let (kind, name) = (tables.text(row.kind), tables.text(row.name));
        let level = tables.opt_text(row.level).unwrap_or("-");
        rows.push(format!("{kind} {name} {level} {:?} {} {}", row.start, row.duration.ns(), place(row.lane)));
    }
    for row in tables.rows::<task::Row>() {
        // In a trace, the lane has the device.
        let device = row.device.unwrap_or_default();
        rows.push(format!("task {:?} {} {device} {:?}", row.start, row.duration.ns(), row.stream));
    }
    for row in tables.rows::<kernel::Row>() {
        rows.push(format!("kernel {} {:?} {}", tables.text(row.name), row.start, row.duration.ns()));
    }
    for row in tables.rows::<comm_op::Row>() {
        rows.push(format!("operation {} {:?} {}", tables.text(row.name), row.start, row.duration.ns()));
    }
    for row in tables.rows::<overlap::Row>() {
        rows.push(format!("{} {:?} {}", tables.text(row.kind), row.start, row.duration.ns()));
    }
    for row in tables.rows::<mem_event::Row>() {
        rows.push(format!("memory {} {:?} {:?} {:?}", tables.text(row.name), row.start, row.release, row.bytes));
    }
    for row in tables.rows::<step::Row>() {
        rows.push(format!("step {:?} {:?} {:?}", row.id, row.start, row.end));
    }
    rows.sort();
    rows
}

fn raw_with_trace(root: &Path, has_gpu: bool) -> RawDirectory {
    let raw = RawDirectory::create(root, NAME, Some(0), json!("text"));
    fs::write(raw.path.join("FRAMEWORK/node1_77.1700000000000.pt.trace.json"), trace(has_gpu)).unwrap();
    raw
}

fn mark_steps(raw: &RawDirectory) {
    raw.file(framework::OP_RANGE, |out| {
        for (name, start) in [("ProfilerStep#5", 1_000_000), ("ProfilerStep#6", 2_000_000)] {
            let scope = scope::USER_SCOPE;
            let end = start + 990_000;
            OpRange {
                start,
                end,
                sequence: -1,
                pid: 77,
                start_tid: 77,
                end_tid: 77,
                scope,
                name,
                ..OpRange::default()
            }
            .encode(out);
        }
    });
}

#[test]
fn a_trace_beside_raw_files_gives_operators_and_the_raw_files_the_steps() {
    let root = tempfile::tempdir().unwrap();
    let raw = raw_with_trace(root.path(), false);
    mark_steps(&raw);
    let tables = read(&raw.path);
    assert_eq!(Framework::of(&tables), Framework::TorchNpu);
    let steps: Vec<step::Row> = tables.rows().collect();
    let step = |id, start| step::Row { id: Some(id), start: at(start), end: at(start + 990) };
    assert_eq!(steps, [step(5, 1000), step(6, 2000)]);
    let named = |name: &str| tables.rows::<host_op::Row>().filter(|row| tables.text(row.name) == name).count();
    assert_eq!((named("ProfilerStep#5"), named("aten::mm"), named("Optimizer.step")), (1, 2, 2));
}

#[test]
fn without_markers_of_ours_the_steps_are_those_of_the_trace() {
    let root = tempfile::tempdir().unwrap();
    let raw = raw_with_trace(root.path(), false);
    let steps: Vec<step::Row> = read(&raw.path).rows().collect();
    let step = |id, start| step::Row { id: Some(id), start: at(start), end: at(start + 900) };
    assert_eq!(steps, [step(5, 1000), step(6, 2000)]);
}

#[test]
fn text_and_databases_have_what_the_trace_did() {
    for has_gpu in [false, true] {
        for export in [Export::TEXT, Export::DB] {
            let root = tempfile::tempdir().unwrap();
            let raw = raw_with_trace(root.path(), has_gpu);
            mark_steps(&raw);
            let before = happened(&read(&raw.path));
            assert_eq!(before.iter().any(|row| row.starts_with("kernel gemm")), has_gpu);
            let found = discover_raw(root.path()).unwrap();
            let parsed = parse(&found[0], Some(export), ReadOptions::default()).unwrap();
            assert_eq!(parsed.notes.len(), usize::from(has_gpu), "{:?}", parsed.notes);
            let left = messages::left_in_trace(vec![messages::left_device_ranges(2)]);
            assert!(parsed.notes.iter().all(|note| *note == left), "{:?}", parsed.notes);
            assert_eq!(happened(&read(&raw.path)), before, "{export:?} {has_gpu}");
        }
    }
}

/// A trace of a rank without a device that reduces with gloo.
fn trace_of_gloo() -> String {
    let slice = |cat: &str, name: &str, tid: i64, start: i64, end: i64, args: Value| {
        let ts = SHIFT / 1000 + start;
        json!({"ph": "X", "cat": cat, "name": name, "pid": 77, "tid": tid, "ts": ts, "dur": end - start, "args": args})
    };
    let tensors = json!({"Input Dims": [[4, 5]], "Input type": ["float"]});
    let events = [
        json!({"ph": "M", "name": "process_labels", "pid": 77, "tid": 0, "args": {"labels": "CPU"}}),
        slice("user_annotation", "ProfilerStep#5", 77, 1000, 1900, json!({})),
        slice("cpu_op", "c10d::allreduce_", 77, 1100, 1110, json!({})),
        slice("user_annotation", "gloo:all_reduce", 78, 1150, 1400, tensors),
    ];
    let group = json!({"pg_name": "0", "backend_config": "cpu:gloo", "pg_size": 2, "ranks": [0, 1]});
    let info = json!({"backend": "gloo", "rank": 0, "world_size": 2, "pg_config": [group]});
    json!({"schemaVersion": 1, "deviceProperties": [], "distributedInfo": info, "traceEvents": events}).to_string()
}

#[test]
fn text_and_databases_have_what_hosts_communicated() {
    for export in [Export::TEXT, Export::DB] {
        let root = tempfile::tempdir().unwrap();
        let raw = RawDirectory::create(root.path(), NAME, Some(0), json!("text"));
        fs::write(raw.path.join("FRAMEWORK/node1_77.1700000000000.pt.trace.json"), trace_of_gloo()).unwrap();
        let communicated = |tables: &RankTables| {
            let op = tables.rows::<comm_op::Row>().next().unwrap();
            let call = tables.rows::<host_op::Row>().find(|row| row.connection_id == op.connection_id);
            assert!(op.connection_id.is_some());
            let call = call.map(|call| (tables.text(call.name).to_owned(), call.start));
            let texts = [op.group_name, op.dtype].map(|text| tables.opt_text(text).map(str::to_owned));
            let step = tables.rows::<reported_step::Row>().next().and_then(|row| row.free);
            let bytes = npuscope_measures::communication::bytes(tables, &op);
            (tables.text(op.name).to_owned(), op.start, op.duration.ns(), texts, op.rank_size, bytes, call, step)
        };
        let before = communicated(&read(&raw.path));
        let found = discover_raw(root.path()).unwrap();
        let parsed = parse(&found[0], Some(export), ReadOptions::default()).unwrap();
        assert_eq!(parsed.notes, []);
        assert_eq!(communicated(&read(&raw.path)), before, "{export:?}");
        assert_eq!(before.5, Some(80));
    }
}

#[test]
fn time_on_a_gpu_divides_as_on_an_npu() {
    let root = tempfile::tempdir().unwrap();
    let raw = raw_with_trace(root.path(), true);
    mark_steps(&raw);
    let tables = read(&raw.path);
    let rows: Vec<_> = tables
        .rows::<reported_step::Row>()
        .map(|row| (row.computing, row.communication, row.communication_not_overlapped))
        .collect();
    assert_eq!(rows, [(Some(100.0), Some(150.0), Some(150.0)); 2]);
}

#[test]
fn a_trace_alone_becomes_deliverables() {
    for is_text in [true, false] {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("node1_77.1700000000000.pt.trace.json");
        fs::write(&path, trace(true)).unwrap();
        let (fitted, left) = kineto::to_torch_npu(&read(&path));
        assert_eq!(left.message(), Some(messages::left_in_trace(vec![messages::left_device_ranges(2)])));
        let before = happened(&fitted);
        let row = fitted.rows::<rank::Row>().next().unwrap();
        assert_eq!(fitted.opt_text(row.framework), Some("torch_npu"));
        let out = Output::new(root.path().join("out").join(NAME)).unwrap();
        let write = if is_text { text::write_rank } else { db::write_rank };
        write(fitted, Rank(0), &out).unwrap();
        assert_eq!(happened(&read(out.path())), before, "{is_text}");
    }
}
