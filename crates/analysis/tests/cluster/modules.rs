//! Device work of modules, on jobs and ranks made here.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

use npuscope_analysis::cluster::{Export, Options};
use npuscope_formats::lanes::{self, Lanes};
use npuscope_formats::output::Output;
use npuscope_formats::{db, text};
use npuscope_synth::{Format, Job, JobConfig, simulate, write_job};
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::{flow, kernel, task};
use npuscope_tables::{ConnectionId, LaneId, Ns, Rank, RankBuilder, RankTables, Span, TaskId};

use crate::support::{Rows, Value, assert_same, database, run};

const MICRO_BATCHES: usize = 2;
const STEPS: usize = 2;
const LAYERS: usize = 2;

/// A job whose modules and matrix operators are marked, and where it was written as text and as databases.
fn job() -> &'static (Job, tempfile::TempDir, tempfile::TempDir) {
    static JOB: OnceLock<(Job, tempfile::TempDir, tempfile::TempDir)> = OnceLock::new();
    JOB.get_or_init(|| {
        let (layers, micro_batches, steps) = (LAYERS, MICRO_BATCHES, STEPS);
        let config =
            JobConfig { tp: 2, pp: 1, dp: 1, layers, micro_batches, steps, mfu_ranges: true, ..JobConfig::default() };
        let job = simulate(&config).unwrap();
        let write = |form| {
            let directory = tempfile::tempdir().unwrap();
            write_job(&job, form, &Output::new(directory.path()).unwrap(), |_| {}).unwrap();
            directory
        };
        let (text, db) = (write(Format::Text), write(Format::Db));
        (job, text, db)
    })
}

/// The tables that a mode gives.
fn tables(path: &Path, mode: &str, options: &Options) -> BTreeMap<String, Rows> {
    let run = run(path, mode, None, options).unwrap();
    run.written.database.as_deref().map(database).unwrap_or_default()
}

/// The rows of a table as maps.
fn rows(table: &Rows) -> Vec<BTreeMap<&str, &Value>> {
    table.1.iter().map(|row| table.0.iter().map(String::as_str).zip(row).collect()).collect()
}

fn number(row: &BTreeMap<&str, &Value>, column: &str) -> f64 {
    match row[column] {
        Value::Number(number) => *number,
        other => panic!("{column} is {other:?}"),
    }
}

fn words(row: &BTreeMap<&str, &Value>, column: &str) -> String {
    match row[column] {
        Value::Text(text) => text.clone(),
        Value::Null => String::new(),
        Value::Number(number) => number.to_string(),
    }
}

/// Time of all kernels of a type.
fn kernel_ns(tables: &RankTables, op_type: &str) -> i64 {
    let of_type = tables.rows::<kernel::Row>().filter(|row| tables.opt_text(row.op_type) == Some(op_type));
    of_type.map(|row| row.duration.ns()).sum()
}

#[test]
fn modules_of_both_passes_have_the_time_of_their_kernels() {
    let (job, text, _) = job();
    let table = &tables(text.path(), "module_statistic", &Options::default())["ModuleStatistic"];
    let rank0 = job.rank(0);
    for (module, op, op_type) in [
        ("SelfAttention", "npu::npu_fusion_attention", "FlashAttentionScore"),
        ("[Backward]SelfAttention", "npu::npu_fusion_attention_grad", "FlashAttentionScoreGrad"),
        ("MLP", "npu::npu_swiglu", "SwiGlu"),
        ("[Backward]MLP", "npu::npu_swiglu_backward", "SwiGluGrad"),
    ] {
        let found: Vec<_> =
            rows(table).into_iter().filter(|row| words(row, "opName") == op && number(row, "rankID") == 0.0).collect();
        let calls: f64 = found.iter().map(|row| number(row, "opCount")).sum();
        let ns: f64 = found.iter().map(|row| number(row, "totalKernelDuration(ns)")).sum();
        assert_eq!(calls, (LAYERS * MICRO_BATCHES * STEPS) as f64, "{op}");
        assert_eq!(ns, kernel_ns(&rank0, op_type) as f64, "{op}");
        for row in &found {
            let layer = words(row, "parentModule").strip_prefix("TransformerLayer_").unwrap().to_owned();
            assert!(words(row, "module").starts_with(&format!("{module}_{layer}")), "{row:?}");
            let average = number(row, "totalKernelDuration(ns)") / number(row, "opCount");
            assert_eq!(number(row, "avgKernelDuration(ns)"), average);
        }
    }
}

