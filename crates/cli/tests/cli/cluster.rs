//! `cluster` and `diagnose` as their users run them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::Sandbox;

/// Every file below a directory, with its bytes.
fn files(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push((entry.path(), fs::read(entry.path()).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn cluster_is_what_d_means_and_the_input_stays_as_it_is() {
    let sandbox = Sandbox::with_job();
    let before = files(&sandbox.path("job"));
    let ran = sandbox.run(&["-d", "job", "-m", "hccl_sum", "-o", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("HcclPerRankStats") && ran.stdout.contains("cluster_analysis.db"), "{}", ran.stdout);
    assert!(sandbox.path("out/cluster_analysis_output/cluster_analysis.db").exists());
    assert_eq!(files(&sandbox.path("job")), before);
}

#[test]
fn results_go_into_the_profile_only_if_that_is_said() {
    let sandbox = Sandbox::with_job();
    let refused = sandbox.run(&["cluster", "-d", "."]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("-o"), "{}", refused.stderr);
    assert!(!sandbox.path("cluster_analysis_output").exists());
    assert_eq!(sandbox.run(&["cluster", "-d", "job", "-o", "job"]).code, 0);
    assert!(sandbox.path("job/cluster_analysis_output/cluster_step_trace_time.csv").exists());
}

#[test]
fn files_of_the_user_and_tables_of_other_modes_stay() {
    let sandbox = Sandbox::with_job();
    let results = sandbox.path("out/cluster_analysis_output");
    fs::create_dir_all(&results).unwrap();
    fs::write(results.join("notes.txt"), "mine").unwrap();
    for mode in ["all", "hccl_sum", "compute_op_sum"] {
        let ran = sandbox.run(&["cluster", "-d", "job", "-m", mode, "-o", "out", "--export_type", "db"]);
        assert_eq!(ran.code, 0, "{mode}: {}", ran.stderr);
    }
    assert_eq!(fs::read_to_string(results.join("notes.txt")).unwrap(), "mine");
    let database = files(&results).into_iter().find(|(path, _)| path.ends_with("cluster_analysis.db")).unwrap().1;
    let has = |name: &str| database.windows(name.len()).any(|part| part == name.as_bytes());
    assert!(has("HcclTopOpStats") && has("ComputeOpAllRankStats") && has("ClusterStepTraceTime"));
    assert!(files(&results).iter().all(|(path, _)| !path.to_string_lossy().ends_with(".part")));
}

#[test]
fn tables_of_an_earlier_answer_do_not_outlive_a_later_one() {
    let slow = Sandbox::with_slow_rank();
    let healthy = Sandbox::with_job();
    let output = slow.path("out");
    let has_slow_rank = |export: &str| {
        let results = output.join("cluster_analysis_output");
        match export {
            "db" => files(&results).iter().any(|(_, bytes)| bytes.windows(8).any(|part| part == b"SlowRank")),
            _ => results.join("SlowRankAnalysis/rank_stats.csv").exists(),
        }
    };
    for export in ["db", "text"] {
        for (sandbox, expected) in [(&slow, true), (&healthy, false)] {
            let output = output.to_str().unwrap();
            let ran = sandbox.run(&["cluster", "-d", "job", "-m", "slow_rank", "-o", output, "--export_type", export]);
            assert_eq!((ran.code, has_slow_rank(export)), (0, expected), "{export}: {}", ran.stderr);
        }
    }
}

#[test]
fn a_profile_may_be_called_like_a_command() {
    let sandbox = Sandbox::with_job();
    fs::rename(sandbox.path("job"), sandbox.path("info")).unwrap();
    for arguments in [
        &["-d", "info", "-m", "hccl_sum", "-o", "a"][..],
        &["-m", "hccl_sum", "-dinfo", "-o", "b"],
        &["--cache-dir", "info2", "--profiling-path=info", "-m", "hccl_sum", "-o", "c"],
    ] {
        let ran = sandbox.run(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
    }
    for output in ["a", "b", "c"] {
        assert!(sandbox.path(output).join("cluster_analysis_output/cluster_analysis.db").exists(), "{output}");
    }
}

/// Stops a run at one moment after another until it is over before it can be stopped.
#[test]
#[cfg(unix)]
fn a_run_that_is_stopped_leaves_no_half_file() {
    use std::process::{Command, Stdio};
    use std::time::Duration;
    let sandbox = Sandbox::with_job();
    let whole = sandbox.run(&["cluster", "-d", "job", "-o", "whole"]);
    assert_eq!(whole.code, 0, "{}", whole.stderr);
    let contents = |name: &str| -> Vec<(PathBuf, Vec<u8>)> {
        let root = sandbox.path(name);
        files(&root).into_iter().map(|(path, bytes)| (path.strip_prefix(&root).unwrap().to_owned(), bytes)).collect()
    };
    let expected = contents("whole");
    let mut codes = Vec::new();
    for attempt in 0..40 {
        let output = format!("out{attempt}");
        // With what the first run kept, it would be over at once.
        let mut command = sandbox.command(&["cluster", "-d", "job", "-o", &output, "--no-cache"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(40 + 15 * attempt));
        let stopped = Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status();
        assert!(stopped.is_ok());
        // Before it listens, it just ends.
        let code = child.wait().unwrap().code().unwrap_or(130);
        codes.push(code);
        assert!(code == 0 || code == 130, "{code}");
        let left = contents(&output);
        assert!(left.iter().all(|file| expected.contains(file)), "{attempt}: {left:?}");
        if code == 0 {
            assert_eq!(left, expected);
            break;
        }
    }
    assert!(codes.contains(&130), "nothing was stopped: {codes:?}");
}

#[test]
fn a_cut_file_is_named_and_the_other_ranks_are_there() {
    let sandbox = Sandbox::with_cut_trace();
    let ran = sandbox.run(&["cluster", "-d", "job", "-m", "hccl_sum", "-o", "out", "--export_type", "text"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("rank 1") && ran.stderr.contains("trace_view.json"), "{}", ran.stderr);
    let stats = fs::read_to_string(sandbox.path("out/cluster_analysis_output/HcclSum/rank_stats.csv")).unwrap();
    for rank in ["0", "2", "3"] {
        assert!(stats.lines().any(|line| line.ends_with(&format!(",{rank}"))), "{stats}");
    }
    let strict = sandbox.run(&["cluster", "-d", "job", "-m", "hccl_sum", "-o", "strict", "--strict"]);
    assert_eq!(strict.code, 2);
    assert!(!sandbox.path("strict").exists());
}

#[test]
fn a_mode_without_its_data_says_what_is_missing() {
    let sandbox = Sandbox::with_job();
    for (mode, word) in [("ep_load_balance", "needs"), ("calibrate_npu_gpu", "baseline")] {
        let ran = sandbox.run(&["cluster", "-d", "job", "-m", mode, "-o", "out"]);
        assert_eq!(ran.code, 2, "{mode}: {}", ran.stdout);
        assert!(ran.stderr.contains(word), "{mode}: {}", ran.stderr);
    }
    let none = sandbox.run(&["cluster", "-d", "job", "--rank_list", "17", "-o", "out"]);
    assert_eq!((none.code, none.stderr.contains("0-3")), (2, true), "{}", none.stderr);
}

#[test]
fn an_agent_gets_one_line_of_json() {
    let sandbox = Sandbox::with_job();
    let good = sandbox.run(&["cluster", "-d", "job", "-m", "hccl_sum", "-o", "out", "--agent"]);
    let line: Value = serde_json::from_str(&good.stdout).unwrap();
    assert_eq!((good.code, line["status"].as_str(), line["code"].as_i64()), (0, Some("success"), Some(0)));
    assert!(line["message"]["tables"].as_array().unwrap().iter().any(|name| name == "HcclTopOpStats"));
    let bad = sandbox.run(&["cluster", "-d", "job", "-m", "ep_load_balance", "-o", "out", "--agent"]);
    let line: Value = serde_json::from_str(&bad.stdout).unwrap();
    assert_eq!((bad.code, line["status"].as_str(), line["code"].as_i64()), (2, Some("error"), Some(2)));
}

#[test]
fn a_notebook_shows_every_table() {
    let sandbox = Sandbox::with_job();
    let ran = sandbox.run(&["cluster", "-d", "job", "-m", "compute_op_sum", "-o", "out", "--export_type", "notebook"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let folder = sandbox.path("out/cluster_analysis_output/ComputeOpSum");
    let notebook: Value = serde_json::from_slice(&fs::read(folder.join("stats.ipynb")).unwrap()).unwrap();
    let cells = notebook["cells"].as_array().unwrap();
    let sources: Vec<&str> = cells.iter().filter_map(|cell| cell["source"].as_str()).collect();
    let tables = fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.file_name().into_string().unwrap());
    for table in tables.filter(|name| name.ends_with(".csv")) {
        assert!(sources.iter().any(|source| source.contains(&table)), "{table} is not shown");
    }
}

#[test]
fn the_verdict_names_the_slow_rank() {
    let sandbox = Sandbox::with_slow_rank();
    let ran = sandbox.run(&["diagnose", "job", "--fail-on", "warning"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.contains("critical: rank 3: its kernels run 1."), "{}", ran.stdout);
    let json: Value = serde_json::from_str(&sandbox.run(&["diagnose", "job", "--format", "json"]).stdout).unwrap();
    assert_eq!(
        (json["findings"][0]["id"].as_str(), json["findings"][0]["ranks"][0].as_i64()),
        (Some("compute"), Some(3))
    );
    let healthy = Sandbox::with_job();
    assert_eq!(healthy.run(&["diagnose", "job", "--fail-on", "warning"]).code, 0);
}
