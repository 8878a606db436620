//! The tables behind the pages: what they say is what SQL and `npuscope cluster` say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use npuscope_analysis::cluster::{self, Job, Options};
use npuscope_analysis::overview::overview;
use npuscope_engine::Session;
use npuscope_formats::output::Output;
use npuscope_formats::result::Cell;
use npuscope_measures::statistics::HISTOGRAM_BUCKETS;
use npuscope_store::OpenOptions;
use npuscope_synth::{Fault, FaultKind, Format, JobConfig, Level, Workload, simulate, write_job};
use npuscope_tables::{Framework, Rank};
use npuscope_testing::shared;
use npuscope_views::{Made, NotMade, Question, Scope, Source, VIEWS, View};

mod steps;

/// A profile that is open.
struct Opened {
    session: Session,
    _directory: Option<tempfile::TempDir>,
}

/// Times in these tests are relative to this time.
const ORIGIN: i64 = 1_767_225_600_000_000_000;

fn small() -> JobConfig {
    JobConfig { tp: 2, pp: 1, dp: 1, layers: 2, steps: 2, ..JobConfig::default() }
}

impl Opened {
    fn at(path: &Path, cache: &Path, directory: Option<tempfile::TempDir>) -> Opened {
        Opened { session: Session::open(path, OpenOptions::new(cache)).unwrap(), _directory: directory }
    }

    fn job(config: &JobConfig, form: Format) -> Opened {
        let directory = tempfile::tempdir().unwrap();
        let output = Output::new(directory.path().join("job")).unwrap();
        write_job(&simulate(config).unwrap(), form, &output, |_| {}).unwrap();
        let cache = directory.path().join("cache");
        Opened::at(&directory.path().join("job"), &cache, Some(directory))
    }

    /// A trace of PyTorch's own profiler.
    fn trace(events: &str) -> Opened {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("trace.json");
        let text = format!(r#"{{"schemaVersion": 1, "deviceProperties": [{{"id": 0}}], "traceEvents": [{events}]}}"#);
        std::fs::write(&path, text).unwrap();
        let cache = directory.path().join("cache");
        Opened::at(&path, &cache, Some(directory))
    }

    fn ask(&self, view: &str, scope: Scope, own: &[(&str, &str)]) -> Result<Made, NotMade> {
        let own: BTreeMap<String, String> =
            own.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let source = Source { session: &self.session, store: self.session.store(), origin: ORIGIN };
        View::find(view).unwrap().make(&source, &Question { scope, own: &own })
    }

    fn made(&self, view: &str, scope: Scope, own: &[(&str, &str)]) -> Made {
        self.ask(view, scope, own).unwrap_or_else(|error| panic!("{view}: {error:?}"))
    }

    fn all(&self, view: &str) -> Made {
        self.made(view, Scope::default(), &[])
    }

    /// The one number that a query gives.
    fn number(&self, sql: &str) -> f64 {
        let (_, batches) = self.session.sql(sql).unwrap();
        let column = batches.iter().find(|batch| batch.num_rows() > 0).unwrap().column(0).clone();
        number_at(&column, 0).unwrap()
    }
}

fn number_at(column: &ArrayRef, row: usize) -> Option<f64> {
    if column.is_null(row) {
        return None;
    }
    match column.data_type() {
        DataType::Int64 => Some(column.as_primitive::<Int64Type>().value(row) as f64),
        DataType::Float64 => Some(column.as_primitive::<Float64Type>().value(row)),
        other => panic!("{other} is no number"),
    }
}

fn column(made: &Made, name: &str) -> Vec<ArrayRef> {
    made.batches.iter().map(|batch| batch.column_by_name(name).unwrap_or_else(|| panic!("{name}")).clone()).collect()
}

fn numbers(made: &Made, name: &str) -> Vec<Option<f64>> {
    column(made, name).iter().flat_map(|part| (0..part.len()).map(|row| number_at(part, row))).collect()
}

fn texts(made: &Made, name: &str) -> Vec<Option<String>> {
    let column = column(made, name);
    column.iter().flat_map(|part| part.as_string::<i32>().iter().map(|text| text.map(str::to_owned))).collect()
}

fn sum(made: &Made, name: &str) -> f64 {
    numbers(made, name).into_iter().flatten().sum()
}

fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1.0)
}