#[test]
fn a_step_is_a_part_of_the_calls() {
    let (_, text, _) = job();
    let options = Options { step: Some(11), ..Options::default() };
    let table = &tables(text.path(), "module_statistic", &options)["ModuleStatistic"];
    let found: Vec<_> =
        rows(table).into_iter().filter(|row| words(row, "opName") == "npu::npu_fusion_attention").collect();
    let ranks = 2;
    let calls: f64 = found.iter().map(|row| number(row, "opCount")).sum();
    assert_eq!(calls, (ranks * LAYERS * MICRO_BATCHES) as f64);
}

#[test]
fn text_and_databases_give_the_same_modules_and_mfu() {
    let (_, text, db) = job();
    for mode in ["module_statistic", "operator_mfu"] {
        for step in [None, Some(11)] {
            let options = Options { step, export: Some(Export::Db), ..Options::default() };
            let (text, db) = (tables(text.path(), mode, &options), tables(db.path(), mode, &options));
            assert_eq!(text.keys().collect::<Vec<_>>(), db.keys().collect::<Vec<_>>());
            assert!(!text.is_empty());
            for (table, rows) in &text {
                assert_same(rows, &db[table], &format!("{mode} {table}"));
            }
        }
    }
}

#[test]
fn matrix_operators_reach_the_share_of_the_peak_that_was_simulated() {
    let (job, text, _) = job();
    let tables = tables(text.path(), "operator_mfu", &Options::default());
    let chip = &job.config.chip;
    let kernels = rows(&tables["OperatorMFU"]);
    assert!(kernels.iter().any(|row| words(row, "op_name") == "npu::npu_fusion_attention"));
    for row in &kernels {
        let mfu = number(row, "mfu");
        let peak = number(row, "chip_peak_tflops");
        assert!((peak / chip.cube_tflops - 1.0).abs() < 0.02, "{row:?}");
        assert!(mfu > 0.0 && mfu < chip.cube_share * 1.05, "{row:?}");
        let expected = number(row, "flops") / number(row, "kernel_duration(ns)") / 1e3 / peak;
        assert!((mfu / expected - 1.0).abs() < 1e-9, "{row:?}");
    }
    let greatest = kernels.iter().map(|row| number(row, "mfu")).fold(0.0, f64::max);
    assert!(greatest > chip.cube_share * 0.9, "{greatest}");
    let modules = rows(&tables["ModuleMFU"]);
    assert!(modules.iter().any(|row| words(row, "avg_mfu").ends_with('%')));
}

/// A rank made by hand: one thread, one stream.
struct Made {
    rank: RankBuilder,
    lanes: Lanes,
    next: i64,
}

const START: i64 = 1_700_000_000_000_000_000;

fn at(us: i64) -> Ns {
    Ns(START + us * 1000)
}

impl Made {
    fn new() -> Made {
        Made { rank: RankBuilder::default(), lanes: Lanes::new(1), next: 1 }
    }

    fn slice(&mut self, lane: LaneId, kind: Kind, name: &str, (start, end): (i64, i64), row: host_op::Row) {
        let (kind, name) = (self.rank.strings.intern(kind.name()), self.rank.strings.intern(name));
        let (start, duration) = (at(start), Span::from_ns((end - start) * 1000));
        self.rank.host_op.push(host_op::Row { lane, kind, name, start, duration, ..row });
    }

    fn range(&mut self, name: &str, domain: &str, span: (i64, i64)) {
        let lane = self.lanes.host_layer(lanes::MSTX, 1 << 32 | 1);
        let event_type = Some(self.rank.strings.intern("start/end"));
        let domain = Some(self.rank.strings.intern(domain));
        self.slice(lane, Kind::Mstx, name, span, host_op::Row { event_type, domain, ..host_op::Row::default() });
    }

