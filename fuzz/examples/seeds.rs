//! Puts seeds into a directory: the files of a small simulated job and of the profiles given as arguments,
//! whole if they are small, else their beginnings, and damaged copies of each.
//!
//! `cargo run --example seeds -- corpus PROFILE…`

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use npuscope_formats::file_kind::FileKind;
use npuscope_formats::framework::events::{Counter, Mark, Range};
use npuscope_formats::framework::records::{GcRecord, Hash, MemoryUsage, OpMark, OpRange, PythonCall};
use npuscope_formats::framework;
use npuscope_formats::output::Output;
use npuscope_formats::source::WindowSource;
use npuscope_fuzz::csv_byte;
use npuscope_store::discover::discover;
use npuscope_synth::{Format, JobConfig, simulate, write_job};
use npuscope_tables::Framework;

const TEXT_BYTES: usize = 3000;
const DB_BYTES: usize = 400_000;
const DAMAGED_COPIES: u64 = 8;

fn main() {
    let job = tempfile::tempdir().unwrap();
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let corpus = arguments.next().expect("the directory for the seeds");
    let mut profiles: Vec<PathBuf> = arguments.collect();
    for framework in [Framework::TorchNpu, Framework::MindSpore] {
        let config =
            JobConfig { tp: 2, pp: 1, dp: 1, layers: 1, steps: 1, micro_batches: 1, framework, ..JobConfig::default() };
        let directory = job.path().join(framework.name());
        write_job(&simulate(&config).unwrap(), Format::Both, &Output::new(&directory).unwrap(), |_| {}).unwrap();
        profiles.push(directory);
    }
    profiles.push(raw_files(&job.path().join("raw_ascend_pt")));
    profiles.push(gpu_traces(&job.path().join(Framework::Kineto.name())));
    for (number, profile) in profiles.iter().enumerate() {
        for rank in discover(profile).unwrap().sources() {
            for window in rank.windows() {
                put_window(&corpus, window, &format!("{number}-{}-{}", rank.rank, window.window.0));
            }
        }
    }
}

fn put_window(corpus: &Path, window: &WindowSource, source: &str) {
    for file in &window.files {
        let bytes = fs::read(window.path(file)).unwrap();
        let (target, prefix, limit) = match file.kind {
            FileKind::Trace => ("trace_json", None, TEXT_BYTES),
            FileKind::Kineto => ("kineto", None, TEXT_BYTES),
            FileKind::Framework(kind) => ("framework", Some(framework_byte(kind)), TEXT_BYTES),
            FileKind::Csv(kind) => ("csv", Some(csv_byte(kind, window.framework)), TEXT_BYTES),
            FileKind::Sheet => ("csv", Some(csv_byte("", window.framework)), TEXT_BYTES),
            FileKind::Communication => ("comm_json", Some(0), TEXT_BYTES),
            FileKind::CommunicationMatrix => ("comm_json", Some(1), TEXT_BYTES),
            FileKind::ProfilerInfo | FileKind::ProfilerMetadata => ("info_json", None, TEXT_BYTES),
            FileKind::ProfilerDb | FileKind::AnalysisDb => ("db", None, DB_BYTES),
            _ => continue,
        };
        let name = format!("{source}-{}", file.name.replace('/', "-"));
        for (part, cut) in [("start", 0), ("middle", bytes.len() / 2)] {
            let end = bytes.len().min(cut + limit);
            if cut > 0 && (target == "db" || end - cut < limit) {
                continue;
            }
            let open: &[u8] = if part == "middle" && matches!(target, "trace_json" | "kineto") { b"[" } else { b"" };
            let seed = [prefix.as_slice(), open, &bytes[cut..end]].concat();
            let directory = corpus.join(target);
            fs::create_dir_all(&directory).unwrap();
            fs::write(directory.join(format!("{name}-{part}")), &seed).unwrap();
            for copy in 0..DAMAGED_COPIES {
                fs::write(directory.join(format!("{name}-{part}-{copy}")), damaged(&seed, copy)).unwrap();
            }
        }
    }
}

/// A raw directory with some records of every kind.
fn raw_files(directory: &Path) -> PathBuf {
    let raw = directory.join(framework::DIRECTORY);
    fs::create_dir_all(&raw).unwrap();
    for name in framework::READ {
        let mut bytes = Vec::new();
        for number in 0..20 {
            put_record(name, number, &mut bytes);
        }
        fs::write(raw.join(name), bytes).unwrap();
    }
    directory.to_owned()
}

fn put_record(file: &str, number: u64, out: &mut Vec<u8>) {
    let (start, end) = (number as i64 * 100, number as i64 * 100 + 70);
    match file {
        framework::OP_RANGE => {
            let texts = (Some("2,3;4;"), Some("float;int;"), Some("a.py(1): f;b.py(2): g"));
            let (input_shapes, input_dtypes, stack) = texts;
            OpRange { start, end, name: "aten::mm", input_shapes, input_dtypes, stack, ..OpRange::default() }
                .encode(out);
        }
        framework::OP_MARK => {
            OpMark { time: start, category: number % 4, correlation: number / 4, name: "Mm", ..OpMark::default() }
                .encode(out);
        }
        framework::MEMORY_USAGE => {
            let (ptr, data_type) = (start % 300, (number % 3) as u8);
            MemoryUsage { ptr, time: start, alloc_size: 64, data_type, ..MemoryUsage::default() }.encode(out);
        }
        framework::GC_RECORD => GcRecord { pid: 1, start: number * 100, end: number * 100 + 5 }.encode(out),
        framework::PYTHON_TRACER_FUNC => {
            PythonCall { time: number * 10, hash: number / 2, tag: (number % 4) as u8, ..PythonCall::default() }
                .encode(out);
        }
        framework::PYTHON_TRACER_HASH => Hash { key: number, text: "Linear######7" }.encode(out),
        _ => {
            Range { start, end, id: number, message: "range", domain: Some("stage"), ..Range::default() }.encode(out);
            Mark { time: start, message: "mark", ..Mark::default() }.encode(out);
            Counter { time: start, value: 1.5, name: "Resident memory", ..Counter::default() }.encode(out);
        }
    }
}

/// The byte that the fuzz target reads as that file.
fn framework_byte(kind: &str) -> u8 {
    framework::READ.iter().position(|known| *known == kind).unwrap_or_default() as u8
}

/// A directory with a small trace of PyTorch's profiler, which has one event of every kind, plain and packed.
fn gpu_traces(directory: &Path) -> PathBuf {
    let trace = include_str!("gpu_trace.json");
    fs::create_dir_all(directory).unwrap();
    fs::write(directory.join("rank0.json"), trace).unwrap();
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(trace.as_bytes()).unwrap();
    fs::write(directory.join("rank1.json.gz"), packed.finish().unwrap()).unwrap();
    directory.to_owned()
}

/// A copy with a few bytes changed, cut short every other time.
fn damaged(seed: &[u8], copy: u64) -> Vec<u8> {
    let mut state = copy + 1;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below.max(1)
    };
    let mut bytes = seed.to_vec();
    for _ in 0..=random(20) {
        let at = random(bytes.len());
        if let Some(byte) = bytes.get_mut(at) {
            *byte = random(256) as u8;
        }
    }
    if copy % 2 == 1 {
        bytes.truncate(random(bytes.len()));
    }
    bytes
}