/// Asserts that a table is right by a sum that SQL gives, too.
#[track_caller]
fn assert_sum(opened: &Opened, made: &Made, name: &str, sql: &str) {
    let (ours, theirs) = (sum(made, name), opened.number(sql));
    assert!(is_close(ours, theirs), "{name}: {ours} against {theirs} of {sql}");
}

/// Views of one rank at one moment, which have to be given.
const OF_A_MOMENT: [&str; 2] = ["collective", "gap"];

/// Asks every view, and checks that an answer has columns that any reader knows.
fn assert_answers(opened: &Opened, what: &str) -> Vec<(&'static str, Result<Made, NotMade>)> {
    let asked = VIEWS.iter().filter(|view| !OF_A_MOMENT.contains(&view.name));
    let answers = asked.map(|view| (view.name, opened.ask(view.name, Scope::default(), &[])));
    let answers: Vec<_> = answers.collect();
    for (name, answer) in &answers {
        match answer {
            Ok(made) => {
                for field in made.schema.fields() {
                    let is_plain = match field.data_type() {
                        DataType::Int64 | DataType::Float64 | DataType::Utf8 => true,
                        DataType::List(inner) => inner.data_type() == &DataType::Int64,
                        _ => false,
                    };
                    assert!(is_plain, "{what}: {name}.{} is {}", field.name(), field.data_type());
                }
                assert!(made.batches.iter().all(|batch| batch.schema() == made.schema), "{what}: {name}");
            }
            Err(NotMade::Missing { what: lacks, switch }) => {
                let lacks = lacks.to_string();
                assert!(lacks.starts_with("No rank has ") && lacks.ends_with('.'), "{what}: {name}: {lacks}");
                assert!(!switch.to_string().is_empty(), "{what}: {name}");
            }
            Err(error) => panic!("{what}: {name}: {error:?}"),
        }
    }
    answers
}