    /// An operator and its kernels, one after the other from `start` on: name, duration and type of input.
    fn op(&mut self, name: &str, span: (i64, i64), start: i64, kernels: &[(&str, i64, &str)]) {
        let lane = self.lanes.framework(1 << 32 | 1);
        self.slice(lane, Kind::Op, name, span, host_op::Row::default());
        let mut start = start;
        for &(kernel, us, dtype) in kernels {
            self.kernel((lane, at(span.0)), kernel, (start, us), dtype);
            start += us;
        }
    }

    fn kernel(&mut self, from: (LaneId, Ns), name: &str, (start, us): (i64, i64), dtype: &str) {
        let number = self.next;
        self.next += 1;
        let strings = &mut self.rank.strings;
        let (kind, name) = (strings.intern("async_npu"), strings.intern(name));
        let (shapes, dtypes) = (strings.intern("\"16,16;16,16\""), strings.intern(&format!("{dtype};{dtype}")));
        let (core, op_type) = (Some(strings.intern("AI_CORE")), Some(strings.intern("MatMulV2")));
        let lane = self.lanes.stream(0, 2);
        let (start, duration) = (at(start), Span::from_ns(us * 1000));
        let (device, stream, task_id) = (Some(0), Some(2), Some(number));
        self.rank.task.push(task::Row {
            connection_id: Some(ConnectionId(number)),
            task_type: core,
            task: TaskId(number),
            ..task::Row { lane, start, duration, name, device, stream, task_id, ..task::Row::default() }
        });
        self.rank.kernel.push(kernel::Row {
            task: Some(TaskId(number)),
            input_shapes: Some(shapes),
            input_dtypes: Some(dtypes),
            output_shapes: Some(shapes),
            ..kernel::Row { start, duration, name, op_type, core, device, stream, task_id, ..kernel::Row::default() }
        });
        let (src, dst) = (Some(from), Some((lane, start)));
        self.rank.flow.push(flow::Row {
            kind,
            id: Some(start.0),
            src_lane: src.map(|p| p.0),
            src_time: src.map(|p| p.1),
            dst_lane: dst.map(|p| p.0),
            dst_time: dst.map(|p| p.1),
            ..flow::Row::default()
        });
    }

    /// Writes it as rank 0, with the figures of a chip.
    fn write(mut self, form: Format) -> tempfile::TempDir {
        self.lanes.record(&mut self.rank);
        let directory = tempfile::tempdir().unwrap();
        let place = Output::new(directory.path().join("host_1_20260101000000000_ascend_pt")).unwrap();
        let tables = self.rank.finish();
        if form == Format::Db {
            let mut writer = db::RankWriter::create(&place, Rank(0)).unwrap();
            writer.append(tables).unwrap();
            writer.finish().unwrap();
        } else {
            let mut writer = text::RankWriter::create(&place, Rank(0)).unwrap();
            writer.append(tables).unwrap();
            writer.finish().unwrap();
        }
        let device = place.path().join("PROF_1/device_0");
        std::fs::create_dir_all(&device).unwrap();
        let info = r#"{"DeviceInfo":[{"ai_core_num":20,"aic_frequency":"1800"}]}"#;
        std::fs::write(device.join("info.json.0"), info).unwrap();
        directory
    }
}

/// Of a module with another inside: operators in both, and one with two kernels in a range of 294912 operations,
/// which take the chip 1 ns in half precision.
fn made() -> Made {
    let mut made = Made::new();
    made.range("Block", "Module", (0, 100));
    made.range("Linear", "Module", (10, 40));
    made.range("294912000-torch.mm", "mfu_flops", (12, 30));
    made.op("aten::mm", (15, 25), 200, &[("MatMulV2", 3, "FLOAT16"), ("Cast", 1, "FLOAT")]);
    made.op("aten::add", (50, 60), 300, &[("Add", 7, "FLOAT16")]);
    made.op("aten::mul", (120, 130), 400, &[("Mul", 9, "FLOAT16")]);
    made
}

