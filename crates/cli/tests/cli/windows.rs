//! Jobs whose ranks were recorded in several windows, in every format: each rank is one rank, with all its steps.

use std::fs;
use std::path::Path;

use npuscope_formats::framework;
use npuscope_formats::framework::records::{OpRange, scope};
use serde_json::Value;

use crate::program::Sandbox;

/// The formats that the simulator writes.
const FORMATS: [&str; 3] = ["text", "db", "kineto"];

/// Two small ranks in `name`, with more options.
fn simulated(sandbox: &Sandbox, name: &str, options: &str) {
    let sizes = "--tp 1 --pp 1 --dp 2 --layers 1 --hidden 256 --sequence 256 --micro-batches 1";
    let words: Vec<&str> =
        ["synth", "-o", name].into_iter().chain(sizes.split(' ')).chain(options.split(' ')).collect();
    let ran = sandbox.run(&words);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

fn json(sandbox: &Sandbox, words: &[&str]) -> Value {
    let ran = sandbox.run(&[words, &["--format", "json"]].concat());
    assert_eq!(ran.code, 0, "{words:?}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// Rank and number of each step in each window.
fn steps(sandbox: &Sandbox, job: &str, options: &[&str]) -> Vec<(i64, i64, i64)> {
    let query = r#"SELECT rank, "window", id FROM step ORDER BY 1, 2, 3"#;
    let ran = sandbox.run(&[&["sql", job, query, "--format", "json"], options].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let rows: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    let number = |row: &Value, key: &str| row[key].as_i64().unwrap();
    rows.iter().map(|row| (number(row, "rank"), number(row, "window"), number(row, "id"))).collect()
}

/// The same of each of two ranks.
fn of_both(of_rank: &[(i64, i64)]) -> Vec<(i64, i64, i64)> {
    (0..2).flat_map(|rank| of_rank.iter().map(move |&(window, id)| (rank, window, id))).collect()
}

/// The steps that `cluster` reports of rank 0.
fn clustered(sandbox: &Sandbox, job: &str) -> Vec<i64> {
    let out = format!("out-{job}");
    let ran = sandbox.run(&["cluster", "-d", job, "-m", "cluster_time_summary", "-o", &out, "--export_type", "text"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let file = sandbox.path(&out).join("cluster_analysis_output/ClusterTimeSummary/cluster_time_summary.csv");
    let text = fs::read_to_string(file).unwrap();
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let place = |name: &str| header.iter().position(|column| column.eq_ignore_ascii_case(name)).unwrap();
    let (rank, step) = (place("rank"), place("step"));
    let rows = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    rows.filter(|row| row[rank] == "0").map(|row| row[step].parse().unwrap()).collect()
}

#[test]
fn dynamic_windows_of_mindspore_are_one_rank_with_the_steps_of_both() {
    let sandbox = Sandbox::empty();
    for format in FORMATS {
        simulated(
            &sandbox,
            format,
            &format!("--windows 2..5,8..10 --profiling dynamic --framework mindspore --format {format}"),
        );
        assert!(sandbox.path(format).join("rank0_start8_stop10").is_dir());
        let expected = [(0, 2), (0, 3), (0, 4), (0, 5), (1, 8), (1, 9), (1, 10)];
        assert_eq!(steps(&sandbox, format, &[]), of_both(&expected), "{format}");
        let info = json(&sandbox, &["info", format]);
        assert_eq!((info["ranks"].as_array().unwrap().len(), &info["steps"]), (2, &Value::from(7)), "{format}");
        let diagnosis = json(&sandbox, &["diagnose", format]);
        assert_eq!((&diagnosis["ranks"], &diagnosis["steps"]), (&Value::from(2), &Value::from(7)), "{format}");
        assert_eq!(clustered(&sandbox, format), [2, 3, 4, 5, 8, 9, 10], "{format}");
    }
}

#[test]
fn windows_of_a_schedule_are_one_rank() {
    let sandbox = Sandbox::empty();
    let expected = [(0, 1), (0, 2), (1, 4), (1, 5), (2, 7), (2, 8)];
    for format in FORMATS {
        simulated(&sandbox, format, &format!("--windows 1..2,4..5,7..8 --format {format}"));
        assert_eq!(steps(&sandbox, format, &[]), of_both(&expected), "{format}");
        assert_eq!(json(&sandbox, &["info", format])["steps"], 6, "{format}");
        let health = json(&sandbox, &["doctor", format]);
        let windows: Vec<&Value> = health["windows"].as_array().unwrap().iter().map(|w| &w["steps"]).collect();
        assert_eq!(windows, [&Value::from(vec![1, 2]), &Value::from(vec![4, 5]), &Value::from(vec![7, 8])]);
        // Nothing was left out, and so nothing is said to be.
        assert_eq!(health["diagnostics"], Value::from(Vec::<Value>::new()), "{format}");
    }
}

#[test]
fn stages_of_reinforcement_learning_are_windows_of_one_rank_and_parts_of_its_steps() {
    let sandbox = Sandbox::empty();
    let stages = ["actor_generate", "actor_compute_log_prob", "reference_compute_log_prob", "actor_update"];
    for format in FORMATS {
        simulated(&sandbox, format, &format!("--rl --windows 1..2 --profiling stages --format {format}"));
        let numbered: Vec<(i64, i64)> = (0..8).map(|window| (window, 1 + window / 4)).collect();
        assert_eq!(steps(&sandbox, format, &[]), of_both(&numbered), "{format}");
        let info = json(&sandbox, &["info", format]);
        assert_eq!((info["ranks"].as_array().unwrap().len(), &info["steps"]), (2, &Value::from(2)), "{format}");
        assert_eq!(json(&sandbox, &["diagnose", format])["steps"], 2, "{format}");
        let health = json(&sandbox, &["doctor", format]);
        let named: Vec<&Value> = health["windows"].as_array().unwrap().iter().map(|w| &w["stage"]).collect();
        assert_eq!(named, stages.into_iter().cycle().take(8).collect::<Vec<_>>(), "{format}");
        let update = steps(&sandbox, format, &["--window", "actor_update"]);
        assert_eq!(update, of_both(&[(3, 1), (7, 2)]), "{format}");
        let step_ms = info["step_ms"].as_f64().unwrap();
        let truth: Value =
            serde_json::from_slice(&fs::read(sandbox.path(format).join("ground_truth.json")).unwrap()).unwrap();
        let truth = truth["step_ms"].as_f64().unwrap();
        assert!((step_ms / truth - 1.0).abs() < 0.02, "{format}: {step_ms} ms, not {truth}");
    }
}

#[test]
fn windows_and_steps_are_chosen_at_the_command_line() {
    let sandbox = Sandbox::empty();
    simulated(&sandbox, "job", "--windows 2..5,8..10");
    assert_eq!(steps(&sandbox, "job", &["--window", "1"]), of_both(&[(1, 8), (1, 9), (1, 10)]));
    assert_eq!(json(&sandbox, &["info", "job", "--window", "0"])["steps"], 4);
    let (info, diagnosis) = (["info", "job", "--step", "9"], ["diagnose", "job", "--step", "9"]);
    assert_eq!(json(&sandbox, &info)["steps"], 1);
    assert_eq!(json(&sandbox, &diagnosis)["steps"], 1);
    for (words, said) in [
        (["info", "job", "--step", "7"], "error: step 7 does not exist; the profile has steps 2-5, 8-10\n"),
        (["info", "job", "--window", "2"], "error: there is no window 2; choose one or more of: 0, 1\n"),
        (["info", "job", "--job", "x"], "error: there is no job x; choose one of: job\n"),
    ] {
        let ran = sandbox.run(&words);
        assert_eq!((ran.code, ran.stderr.as_str()), (2, said));
    }
}

#[test]
fn two_runs_in_one_directory_are_two_jobs() {
    let sandbox = Sandbox::empty();
    simulated(&sandbox, "runs/first", "--steps 2");
    simulated(&sandbox, "runs/second", "--windows 1..2,5..5");
    let shown = "warning: this directory has 2 jobs: first, second; showing second (choose another with --job)\n";
    let ran = sandbox.run(&["info", "runs", "--format", "json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, shown));
    assert_eq!(steps(&sandbox, "runs", &[]), of_both(&[(0, 1), (0, 2), (1, 5)]));
    let first = sandbox.run(&["info", "runs", "--job", "first", "--format", "json"]);
    assert_eq!((first.code, first.stderr.as_str()), (0, ""));
    assert_eq!(steps(&sandbox, "runs", &["--job", "first"]), of_both(&[(0, 10), (0, 11)]));
    let health = json(&sandbox, &["doctor", "runs"]);
    assert_eq!(health["jobs"], Value::from(vec!["first", "second"]));
}

/// A raw directory of our recorder with steps from `first` to `last`.
fn raw_window(directory: &Path, rank: i64, first: i64, last: i64) {
    fs::create_dir_all(directory.join("FRAMEWORK")).unwrap();
    let info = format!(
        r#"{{"config": {{"common_config": {{"activities": ["ProfilerActivity.CPU"]}}, "experimental_config": {{}}}},
            "start_info": {{"syscnt_enable": false}},
            "end_info": {{"collectionTimeEnd": 1700000000000000000, "MonotonicTimeEnd": 0}},
            "npuscope_version": "0.1.0", "rank_id": {rank}}}"#
    );
    fs::write(directory.join(format!("profiler_info_{rank}.json")), info).unwrap();
    fs::write(directory.join("profiler_metadata.json"), "{}").unwrap();
    let mut operators = Vec::new();
    for step in first..=last {
        let (start, name) = (step * 10_000_000, format!("ProfilerStep#{step}"));
        let record = OpRange { pid: 7, start_tid: 7, end_tid: 7, sequence: -1, ..OpRange::default() };
        OpRange { start: start + 1_000_000, end: start + 4_000_000, name: "matmul", ..record }.encode(&mut operators);
        OpRange { start, end: start + 9_000_000, name: &name, scope: scope::USER_SCOPE, ..record }
            .encode(&mut operators);
    }
    fs::write(directory.join("FRAMEWORK").join(framework::OP_RANGE), operators).unwrap();
}

#[test]
fn raw_windows_and_stages_are_one_rank_before_and_after_they_are_parsed() {
    let sandbox = Sandbox::empty();
    for rank in 0..2 {
        let window = |job: &str, folder: &str, time: i64| {
            sandbox.path(job).join(folder).join(format!("node_{}_2026111518565{time}000_ascend_pt", 70 + rank))
        };
        raw_window(&window("repeat", "", 1), rank, 2, 5);
        raw_window(&window("repeat", "", 2), rank, 8, 10);
        for iteration in 1..3 {
            raw_window(&window("rl", "actor_generate", 2 * iteration), rank, iteration, iteration);
            raw_window(&window("rl", "actor_update", 2 * iteration + 1), rank, iteration, iteration);
        }
    }
    let repeat = of_both(&[(0, 2), (0, 3), (0, 4), (0, 5), (1, 8), (1, 9), (1, 10)]);
    let rl = of_both(&[(0, 1), (1, 1), (2, 2), (3, 2)]);
    let check = |form: &str| {
        assert_eq!(steps(&sandbox, "repeat", &[]), repeat, "{form}");
        assert_eq!(json(&sandbox, &["info", "repeat"])["steps"], 7, "{form}");
        assert_eq!(steps(&sandbox, "rl", &[]), rl, "{form}");
        assert_eq!(json(&sandbox, &["info", "rl"])["step_ms"], 18.0, "{form}");
        assert_eq!(steps(&sandbox, "rl", &["--window", "actor_update"]), of_both(&[(1, 1), (3, 2)]), "{form}");
    };
    check("raw");
    for form in ["text", "db"] {
        for job in ["repeat", "rl"] {
            let ran = sandbox.run(&["parse", job, "--force", "--format", form]);
            assert_eq!(ran.code, 0, "{}", ran.stderr);
        }
        check(form);
    }
}