fn missing(answers: &[(&'static str, Result<Made, NotMade>)]) -> Vec<&'static str> {
    answers.iter().filter(|(_, answer)| answer.is_err()).map(|(name, _)| *name).collect()
}

const GPU: &str = r#"
    {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 7, "tid": 7, "ts": 1000, "dur": 900},
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": 1010, "dur": 80, "args": {"External id": 1}},
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 7, "ts": 1030, "dur": 10, "args": {"correlation": 5}},
    {"ph": "X", "cat": "kernel", "name": "it's \"<script>alert(1)</script>\"", "pid": 0, "tid": 7, "ts": 1100, "dur": 200, "args": {"correlation": 5, "stream": 7, "device": 0}},
    {"ph": "X", "cat": "kernel", "name": "ampere_sgemm_128x64_nn", "pid": 0, "tid": 7, "ts": 1400, "dur": 100, "args": {"correlation": 6, "stream": 7, "device": 0}},
    {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pinned -> Device)", "pid": 0, "tid": 7, "ts": 1600, "dur": 50, "args": {"correlation": 8, "stream": 7, "device": 0, "bytes": 4096}}"#;

#[test]
fn every_view_answers_whatever_the_profile() {
    let text = assert_answers(&Opened::job(&small(), Format::Text), "text");
    assert_eq!(missing(&text), ["experts", "static_memory", "stages", "stage_summary"]);
    let db = assert_answers(&Opened::job(&small(), Format::Db), "db");
    assert_eq!(missing(&db), missing(&text));
    let mindspore = JobConfig { framework: Framework::MindSpore, ..small() };
    for form in [Format::Text, Format::Db] {
        assert_answers(&Opened::job(&mindspore, form), &format!("mindspore {form:?}"));
    }
    let gpu = assert_answers(&Opened::trace(GPU), "gpu");
    let answered: Vec<&str> = gpu.iter().filter(|(_, answer)| answer.is_ok()).map(|(name, _)| *name).collect();
    for view in ["ranks", "steps", "heat", "operators", "kernels", "host_ops", "dispatch", "overall", "copies"] {
        assert!(answered.contains(&view), "{view} of a GPU trace");
    }
}

#[test]
fn every_view_answers_for_real_profiles() {
    for path in ["npu/text/level0", "npu/text/level1", "npu/db/level0", "npu/db/level1", "npu/older"] {
        let Some(path) = shared(&format!("data/{path}")) else { return };
        let cache = tempfile::tempdir().unwrap();
        assert_answers(&Opened::at(&path, cache.path(), None), &path.display().to_string());
    }
    for name in ["alexnet", "amd", "nccl_data", "ns_res"] {
        let Some(path) = shared(&format!("data/gpu/{name}.json.gz")) else { return };
        let cache = tempfile::tempdir().unwrap();
        assert_answers(&Opened::at(&path, cache.path(), None), name);
    }
}

#[test]
fn sums_equal_those_of_sql() {
    for form in [Format::Text, Format::Db] {
        let opened = Opened::job(&small(), form);
        let kernels = "SELECT sum(duration) AS total FROM kernel";
        for group in ["op_type", "name", "shape", "core", "stream", "rank", "step"] {
            let made = opened.made("operators", Scope::default(), &[("group", group)]);
            assert_sum(&opened, &made, "total", kernels);
            assert_sum(&opened, &made, "count", "SELECT count(*) AS n FROM kernel");
            assert!(is_close(sum(&made, "share"), 1.0), "{group}");
        }
        let operators = opened.all("operators");
        assert_percentiles(&opened, &operators);
        let made = opened.made("kernels", Scope::default(), &[("limit", "100000")]);
        assert_sum(&opened, &made, "duration", kernels);
        assert_sum(&opened, &made, "wait", "SELECT sum(wait) AS total FROM kernel");
        assert_sum(&opened, &opened.all("host_ops"), "total", "SELECT sum(duration) AS total FROM host_op");
        let steps = opened.all("steps");
        assert_sum(&opened, &steps, "duration", "SELECT sum(\"end\" - start) AS t FROM step");
        let collectives = opened.made("collectives", Scope::default(), &[("limit", "200000")]);
        assert_sum(&opened, &collectives, "duration", "SELECT sum(duration) AS t FROM comm_op");
        assert_sum(
            &opened,
            &collectives,
            "start",
            &format!("SELECT CAST(sum(start - {ORIGIN}) AS BIGINT) AS t FROM comm_op"),
        );
        for by in ["name", "kind"] {
            let made = opened.made("communication", Scope::default(), &[("by", by)]);
            let total = |column: &str| {
                format!("SELECT sum({column}) * 1e6 AS t FROM reported_comm WHERE name NOT LIKE 'Total Op%'")
            };
            assert_sum(&opened, &made, "elapsed", &total("elapse"));
            assert_sum(&opened, &made, "transit", &total("transit"));
            assert_sum(&opened, &made, "wait", &total("wait"));
        }
        let packets = "SELECT sum(count) AS t FROM reported_bandwidth \
                       WHERE package_size IS NOT NULL AND name NOT LIKE 'Total Op%'";
        assert_sum(&opened, &opened.all("packets"), "count", packets);
        let is_copy = "task_type IN ('MEMCPY_ASYNC', 'SDMA_SQE', 'PCIE_DMA_SQE')";
        let copies = format!("SELECT coalesce(sum(duration), 0) AS t FROM task WHERE {is_copy}");
        assert_sum(&opened, &opened.all("copies"), "total", &copies);
        let allocations = opened.made("allocations", Scope::default(), &[("limit", "100000")]);
        assert_sum(&opened, &allocations, "bytes", "SELECT sum(bytes) AS t FROM mem_event");
        let peak = opened.made("memory_peak", Scope { ranks: Some(vec![Rank(0)]), ..Scope::default() }, &[]);
        assert_sum(&opened, &peak, "bytes", "SELECT max(start_allocated) AS t FROM mem_event WHERE rank = 0");
        assert!(is_close(sum(&peak, "share"), 1.0));
        assert_device_time(&opened, &format!("{form:?}"));
        assert_heat(&opened);
        assert_curve(&opened);
    }
}

/// Percentiles are durations of which so many are not longer.
fn assert_percentiles(opened: &Opened, operators: &Made) {
    let of = |name: &str| numbers(operators, name);
    let types = texts(operators, "op_type");
    let (p50, p95, counts) = (of("p50"), of("p95"), of("count"));
    for (row, op_type) in types.iter().enumerate() {
        let op_type = op_type.as_deref().unwrap();
        let at_most = |value: f64| {
            opened.number(&format!(
                "SELECT count(*) AS n FROM kernel WHERE op_type = '{op_type}' AND duration <= {value}"
            ))
        };
        let (p50, p95, count) = (p50[row].unwrap(), p95[row].unwrap(), counts[row].unwrap());
        assert!(at_most(p50) >= 0.5 * count && at_most(p50 - 1.0) < 0.5 * count, "{op_type}");
        assert!(at_most(p95) >= 0.95 * count && at_most(p95 - 1.0) < 0.95 * count, "{op_type}");
    }
    let histograms = column(operators, "histogram");
    let mut counted = 0.0;
    for list in histograms.iter().flat_map(|part| part.as_list::<i32>().iter().flatten().collect::<Vec<_>>()) {
        assert_eq!(list.len(), HISTOGRAM_BUCKETS);
        counted += list.as_primitive::<Int64Type>().values().iter().sum::<i64>() as f64;
    }
    assert!(is_close(counted, sum(operators, "count")));
}

/// `steps`, `overall` and `info` show the same device time, and the parts of it add up.
fn assert_device_time(opened: &Opened, what: &str) {
    let overview = overview(opened.session.store(), None).unwrap();
    let scopes = overview.ranks.iter().map(|rank| Scope { ranks: Some(vec![rank.rank]), ..Scope::default() });
    for (info, scope) in overview.ranks.iter().zip(scopes) {
        let (steps, overall) = (opened.made("steps", scope.clone(), &[]), opened.made("overall", scope, &[]));
        assert_eq!(steps.rows(), info.steps);
        for (part, of_info) in [
            ("computing", info.computing),
            ("exposed_communication", info.exposed_communication),
            ("free", info.free),
            ("device_time", info.device),
        ] {
            let of_steps = sum(&steps, part);
            assert!(is_close(of_steps / info.steps as f64 / 1e6, of_info), "{what}: {part} of steps and info");
            assert_eq!(of_steps, of_category(&overall, part), "{what}: {part} of steps and overall");
        }
        assert!(info.exposed_communication > 0.0, "{what}");
        let names = ["category", "part", "group"].map(|name| texts(&overall, name));
        let rows: BTreeSet<_> = (0..overall.rows()).map(|row| names.each_ref().map(|column| &column[row])).collect();
        assert_eq!(rows.len(), overall.rows(), "{what}: a group stands twice");
        assert!(is_close(sum(&overall, "share"), 1.0), "{what}");
        assert!(is_close(sum(&overall, "per_step"), sum(&steps, "device_time") / info.steps as f64), "{what}");
    }
    let step = Scope { step: Some(11), ..Scope::default() };
    let (steps, overall) = (opened.made("steps", step.clone(), &[]), opened.made("overall", step, &[]));
    for part in ["computing", "exposed_communication", "free", "device_time"] {
        assert_eq!(sum(&steps, part), of_category(&overall, part), "{what}: {part} of a step");
    }
}

/// The sum of the parts of a category, of all for the device time.
fn of_category(overall: &Made, wanted: &str) -> f64 {
    let (categories, totals) = (texts(overall, "category"), numbers(overall, "total"));
    let is_wanted = |category: &Option<String>| wanted == "device_time" || category.as_deref() == Some(wanted);
    categories.iter().zip(&totals).filter(|(category, _)| is_wanted(category)).filter_map(|(_, total)| *total).sum()
}

#[test]
fn the_time_of_devices_is_one_number_on_every_page() {
    let pipeline = JobConfig { tp: 2, pp: 2, dp: 2, layers: 4, steps: 2, ..JobConfig::default() };
    let slow = Fault::new(FaultKind::SlowRank, 1).strength(2.0);
    for (config, what) in [(pipeline.clone(), "pipeline"), (JobConfig { faults: vec![slow], ..pipeline }, "slow rank")]
    {
        for form in [Format::Text, Format::Db] {
            assert_device_time(&Opened::job(&config, form), &format!("{what} {form:?}"));
        }
    }
}

fn assert_heat(opened: &Opened) {
    let heat = opened.made("heat", Scope::default(), &[("buckets", "64")]);
    assert_eq!(heat.rows(), 64 * 2);
    let span = opened.number("SELECT max(\"end\") - min(start) AS t FROM rank");
    for (ours, kind) in [("computing", "computing"), ("exposed_communication", "exposed_communication")] {
        let total = opened.number(&format!("SELECT sum(duration) AS t FROM overlap WHERE kind = '{kind}'"));
        assert!((sum(&heat, ours) * span / 64.0 - total).abs() < 1e-3 * total, "{ours}");
    }
    assert!(numbers(&heat, "computing").into_iter().flatten().all(|share| (0.0..=1.0).contains(&share)));
}

fn assert_curve(opened: &Opened) {
    let curve = opened.all("memory_curve");
    let most = opened.number("SELECT max(allocated) AS t FROM mem_sample");
    let ours = numbers(&curve, "allocated").into_iter().flatten().fold(0.0, f64::max);
    assert!(is_close(ours, most));
    let keys = texts(&curve, "kind").into_iter().zip(texts(&curve, "component"));
    let keys = numbers(&curve, "rank").into_iter().zip(keys).map(|(rank, names)| (rank.map(|rank| rank as i64), names));
    let mut curves = BTreeMap::new();
    keys.for_each(|key| *curves.entry(key).or_insert(0) += 1);
    assert!(curves.values().all(|points| *points <= 2000));
}

#[test]
fn a_scope_leaves_out_what_is_outside() {
    for form in [Format::Text, Format::Db] {
        let opened = Opened::job(&small(), form);
        let (first, second) = (10, 11);
        let of = |step: Option<i64>| Scope { ranks: Some(vec![Rank(1)]), step, ..Scope::default() };
        let total = |step| sum(&opened.made("operators", of(step), &[]), "total");
        let all = opened.number("SELECT sum(duration) AS t FROM kernel WHERE rank = 1");
        assert!(is_close(total(None), all));
        let (of_first, of_second) = (total(Some(first)), total(Some(second)));
        assert!(of_first > 0.0 && of_second > 0.0);
        assert!(of_first + of_second <= all * 1.000_001 && of_first + of_second > 0.99 * all, "{form:?}");
        let kernels = opened.made("kernels", of(Some(first)), &[("limit", "7")]);
        assert_eq!(numbers(&kernels, "rank"), vec![Some(1.0); 7]);
        for view in ["communication", "collectives", "host_ops", "memory_curve", "allocations", "steps", "heat"] {
            let ranks = opened.made(view, of(Some(second)), &[]);
            assert!(ranks.rows() > 0, "{view}");
        }
        // A stretch of time: what reaches into it.
        let (begin, end) = (ORIGIN + 100_000_000, ORIGIN + 101_000_000);
        let stretch = Scope { begin: Some(begin), end: Some(end), ..Scope::default() };
        let made = opened.made("kernels", stretch, &[("limit", "100000")]);
        let count = format!("SELECT count(*) AS n FROM kernel WHERE start < {end} AND start + duration >= {begin}");
        assert!(is_close(made.rows() as f64, opened.number(&count)));
        assert!(numbers(&made, "start").into_iter().flatten().all(|start| start < 101e6));
    }
}

#[test]
fn analyses_are_those_of_cluster() {
    let slow = Fault::new(FaultKind::SlowRank, 1).strength(1.5);
    let config = JobConfig { tp: 2, pp: 2, dp: 1, layers: 2, steps: 2, faults: vec![slow], ..JobConfig::default() };
    let opened = Opened::job(&config, Format::Text);
    let options = Options::default();
    let job = Job::new(opened.session.store(), None, &options);
    let answer = |mode: &str, table: &str| -> Vec<Vec<Cell>> {
        let answer = cluster::run(cluster::find(mode).unwrap(), &job).unwrap();
        let mut rows = Vec::new();
        let table = answer.tables.iter().find(|known| known.name == table).unwrap();
        table
            .each_row(|row| {
                rows.push(row.to_vec());
                Ok(())
            })
            .unwrap();
        rows
    };
    let slow = opened.all("slow_ranks");
    let theirs = answer("slow_rank", "SlowRank");
    assert_eq!(slow.rows(), theirs.len());
    assert_eq!(numbers(&slow, "rank")[0], Some(1.0));
    let Cell::Int(count) = theirs[0][1] else { panic!() };
    assert_eq!(numbers(&slow, "slow_affect_count")[0], Some(count as f64));
    assert!(numbers(&slow, "late_ms")[0].unwrap() > 1.0);
    let matrix = opened.all("comm_matrix");
    let total: f64 = answer("communication_matrix_sum", "ClusterCommunicationMatrix")
        .iter()
        .filter(|row| row[1] == Cell::from("Total Op Info"))
        .map(|row| if let Cell::Real(mb) = row[7] { mb * 1e6 } else { 0.0 })
        .sum();
    assert!((sum(&matrix, "bytes") - total).abs() < 1e3, "{} {total}", sum(&matrix, "bytes"));
    let group = texts(&matrix, "group")[0].clone().unwrap();
    let of_group = opened.made("comm_matrix", Scope::default(), &[("group", &group)]);
    assert!(of_group.rows() > 0 && texts(&of_group, "group").iter().all(|found| found.as_ref() == Some(&group)));
    let bandwidths = opened.all("bandwidth");
    let totals: f64 = answer("communication_time_sum", "ClusterCommunicationBandwidth")
        .iter()
        .filter(|row| row[2] == Cell::from("Total Op Info"))
        .map(|row| (row[0].clone(), row[1].clone(), row[3].clone(), row[4].clone(), row[5].clone()))
        // Sizes are repeated for every size of packets.
        .fold(Vec::new(), |mut seen, row| {
            if !seen.contains(&row) {
                seen.push(row);
            }
            seen
        })
        .iter()
        .map(|row| if let Cell::Real(mb) = row.4 { mb * 1e6 } else { 0.0 })
        .sum();
    assert!((sum(&bandwidths, "bytes") - totals).abs() < 1e3, "{} {totals}", sum(&bandwidths, "bytes"));
    assert_pipeline(&opened, answer("pp_chart", "StepTaskInfo").len());
    let places = opened.all("ranks");
    assert_eq!(numbers(&places, "pp"), [0.0, 0.0, 1.0, 1.0].map(Some));
    assert_eq!(numbers(&places, "tp"), [0.0, 1.0, 0.0, 1.0].map(Some));
}

fn assert_pipeline(opened: &Opened, passes: usize) {
    let pipeline = opened.all("pipeline");
    let kinds = texts(&pipeline, "kind");
    let count = |wanted: &[&str]| kinds.iter().flatten().filter(|kind| wanted.contains(&kind.as_str())).count();
    assert_eq!(count(&["forward", "backward"]), passes);
    assert_eq!(count(&["forward"]), count(&["backward"]));
    let transfers =
        opened.number("SELECT count(*) AS n FROM comm_op WHERE name LIKE 'hcom_send%' OR name LIKE 'hcom_receive%'");
    assert!(is_close(count(&["send", "recv"]) as f64, transfers));
    assert!(count(&["bubble"]) > 0);
    let batches = numbers(&pipeline, "micro_batch");
    let most = batches.into_iter().flatten().fold(0.0, f64::max);
    assert!(is_close(most, (JobConfig::default().micro_batches - 1) as f64));
}

#[test]
fn experts_and_stages_are_listed() {
    let experts = JobConfig {
        dp: 2,
        tp: 1,
        pp: 1,
        ep: 2,
        experts: 8,
        expert_ffn: 1408,
        layers: 2,
        steps: 2,
        ..JobConfig::default()
    };
    let opened = Opened::job(&experts, Format::Text);
    let loads = opened.all("experts");
    assert_sum(&opened, &loads, "duration", "SELECT sum(duration) AS t FROM kernel WHERE op_type = 'GroupedMatmul'");
    assert!(texts(&loads, "layer").iter().all(Option::is_some));
    let unmarked = Opened::job(&JobConfig { mstx: false, ..experts }, Format::Text);
    let loads = unmarked.all("experts");
    assert_eq!((loads.rows(), texts(&loads, "layer")), (2, vec![None, None]));
    assert!(sum(&loads, "tokens") > 0.0);
    assert_sum(&unmarked, &loads, "duration", "SELECT sum(duration) AS t FROM kernel WHERE op_type = 'GroupedMatmul'");

    let learning = JobConfig { workload: Workload::ReinforcementLearning, ..small() };
    let opened = Opened::job(&learning, Format::Text);
    let stages = opened.all("stages");
    let names = texts(&stages, "stage");
    assert_eq!(names.iter().flatten().filter(|name| *name == "actor_generate").count(), 2 * 2);
    assert!(!names.iter().flatten().any(|name| name == "forward_step"));
    assert!(texts(&stages, "role").iter().flatten().any(|role| role == "reference"));
    let summary = opened.all("stage_summary");
    assert_eq!(texts(&summary, "stage")[0].as_deref(), Some("actor_generate"));
    assert!(is_close(sum(&summary, "count"), stages.rows() as f64));
    assert!(numbers(&summary, "skew").into_iter().flatten().all(|skew| skew >= 1.0));
}

#[test]
fn a_profile_that_lacks_something_says_so() {
    let level0 = JobConfig { level: Level::Level0, profile_memory: false, mstx: false, ..small() };
    let opened = Opened::job(&level0, Format::Text);
    let answers = assert_answers(&opened, "level0");
    let lacks = missing(&answers);
    for view in ["memory_curve", "allocations", "memory_peak", "static_memory"] {
        assert!(lacks.contains(&view), "{view}");
    }
    // Where no links were recorded, none can be slow or fast: all views of links say so, and the same.
    for view in ["comm_matrix", "packets", "bandwidth", "slow_links"] {
        let Err(NotMade::Missing { what, switch }) = opened.ask(view, Scope::default(), &[]) else { panic!("{view}") };
        assert_eq!(what.to_string(), "No rank has communication links.", "{view}");
        assert!(switch.to_string().contains("Level1"), "{view}: {switch}");
    }
    assert!(!lacks.contains(&"kernels") && !lacks.contains(&"steps") && !lacks.contains(&"communication"));
    let Err(NotMade::Missing { switch, .. }) = opened.ask("memory_curve", Scope::default(), &[]) else { panic!() };
    assert_eq!(switch.to_string(), "profile_memory=True");
    let none = JobConfig { level: Level::None, ..level0 };
    let answers = assert_answers(&Opened::job(&none, Format::Text), "none");
    let lacks = missing(&answers);
    for view in ["heat", "operators", "kernels", "dispatch", "overall", "communication", "collectives", "slow_ranks"] {
        assert!(lacks.contains(&view), "{view}: {lacks:?}");
    }
}

#[test]
fn odd_parameters_are_refused() {
    let opened = Opened::job(&small(), Format::Text);
    let odd: &[(&str, &[(&str, &str)])] = &[
        ("ranks", &[("limit", "5")]),
        ("operators", &[("group", "colour")]),
        ("operators", &[("group", "op_type; DROP TABLE kernel")]),
        ("kernels", &[("limit", "0")]),
        ("kernels", &[("limit", "-1")]),
        ("kernels", &[("limit", "many")]),
        ("kernels", &[("limit", "99999999999999999999")]),
        ("heat", &[("buckets", "1000000")]),
        ("host_ops", &[("kind", "cpu")]),
        ("allocations", &[("at", "now")]),
        ("memory_peak", &[("at", "1.5")]),
        ("communication", &[("by", "'")]),
    ];
    for (view, own) in odd {
        let answer = opened.ask(view, Scope::default(), own);
        assert!(matches!(answer, Err(NotMade::Bad(_))), "{view} {own:?}: {answer:?}");
    }
    let scopes = [
        Scope { ranks: Some(vec![Rank(99)]), ..Scope::default() },
        Scope { ranks: Some(Vec::new()), ..Scope::default() },
        Scope { step: Some(99), ..Scope::default() },
        Scope { begin: Some(2), end: Some(1), ..Scope::default() },
    ];
    for scope in scopes {
        let answer = opened.ask("kernels", scope.clone(), &[]);
        assert!(matches!(answer, Err(NotMade::Bad(_))), "{scope:?}");
    }
    // Far away there is nothing, and that is no mistake.
    let far = Scope { begin: Some(i64::MAX - 1), end: Some(i64::MAX), ..Scope::default() };
    for view in VIEWS.iter().filter(|view| !OF_A_MOMENT.contains(&view.name)) {
        let answer = opened.ask(view.name, far.clone(), &[]);
        assert!(matches!(answer, Ok(_) | Err(NotMade::Missing { .. })), "{}: {answer:?}", view.name);
    }
    assert!(opened.ask("memory_peak", Scope::default(), &[("at", &i64::MAX.to_string())]).is_ok());
    for view in OF_A_MOMENT {
        let of_rank = Scope { ranks: Some(vec![Rank(0)]), ..Scope::default() };
        for (scope, own) in [(of_rank.clone(), &[][..]), (Scope::default(), &[("at", "1")]), (of_rank, &[("at", "x")])]
        {
            let answer = opened.ask(view, scope, own);
            assert!(matches!(answer, Err(NotMade::Bad(_))), "{view} {own:?}: {answer:?}");
        }
    }
}

#[test]
fn a_gap_and_a_collective_name_the_rank_that_was_late() {
    let slow = Fault::new(FaultKind::SlowRank, 1).strength(2.0);
    for form in [Format::Text, Format::Db] {
        let opened = Opened::job(&JobConfig { faults: vec![slow], ..small() }, form);
        let of_rank = Scope { ranks: Some(vec![Rank(0)]), ..Scope::default() };
        let at = |sql: &str| format!("{}", opened.number(sql) as i64);
        let waiting = format!(
            "SELECT start + duration / 2 - {ORIGIN} AS at FROM comm_op WHERE rank = 0 ORDER BY duration DESC LIMIT 1"
        );
        let met = opened.made("collective", of_rank.clone(), &[("at", &at(&waiting))]);
        assert_eq!(numbers(&met, "rank"), [Some(0.0), Some(1.0)], "{form:?}");
        assert!(numbers(&met, "late")[1].unwrap() > 100_000.0, "{form:?}");
        let idle = format!(
            "SELECT start + duration / 2 - {ORIGIN} AS at FROM overlap \
             WHERE rank = 0 AND kind = 'free' ORDER BY duration DESC LIMIT 1"
        );
        let gap = opened.made("gap", of_rank, &[("at", &at(&idle))]);
        let causes = texts(&gap, "cause");
        assert!(causes.iter().all(|cause| cause.as_deref() != Some("unknown")), "{form:?}: {causes:?}");
        assert!(texts(&gap, "what").contains(&Some("next".to_owned())), "{form:?}");
    }
}

#[test]
fn odd_names_are_names() {
    let opened = Opened::trace(GPU);
    let name = r#"it's "<script>alert(1)</script>""#;
    let made = opened.made("kernels", Scope::default(), &[("name", name)]);
    assert_eq!(texts(&made, "name"), [Some(name.to_owned())]);
    assert!(
        texts(&opened.made("operators", Scope::default(), &[("group", "name")]), "name")
            .contains(&Some(name.to_owned()))
    );
    for name in ["' OR 1 = 1 --", "it''s", "\\' OR true --", "%", "\0"] {
        assert_eq!(opened.made("kernels", Scope::default(), &[("name", name)]).rows(), 0, "{name}");
    }
    let ways = opened.all("dispatch");
    assert_eq!(texts(&ways, "op")[0].as_deref(), Some("aten::mm"));
    assert_eq!(numbers(&ways, "end_to_end")[0], Some(90_000.0));
}