#[test]
fn operators_are_in_the_innermost_module() {
    for form in [Format::Text, Format::Db] {
        let directory = made().write(form);
        let table = &tables(directory.path(), "module_statistic", &Options::default())["ModuleStatistic"];
        let found: Vec<_> = rows(table)
            .iter()
            .map(|row| {
                let ns = number(row, "totalKernelDuration(ns)");
                (words(row, "parentModule"), words(row, "module"), words(row, "kernelList"), ns)
            })
            .collect();
        let row = |parent: &str, module: &str, kernels: &str, ns: f64| {
            (parent.to_owned(), module.to_owned(), kernels.to_owned(), ns)
        };
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.contains(&row("Block", "Linear", "MatMulV2, Cast", 4000.0)), "{found:?}");
        assert!(found.contains(&row("", "Block", "Add", 7000.0)), "{found:?}");
    }
}

#[test]
fn modules_that_follow_each_other_with_other_operators_are_numbered() {
    let mut made = Made::new();
    for (call, start) in [0, 100, 200].into_iter().enumerate() {
        made.range("Linear", "Module", (start, start + 50));
        made.op("aten::mm", (start + 10, start + 20), start + 1000, &[("MatMulV2", 3, "FLOAT16")]);
        if call == 1 {
            made.op("aten::add", (start + 30, start + 40), start + 1010, &[("Add", 3, "FLOAT16")]);
        }
    }
    let directory = made.write(Format::Db);
    let table = &tables(directory.path(), "module_statistic", &Options::default())["ModuleStatistic"];
    let found: Vec<_> =
        rows(table).iter().map(|row| (words(row, "module"), words(row, "opName"), number(row, "opCount"))).collect();
    let row = |module: &str, op: &str, calls: f64| (module.to_owned(), op.to_owned(), calls);
    assert_eq!(found.len(), 3, "{found:?}");
    for expected in
        [row("Linear_0", "aten::mm", 2.0), row("Linear_1", "aten::mm", 1.0), row("Linear_1", "aten::add", 1.0)]
    {
        assert!(found.contains(&expected), "{found:?}");
    }
}

#[test]
fn the_operations_of_a_range_are_divided_among_its_kernels() {
    let directory = made().write(Format::Db);
    let figures = |compat: bool| -> Vec<(String, f64, f64)> {
        let options = Options { compat, ..Options::default() };
        let table = &tables(directory.path(), "operator_mfu", &options)["OperatorMFU"];
        let figures =
            rows(table).into_iter().map(|row| (words(&row, "kernel_name"), number(&row, "flops"), number(&row, "mfu")));
        figures.collect()
    };
    let right = figures(false);
    assert_eq!(right.len(), 2);
    for (kernel, operations, mfu) in right {
        let share = if kernel == "MatMulV2" { 0.75 } else { 0.25 };
        assert_eq!(operations, share * 294_912_000.0, "{kernel}");
        // 1 us of work in 4 us.
        assert!((mfu - 0.25).abs() < 1e-12, "{kernel} {mfu}");
    }
    for (kernel, operations, mfu) in figures(true) {
        assert_eq!(operations, 294_912_000.0, "{kernel}");
        assert_eq!(mfu, if kernel == "MatMulV2" { 0.3333 } else { 1.0 });
    }
}

#[test]
fn what_schedules_communications_counts_only_for_msprof_analyze() {
    let directory = made().write(Format::Db);
    let rank = std::fs::read_dir(directory.path()).unwrap().next().unwrap().unwrap().path();
    let connection =
        rusqlite::Connection::open(rank.join("ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db")).unwrap();
    // A task of the call that launched the kernel of `aten::add`.
    connection
        .execute_batch(
            "CREATE TABLE COMMUNICATION_SCHEDULE_TASK_INFO(name INTEGER, globalTaskId INTEGER, taskType INTEGER, opType INTEGER);
            INSERT INTO STRING_IDS VALUES (4711, 'RunAicpu');
            INSERT INTO COMMUNICATION_SCHEDULE_TASK_INFO VALUES (4711, 99, 4711, 4711);
            INSERT INTO TASK(startNs, endNs, deviceId, connectionId, globalTaskId, globalPid, taskType, streamId, taskId)
                SELECT startNs + 100, startNs + 300, deviceId, connectionId, 99, globalPid, taskType, streamId, 99
                FROM TASK WHERE endNs - startNs = 7000;",
        )
        .unwrap();
    drop(connection);
    for (compat, kernels, ns) in [(false, "Add", 7000.0), (true, "Add, RunAicpu", 7200.0)] {
        let options = Options { compat, ..Options::default() };
        let table = &tables(directory.path(), "module_statistic", &options)["ModuleStatistic"];
        let rows = rows(table);
        let row = rows.iter().find(|row| words(row, "opName") == "aten::add").unwrap();
        assert_eq!((words(row, "kernelList").as_str(), number(row, "totalKernelDuration(ns)")), (kernels, ns));
    }
}

