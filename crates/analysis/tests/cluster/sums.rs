//! Sums, summaries and comparisons find what is wrong with a job, and nothing where all is well.

use std::path::{Path, PathBuf};

use npuscope_analysis::cluster::{LeftOut, Options};
use npuscope_formats::output::Output;
use npuscope_synth::{Format, JobConfig, simulate, write_job};
use npuscope_tables::Rank;
use npuscope_tables::table::host_op;

use crate::support::{Rows, Value, assert_same, database, run};

/// A small job on four ranks with these faults, as databases.
fn job(faults: &[&str]) -> tempfile::TempDir {
    write(&config(faults))
}

fn config(faults: &[&str]) -> JobConfig {
    let faults = faults.iter().map(|fault| fault.parse().unwrap()).collect();
    JobConfig { tp: 2, dp: 2, pp: 1, layers: 2, micro_batches: 2, steps: 2, faults, ..JobConfig::default() }
}

fn write(config: &JobConfig) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let job = simulate(config).unwrap();
    write_job(&job, Format::Db, &Output::new(directory.path()).unwrap(), |_| {}).unwrap();
    directory
}

/// All databases of a profile.
fn databases(job: &Path) -> Vec<PathBuf> {
    let mut files = crate::hand_made::files(job);
    files.retain(|file| file.extension().is_some_and(|extension| extension == "db"));
    files
}

/// Removes what trainers and profilers say of the job.
fn forget_metadata(job: &Path) {
    for file in crate::hand_made::files(job).iter().filter(|file| file.ends_with("profiler_metadata.json")) {
        std::fs::remove_file(file).unwrap();
    }
    for database in databases(job) {
        let _ = rusqlite::Connection::open(database).unwrap().execute("DELETE FROM META_DATA", ());
    }
}

/// A table of a mode's results, if there is one.
fn table(job: &Path, mode: &str, name: &str, options: &Options) -> Option<Rows> {
    let run = run(job, mode, None, options).unwrap();
    database(run.written.database.as_deref()?).remove(name)
}

/// The cells of a column, row by row.
fn column((header, rows): &Rows, name: &str) -> Vec<Value> {
    let at = header.iter().position(|column| column == name).unwrap_or_else(|| panic!("no {name} in {header:?}"));
    rows.iter().map(|row| row[at].clone()).collect()
}

fn numbers(rows: &Rows, name: &str) -> Vec<f64> {
    let number = |value: &Value| if let Value::Number(number) = value { *number } else { f64::NAN };
    column(rows, name).iter().map(number).collect()
}

