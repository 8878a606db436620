//! `npuscope config check` on settings that are nearly right: each with its exit code and what it says.

use std::fs;

use crate::program::{Ran, Sandbox};

/// Checks a file with this text.
fn check(name: &str, text: &str, arguments: &[&str]) -> Ran {
    let sandbox = Sandbox::empty();
    fs::write(sandbox.path(name), text).unwrap();
    sandbox.run(&[&["config", "check", name], arguments].concat())
}

/// The check ends with 1 and says these words in one of its lines.
fn assert_found(name: &str, text: &str, words: &str) {
    let ran = check(name, text, &[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{text}\n{}", ran.stdout);
    assert!(ran.stdout.lines().any(|line| line.contains(words)), "{words}\n{text}\n{}", ran.stdout);
}

const NOTHING: &str = ": nothing would be recorded";

#[test]
fn a_misspelt_key_is_found_in_every_dialect() {
    for (name, text, words) in [
        (
            "a.yaml",
            "training:\n  profile: true\n  profile_levle: level1\n",
            "a.yaml:3: warning: training.profile_levle: unknown key (did you mean profile_level?); FSDP2 ignores it silently",
        ),
        (
            "a.yaml",
            "profiler_config:\n  integrated:\n    profile: true\n    profile_levle: level1\n",
            "a.yaml:4: error: profiler_config.integrated.profile_levle: unknown key (did you mean profile_level?); MindSpeed-RL refuses to start",
        ),
        (
            "a.sh",
            "torchrun pretrain.py --profile --profile-levle level1\n",
            "a.sh:1: error: --profile-levle: unknown flag (did you mean --profile-level?); MindSpeed-LLM refuses to start",
        ),
        (
            "a.json",
            r#"{"start_step": 2, "stop_step": 5, "with_stak": true}"#,
            "a.json:1: warning: with_stak: unknown key (did you mean with_stack?); it has no effect",
        ),
        (
            "a.json",
            r#"{"start_step": 2, "active": 5, "experimental_config": {"profiler_levle": "Level1"}}"#,
            "experimental_config.profiler_levle: unknown key (did you mean profiler_level?); it has no effect",
        ),
        (
            "a.sh",
            "export MS_PROFILER_OPTIONS='{\"start\": true, \"profiler_levle\": \"Level1\"}'\n",
            "profiler_levle: unknown key (did you mean profiler_level?); it has no effect",
        ),
    ] {
        assert_found(name, text, words);
    }
}

#[test]
fn settings_that_record_nothing_are_found() {
    for (name, text) in [
        ("a.yaml", "training:\n  profile: false\n  profile_level: level1\n"),
        ("a.yaml", "training:\n  profile_step_start: 5\n  profile_step_end: 6\n"),
        ("a.yaml", "training:\n  profile: true\n  profile_step_start: 50\n  max_steps: 20\n"),
        ("a.yaml", "profiler_config:\n  integrated:\n    profile: false\n"),
        ("a.yaml", "profiler_config:\n  integrated:\n    profile: true\n    stage: [actor]\n"),
        ("a.yaml", "profiler_config:\n  integrated:\n    profile: true\n    profile_ranks: 'none'\n"),
        ("a.sh", "--profile-step-start 5 --profile-step-end 6\n"),
        ("a.json", r#"{"start_step": -1, "stop_step": 5}"#),
        ("a.json", r#"{"start_step": 5, "stop_step": 2}"#),
        ("a.json", r#"{"start_step": 0, "active": 5}"#),
        ("a.json", r#"{"start_step": 5, "active": 5, "is_rank": true, "rank_list": []}"#),
        ("a.json", r#"{"start": false, "profiler_level": "Level1"}"#),
    ] {
        assert_found(name, text, NOTHING);
    }
    let ran = check("a.yaml", "training:\n  profile: false\n", &["--lang", "zh"]);
    assert!(ran.stdout.contains("a.yaml：不会采集任何数据\n"), "{}", ran.stdout);
}

#[test]
fn what_cannot_be_read_exits_with_2() {
    for (name, text, words) in [
        ("a.yaml", "training:\n  profile: [true\n", "error: invalid YAML"),
        ("a.json", "{\"start_step\": 2,,}", "error: invalid JSON"),
        ("a.txt", "hello", "error: no profiler settings found"),
    ] {
        let ran = check(name, text, &[]);
        assert_eq!(ran.code, 2, "{}", ran.stdout);
        assert!(ran.stdout.contains(words) && ran.stdout.contains("not read"), "{}", ran.stdout);
    }
    let missing = Sandbox::empty().run(&["config", "check", "nowhere.yaml"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (2, ""));
    assert!(missing.stderr.starts_with("error: cannot read nowhere.yaml"), "{}", missing.stderr);
}

#[test]
fn keys_outside_of_their_section_are_found() {
    for (text, words) in [
        (
            "training:\n  profile: true\nprofile_level: level1\n",
            "a.yaml:3: warning: profile_level: belongs below training; ignored here",
        ),
        (
            "training:\n  profile: true\nmodel:\n  profile_ranks: [0]\n",
            "a.yaml:4: warning: model.profile_ranks: belongs below training; ignored here",
        ),
        (
            "training:\n  profile: true\n  profiler:\n    profile_level: level1\n",
            "a.yaml:4: warning: training.profiler.profile_level: belongs below training; ignored here",
        ),
        (
            "trainig:\n  profile: true\n  profile_step_end: 6\n",
            "a.yaml:1: warning: trainig: unknown key (did you mean training?); FSDP2 ignores it silently",
        ),
        (
            "profiler_config:\n  integrated:\n    profile: true\nactor:\n  profile_with_npu: true\n",
            "a.yaml:5: warning: actor.profile_with_npu: belongs below profiler_config.integrated; ignored here",
        ),
        (
            "profiler_confg:\n  integrated:\n    profile: true\n    profile_level: level1\n",
            "a.yaml:1: warning: profiler_confg: unknown key (did you mean profiler_config?)",
        ),
        (
            "profiler_config:\n  intergrated:\n    profile: true\n",
            "profiler_config.intergrated: only the section integrated is read (did you mean integrated?)",
        ),
    ] {
        assert_found("a.yaml", text, words);
    }
}

#[test]
fn settings_for_two_trainers_in_one_file_are_found() {
    let both =
        "training:\n  profile: true\nprofiler_config:\n  integrated:\n    profile: true\n    profile_save_path: ./p\n";
    let words = "a.yaml:1: warning: training: settings for two trainers: MindSpeed-RL uses profiler_config.integrated, \
                 FSDP2 uses training; only profiler_config.integrated is checked; --dialect fsdp2 checks the other";
    assert_found("a.yaml", both, words);
    // Whoever names the dialect has chosen.
    let ran = check("a.yaml", both, &["--dialect", "fsdp2"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(
        ran.stdout.contains("info: profiler_config: settings for two trainers: FSDP2 uses training"),
        "{}",
        ran.stdout
    );
    let flags = "run --profile --profile-level level1 \\\n  --profile-ranks 0 \\\n  --training.profile true\n";
    assert_found("a.sh", flags, "a.sh:3: warning: settings for two trainers: MindSpeed-LLM uses --profile…");
    let environment = "export MS_PROFILER_OPTIONS='{\"start\": true}'\nrun --profile\n";
    assert_found("a.sh", environment, "MindSpore uses MS_PROFILER_OPTIONS, MindSpeed-LLM uses --profile…");
    assert_found(
        "a.yaml",
        "training:\n  profile: true\ntraining:\n  profile: true\n",
        "a.yaml:1: warning: training: duplicate key; the last one counts",
    );
}

#[test]
fn abbreviations_are_read_as_argparse_reads_them() {
    let text = "training:\n  profile: true\n  profile_rank: [3]\n";
    assert_found(
        "a.yaml",
        text,
        "a.yaml:3: warning: training.profile_rank: abbreviation of profile_ranks; FSDP2 accepts it only as long as",
    );
    let json = check("a.yaml", text, &["--format", "json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["config"]["ranks"], serde_json::json!([3]));
    assert_eq!(json["records_nothing"], false);
    assert_found(
        "a.sh",
        "run --training.profile true --training.profile_rank 3\n",
        "--training.profile_rank: abbreviation of profile_ranks",
    );
    assert_found(
        "a.yaml",
        "training:\n  profile: true\n  profile_step: 3\n",
        "error: training.profile_step: ambiguous abbreviation of profile_step_start, profile_step_end; FSDP2 refuses to start",
    );
    // Megatron's parser takes none.
    for flag in ["--profile-rank", "--profile-step"] {
        assert_found("a.sh", &format!("run --profile {flag} 3\n"), "MindSpeed-LLM refuses to start");
    }
}

#[test]
fn values_of_another_type_are_found() {
    for (name, text, words) in [
        (
            "a.sh",
            "export MS_PROFILER_OPTIONS='{\"start\": \"true\", \"profiler_level\": \"Level1\"}'\n",
            "warning: start: \"true\" is a string; MindSpore treats any string as true, npuscope as false",
        ),
        (
            "a.json",
            r#"{"start_step": "2", "stop_step": 5}"#,
            "warning: start_step: invalid value \"2\", expected an integer; MindSpore uses -1 instead",
        ),
        (
            "a.json",
            r#"{"start_step": "2", "active": 5}"#,
            "warning: start_step: invalid value \"2\", expected an integer; torch_npu uses 0 instead",
        ),
        (
            "a.json",
            r#"{"start_step": 2, "stop_step": 5, "with_stack": "true"}"#,
            "warning: with_stack: invalid value \"true\", expected true or false; MindSpore uses false instead",
        ),
        (
            "a.yaml",
            "training:\n  profile: true\n  profile_step_start: 5.5\n",
            "error: training.profile_step_start: invalid value 5.5, expected an integer",
        ),
        (
            "a.yaml",
            "profiler_config:\n  integrated:\n    profile: 'true'\n",
            "error: profiler_config.integrated.profile: invalid value \"true\", expected true or false",
        ),
        ("a.sh", "run --profile true\n", "error: --profile: takes no value; remove true"),
    ] {
        assert_found(name, text, words);
    }
    for text in [r#"{"start_step": "2", "stop_step": 5}"#, r#"{"start_step": "2", "active": 5}"#] {
        assert_found("a.json", text, NOTHING);
    }
}

#[test]
fn several_values_where_one_is_meant_are_found() {
    for (name, text, words) in [
        (
            "a.yaml",
            "training:\n  profile: true\n  profile_level: [level1, level2]\n",
            "warning: training.profile_level: takes one value; FSDP2 uses level1 and ignores level2",
        ),
        (
            "a.sh",
            "run --training.profile true --training.profile_step_start 5 6 7 | tee log\n",
            "warning: --training.profile_step_start: takes one value; FSDP2 uses 5 and ignores 6, 7",
        ),
        (
            "a.sh",
            "run --profile --profile-export-type text db\n",
            "error: --profile-export-type: takes one value, but several are given: text, db; MindSpeed-LLM refuses to start",
        ),
        (
            "a.yaml",
            "profiler_config:\n  integrated:\n    profile: true\n    profile_level: [level1, level2]\n",
            "error: profiler_config.integrated.profile_level: invalid value [\"level1\",\"level2\"], expected one of",
        ),
        (
            "a.json",
            r#"{"start_step": [2, 5], "stop_step": 5}"#,
            "warning: start_step: invalid value [2,5], expected an integer; MindSpore uses -1 instead",
        ),
    ] {
        assert_found(name, text, words);
    }
    // What follows is another command.
    for script in [
        "run --profile --profile-level level1 | tee log\n",
        "ARGS=\"--profile --profile-level level1\"\ntorchrun pretrain.py $ARGS\n",
        "run --profile --profile-level level1 $MORE\n",
        "run --profile --profile-level level1 > log 2>&1\n",
        "run --profile --profile-level level1\necho done\n",
    ] {
        let ran = check("a.sh", script, &[]);
        assert_eq!(ran.code, 0, "{script}: {}", ran.stdout);
    }
}

#[test]
fn diagnostics_speak_of_whoever_reads_the_settings() {
    for (name, text, trainer, npuscope) in [
        (
            "a.yaml",
            "training:\n  profile: true\n  profile_levle: level1\n",
            "FSDP2 ignores it silently",
            "npuscope ignores it silently",
        ),
        ("a.sh", "--profile --profile-levle level1\n", "MindSpeed-LLM refuses to start", "npuscope does not record"),
        (
            "a.yaml",
            "training:\n  profile: true\n  profile_step_end: -5\n",
            "FSDP2 refuses to start",
            "npuscope does not record",
        ),
        ("a.json", r#"{"start_step": "2", "stop_step": 5}"#, "MindSpore uses -1 instead", "npuscope uses -1 instead"),
        (
            "a.sh",
            "MS_PROFILER_OPTIONS='{\"start\": \"true\"}'",
            "MindSpore treats any string as true",
            "which npuscope treats as false",
        ),
        ("a.sh", "--profile --profile-level level_none\n", "so torch_npu turns mstx on", "so npuscope turns mstx on"),
    ] {
        for (arguments, words, other) in [
            (&[][..], trainer, npuscope),
            (&["--reader", "trainer"], trainer, npuscope),
            (&["--reader", "npuscope"], npuscope, trainer),
        ] {
            let ran = check(name, text, arguments);
            assert_eq!(ran.code, 1, "{}", ran.stdout);
            assert!(ran.stdout.contains(words) && !ran.stdout.contains(other), "{words}: {}", ran.stdout);
        }
    }
}

/// The guides' own examples, but for what newer versions call otherwise.
#[test]
fn the_guides_examples_pass() {
    for (name, text) in [
        (
            "fsdp2.yaml",
            "training:\n  profile: true\n  profile_step_start: 5\n  profile_step_end: 10\n  profile_ranks: [0]\n  \
             profile_level: level1\n  profile_export_type: text\n  profile_data_simplification: false\n  \
             profile_with_cpu: true\n  profile_with_stack: true\n  profile_with_memory: true\n  \
             profile_record_shapes: true\n  profile_save_path: ./npu_profile\n",
        ),
        (
            "flags.sh",
            "--profile \\\n--profile-step-start 5 \\\n--profile-step-end 6 \\\n--profile-ranks 0 \\\n\
             --profile-level level1 \\\n--profile-with-cpu \\\n--profile-save-path ./profile_dir\n",
        ),
        (
            "rl.yaml",
            "profiler_config:\n  integrated:\n    profile: true\n    mstx: true\n    profile_level: level_none\n    \
             profile_with_cpu: false\n    profile_with_npu: true\n    profile_save_path: ./profiler_data\n",
        ),
        (
            "profiler_config.json",
            r#"{"start_step": 2, "stop_step": 5, "aicore_metrics": -1, "profiler_level": 0, "activities": 0,
                "analyse_mode": -1, "parallel_strategy": false, "with_stack": false, "data_simplification": true}"#,
        ),
        (
            "env.sh",
            "export MS_PROFILER_OPTIONS='\n{\"start\": true,\n\"output_path\": \"/XXX\",\n\"activities\": [\"CPU\", \
             \"NPU\"],\n\"with_stack\": true,\n\"aicore_metrics\": \"AicoreNone\",\n\"l2_cache\": false,\n\
             \"profiler_level\": \"Level0\"}'\n",
        ),
    ] {
        let ran = check(name, text, &[]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{name}: {}", ran.stdout);
    }
}
