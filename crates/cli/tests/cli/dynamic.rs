//! `npuscope dynamic`.

use std::fs;

use serde_json::{Value, json};

use crate::program::Sandbox;

fn config(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&fs::read_to_string(sandbox.path("profiler_config.json")).unwrap()).unwrap()
}

fn set(sandbox: &Sandbox, options: &[&str]) -> String {
    let ran = sandbox.run(&[&["dynamic", "set", "."], options].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{options:?}");
    ran.stdout
}

/// Writes the report of a rank, as the rank itself does.
fn report_status(sandbox: &Sandbox, rank: u32, fields: Value) {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64;
    let mut status = json!({
        "rank": rank, "pid": std::process::id(), "host": "node7", "step": 0, "state": "waiting", "fingerprint": null,
        "start": null, "stop": null, "output": null, "error": null, "updated_ns": now,
    });
    for (key, value) in fields.as_object().unwrap() {
        status[key] = value.clone();
    }
    fs::create_dir_all(sandbox.path("npuscope_status")).unwrap();
    fs::write(sandbox.path(&format!("npuscope_status/rank{rank}.json")), status.to_string()).unwrap();
}

#[test]
fn both_dialects_record_the_same_steps_for_the_same_numbers() {
    let torch_npu = Sandbox::empty();
    let said = set(&torch_npu, &["--start", "8", "--stop", "10", "--ranks", "0-2,5"]);
    assert!(said.starts_with("created ./profiler_config.json in the dialect of torch_npu\n"), "{said}");
    assert!(said.ends_with("requests steps 8 to 10, counted from 1, on ranks 0-2, 5\n"), "{said}");
    let file = config(&torch_npu);
    assert_eq!((&file["start_step"], &file["active"]), (&json!(8), &json!(3)));
    assert_eq!((&file["is_rank"], &file["rank_list"]), (&json!(true), &json!([0, 1, 2, 5])));

    let mindspore = Sandbox::empty();
    let said = set(&mindspore, &["--start", "8", "--stop", "10", "--dialect", "mindspore"]);
    assert!(said.ends_with("requests steps 8 to 10, counted from 1, on all ranks\n"), "{said}");
    let file = config(&mindspore);
    assert_eq!((&file["start_step"], &file["stop_step"]), (&json!(8), &json!(10)));
}

#[test]
fn what_changes_is_listed_and_the_rest_stays() {
    let sandbox = Sandbox::empty();
    fs::write(sandbox.path("profiler_config.json"), r#"{"mine": 1, "start_step": 0, "active": 1, "warmup": 0}"#)
        .unwrap();
    let said =
        set(&sandbox, &["--start", "4", "--level", "level1", "--with-stack", "--memory=false", "--export", "text,db"]);
    assert!(said.starts_with("changed ./profiler_config.json in the dialect of torch_npu\n"), "{said}");
    let words: Vec<Vec<&str>> = said.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(words.contains(&vec!["start_step", "0", "->", "4"]), "{said}");
    assert!(words.contains(&vec!["experimental_config.profiler_level", "->", r#""Level1""#]), "{said}");
    assert!(said.ends_with("requests step 4, counted from 1, on all ranks\n"), "{said}");
    let file = config(&sandbox);
    assert_eq!((&file["mine"], &file["with_stack"], &file["profile_memory"]), (&json!(1), &json!(true), &json!(false)));
    assert!(set(&sandbox, &["--off"]).ends_with("requests no recording\n"));
    report_status(&sandbox, 0, json!({"step": 3}));
    let said = set(&sandbox, &["--start", "next", "--steps", "2", "--warmup", "1"]);
    let expected = "requests 2 steps as soon as a running job reads it after 1 warmup step, on all ranks\n";
    assert!(said.ends_with(expected), "{said}");
}

#[test]
fn what_cannot_be_the_next_step_is_reported() {
    let sandbox = Sandbox::empty();
    let warned = |options: &[&str]| {
        let ran = sandbox.run(&[&["dynamic", "set", ".", "--start", "next"], options].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        (ran.stderr.contains("a job that starts later ignores"), ran.stderr.contains("at different steps"))
    };
    assert_eq!(warned(&["--ranks", "0"]), (true, false));
    assert_eq!(warned(&["--ranks", "all"]), (true, true));
    report_status(&sandbox, 0, json!({"step": 3}));
    assert_eq!(warned(&[]), (false, false), "the job has one rank");
    report_status(&sandbox, 1, json!({"step": 4}));
    assert_eq!(warned(&[]), (false, true));
    assert_eq!(warned(&["--ranks", "1"]), (false, false));
}

#[test]
fn the_next_step_can_be_asked_for_in_the_file_that_the_monitor_writes() {
    let sandbox = Sandbox::empty();
    npuscope_collect::dynamic::write_default(&sandbox.path("."), npuscope_collect::dynamic::DynamicDialect::MindSpore)
        .unwrap();
    report_status(&sandbox, 0, json!({"step": 3}));
    let said = set(&sandbox, &["--start", "next", "--steps", "2"]);
    assert!(said.starts_with("changed ./profiler_config.json in the dialect of mindspore\n"), "{said}");
    assert!(said.ends_with("requests 2 steps as soon as a running job reads it, on all ranks\n"), "{said}");
    assert_eq!((&config(&sandbox)["start_step"], &config(&sandbox)["stop_step"]), (&json!("next"), &json!(2)));
    // npuscope's monitor has reported, so that it is the one that reads the file.
    let check = |arguments: &[&str]| sandbox.run(&[&["config", "check", "profiler_config.json"], arguments].concat());
    let checked = check(&[]);
    assert_eq!(checked.code, 0, "{}", checked.stdout);
    let checked = check(&["--reader", "trainer"]);
    assert_eq!(checked.code, 1, "{}", checked.stdout);
    assert!(checked.stdout.contains("MindSpore's own uses -1 instead and records nothing"), "{}", checked.stdout);
    let explained = sandbox.run(&["config", "explain", "profiler_config.json", "--quiet"]).stdout;
    assert!(explained.contains("counted from when the configuration is read"), "{explained}");
}

#[test]
fn switches_take_a_value_with_and_without_a_sign() {
    let sandbox = Sandbox::empty();
    set(&sandbox, &["--with-stack", "true", "--memory", "--shapes=true"]);
    let file = config(&sandbox);
    assert_eq!([&file["with_stack"], &file["profile_memory"], &file["record_shapes"]], [&json!(true); 3]);
    set(&sandbox, &["--with-stack", "false"]);
    assert_eq!(config(&sandbox)["with_stack"], false);
}

#[test]
fn what_cannot_be_is_refused() {
    let sandbox = Sandbox::empty();
    set(&sandbox, &["--start", "1", "--dialect", "mindspore"]);
    for (options, words) in [
        (&["--start", "0"][..], "a step number from 1"),
        (&["--start", "8", "--stop", "7"], "8 to 7"),
        (&["--stop", "7"], "--start"),
        (&["--start", "next", "--stop", "3"], "number of steps with --steps"),
        (&["--start", "3", "--ranks", "0-3"], "cannot express a selection of ranks"),
        (&["--start", "3", "--dialect", "torch_npu"], "in the dialect of mindspore"),
        (&["--ranks", "0-99999999"], "65,536"),
        (&["--off", "--start", "3"], "cannot be used with"),
    ] {
        let ran = sandbox.run(&[&["dynamic", "set", "."], options].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{options:?}");
        assert!(ran.stderr.contains(words), "{options:?}: {}", ran.stderr);
    }
    assert_eq!(config(&sandbox)["start_step"], 1);
}

#[test]
fn a_job_that_is_past_the_step_is_warned_of() {
    let sandbox = Sandbox::empty();
    report_status(&sandbox, 0, json!({"step": 12}));
    report_status(&sandbox, 1, json!({"step": 7}));
    report_status(&sandbox, 2, json!({"step": 90, "updated_ns": 1}));
    let ran = sandbox.run(&["dynamic", "set", ".", "--start", "8"]);
    assert_eq!(ran.stderr, "warning: rank 0 has already finished step 12, which is too late for step 8\n");
    assert_eq!(ran.code, 0);
}

#[test]
fn status_reports_whether_ranks_took_the_file() {
    let sandbox = Sandbox::empty();
    set(&sandbox, &["--start", "8", "--stop", "10", "--ranks", "0-5"]);
    let report = |sandbox: &Sandbox| -> Value {
        serde_json::from_slice(&sandbox.bytes(&["dynamic", "status", ".", "--format", "json"])).unwrap()
    };
    let fingerprint = report(&sandbox)["fingerprint"].as_str().unwrap().to_owned();
    let window = json!({"step": 8, "state": "recording", "fingerprint": fingerprint, "start": 8, "stop": 10, "output": "out/rank0"});
    report_status(&sandbox, 0, window);
    report_status(&sandbox, 1, json!({"step": 7, "fingerprint": "0123", "start": 1, "stop": 1, "state": "done"}));
    report_status(&sandbox, 2, json!({"state": "failed", "error": "the disk is full", "fingerprint": fingerprint}));
    report_status(&sandbox, 3, json!({"updated_ns": 1}));
    let ran = sandbox.run(&["dynamic", "status", "."]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let lines: Vec<String> = ran.stdout.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let pid = std::process::id();
    assert_eq!(lines[0], "./profiler_config.json requests steps 8 to 10, counted from 1, on ranks 0-5");
    let has = |words: &str| assert!(lines.iter().any(|line| line.contains(words)), "{words}: {}", ran.stdout);
    has(&format!("0 node7 {pid} 8 recording current 8-10 "));
    has(&format!("1 node7 {pid} 7 done older 1 "));
    has("failed current");
    has("the disk is full");
    has("waiting, no recent report none");
    has("no report from ranks 4-5");
    let ranks = report(&sandbox)["ranks"].clone();
    let took: Vec<&str> = ranks.as_array().unwrap().iter().map(|rank| rank["took"].as_str().unwrap()).collect();
    assert_eq!(took, ["this", "older", "this", "nothing"]);
    assert_eq!((&ranks[3]["lost"], &ranks[0]["lost"]), (&json!("stale"), &Value::Null));
    assert_eq!((&ranks[2]["error"], &ranks[2]["problem"]), (&json!("the disk is full"), &json!("the disk is full"))); // older name
}

#[test]
fn nobody_having_reported_is_said_in_words() {
    let sandbox = Sandbox::empty();
    let ran = sandbox.run(&["dynamic", "status", "."]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no such file: ./profiler_config.json"), "{}", ran.stderr);
    set(&sandbox, &["--start", "8"]);
    let ran = sandbox.run(&["dynamic", "status", "profiler_config.json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("no rank has reported"), "{}", ran.stdout);
    fs::write(sandbox.path("profiler_config.json"), "{").unwrap();
    let ran = sandbox.run(&["dynamic", "status", "."]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("cannot use ./profiler_config.json: invalid JSON"), "{}", ran.stdout);
}

#[cfg(target_os = "linux")]
#[test]
fn a_rank_whose_process_is_gone_is_distinguished_from_one_that_ended_well() {
    let sandbox = Sandbox::empty();
    set(&sandbox, &["--start", "8"]);
    let mut ended = std::process::Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    let host = npuscope_collect::dynamic::Status::of_this_process(0).host;
    for (rank, state, pid) in
        [(0, "recording", ended.id()), (1, "done", ended.id()), (2, "recording", std::process::id())]
    {
        report_status(&sandbox, rank, json!({"host": host, "pid": pid, "state": state}));
    }
    let status_text = sandbox.run(&["dynamic", "status", "."]).stdout;
    assert_eq!(status_text.matches("process gone").count(), 1, "{status_text}");
    let gone = status_text.lines().find(|line| line.contains("process gone")).unwrap();
    assert!(gone.trim_start().starts_with("0 "), "{status_text}");
}

#[test]
fn status_and_errors_are_in_the_language_of_the_user() {
    let sandbox = Sandbox::empty();
    let ran = sandbox.run(&["--lang", "zh", "dynamic", "set", ".", "--start", "8", "--stop", "10", "--ranks", "0-1"]);
    assert!(ran.stdout.ends_with("在 rank 0-1 上采集 step 8 到 10（从 1 开始计数）\n"), "{}", ran.stdout);
    let error = json!({"en": "the disk is full", "zh": "磁盘已满"});
    report_status(&sandbox, 0, json!({"state": "failed", "error": error}));
    let chinese = sandbox.run(&["--lang", "zh", "dynamic", "status", "."]).stdout;
    for words in ["失败", "磁盘已满", "没有上报的 rank：1"] {
        assert!(chinese.contains(words), "{words}: {chinese}");
    }
    let english = sandbox.run(&["dynamic", "status", "."]).stdout;
    assert!(english.contains("the disk is full") && !english.contains("磁盘"), "{english}");
    let ran = sandbox.run(&["--lang", "zh", "dynamic", "set", ".", "--start", "8", "--stop", "7"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("step 8 到 7 无效"), "{}", ran.stderr);
}
