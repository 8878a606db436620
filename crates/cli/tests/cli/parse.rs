//! `npuscope parse`, and the other commands on what it is given and on what it wrote.

use std::fs;
use std::path::PathBuf;

use npuscope_formats::framework;
use npuscope_formats::framework::events::{Counter, Range};
use npuscope_formats::framework::records::{OpRange, scope};

use crate::program::Sandbox;

/// What the machine's clock is behind the epoch.
const SHIFT: i64 = 1_700_000_000_000_000_000;

/// A directory `job` with two raw ranks: three steps each, the second rank's a little longer.
pub fn raw_job(sandbox: &Sandbox) -> [PathBuf; 2] {
    [0i64, 1].map(|rank| {
        let directory = sandbox.path(&format!("job/node{rank}_{rank}_20261115185652123_ascend_pt"));
        fs::create_dir_all(directory.join("FRAMEWORK")).unwrap();
        let info = format!(
            r#"{{"config": {{"common_config": {{"activities": ["ProfilerActivity.CPU"]}},
                "experimental_config": {{"_profiler_level": "Level0", "_export_type": ["text"]}}}},
                "start_info": {{"syscnt_enable": false}}, "end_info": {{"collectionTimeEnd": {SHIFT}, "MonotonicTimeEnd": 0}},
                "rank_id": {rank}}}"#
        );
        fs::write(directory.join(format!("profiler_info_{rank}.json")), info).unwrap();
        let pid = 100 + rank.unsigned_abs();
        let (mut operators, mut events) = (Vec::new(), Vec::new());
        for step in 10..13 {
            let (start, name) = (step * 10_000_000, format!("ProfilerStep#{step}"));
            let record = OpRange { pid, start_tid: pid, end_tid: pid, sequence: -1, ..OpRange::default() };
            let inside = OpRange { start: start + 1_000_000, end: start + 4_000_000, name: "matmul", ..record };
            inside.encode(&mut operators);
            let end = start + 9_000_000 + rank * 10_000;
            OpRange { start, end, name: &name, scope: scope::USER_SCOPE, ..record }.encode(&mut operators);
            let (start_tid, end_tid, id) = (pid, pid, step.unsigned_abs());
            let range = Range { start, end: start + 500_000, pid, start_tid, end_tid, id, message: "dataloader", domain: None };
            range.encode(&mut events);
            Counter { time: start, pid, value: 1e8, name: "Resident memory" }.encode(&mut events);
        }
        fs::write(directory.join("FRAMEWORK").join(framework::OP_RANGE), operators).unwrap();
        fs::write(directory.join("FRAMEWORK").join(framework::EVENTS), events).unwrap();
        directory
    })
}

/// What some commands say of `job`.
fn answers(sandbox: &Sandbox) -> Vec<String> {
    let steps = r#"SELECT rank, id, start, "end" FROM step ORDER BY rank, id"#;
    let slices = "SELECT rank, kind, name, start, duration, depth, domain FROM host_op ORDER BY 1, 4, 6, 3";
    let counters = "SELECT rank, name, time, value, unit FROM counter ORDER BY 1, 3";
    let mut answers: Vec<String> = [steps, slices, counters].map(|query| sandbox.sql("job", query)).into();
    answers.push(sandbox.run(&["info", "job"]).stdout);
    let doctor = sandbox.run(&["doctor", "job", "--strict"]);
    assert_eq!(doctor.code, 0, "{}", doctor.stderr);
    let _ = fs::remove_dir_all(sandbox.path("out"));
    let cluster = sandbox.run(&["cluster", "-d", "job", "-m", "all", "-o", "out", "--export_type", "text"]);
    assert_eq!(cluster.code, 0, "{}", cluster.stderr);
    answers.push(fs::read_to_string(sandbox.path("out/cluster_analysis_output/cluster_step_trace_time.csv")).unwrap());
    assert_eq!(sandbox.run(&["report", "job", "-o", "out/report.html"]).code, 0);
    answers
}

#[test]
fn raw_text_and_databases_give_the_same_answers() {
    let sandbox = Sandbox::empty();
    raw_job(&sandbox);
    let expected = answers(&sandbox);
    assert!(expected[3].starts_with("2 ranks, 3 steps, 9.010 ms per step"), "{}", expected[3]);
    for form in ["text", "db", "both"] {
        let ran = sandbox.run(&["parse", "job", "--force", "--format", form]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
        assert_eq!(ran.stderr, "note: parsed 2 ranks in job\n");
        assert_eq!(answers(&sandbox), expected, "{form}");
    }
}

#[test]
fn what_is_parsed_stays_unless_it_is_forced() {
    let sandbox = Sandbox::empty();
    let [first, _] = raw_job(&sandbox);
    assert_eq!(sandbox.run(&["parse", "job"]).code, 0);
    let place = first.join("ASCEND_PROFILER_OUTPUT");
    fs::write(place.join("step_trace_time.csv"), "mine").unwrap();
    let ran = sandbox.run(&["parse", "job"]);
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (0, "note: 2 directories are already parsed; use --force to parse again\n")
    );
    assert_eq!(fs::read_to_string(place.join("step_trace_time.csv")).unwrap(), "mine");
    assert_eq!(sandbox.run(&["parse", "job", "--force"]).code, 0);
    assert_ne!(fs::read_to_string(place.join("step_trace_time.csv")).unwrap(), "mine");
}

