//! One number has one value, wherever it is asked for: `info`, `diagnose`, `cluster`, `sql` and the pages.
//!
//! Each test asks all of them about one job and compares what they say. A place that does not show a number, or a form
//! that does not record it, is left out; [`Said::assert_agreed`] states how many places must have spoken.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use arrow::ipc::reader::StreamReader;
use npuscope_testing::shared;
use proptest::prelude::*;
use serde_json::Value;

use crate::program::Sandbox;

/// A number of a rank or, without one, of the job.
type Number = (&'static str, Option<i64>);

/// What each place says of each number: ns, bytes, GB/s or shares.
#[derive(Default)]
struct Said(BTreeMap<Number, Vec<(&'static str, f64)>>);

impl Said {
    fn add(&mut self, number: &'static str, rank: impl Into<Option<i64>>, place: &'static str, value: f64) {
        self.0.entry((number, rank.into())).or_default().push((place, value));
    }

    /// All places agree on every number. `expected` has the numbers that must be there, each with the places that speak
    /// of it for every rank.
    #[track_caller]
    fn assert_agreed(&self, job: &str, expected: &[(&str, &[&str])]) {
        for ((number, rank), said) in &self.0 {
            let first = said[0].1;
            for (place, value) in said {
                // Deliverables give microseconds with three decimals and shares with four.
                let allowed = match *number {
                    EACH_WAIT_RATIO => 0.01,
                    "wait ratio" | "bandwidth SDMA" => 1e-4,
                    _ => 1.0,
                };
                let is_near = (value - first).abs() <= allowed + 1e-6 * first.abs();
                assert!(is_near, "{job}: {number} of {rank:?}: {place} says {value}; {said:?}");
            }
        }
        for (number, places) in expected {
            let of_number: Vec<_> = self.0.iter().filter(|((known, _), _)| known == number).collect();
            assert!(!of_number.is_empty(), "{job}: nobody says {number}");
            for ((_, rank), said) in of_number {
                for place in *places {
                    assert!(
                        said.iter().any(|(known, _)| known == place),
                        "{job}: {place} does not say {number} of {rank:?}: {said:?}"
                    );
                }
            }
        }
    }
}

/// Ends the viewer with the test.
struct Viewer {
    process: Child,
    address: String,
    token: String,
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Viewer {
    fn start(sandbox: &Sandbox, path: &str) -> Viewer {
        let mut command = sandbox.command(&["view", path, "--no-open", "--idle-timeout", "120"]);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let rest = url.trim().strip_prefix("http://").unwrap();
        let (address, query) = rest.split_once('/').unwrap();
        let token = query.split_once("token=").unwrap().1;
        Viewer { process, address: address.to_owned(), token: token.to_owned() }
    }

    /// The body of an answer.
    fn get(&self, path: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (host, token) = (&self.address, &self.token);
        let sign = if path.contains('?') { '&' } else { '?' };
        write!(stream, "GET {path}{sign}token={token} HTTP/1.0\r\nHost: {host}\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        if head.starts_with("HTTP/1.0 200") || head.starts_with("HTTP/1.1 200") {
            return answer.split_off(end + 4);
        }
        panic!("{path}: {}", String::from_utf8_lossy(&answer))
    }

    fn table(&self, view: &str) -> Table {
        let bytes = self.get(&format!("/api/tables/{view}"));
        // What the profile lacks is said in JSON.
        if bytes.starts_with(b"{\"missing\"") {
            return Table::default();
        }
        Table(StreamReader::try_new(&bytes[..], None).unwrap().map(Result::unwrap).collect())
    }
}

/// A table as rows of numbers and texts.
#[derive(Default)]
struct Table(Vec<RecordBatch>);

impl Table {
    fn column<T>(&self, name: &str, cell: impl Fn(&dyn Array, usize) -> Option<T>) -> Vec<Option<T>> {
        let parts = self.0.iter().filter_map(|batch| batch.column_by_name(name));
        parts.flat_map(|part| (0..part.len()).map(|row| cell(part, row)).collect::<Vec<_>>()).collect()
    }

    fn numbers(&self, name: &str) -> Vec<Option<f64>> {
        self.column(name, |part, row| match part.data_type() {
            _ if part.is_null(row) => None,
            DataType::Int64 => Some(part.as_primitive::<Int64Type>().value(row) as f64),
            DataType::Float64 => Some(part.as_primitive::<Float64Type>().value(row)),
            other => panic!("{name}: {other} is no number"),
        })
    }

    fn texts(&self, name: &str) -> Vec<Option<String>> {
        self.column(name, |part, row| part.is_valid(row).then(|| part.as_string::<i32>().value(row).to_owned()))
    }

    fn ranks(&self) -> Vec<i64> {
        self.numbers("rank").into_iter().map(|rank| rank.unwrap() as i64).collect()
    }

    /// The sum of a column by rank.
    fn sums(&self, name: &str) -> BTreeMap<i64, f64> {
        let mut sums = BTreeMap::new();
        for (rank, value) in self.ranks().into_iter().zip(self.numbers(name)) {
            value.into_iter().for_each(|value| *sums.entry(rank).or_default() += value);
        }
        sums
    }
}

/// Name of a number; its key in `info`, its columns in `step_time`, in the view `steps` and in the files of `cluster`.
type Part = (&'static str, Option<&'static str>, &'static str, Option<&'static str>, Option<&'static str>);

/// The parts of a step that all places show, by their names in `info`, `sql`, the pages and the files of `cluster`.
const PARTS: [Part; 7] = [
    ("step time", Some("step_ms"), "step_time", Some("duration"), None),
    ("device time", Some("device_ms"), "device_time", Some("device_time"), None),
    ("computing", Some("computing_ms"), "computing", Some("computing"), Some("computing")),
    (
        "exposed communication",
        Some("exposed_communication_ms"),
        "exposed_communication",
        Some("exposed_communication"),
        Some("communication_not_overlapped"),
    ),
    ("free", Some("free_ms"), "free", Some("free"), Some("free")),
    ("bubble", None, "bubble", Some("bubble"), Some("bubble")),
    ("p2p time", None, "p2p_time", Some("p2p_time"), None),
];

/// The rows of a query, all of whose columns are numbers.
fn query(sandbox: &Sandbox, path: &str, sql: &str) -> Vec<Vec<f64>> {
    let text = sandbox.sql(path, sql);
    text.lines().skip(1).map(|line| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()).collect()
}

/// The wait ratios that are shown for each operation, added up.
const EACH_WAIT_RATIO: &str = "wait ratios of operations";

/// The free time of all steps.
const ALL_FREE: &str = "free in all steps";

/// What `sql` says of the ten numbers.
fn say_sql(said: &mut Said, sandbox: &Sandbox, path: &str) {
    for (number, _, column, ..) in PARTS {
        let sql = format!("SELECT rank, avg({column}) FROM step_time WHERE {column} IS NOT NULL GROUP BY rank");
        query(sandbox, path, &sql).iter().for_each(|row| said.add(number, row[0] as i64, "sql", row[1]));
    }
    let sql = "SELECT rank, sum(free) FROM step_time GROUP BY rank HAVING sum(free) > 0";
    query(sandbox, path, sql).iter().for_each(|row| said.add(ALL_FREE, row[0] as i64, "sql", row[1]));
    let sql = "SELECT avg(longest) FROM (SELECT max(step_time) AS longest FROM step_time GROUP BY step)";
    query(sandbox, path, sql).iter().for_each(|row| said.add("job step time", None, "sql", row[0]));
    let operations = "FROM reported_comm WHERE lower(name) NOT LIKE 'total op info%'";
    let sql = format!("SELECT rank, wait_ratio(sum(wait), sum(transit)) {operations} GROUP BY rank");
    query(sandbox, path, &sql).iter().for_each(|row| said.add("wait ratio", row[0] as i64, "sql", row[1]));
    let sql = format!("SELECT rank, sum(wait_ratio(wait, transit)) {operations} GROUP BY rank");
    query(sandbox, path, &sql).iter().for_each(|row| said.add(EACH_WAIT_RATIO, row[0] as i64, "sql", row[1]));
    let sql = "SELECT rank, bandwidth(sum(size) * 1e6, sum(time) * 1e6) FROM \
               (SELECT rank, max(transit_size) AS size, max(transit_time) AS time FROM reported_bandwidth \
                WHERE lower(name) NOT LIKE 'total op info%' AND transport = 'SDMA' GROUP BY rank, step, name, group_hash) \
               GROUP BY rank HAVING sum(size) > 0";
    query(sandbox, path, sql).iter().for_each(|row| said.add("bandwidth SDMA", row[0] as i64, "sql", row[1]));
    let sql =
        "SELECT rank, sum(duration) FROM kernel WHERE core IS NULL OR NOT is_communication_core(core) GROUP BY rank";
    query(sandbox, path, sql).iter().for_each(|row| said.add("operator total", row[0] as i64, "sql", row[1]));
    let sql = "SELECT rank, max(start_allocated) FROM mem_event WHERE kind = 'operator' GROUP BY rank";
    query(sandbox, path, sql).iter().for_each(|row| said.add("memory peak", row[0] as i64, "sql", row[1]));
}

fn say_info(said: &mut Said, sandbox: &Sandbox, path: &str) {
    let info: Value = serde_json::from_slice(&sandbox.bytes(&["info", path, "--format", "json"])).unwrap();
    said.add("job step time", None, "info", info["step_ms"].as_f64().unwrap() * 1e6);
    for rank in info["ranks"].as_array().unwrap() {
        let number = rank["rank"].as_i64().unwrap();
        for (name, key, ..) in PARTS {
            let is_shown = name == "step time" || rank["has_device"] == Value::Bool(true);
            if let Some(ms) = key.filter(|_| is_shown).and_then(|key| rank[key].as_f64()) {
                said.add(name, number, "info", ms * 1e6);
            }
        }
        if let Some(bytes) = rank["memory_peak_bytes"].as_f64() {
            said.add("memory peak", number, "info", bytes);
        }
    }
}

fn say_diagnose(said: &mut Said, sandbox: &Sandbox, path: &str) {
    let ran = sandbox.run(&["diagnose", path, "--format", "json"]);
    // Without a level nothing of the device is recorded.
    if ran.code == 2 && ran.stderr.contains("no device data recorded") {
        return;
    }
    assert_eq!(ran.code, 0, "{path}: {}", ran.stderr);
    let diagnosis: Value = serde_json::from_str(&ran.stdout).unwrap();
    said.add("job step time", None, "diagnose", diagnosis["step_ms"].as_f64().unwrap() * 1e6);
}

/// What the tables say that `cluster` writes.
fn say_cluster(said: &mut Said, sandbox: &Sandbox, path: &str, out: &str) {
    for mode in ["all", "compute_op_sum", "free_analysis"] {
        let ran = sandbox.run(&["cluster", "-d", path, "-m", mode, "-o", out, "--export_type", "db"]);
        let is_missing = ran.code == 2 && ran.stderr.contains("needs");
        assert!(ran.code == 0 || is_missing, "{path} {mode}: {}", ran.stderr);
    }
    let database = sandbox.path(out).join("cluster_analysis_output/cluster_analysis.db");
    if !database.exists() {
        return;
    }
    let database = rusqlite::Connection::open(database).unwrap();
    let ask = |said: &mut Said, number: &'static str, table: &str, sql: &str| {
        let has = "SELECT count(*) FROM sqlite_master WHERE name = ?1";
        if database.query_row(has, [table], |row| row.get::<_, i64>(0)).unwrap() == 0 {
            return;
        }
        let mut statement = database.prepare(sql).unwrap();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let value: Option<f64> = row.get(1).unwrap();
            value.into_iter().for_each(|value| said.add(number, row.get::<_, i64>(0).unwrap(), "cluster", value));
        }
    };
    for (number, _, _, _, column) in PARTS {
        if let Some(column) = column {
            let sql = format!(
                "SELECT CAST(\"index\" AS INT), avg({column}) * 1e3 FROM ClusterStepTraceTime \
                 WHERE type = 'rank' AND {column} IS NOT NULL GROUP BY 1"
            );
            ask(said, number, "ClusterStepTraceTime", &sql);
        }
    }
    let sql = "SELECT rank_id, sum(wait_time) / nullif(sum(wait_time) + sum(transit_time), 0.0) \
               FROM ClusterCommunicationTime WHERE hccl_op_name = 'Total Op Info' GROUP BY rank_id";
    ask(said, "wait ratio", "ClusterCommunicationTime", sql);
    let sql = "SELECT rank_id, sum(wait_time_ratio) FROM ClusterCommunicationTime WHERE hccl_op_name <> 'Total Op Info' \
               GROUP BY rank_id";
    ask(said, EACH_WAIT_RATIO, "ClusterCommunicationTime", sql);
    // What is written is what the sums give.
    let mut written = Said::default();
    let sql = "SELECT rank_id, count(*) FROM ClusterCommunicationTime WHERE wait_time + transit_time > 0 AND \
               abs(wait_time_ratio - wait_time / (wait_time + transit_time)) > 1e-4 GROUP BY rank_id";
    ask(&mut written, "wrong wait ratios", "ClusterCommunicationTime", sql);
    let sql = "SELECT rank_id, count(*) FROM ClusterCommunicationBandwidth WHERE transit_time > 0 AND \
               abs(bandwidth - transit_size / transit_time) > 1e-4 GROUP BY rank_id";
    ask(&mut written, "wrong bandwidths", "ClusterCommunicationBandwidth", sql);
    assert!(written.0.is_empty(), "{path}: {:?}", written.0);
    let sql = "SELECT rank_id, sum(size) / nullif(sum(time), 0.0) FROM \
               (SELECT rank_id, max(transit_size) AS size, max(transit_time) AS time FROM ClusterCommunicationBandwidth \
                WHERE hccl_op_name = 'Total Op Info' AND band_type = 'SDMA' GROUP BY rank_id, step, group_name) \
               GROUP BY rank_id HAVING sum(size) > 0";
    ask(said, "bandwidth SDMA", "ClusterCommunicationBandwidth", sql);
    let sql = "SELECT Rank, sum(SumNs) FROM ComputeOpPerRankStatsByOpType GROUP BY Rank";
    ask(said, "operator total", "ComputeOpPerRankStatsByOpType", sql);
    ask(said, ALL_FREE, "FreeAnalysisSummary", "SELECT rankId, sum(freeNs) FROM FreeAnalysisSummary GROUP BY rankId");
}

/// What the routes behind the pages say.
fn say_pages(said: &mut Said, sandbox: &Sandbox, path: &str) {
    let viewer = Viewer::start(sandbox, path);
    let steps = viewer.table("steps");
    for (number, _, _, column, _) in PARTS {
        let Some(column) = column else { continue };
        let mut by_rank: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
        for (rank, value) in steps.ranks().into_iter().zip(steps.numbers(column)) {
            value.into_iter().for_each(|value| by_rank.entry(rank).or_default().push(value));
        }
        for (rank, values) in by_rank {
            said.add(number, rank, "pages", values.iter().sum::<f64>() / values.len() as f64);
        }
    }
    let diagnosis: Value = serde_json::from_slice(&viewer.get("/api/diagnosis")).unwrap();
    said.add("job step time", None, "pages", diagnosis["step_ms"].as_f64().unwrap() * 1e6);
    let each = viewer.table("communication?by=name");
    each.sums("wait_ratio").into_iter().for_each(|(rank, sum)| said.add(EACH_WAIT_RATIO, rank, "pages", sum));
    let communication = viewer.table("communication");
    let (wait, transit) = (communication.sums("wait"), communication.sums("transit"));
    for (rank, wait) in wait {
        let all = wait + transit[&rank];
        if all > 0.0 {
            said.add("wait ratio", rank, "pages", wait / all);
        }
    }
    let bandwidth = viewer.table("bandwidth");
    let links = bandwidth.ranks().into_iter().zip(bandwidth.texts("link")).zip(bandwidth.numbers("bandwidth"));
    for ((rank, _), value) in links.filter(|((_, link), _)| link.as_deref() == Some("SDMA")) {
        said.add("bandwidth SDMA", rank, "pages", value.unwrap());
    }
    let ranks = steps.ranks().into_iter().collect::<std::collections::BTreeSet<i64>>();
    for rank in ranks {
        let operators = viewer.table(&format!("operators?group=core&ranks={rank}"));
        let of_cores = operators.texts("core").into_iter().zip(operators.numbers("total"));
        let computing = of_cores.filter(|(core, _)| !matches!(core.as_deref(), Some("HCCL" | "COMMUNICATION")));
        let total: f64 = computing.filter_map(|(_, total)| total).sum();
        if total > 0.0 {
            said.add("operator total", rank, "pages", total);
        }
        let overall = viewer.table(&format!("overall?ranks={rank}"));
        let mut parts: BTreeMap<String, f64> = BTreeMap::new();
        for (category, per_step) in overall.texts("category").into_iter().zip(overall.numbers("per_step")) {
            *parts.entry(category.unwrap()).or_default() += per_step.unwrap_or_default();
        }
        for (number, category) in
            [("computing", "computing"), ("exposed communication", "exposed_communication"), ("free", "free")]
        {
            parts.get(category).into_iter().for_each(|ns| said.add(number, rank, "where time goes", *ns));
        }
    }
    let peak = viewer.table("memory_peak");
    for (rank, bytes) in peak.ranks().into_iter().zip(peak.numbers("total")) {
        bytes.into_iter().for_each(|bytes| said.add("memory peak", rank, "pages", bytes));
    }
}

fn ask_all(sandbox: &Sandbox, path: &str, out: &str) -> Said {
    let mut said = Said::default();
    say_sql(&mut said, sandbox, path);
    say_info(&mut said, sandbox, path);
    say_diagnose(&mut said, sandbox, path);
    say_cluster(&mut said, sandbox, path, out);
    say_pages(&mut said, sandbox, path);
    said
}

/// The numbers that every form has, and the places that show them.
const EVERYWHERE: [(&str, &[&str]); 9] = [
    ("job step time", &["sql", "info", "diagnose", "pages"]),
    ("step time", &["sql", "info", "pages"]),
    ("computing", &["sql", "info", "cluster", "pages", "where time goes"]),
    ("exposed communication", &["sql", "info", "cluster", "pages", "where time goes"]),
    ("free", &["sql", "info", "cluster", "pages", "where time goes"]),
    (ALL_FREE, &["sql", "cluster"]),
    ("bubble", &["sql", "cluster", "pages"]),
    ("p2p time", &["sql", "pages"]),
    ("operator total", &["sql", "pages"]),
];

/// Those that only NPU profiles have.
const ON_NPUS: [(&str, &[&str]); 5] = [
    (EACH_WAIT_RATIO, &["sql", "cluster", "pages"]),
    ("wait ratio", &["sql", "cluster", "pages"]),
    ("bandwidth SDMA", &["sql", "cluster", "pages"]),
    ("operator total", &["sql", "cluster", "pages"]),
    ("memory peak", &["sql", "info", "pages"]),
];

/// A pipeline in which a rank is slow.
const SLOW_RANK: &str = "--tp 1 --pp 2 --dp 2 --layers 2 --micro-batches 2 --steps 3 --fault slow-rank@1:1.5 --seed 14";

/// What is said of a simulated job in one form.
fn said_of(job: &str, form: &str, framework: &str) -> Said {
    let sandbox = Sandbox::empty();
    let form = ["synth", "-o", "job", "--format", form, "--framework", framework];
    let arguments: Vec<&str> = form.into_iter().chain(job.split(' ')).collect();
    let ran = sandbox.run(&arguments);
    assert_eq!(ran.code, 0, "{job}: {}", ran.stderr);
    ask_all(&sandbox, "job", "out")
}

fn simulated(form: &str, framework: &str) -> Said {
    said_of(SLOW_RANK, form, framework)
}

#[test]
fn text_of_torch_npu_says_one_thing() {
    let said = simulated("text", "torch-npu");
    said.assert_agreed("text", &EVERYWHERE);
    said.assert_agreed("text", &ON_NPUS);
}

#[test]
fn databases_of_torch_npu_say_one_thing() {
    let said = simulated("db", "torch-npu");
    said.assert_agreed("db", &EVERYWHERE);
    said.assert_agreed("db", &ON_NPUS);
}

#[test]
fn text_of_mindspore_says_one_thing() {
    let said = simulated("text", "mindspore");
    said.assert_agreed("MindSpore text", &EVERYWHERE);
}

#[test]
fn databases_of_mindspore_say_one_thing() {
    let said = simulated("db", "mindspore");
    said.assert_agreed("MindSpore db", &EVERYWHERE);
}

#[test]
fn traces_of_pytorch_say_one_thing() {
    let said = simulated("kineto", "torch-npu");
    said.assert_agreed("Kineto", &EVERYWHERE);
}

/// Name, format and framework of what one job can be written as.
const FORMATS: [(&str, &str, &str); 5] = [
    ("text of torch_npu", "text", "torch-npu"),
    ("databases of torch_npu", "db", "torch-npu"),
    ("text of MindSpore", "text", "mindspore"),
    ("databases of MindSpore", "db", "mindspore"),
    ("traces of PyTorch", "kineto", "torch-npu"),
];

/// What each format of a job says. All places agree within each format.
fn said_of_formats(job: &str) -> Said {
    let mut all = Said::default();
    for (place, format, framework) in FORMATS {
        let said = said_of(job, format, framework);
        let name = format!("{place}, {job}");
        said.assert_agreed(&name, &[("job step time", &["sql", "info", "pages"])]);
        if !job.contains("--level none") {
            said.assert_agreed(&name, &[("job step time", &["diagnose"]), ("computing", &["cluster", "info"])]);
        }
        for ((number, rank), said) in said.0 {
            all.add(number, rank, place, said[0].1);
        }
    }
    all
}

/// What the formats of one job say of what all of them record, and those of NPUs also of what only they record.
#[test]
fn all_formats_of_a_job_say_the_same() {
    let all = said_of_formats(SLOW_RANK);
    let places = FORMATS.map(|(place, ..)| place);
    let everywhere = EVERYWHERE.map(|(number, _)| (number, &places[..]));
    all.assert_agreed("formats", &everywhere);
    let on_npus = ON_NPUS.iter().filter(|(number, _)| *number != "operator total");
    all.assert_agreed("formats", &on_npus.map(|(number, _)| (*number, &places[..4])).collect::<Vec<_>>());
}

/// Any small job, healthy or not, at any level.
fn jobs() -> impl Strategy<Value = String> {
    let sizes = (1..=2u8, 1..=2u8, 1..=2u8, 1..=2u8, 1..=3u8, 1..=3u8);
    let level = prop::sample::select(vec!["none", "level0", "level1", "level2"]);
    let faults = ["slow-rank@0:1.4", "slow-host@0", "gc@0", "dataloader@0:30", "aicpu@0", "synchronise@0", "leak@0"];
    let fault = prop::option::of(prop::sample::select(faults.to_vec()));
    (sizes, level, fault, prop::bool::weighted(0.2), 0..1000u32).prop_map(|(sizes, level, fault, is_rl, seed)| {
        let (tp, pp, dp, layers_of_stage, micro_batches, steps) = sizes;
        let layers = pp * layers_of_stage;
        let fault = fault.map(|fault| format!(" --fault {fault}")).unwrap_or_default();
        let rl = if is_rl { " --rl" } else { "" };
        format!(
            "--tp {tp} --pp {pp} --dp {dp} --layers {layers} --micro-batches {micro_batches} --steps {steps} \
             --level {level} --seed {seed}{fault}{rl}"
        )
    })
}

proptest! {
    #![proptest_config(npuscope_testing::cases(2))]

    #[test]
    fn all_formats_of_any_job_say_the_same(job in jobs()) {
        let places = FORMATS.map(|(place, ..)| place);
        let said = said_of_formats(&job);
        said.assert_agreed(&job, &[("job step time", &places)]);
        // Without a level nothing of the device is recorded.
        if !job.contains("--level none") {
            said.assert_agreed(&job, &["computing", ALL_FREE].map(|number| (number, &places[..])));
        }
    }
}

/// The real captures: text and databases at two levels, an older version, and GPU traces.
#[test]
fn real_captures_say_one_thing() {
    for form in ["text", "db"] {
        for level in ["level0", "level1"] {
            let Some(path) = shared(&format!("data/npu/{form}/{level}")) else { continue };
            let said = real(&path, &format!("{form} {level}"), 2);
            said.assert_agreed(level, &EVERYWHERE);
        }
    }
    if let Some(path) = shared("data/npu/older") {
        real(&path, "older", 2);
    }
    for name in ["alexnet", "nccl_data", "ns_res", "amd"] {
        let Some(path) = shared(&format!("data/gpu/{name}.json.gz")) else { continue };
        real(&path, name, 1);
    }
}

fn real(path: &Path, name: &str, ranks: usize) -> Said {
    let sandbox = Sandbox::empty();
    let said = ask_all(&sandbox, path.to_str().unwrap(), "out");
    said.assert_agreed(name, &[("job step time", &["sql", "info", "diagnose", "pages"])]);
    let with_steps = said.0.keys().filter(|(number, _)| *number == "step time").count();
    assert_eq!(with_steps, ranks, "{name}");
    said
}