#[test]
fn modules_that_launch_nothing_are_nothing_to_report() {
    let mut made = Made::new();
    made.range("Block", "Module", (0, 100));
    made.op("aten::add", (150, 160), 300, &[("Add", 7, "FLOAT16")]);
    let directory = made.write(Format::Db);
    let run = run(directory.path(), "module_statistic", None, &Options::default()).unwrap();
    assert!(run.written.files.is_empty());
    assert_eq!(run.notes, ["no operator that launched anything ran inside a module"]);
}

#[test]
fn missing_data_is_reported_with_the_setting_that_records_it() {
    let mut made = Made::new();
    made.op("aten::add", (50, 60), 300, &[("Add", 7, "FLOAT16")]);
    let directory = made.write(Format::Db);
    for (mode, words) in [
        ("module_statistic", ["mstx ranges of the domain Module", "mstx=True"]),
        ("operator_mfu", ["mstx ranges of the domain mfu_flops", "mstx=True"]),
        ("calibrate_npu_gpu", ["--baseline_profiling_path", "calibrate_npu_gpu"]),
    ] {
        let failure = run(directory.path(), mode, None, &Options::default()).err().unwrap().to_string();
        assert!(words.iter().all(|word| failure.contains(word)), "{failure}");
    }
}

/// An export of Nsight with a module in a module, as [`made`] has them, and an operator in each.
fn nsight(path: &Path, inner: &str) {
    let connection = rusqlite::Connection::open(path).unwrap();
    let sql = format!(
        r#"CREATE TABLE StringIds(id INT, value TEXT); INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'add');
        CREATE TABLE NVTX_EVENTS(start INT, "end" INT, eventType INT, text TEXT, textId INT, globalTid INT);
        INSERT INTO NVTX_EVENTS VALUES (0, 100, 59, 'Block', NULL, 1), (10, 40, 59, '{inner}', NULL, 1),
            (15, 25, 59, 'aten::mm, seq = 1', NULL, 1), (50, 60, 59, 'aten::add, seq = 2', NULL, 1);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, globalTid INT, correlationId INT);
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (20, 1, 1), (22, 1, 2), (55, 1, 3);
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, "end" INT, deviceId INT, correlationId INT,
            demangledName INT);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 2000, 0, 1, 1), (2000, 3000, 0, 2, 1),
            (4000, 5000, 0, 3, 2);"#
    );
    connection.execute_batch(&sql).unwrap();
}

/// Module and kind of match of each row of a report.
fn report(directory: &Path, options: &Options) -> Vec<(String, String, String)> {
    let table = &tables(directory, "calibrate_npu_gpu", options)["CompareProfileReportRank0"];
    let names = rows(table).into_iter().map(|row| {
        let module = |side: &str| {
            format!("{}/{}", words(&row, &format!("({side}) Parent Module")), words(&row, &format!("({side}) Module")))
        };
        (module("GPU"), module("NPU"), words(&row, "Match Type"))
    });
    names.collect()
}

#[test]
fn nested_modules_match_by_rule_and_others_only_if_alike_enough() {
    let directory = made().write(Format::Db);
    let baseline = directory.path().join("gpu.sqlite");
    nsight(&baseline, "Linear");
    let options = |threshold: f64| Options {
        baseline_profile: Some(baseline.clone()),
        fuzzy_threshold: Some(threshold),
        ..Options::default()
    };
    let found = report(directory.path(), &options(0.8));
    let row = |gpu: &str, npu: &str, kind: &str| (gpu.to_owned(), npu.to_owned(), kind.to_owned());
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.contains(&row("Block/Linear", "Block/Linear", "rule")), "{found:?}");
    assert!(found.contains(&row("/Block", "/Block", "rule")), "{found:?}");

    std::fs::remove_file(&baseline).unwrap();
    nsight(&baseline, "Linear1");
    let found = report(directory.path(), &options(0.8));
    assert!(found.contains(&row("Block/Linear1", "Block/Linear", "fuzzy")), "{found:?}");
    let found = report(directory.path(), &options(0.99));
    assert!(found.contains(&row("/", "Block/Linear", "")), "{found:?}");
    assert!(found.contains(&row("Block/Linear1", "/", "")), "{found:?}");
}

