//! `npuscope config` on files that the tests write.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use crate::program::{Sandbox, ran};

const FSDP2: &str = "model: x
training:
  lr: 1.0e-4
  profile: true
  profile_step_start: 5
  profile_step_end: 7
  profile_ranks: [0]
  profile_level: level1
  profile_with_cpu: true
";

fn sandbox(name: &str, text: &str) -> Sandbox {
    let sandbox = Sandbox::empty();
    fs::write(sandbox.path(name), text).unwrap();
    sandbox
}

#[test]
fn a_fine_configuration_passes() {
    let sandbox = sandbox("train.yaml", FSDP2);
    let ran = sandbox.run(&["config", "check", "train.yaml", "--steps", "100", "--world-size", "8"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert_eq!(ran.stdout, "train.yaml: read as YAML of FSDP2: no diagnostics\n");
}

#[test]
fn diagnostics_name_file_and_line() {
    let sandbox = sandbox("train.yaml", &FSDP2.replace("profile_level", "profile_levle"));
    let ran = sandbox.run(&["config", "check", "train.yaml"]);
    assert_eq!(ran.code, 1);
    let expected = "train.yaml:8: warning: training.profile_levle: unknown key (did you mean profile_level?); FSDP2 ignores it silently";
    assert!(ran.stdout.starts_with(expected), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("train.yaml: read as YAML of FSDP2: 1 warning\n"), "{}", ran.stdout);
}

#[test]
fn what_cannot_be_done_exits_with_1_and_what_cannot_be_read_with_2() {
    let sandbox = sandbox("train.yaml", FSDP2);
    let ran = sandbox.run(&["config", "check", "train.yaml", "--steps", "5"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("train.yaml: nothing would be recorded\n"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("train.yaml:5: error: training.profile_step_start: recording would begin at step 5"),
        "{}",
        ran.stdout
    );
    fs::write(sandbox.path("notes.txt"), "nothing").unwrap();
    let ran = sandbox.run(&["config", "check", "notes.txt"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stdout.contains("no profiler settings"), "{}", ran.stdout);
    for action in [&["check"][..], &["explain"], &["convert", "--to", "llm"]] {
        let arguments = [&["config"], action, &["nowhere"]].concat();
        let ran = sandbox.run(&arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.starts_with("error: cannot read nowhere"), "{}", ran.stderr);
    }
}

#[test]
fn settings_may_come_from_stdin() {
    let sandbox = Sandbox::empty();
    let mut child = sandbox
        .command(&["config", "check", "-", "--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"python train.py --profile --profile-level level1 \\\n --profile-ranks -1")
        .unwrap();
    let ran = ran(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((json["dialect"].as_str(), json["config"]["level"].as_str()), (Some("llm"), Some("level1")));
    assert_eq!(json["config"]["ranks"], "all");
}

#[test]
fn a_conversion_gives_the_same_step_its_other_number() {
    let sandbox = sandbox("train.yaml", FSDP2);
    let ran = sandbox.run(&["config", "convert", "train.yaml", "--to", "llm"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout
            .starts_with("--profile \\\n--profile-step-start 6 \\\n--profile-step-end 8 \\\n--profile-ranks 0 \\\n"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.contains("note: steps: the first step of the run is 0 here, and 1 in flags of MindSpeed-LLM"),
        "{}",
        ran.stderr
    );
    fs::write(sandbox.path("flags"), &ran.stdout).unwrap();
    let back = sandbox.run(&["config", "convert", "flags", "--to", "fsdp2"]);
    assert!(back.stdout.contains("  profile_step_start: 5\n  profile_step_end: 7\n"), "{}", back.stdout);
}

#[test]
fn every_dialect_is_written_and_read_again() {
    let sandbox = sandbox("train.yaml", FSDP2);
    for to in ["llm", "fsdp2", "rl", "mindspore", "mindspore_dynamic", "torch_npu", "torch_npu_dynamic"] {
        let ran = sandbox.run(&["config", "convert", "train.yaml", "--to", to, "-o", to]);
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
        let checked = sandbox.run(&["config", "check", to]);
        assert_eq!(checked.code, 0, "{to}: {}", checked.stdout);
        assert!(checked.stdout.contains("read as "), "{to}: {}", checked.stdout);
    }
    let again = sandbox.run(&["config", "convert", "train.yaml", "--to", "llm", "-o", "llm"]);
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("llm already exists"), "{}", again.stderr);
}

#[test]
fn what_is_wrong_is_not_converted() {
    let sandbox = sandbox("train.yaml", &FSDP2.replace("level1", "level9"));
    let ran = sandbox.run(&["config", "convert", "train.yaml", "--to", "llm", "-o", "flags"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(
        ran.stderr.starts_with("error: train.yaml:8: training.profile_level: invalid value level9"),
        "{}",
        ran.stderr
    );
    assert!(!sandbox.path("flags").exists());
}

#[test]
fn an_explanation_has_steps_ranks_files_and_size() {
    let sandbox = sandbox("train.yaml", FSDP2);
    let ran = sandbox.run(&["config", "explain", "train.yaml", "--steps", "100", "--kernels", "1000", "--quiet"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for words in [
        "  warms up at step 4, records steps 5 to 6 (the 6th to 7th of the run)\n",
        "  on rank 0\n",
        "  ./profile/*_ascend_pt, parsed when a recording is complete, while training waits\n",
        "communication.json, communication_matrix.json",
        "call stacks; ",
        "  about 5.2 MiB per step and rank without raw data, at 1,000 kernels per step\n",
        "  about 10.4 MiB per rank for 2 recorded steps\n",
    ] {
        assert!(ran.stdout.contains(words), "{words}\n{}", ran.stdout);
    }
    let json = sandbox.run(&["config", "explain", "train.yaml", "--format", "json", "--quiet"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["windows"][0]["record"]["first"], 5);
    assert_eq!(json["estimate"]["kernels_per_step"], 10_000);
}

#[test]
fn what_is_off_is_explained_as_off() {
    let sandbox = sandbox("train.yaml", "training:\n  profile: false\n");
    let ran = sandbox.run(&["config", "explain", "train.yaml", "--quiet"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "profiling is off: nothing is recorded\n"));
}

#[test]
fn a_conversion_names_the_keys_of_the_file() {
    let text = format!("{FSDP2}  profile_with_stack: true\n");
    let sandbox = sandbox("train.yaml", &text);
    let ran = sandbox.run(&["config", "convert", "train.yaml", "--to", "rl"]);
    assert!(
        ran.stderr.contains("warning: training.profile_with_stack: YAML of MindSpeed-RL cannot express true"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("warning: training.profile_data_simplification: YAML of MindSpeed-RL cannot express false"),
        "{}",
        ran.stderr
    );
    let ran = sandbox.run(&["config", "convert", "train.yaml", "--to", "torch_npu_dynamic"]);
    assert!(ran.stdout.contains("\"analyse\": false"), "{}", ran.stdout);
    assert!(ran.stderr.contains("because is_rank is true"), "{}", ran.stderr);
    assert!(ran.stderr.contains("note: start_step is written for npuscope's DynamicProfilerMonitor"), "{}", ran.stderr);
}

#[test]
fn an_explanation_says_who_reads_a_dynamic_file() {
    let sandbox = sandbox("profiler_config.json", r#"{"start_step": 10, "is_rank": true, "rank_list": [0, 12]}"#);
    let ran = sandbox.run(&["config", "explain", "profiler_config.json", "--world-size", "8", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for words in [
        "torch_npu's own monitor begins one step later, when the step in the file is over",
        "  on rank 0\n",
        "./dyn_profile_data/rank0_start10_stop10/*_ascend_pt",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
}

#[test]
fn what_is_not_read_is_not_called_a_configuration() {
    let sandbox = sandbox("notes.txt", "nothing");
    let ran = sandbox.run(&["config", "check", "notes.txt"]);
    assert!(ran.stdout.ends_with("notes.txt: not read: 1 error\n"), "{}", ran.stdout);
}

#[test]
fn an_open_end_is_shown_in_words() {
    let sandbox = sandbox("train.yaml", "training:\n  profile: true\n");
    let ran = sandbox.run(&["config", "explain", "train.yaml", "--quiet"]);
    assert!(ran.stdout.contains("records all steps from 0 on"), "{}", ran.stdout);
}

#[test]
fn diagnostics_and_explanations_are_in_the_language_of_the_user() {
    let sandbox = sandbox("train.yaml", &FSDP2.replace("profile_level", "profile_levle"));
    let ran = sandbox.run(&["--lang", "zh", "config", "check", "train.yaml"]);
    let expected = "train.yaml:8：警告：training.profile_levle：未知的键（是否指 profile_level？）；FSDP2 会直接忽略";
    assert!(ran.stdout.starts_with(expected), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("train.yaml（识别为 FSDP2 YAML）：1 个警告\n"), "{}", ran.stdout);
    let ran = sandbox.run(&["--lang", "zh", "config", "explain", "train.yaml", "--quiet"]);
    let expected = "  在 step 4 预热，采集 step 5 到 6（本次训练的第 6 到 7 个 step）\n";
    assert!(ran.stdout.contains(expected), "{}", ran.stdout);
    let json = sandbox.run(&["config", "check", "train.yaml", "--format", "json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let message = &json["diagnostics"][0]["message"];
    assert_eq!(message["id"], "unknown-key");
    assert!(message["text"]["zh"].as_str().unwrap().starts_with("未知的键"), "{message}");
}

#[test]
fn broken_yaml_is_reported_with_its_line() {
    let sandbox = Sandbox::empty();
    fs::write(sandbox.path("broken.yaml"), "name: job\nsteps: [1, 2\nother: 3\n").unwrap();
    let ran = sandbox.run(&["config", "check", "broken.yaml"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stdout.starts_with("broken.yaml:3: error: invalid YAML: "), "{}", ran.stdout);
    let ran = sandbox.run(&["config", "explain", "broken.yaml", "--lang", "zh"]);
    assert!(ran.stderr.starts_with("错误：broken.yaml:3：YAML 格式错误："), "{}", ran.stderr);
    fs::write(sandbox.path("train.sh"), "#!/bin/bash\nset: [1\n").unwrap();
    let ran = sandbox.run(&["config", "check", "train.sh"]);
    assert!(ran.stdout.contains("no profiler settings found"), "{}", ran.stdout);
}