/// The rows in which a column has this value.
fn only((header, rows): &Rows, name: &str, value: &Value) -> Rows {
    let at = header.iter().position(|column| column == name).unwrap();
    (header.clone(), rows.iter().filter(|row| row[at] == *value).cloned().collect())
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// The row in which `by` is greatest has this number in `name`.
fn greatest(rows: &Rows, by: &str, name: &str) -> f64 {
    let greatest = numbers(rows, by).into_iter().zip(numbers(rows, name)).max_by(|a, b| a.0.total_cmp(&b.0));
    greatest.unwrap().1
}

#[test]
fn quartiles_of_calls_are_those_of_all_ranks() {
    let config = config(&["slow-host@0:3"]);
    let job = simulate(&config).unwrap();
    let mut calls: Vec<f64> = Vec::new();
    for rank in 0..4 {
        let tables = job.rank(rank);
        let launches = tables.rows::<host_op::Row>().filter(|op| tables.text(op.name) == "launch");
        calls.extend(launches.map(|op| op.duration.ns() as f64));
    }
    calls.sort_by(f64::total_cmp);
    let middle = (calls[(calls.len() - 1) / 2] + calls[calls.len() / 2]) / 2.0;
    let rows = table(write(&config).path(), "cann_api_sum", "CannApiSum", &Options::default()).unwrap();
    let launches = only(&rows, "name", &text("launch"));
    assert_eq!(numbers(&launches, "totalCount"), [calls.len() as f64]);
    assert_eq!(numbers(&launches, "totalTimeNs"), [calls.iter().sum::<f64>()]);
    assert_eq!(numbers(&launches, "medNs"), [middle]);
}

#[test]
fn kernels_of_a_slow_rank_take_longer() {
    let job = job(&["slow-rank@1:1.5"]);
    let rows = table(job.path(), "compute_op_sum", "ComputeOpPerRankStatsByOpType", &Options::default()).unwrap();
    let products = only(&rows, "TaskType", &text("AI_CORE"));
    assert_eq!(greatest(&products, "MeanNs", "Rank"), 1.0);
    assert!(!column(&rows, "OpType").iter().any(|kind| matches!(kind, Value::Text(kind) if kind.contains("hcom"))));
}

#[test]
fn a_slow_rank_is_waited_for_even_in_pairs() {
    let slow = job(&["slow-rank@1:1.5"]);
    let rows = table(slow.path(), "slow_rank", "SlowRank", &Options::default()).unwrap();
    assert_eq!(greatest(&rows, "slowAffectCount", "rankId"), 1.0);
    let operations = table(slow.path(), "slow_rank", "SlowOpStats", &Options::default()).unwrap();
    assert!(numbers(&operations, "MinNs").iter().all(|ns| *ns > 1000.0), "not ns");
    let well = run(job(&[]).path(), "slow_rank", None, &Options::default()).unwrap();
    assert!(well.written.tables.is_empty(), "{:?}", well.written.tables);
    assert_eq!(well.notes.len(), 1);
}

#[test]
fn a_slow_link_is_named_by_its_ends() {
    let config = JobConfig { tp: 1, dp: 4, ..config(&["slow-link@1-2:4"]) };
    let rows = table(write(&config).path(), "slow_link", "SlowLinks", &Options::default()).unwrap();
    let ends: Vec<(f64, f64)> = numbers(&rows, "srcRank").into_iter().zip(numbers(&rows, "dstRank")).collect();
    assert!(!ends.is_empty() && ends.iter().all(|ends| matches!(ends, (1.0, 2.0) | (2.0, 1.0))), "{ends:?}");
    // Without metadata ranks are known from the links that they report to themselves; one rank alone does not identify
    // the others.
    let bare = write(&config);
    forget_metadata(bare.path());
    assert_same(&table(bare.path(), "slow_link", "SlowLinks", &Options::default()).unwrap(), &rows, "SlowLinks");
    let one = run(bare.path(), "slow_link", Some(&[Rank(1)].into()), &Options::default()).unwrap();
    assert!(one.notes.iter().any(|note| note.contains("which ranks they connect is unknown")), "{:?}", one.notes);
    let config = JobConfig { faults: Vec::new(), ..config };
    let well = run(write(&config).path(), "slow_link", None, &Options::default()).unwrap();
    assert!(well.written.tables.is_empty(), "{:?}", well.written.tables);
    assert_eq!(well.notes.len(), 1);
}

#[test]
fn slow_operations_stand_out_from_their_class() {
    let slow = job(&["slow-link@0-1:4,steps=11..11"]);
    let rows = table(slow.path(), "slow_link", "SlowLinkOps", &Options::default()).unwrap();
    let ranks = numbers(&rows, "rankId");
    assert!(!ranks.is_empty() && ranks.iter().all(|rank| *rank < 2.0), "{ranks:?}");
    let rows = table(slow.path(), "slow_link", "SlowLinkSum", &Options::default()).unwrap();
    let mut ranks = [numbers(&rows, "maxRank"), numbers(&rows, "minRank")].concat();
    ranks.retain(|rank| ![0.0, 1.0, 2.0, 3.0].contains(rank));
    assert_eq!(ranks, [0.0; 0]);
    assert!(numbers(&rows, "maxRank").iter().all(|rank| *rank < 2.0));
}

#[test]
fn a_low_frequency_is_abnormal_only_while_computing() {
    let slow = job(&["frequency@2:1000"]);
    let rows = table(slow.path(), "freq_analysis", "AbnormalFrequencyRanks", &Options::default()).unwrap();
    assert_eq!(numbers(&rows, "rankId"), [2.0]);
    assert_eq!(numbers(&rows, "nominalFrequency(MHz)"), [1800.0]);
    assert!(numbers(&rows, "computingBelowRatio")[0] > 0.5);
    let lower = Options { nominal_frequency: Some(900.0), ..Options::default() };
    let run = run(slow.path(), "freq_analysis", None, &lower).unwrap();
    assert!(run.written.tables.is_empty() && run.notes.len() == 1);
}

#[test]
fn experts_with_more_tokens_are_found() {
    let mixture = JobConfig { tp: 1, dp: 4, ep: 2, experts: 8, top_k: 2, expert_ffn: 1024, ..config(&["experts@1:3"]) };
    let job = write(&mixture);
    let rows = table(job.path(), "ep_load_balance", "TopEPTokensInfo", &Options::default()).unwrap();
    assert_eq!(greatest(&rows, "tokensDiff", "maxRank"), 1.0);
    assert!(numbers(&rows, "maxByMean").iter().any(|ratio| *ratio > 1.2));
    let tokens = table(job.path(), "ep_load_balance", "EPTokensSummary", &Options::default()).unwrap();
    let step = Options { step: Some(11), ..Options::default() };
    let of_step = table(job.path(), "ep_load_balance", "EPTokensSummary", &step).unwrap();
    let counts = numbers(&tokens, "kernelCount").into_iter().zip(numbers(&of_step, "kernelCount"));
    assert!(counts.into_iter().all(|(all, one)| all == 2.0 * one));
}

#[test]
fn times_of_a_step_add_up() {
    let slow = job(&["slow-rank@1:1.5"]);
    let rows = table(slow.path(), "cluster_time_summary", "ClusterTimeSummary", &Options::default()).unwrap();
    assert_eq!(rows.1.len(), 8);
    let of = |name| numbers(&rows, name);
    let exposed = of("communicationNotOverlapComputation");
    for (row, communication) in of("communication").into_iter().enumerate() {
        assert!((exposed[row] + of("communicationOverlapComputation")[row] - communication).abs() < 1e-6);
        let device = of("computation")[row] + exposed[row] + of("free")[row];
        assert!(device <= 1.02 * of("stepTime")[row], "{device} {}", of("stepTime")[row]);
    }
    let waits = |rank: f64| numbers(&only(&rows, "rank", &Value::Number(rank)), "communicationWaitStageTime");
    assert!(waits(0.0)[0] > 5.0 * waits(1.0)[0], "{:?} {:?}", waits(0.0), waits(1.0));
}

#[test]
fn collectives_that_lack_ranks_are_not_divided() {
    let job = job(&["slow-rank@1:1.5"]);
    let pair = [0, 1].map(Rank).into_iter().collect();
    let run = run(job.path(), "cluster_time_summary", Some(&pair), &Options::default()).unwrap();
    assert!(run.notes.iter().any(|note| note.contains("lack ranks")), "{:?}", run.notes);
    let rows = &database(run.written.database.as_deref().unwrap())["ClusterTimeSummary"];
    let both = [numbers(rows, "communicationTransmitStageTime"), numbers(rows, "communicationWaitStageTime")];
    let all = table(job.path(), "cluster_time_summary", "ClusterTimeSummary", &Options::default()).unwrap();
    assert!(both[0][0] > 0.0 && both[0][0] < numbers(&all, "communicationTransmitStageTime")[0]);
}

#[test]
fn a_slow_job_takes_longer_than_its_baseline() {
    let (slow, well) = (job(&["slow-rank@1:1.5"]), job(&[]));
    let options = Options { baseline: Some(well.path().to_owned()), ..Options::default() };
    let mode = "cluster_time_compare_summary";
    let computed = table(slow.path(), mode, "ClusterTimeCompareSummary", &options).unwrap();
    let differences = numbers(&only(&computed, "rank", &Value::Number(1.0)), "computationDiff");
    assert!(differences.len() == 2 && differences.iter().all(|us| *us > 0.0), "{differences:?}");
    // Results of earlier runs are compared without reading the profiles; nothing is written beside them.
    let compat = Options { compat: true, ..options };
    assert!(run(slow.path(), mode, None, &compat).is_err());
    assert!(!well.path().join("cluster_analysis_output").exists());
    for job in [&slow, &well] {
        let run = run(job.path(), "cluster_time_summary", None, &Options::default()).unwrap();
        let output = job.path().join("cluster_analysis_output");
        std::fs::create_dir(&output).unwrap();
        std::fs::copy(run.written.database.unwrap(), output.join("cluster_analysis.db")).unwrap();
    }
    let read = table(slow.path(), mode, "ClusterTimeCompareSummary", &compat).unwrap();
    assert_same(&read, &computed, mode);
    let some = run(slow.path(), mode, Some(&[Rank(1), Rank(2)].into()), &Options { compat: false, ..compat }).unwrap();
    let rows = &database(some.written.database.as_deref().unwrap())["ClusterTimeCompareSummary"];
    assert_eq!(numbers(rows, "rank"), [1.0, 1.0, 2.0, 2.0]);
    assert!(some.notes.iter().any(|note| note.contains("earlier runs")), "{:?}", some.notes);
}

#[test]
fn what_the_baseline_lacks_is_reported() {
    let (here, there) = (job(&[]), job(&[]));
    let of_rank = |rank: &str| {
        let name = format!("ascend_pytorch_profiler_{rank}.db");
        databases(there.path()).into_iter().find(|path| path.ends_with(&name)).unwrap()
    };
    std::fs::write(of_rank("1"), "no database").unwrap();
    let options = Options { baseline: Some(there.path().to_owned()), ..Options::default() };
    for mode in ["cluster_time_compare_summary", "cluster_compare_baseline"] {
        let all = run(here.path(), mode, None, &options).unwrap();
        let is_reported =
            |left: &LeftOut| left.rank == Rank(1) && left.why.to_string().starts_with("in the baseline: ");
        assert!(all.left_out.iter().any(is_reported), "{mode}: {:?}", all.left_out);
        assert!(all.notes.iter().any(|note| note.starts_with("baseline: ")), "{mode}: {:?}", all.notes);
        // Of both jobs only the chosen ranks are read.
        let some = run(here.path(), mode, Some(&[Rank(2), Rank(3)].into()), &options).unwrap();
        assert_eq!(some.left_out, [], "{mode}");
        let lacking: Vec<&String> = some.notes.iter().filter(|note| note.contains("lack ranks")).collect();
        assert_eq!(lacking.len(), 2, "{mode}: {:?}", some.notes);
    }
}

/// The peer's comparison of two results: they are in what it recorded.
#[test]
fn results_are_compared_as_recorded() {
    let place = "reference/cluster/db/level1/cluster_time_compare_summary/cluster_analysis_output/cluster_analysis.db";
    let Some(place) = npuscope_testing::shared(place) else { return };
    let recorded = &database(&place)["ClusterTimeCompareSummary"];
    let (here, there) = (job(&[]), tempfile::tempdir().unwrap());
    let is_plain = |name: &&String| !name.ends_with("Base") && !name.ends_with("Diff");
    let columns: Vec<&String> = recorded.0.iter().filter(is_plain).collect();
    for (directory, suffix) in [(here.path(), ""), (there.path(), "Base")] {
        let output = directory.join("cluster_analysis_output");
        std::fs::create_dir(&output).unwrap();
        let result = rusqlite::Connection::open(output.join("cluster_analysis.db")).unwrap();
        let names: Vec<String> = columns.iter().map(|name| format!("{name} REAL")).collect();
        result.execute_batch(&format!("CREATE TABLE ClusterTimeSummary ({})", names.join(","))).unwrap();
        for row in 0..recorded.1.len() {
            let value = |name: &&String| {
                let of_both = ["rank", "step"].contains(&name.as_str());
                numbers(recorded, &if of_both { name.to_string() } else { format!("{name}{suffix}") })[row].to_string()
            };
            let values: Vec<String> = columns.iter().map(value).collect();
            result.execute_batch(&format!("INSERT INTO ClusterTimeSummary VALUES ({})", values.join(","))).unwrap();
        }
    }
    let options = Options { compat: true, baseline: Some(there.path().to_owned()), ..Options::default() };
    let ours = table(here.path(), "cluster_time_compare_summary", "ClusterTimeCompareSummary", &options).unwrap();
    assert_same(&ours, recorded, "cluster_time_compare_summary");
}

#[test]
fn a_larger_job_is_held_against_what_its_size_costs() {
    let larger = write(&JobConfig { tp: 1, dp: 4, ..config(&["slow-rank@1:1.5"]) });
    let smaller = write(&JobConfig { tp: 1, dp: 2, ..config(&[]) });
    let options = Options { baseline: Some(smaller.path().to_owned()), ..Options::default() };
    let times = table(larger.path(), "cluster_compare_baseline", "ClusterCompareBaseline", &options).unwrap();
    let computing = only(&only(&times, "metric", &text("computation")), "step", &Value::Null);
    // One rank of four takes half as long again.
    let ratio = numbers(&computing, "ratio")[0];
    assert!((1.05..1.3).contains(&ratio), "{ratio}");
    let name = "ClusterCompareBaselineCommunication";
    let collectives = table(larger.path(), "cluster_compare_baseline", name, &options).unwrap();
    let of_data = only(&collectives, "group", &text("dp"));
    assert!(numbers(&of_data, "groupSize").iter().all(|size| *size == 4.0));
    assert!(numbers(&of_data, "groupSizeBaseline").iter().all(|size| *size == 2.0));
    let bounds = numbers(&of_data, "lowerBoundNs").into_iter().zip(numbers(&of_data, "timeBaselineNs"));
    assert!(bounds.into_iter().all(|(bound, base)| bound >= base + 60_000.0));
}

#[test]
fn marks_are_timed_in_the_framework_on_the_host_and_on_the_device() {
    let directory = tempfile::tempdir().unwrap();
    let output = directory.path().join("x_ascend_pt/ASCEND_PROFILER_OUTPUT");
    std::fs::create_dir_all(&output).unwrap();
    let connection = rusqlite::Connection::open(output.join("ascend_pytorch_profiler_0.db")).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
             INSERT INTO STRING_IDS VALUES (1, 'load_start'), (2, 'load_stop'), (3, 'default'), (4, 'op'),
                 (5, 'PROFILER_TRACE_EX'), (6, 'outer'), (7, 'inner'), (8, 'lost_stop');
             CREATE TABLE STEP_TIME (id INTEGER, startNs INTEGER, endNs INTEGER);
             INSERT INTO STEP_TIME VALUES (7, 1000, 9000);
             CREATE TABLE MSTX_EVENTS (startNs INTEGER, endNs INTEGER, eventType INTEGER, rangeId INTEGER,
                 category INTEGER, message INTEGER, globalTid INTEGER, endGlobalTid INTEGER, domainId INTEGER,
                 connectionId INTEGER);
             INSERT INTO MSTX_EVENTS VALUES (2000, 2000, 3, 0, NULL, 1, 5, 5, 3, 11),
                 (2500, 2500, 3, 1, NULL, 2, 5, 5, 3, 12), (2600, 2600, 3, 2, NULL, 8, 5, 5, 3, 15),
                 (3000, 6000, 2, 3, NULL, 6, 5, 5, 3, 13), (3100, 4100, 2, 4, NULL, 7, 5, 5, 3, 14);
             CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER,
                 globalTaskId INTEGER, globalPid INTEGER, taskType INTEGER, contextId INTEGER, streamId INTEGER,
                 taskId INTEGER, modelId INTEGER);
             INSERT INTO TASK VALUES (5000, 5020, 0, 11, 1, 1, 5, 0, 2, 1, 0), (5900, 5920, 0, 12, 2, 1, 5, 0, 2, 2, 0),
                 (6000, 8000, 0, 13, 3, 1, 5, 0, 2, 3, 0), (6100, 6800, 0, 14, 4, 1, 5, 0, 2, 4, 0);
             CREATE TABLE CONNECTION_IDS (id INTEGER, connectionId INTEGER);
             INSERT INTO CONNECTION_IDS VALUES (1, 11), (2, 12);
             CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER,
                 name INTEGER, sequenceNumber INTEGER, fwdThreadId INTEGER, inputDtypes INTEGER,
                 inputShapes INTEGER, callchainId INTEGER, type INTEGER);
             INSERT INTO PYTORCH_API VALUES ('1800', '1850', 5, 1, 4, NULL, NULL, NULL, NULL, NULL, 50001),
                 ('2100', '2150', 5, 2, 4, NULL, NULL, NULL, NULL, NULL, 50001);",
        )
        .unwrap();
    drop(connection);
    let run = run(directory.path(), "mstx_sum", None, &Options::default()).unwrap();
    assert_eq!(run.notes, ["rank 0: marks without a partner: lost_stop"]);
    let rows = &database(run.written.database.as_deref().unwrap())["MSTXMarkStats"];
    let of = |name: &str| {
        let row = only(rows, "Name", &text(name));
        ["FrameworkDurationNs", "CannDurationNs", "DeviceDurationNs", "StepId"]
            .map(|name| column(&row, name)[0].clone())
    };
    let known = |ns: f64| Value::Number(ns);
    assert_eq!(of("load"), [known(300.0), known(500.0), known(900.0), known(7.0)]);
    assert_eq!(of("outer"), [Value::Null, known(3000.0), known(2000.0), known(7.0)]);
    assert_eq!(of("outer::inner"), [Value::Null, known(1000.0), known(700.0), known(7.0)]);
}
