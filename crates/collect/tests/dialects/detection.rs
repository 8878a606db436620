//! Which dialect a text is in.

use npuscope_collect::dialect::{Notation, Run, read};
use npuscope_collect::{Dialect, Severity};
use proptest::prelude::*;

fn found(text: &str) -> Option<Notation> {
    read(text, None, &Run::default()).notation
}

#[test]
fn the_dialect_is_detected_from_the_content() {
    for (text, notation) in [
        ("--profile --profile-level level1", Notation::LlmFlags),
        ("python train.py --profile-step-strat 3", Notation::LlmFlags),
        ("--training.profile true", Notation::Fsdp2Flags),
        ("model: x\ntraining:\n  lr: 1\n", Notation::Fsdp2Yaml),
        ("profile: true\nprofile_level: level1\n", Notation::Fsdp2Yaml),
        ("profiler_config:\n  integrated:\n    profile: true\n", Notation::RlYaml),
        ("integrated:\n  profile: true\n", Notation::RlYaml),
        ("profile: true\nstage: all\n", Notation::RlYaml),
        (r#"{"start_step": 1, "stop_step": 2}"#, Notation::MindSporeDynamic),
        (r#"{"start_step": 1, "active": 2}"#, Notation::TorchNpuDynamic),
        (r#"{"start": true, "profiler_level": "Level1"}"#, Notation::MindSporeEnvironment),
        (r#"{"profiler_level": "Level1", "data_process": true}"#, Notation::MindSporeArguments),
        (r#"{"activities": ["CPU"], "schedule": {"wait": 1, "active": 1}}"#, Notation::TorchNpuArguments),
        (r#"{"with_modules": true, "experimental_config": {"op_attr": true}}"#, Notation::TorchNpuArguments),
        ("\u{feff}{\"start_step\": 1, \"stop_step\": 2}", Notation::MindSporeDynamic),
    ] {
        assert_eq!(found(text), Some(notation), "{text}");
    }
}

#[test]
fn what_holds_no_settings_is_reported() {
    for text in ["", "hello", "model:\n  layers: 2\n", "{}", r#"{"a": 1}"#, "[1, 2]", "# only a comment\n"] {
        let reading = read(text, None, &Run::default());
        assert_eq!((reading.dialect, reading.config.enabled), (None, false), "{text}");
        assert_eq!(reading.diagnostics.len(), 1);
        assert_eq!(reading.diagnostics[0].severity, Severity::Error);
        assert!(
            reading.diagnostics[0].message.to_string().contains("no profiler settings"),
            "{text}: {}",
            reading.diagnostics[0]
        );
    }
    let broken = read("{\n\"start_step\": 1,,\n}", None, &Run::default());
    assert_eq!((broken.diagnostics[0].line, broken.has_errors()), (Some(2), true));
}

#[test]
fn names_are_those_of_the_command_line() {
    for (name, dialect) in [
        ("llm", Dialect::MindSpeedLlm),
        ("fsdp2", Dialect::Fsdp2),
        ("rl", Dialect::MindSpeedRl),
        ("mindspore", Dialect::MindSpore),
        ("torch_npu", Dialect::TorchNpu),
    ] {
        assert_eq!(Dialect::parse(name), Some(dialect));
        assert_eq!(dialect.id(), name);
    }
    assert_eq!(Dialect::parse("MindSpore"), None);
    let json = serde_json::to_value(read("--profile", None, &Run::default())).unwrap();
    assert_eq!((json["dialect"].as_str(), json["notation"].as_str()), (Some("llm"), Some("llm_flags")));
    assert_eq!(json["config"]["ranks"], serde_json::json!([0]));
}

proptest! {
    #![proptest_config(npuscope_testing::cases(256))]

    #[test]
    fn no_text_is_too_strange(text in "\\PC{0,200}", dialect in prop::option::of(prop::sample::select(Dialect::ALL))) {
        read(&text, dialect, &Run::default());
    }

    #[test]
    fn no_mixture_of_words_is_too_strange(
        words in prop::collection::vec(prop::sample::select(&[
            "training:", "profile:", "profile_ranks:", "\n", "  ", "true", "-1", "[", "]", "{", "}", "\"", "'", ",", ":",
            "--profile", "--profile-ranks", "--profile-level", "\\", "#", "=", "MS_PROFILER_OPTIONS", "\"start_step\"",
            "&a", "*a", "<<:", "- ", "99999999999999999999", "profiler_config:", "integrated:", "stage:",
        ][..]), 0..40),
        dialect in prop::option::of(prop::sample::select(Dialect::ALL)),
    ) {
        read(&words.concat(), dialect, &Run { iteration: 7, total_steps: Some(9), world_size: Some(1), ..Run::default() });
    }
}