#[test]
fn calls_of_operators_are_counted_on_both_sides() {
    let directory = made().write(Format::Db);
    let baseline = directory.path().join("gpu.sqlite");
    nsight(&baseline, "Linear");
    let options = Options { baseline_profile: Some(baseline), ..Options::default() };
    let table = &tables(directory.path(), "calibrate_npu_gpu", &options)["CompareProfileReportRank0"];
    let rows = rows(table);
    let row = rows.iter().find(|row| words(row, "(NPU) Op Name") == "aten::mm").unwrap();
    assert_eq!(words(row, "(GPU) Op Name"), "aten::mm");
    assert_eq!((number(row, "(NPU) Op Count"), number(row, "(GPU) Op Count")), (1.0, 1.0));
    assert_eq!(
        (number(row, "(NPU) Avg Kernel Duration(us)"), number(row, "(GPU) Avg Kernel Duration(us)")),
        (4.0, 2.0)
    );
    assert_eq!(number(row, "(NPU/GPU) Module Time Ratio"), 2.0);
}

#[test]
fn a_trace_of_pytorch_is_a_baseline() {
    let directory = made().write(Format::Db);
    let baseline = directory.path().join("gpu.pt.trace.json");
    let slice = |cat: &str, name: &str, pid: u32, tid: u32, ts: u32, dur: u32, args: &str| {
        format!(
            r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":{pid},"tid":{tid},"ts":{ts},"dur":{dur},"args":{{{args}}}}}"#
        )
    };
    let events = [
        r#"{"ph":"M","name":"process_labels","pid":7,"tid":0,"ts":0,"args":{"labels":"CPU"}}"#.to_owned(),
        r#"{"ph":"M","name":"process_labels","pid":0,"tid":0,"ts":0,"args":{"labels":"GPU 0"}}"#.to_owned(),
        slice("python_function", "nn.Module: Block", 7, 9, 1000, 100, ""),
        slice("python_function", "nn.Module: Linear", 7, 9, 1010, 30, ""),
        slice("cpu_op", "aten::linear", 7, 9, 1012, 20, ""),
        slice("cpu_op", "aten::mm", 7, 9, 1015, 10, ""),
        slice("cuda_runtime", "cudaLaunchKernel", 7, 9, 1018, 3, r#""correlation":5"#),
        slice("kernel", "gemm", 0, 7, 1200, 2, r#""device":0,"stream":7,"correlation":5"#),
    ];
    std::fs::write(&baseline, format!(r#"{{"schemaVersion":1,"traceEvents":[{}]}}"#, events.join(","))).unwrap();
    let options = Options { baseline_profile: Some(baseline), ..Options::default() };
    let table = &tables(directory.path(), "calibrate_npu_gpu", &options)["CompareProfileReportRank0"];
    let rows = rows(table);
    let row = rows.iter().find(|row| words(row, "(NPU) Module") == "Linear").unwrap();
    assert_eq!(words(row, "Match Type"), "rule");
    assert_eq!(
        (words(row, "(GPU) Op Name"), words(row, "(GPU) Kernel List")),
        ("aten::mm".to_owned(), "gemm".to_owned())
    );
    assert_eq!(number(row, "(GPU) Total Kernel Duration(us)"), 2.0);
}

#[test]
fn a_baseline_that_is_no_profile_is_reported() {
    let directory = made().write(Format::Db);
    let baseline = directory.path().join("gpu.sqlite");
    rusqlite::Connection::open(&baseline).unwrap().execute_batch("CREATE TABLE t(a)").unwrap();
    for path in [baseline, directory.path().join("none.sqlite")] {
        let options = Options { baseline_profile: Some(path.clone()), ..Options::default() };
        let failure = run(directory.path(), "calibrate_npu_gpu", None, &options).err().unwrap().to_string();
        assert!(failure.contains(path.to_str().unwrap()), "{failure}");
    }
}
