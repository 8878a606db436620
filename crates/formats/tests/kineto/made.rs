//! Traces of PyTorch's profiler that the tests make themselves, and how they are read.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use npuscope_store::discover::{Profile, discover};
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_tables::table::diagnostic;
use npuscope_tables::{RankTables, Table};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The base of times in the traces that have one.
pub const BASE: i64 = 1_711_964_646_000_000_000;

/// A trace: its text, event by event.
pub struct Trace {
    pub events: Vec<String>,
    pub head: String,
    pub tail: String,
}

impl Trace {
    /// A trace of `rank` on GPU 0, whose process is 77.
    pub fn new(rank: i64) -> Trace {
        let head = format!(
            r#""schemaVersion": 1, "deviceProperties": [{{"id": 0, "name": "NVIDIA H100"}}, {{"id": 1, "name": "other"}}],
            "distributedInfo": {{"backend": "nccl", "rank": {rank}, "world_size": 4}}, "record_shapes": 1, "#
        );
        let mut trace = Trace { events: Vec::new(), head, tail: r#", "traceName": "a.json""#.to_owned() };
        trace.name(77, "CPU");
        trace.name(0, "GPU 0");
        trace
    }

    pub fn name(&mut self, pid: i64, label: &str) {
        let one = |name: &str, key: &str, value: Value| json!({"ph": "M", "name": name, "pid": pid, "tid": 0, "args": {key: value}});
        self.add(&one("process_name", "name", json!("python3")).to_string());
        self.add(&one("process_labels", "labels", json!(label)).to_string());
        self.add(&one("process_sort_index", "sort_index", json!(pid + 5)).to_string());
    }

    pub fn add(&mut self, event: &str) -> &mut Trace {
        self.events.push(event.to_owned());
        self
    }

    pub fn slice(&mut self, category: &str, name: &str, (pid, tid): (i64, i64), ts: &str, dur: &str, args: Value) {
        let name = json!(name);
        self.add(&format!(
            r#"{{"ph": "X", "cat": "{category}", "name": {name}, "pid": {pid}, "tid": {tid}, "ts": {ts}, "dur": {dur}, "args": {args}}}"#
        ));
    }

    pub fn text(&self) -> String {
        format!("{{{}\"traceEvents\": [\n{}\n]{}}}", self.head, self.events.join(",\n"), self.tail)
    }

    pub fn read(&self) -> RankTables {
        let directory = tempfile::tempdir().unwrap();
        read_path(&put(&directory, "trace.json", self.text().as_bytes()))
    }
}

pub fn put(directory: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = directory.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

pub fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

pub fn read(profile: &Profile, index: usize) -> RankTables {
    read_rank(&profile.ranks[index], ReadOptions { threads: 2, ..ReadOptions::default() })
}

pub fn read_path(path: &Path) -> RankTables {
    read(&discover(path).unwrap(), 0)
}

pub fn only<T: Table>(tables: &RankTables) -> T {
    let mut rows = tables.rows::<T>();
    let row = rows.next().expect("a row");
    assert!(rows.next().is_none(), "more than one row");
    row
}

/// Codes of what was reported, but for ranks that are not known.
pub fn codes(tables: &RankTables) -> Vec<&str> {
    let codes = tables.rows::<diagnostic::Row>().map(|row| tables.text(row.code));
    codes.filter(|code| *code != "no-rank").collect()
}

pub fn args(tables: &RankTables, args: Option<npuscope_tables::Str>) -> Value {
    tables.opt_text(args).map_or(Value::Null, |text| serde_json::from_str(text).unwrap())
}

pub const HOST: (i64, i64) = (77, 77);

pub const STREAM: (i64, i64) = (0, 7);

/// Two steps: in each an operator launches a kernel through `call`.
pub fn two_steps(call: (&str, &str)) -> Trace {
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

/// A trace of many operators, each of another name.
pub fn many(count: usize) -> Trace {
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