#[test]
fn a_broken_rank_is_reported_and_the_others_go_on() {
    let sandbox = Sandbox::empty();
    let [first, second] = raw_job(&sandbox);
    for name in [framework::OP_RANGE, framework::EVENTS] {
        fs::write(first.join("FRAMEWORK").join(name), "torn").unwrap();
    }
    let ran = sandbox.run(&["parse", "job"]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.starts_with("error: no record in job/node0_0_"), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("note: parsed 1 of 2 ranks in job\n"), "{}", ran.stderr);
    assert!(!first.join("ASCEND_PROFILER_OUTPUT").exists());
    assert!(second.join("ASCEND_PROFILER_OUTPUT/analyse.done").exists());
    let strict = sandbox.run(&["parse", "job", "--force", "--strict"]);
    assert_eq!(strict.code, 2);
    assert!(strict.stderr.ends_with("note: parsed 1 of 2 ranks in job\n"), "{}", strict.stderr);
    fs::remove_dir_all(second).unwrap();
    assert_eq!(sandbox.run(&["parse", "job"]).code, 2);
}

#[test]
fn a_place_without_raw_data_is_an_error() {
    let sandbox = Sandbox::with_gpu_job();
    let ran = sandbox.run(&["parse", "job"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.starts_with("error: no raw data in job; expected directories that contain FRAMEWORK"),
        "{}",
        ran.stderr
    );
    let nowhere = sandbox.run(&["parse", "nowhere"]);
    assert_eq!((nowhere.code, nowhere.stderr.as_str()), (2, "error: no such file or directory: nowhere\n"));
    fs::write(sandbox.path("file"), "").unwrap();
    let file = sandbox.run(&["parse", "file"]);
    assert_eq!((file.code, file.stderr.as_str()), (2, "error: file is not a directory\n"));
}

#[test]
fn a_job_without_a_device_is_reported_by_what_its_host_did() {
    let sandbox = Sandbox::empty();
    raw_job(&sandbox);
    let info = sandbox.run(&["info", "job"]);
    assert_eq!(info.code, 0, "{}", info.stderr);
    assert!(!info.stdout.contains("computing") && !info.stdout.contains("free"), "{}", info.stdout);
    assert_eq!(
        info.stdout,
        "2 ranks, 3 steps, 9.010 ms per step

no device data recorded; step time on the host, mean in ms
  rank   step  steps
     0  9.000      3
     1  9.010      3

host time by name, mean per step in ms
  name        kind       mean        least            most
  dataloader  range     0.500   6 %  0.500 on rank 0  0.500 on rank 1
  matmul      operator  3.000  33 %  3.000 on rank 0  3.000 on rank 1

findings
  none; no device data recorded, so nothing can be concluded about devices
"
    );
    let json = sandbox.run(&["info", "job", "--format", "json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["ranks"][0]["has_device"], false);
    assert_eq!(json["host"][0]["name"], "dataloader");
}

#[test]
fn a_job_without_a_device_has_no_diagnosis() {
    let sandbox = Sandbox::empty();
    raw_job(&sandbox);
    for format in ["text", "json"] {
        let ran = sandbox.run(&["diagnose", "job", "--format", format]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{format}");
        assert!(ran.stderr.contains("error: no device data recorded"), "{}", ran.stderr);
    }
}

#[test]
fn data_that_no_setting_records_is_reported_as_no_device() {
    let sandbox = Sandbox::empty();
    for (rank, directory) in raw_job(&sandbox).iter().enumerate() {
        let info = directory.join(format!("profiler_info_{rank}.json"));
        let text = fs::read_to_string(&info).unwrap();
        fs::write(&info, text.replacen('{', r#"{"npuscope_version": "0.1.0", "#, 1).replace("Level0", "Level1"))
            .unwrap();
        fs::write(directory.join("profiler_metadata.json"), r#"{"npuscope": {"backend": "native"}}"#).unwrap();
    }
    let doctor = sandbox.run(&["doctor", "job"]).stdout;
    let device = "  device tasks: NPU activity (no device recorded: npuscope (native) recorded the host only)\n";
    assert!(doctor.contains(device), "{doctor}");
    for absent in ["it was turned on", "AI Core metrics", "L2 cache rates", "  memory: peaks", "torch_npu  -"] {
        assert!(!doctor.contains(absent), "{absent}: {doctor}");
    }
    assert!(doctor.contains("  operator input shapes: "), "{doctor}");
    let cluster = sandbox.run(&["cluster", "-d", "job", "-m", "all", "-o", "out"]);
    let expected = "no rank reports communication operations; record the device, too: only host activity was recorded";
    assert!(cluster.code == 0 && cluster.stderr.contains(expected), "{}", cluster.stderr);
}
