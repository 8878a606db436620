//! Options and keys that got another name work under the older one for one version.

use std::fs;

use serde_json::Value;

use crate::parse::raw_job;
use crate::program::Sandbox;

/// A small job, simulated with more options.
fn synth(options: &[&str]) -> Sandbox {
    let sandbox = Sandbox::empty();
    let sizes: Vec<&str> = "--pp 1 --layers 1 --micro-batches 1 --steps 1".split(' ').collect();
    let ran = sandbox.run(&[&["synth", "-o", "job"], sizes.as_slice(), options].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    sandbox
}

fn json(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let ran = sandbox.run(&[arguments, &["--format", "json"]].concat());
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {ran:?}"))
}

#[test]
fn synth_accepts_form() {
    let sandbox = synth(&["--form", "db"]); // older name
    assert!(sandbox.rank(0).join("ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db").is_file());
}

#[test]
fn synth_and_scenarios_accept_the_older_name_of_the_framework() {
    let sandbox = synth(&["--flavour", "mindspore"]); // older name
    assert!(sandbox.rank(0).to_string_lossy().ends_with("_ascend_ms"), "{}", sandbox.rank(0).display());
    let scenario = "pp = 1\nlayers = 1\nmicro_batches = 1\nsteps = 1\nflavour = 'mindspore'\n"; // older name
    let sandbox = Sandbox::empty();
    fs::write(sandbox.path("scenario.toml"), scenario).unwrap();
    let ran = sandbox.run(&["synth", "-o", "job", "--scenario", "scenario.toml"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(sandbox.rank(0).to_string_lossy().ends_with("_ascend_ms"), "{}", sandbox.rank(0).display());
}

#[test]
fn parse_accepts_export() {
    let sandbox = Sandbox::empty();
    let [rank, _] = raw_job(&sandbox);
    let ran = sandbox.run(&["parse", "job", "--export", "db"]); // older name
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(rank.join("ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db").is_file());
}

#[test]
fn dynamic_set_accepts_style_and_status_has_it() {
    let sandbox = Sandbox::empty();
    let ran = sandbox.run(&["dynamic", "set", ".", "--start", "1", "--style", "mindspore"]); // older name
    assert!(ran.stdout.starts_with("created ./profiler_config.json in the dialect of mindspore\n"), "{ran:?}");
    let status = json(&sandbox, &["dynamic", "status", "."]);
    assert_eq!((&status["dialect"], &status["style"]), (&"mindspore".into(), &"mindspore".into())); // older name
    let arguments = &status["asks"]["arguments"];
    assert_eq!(arguments.get("style"), None, "{arguments}"); // older name
}

#[test]
fn doctor_has_problems() {
    let health = json(&Sandbox::with_cut_trace(), &["doctor", "job"]);
    let rank = &health["ranks"][1];
    assert_eq!(rank["diagnostics"].as_array().map(Vec::len), Some(1), "{rank}");
    assert_eq!(rank["diagnostics"], rank["problems"]); // older name
    assert_eq!(health["diagnostics"], health["problems"]); // older name
}

#[test]
fn diagnose_has_problems() {
    let diagnosis = json(&Sandbox::with_cut_trace(), &["diagnose", "job"]);
    assert!(diagnosis["diagnostics"].is_array(), "{diagnosis}");
    assert_eq!(diagnosis["diagnostics"], diagnosis["problems"]); // older name
}

#[test]
fn config_check_has_both_older_keys() {
    let sandbox = Sandbox::empty();
    fs::write(sandbox.path("train.sh"), "python pretrain_gpt.py --profile --profile-step-strat 5\n").unwrap();
    let reading = json(&sandbox, &["config", "check", "train.sh"]);
    assert!(reading["diagnostics"].as_array().is_some_and(|list| !list.is_empty()), "{reading}");
    assert_eq!(reading["diagnostics"], reading["remarks"]); // older name
    assert!(reading["notation"].is_string(), "{reading}");
    assert_eq!(reading["notation"], reading["form"]); // older name
}
