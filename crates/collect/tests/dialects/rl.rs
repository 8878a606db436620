//! MindSpeed-RL's YAML.

use npuscope_collect::Dialect::MindSpeedRl;
use npuscope_collect::config::{AicMetrics, Analyse, Choice, Export, Level};
use npuscope_collect::dialect::{Notation, Run, read};
use npuscope_collect::{CollectConfig, Severity};

use crate::common::{assert_diagnostics, assert_fine, fine, on, reading, window};

const GUIDE: &str = "\
profiler_config:
  integrated:
    profile: false
    mstx: false
    stage: all
    profile_save_path: ./profiler_data
    profile_export_type: text
    profile_step_start: 1
    profile_step_end: 2
    profile_level: level1
    profile_with_memory: false
    profile_record_shapes: false
    profile_with_cpu: true
    profile_with_npu: true
    profile_with_module: false
    profile_analysis: false
    profile_ranks: all
";

fn section(lines: &[&str]) -> String {
    let mut text =
        "megatron_training:\n  global_batch_size: 8\nprofiler_config:\n  integrated:\n    profile: true\n".to_owned();
    for line in lines {
        text.push_str(&format!("    {line}\n"));
    }
    text
}

#[test]
fn the_guide_is_read() {
    let reading = read(GUIDE, None, &Run::default());
    assert_eq!((reading.dialect, reading.notation), (Some(MindSpeedRl), Some(Notation::RlYaml)));
    assert_fine(&reading);
    let expected = CollectConfig {
        enabled: false,
        schedule: window(0, 0, 1),
        first_step: 1,
        level: Level::Level1,
        aic_metrics: AicMetrics::PipeUtilization,
        output: "./profiler_data".to_owned(),
        analyse: Analyse::Off,
        ..CollectConfig::default()
    };
    assert_eq!(reading.config, expected);
}

#[test]
fn the_guides_light_mode_is_read() {
    let text =
        "profile: true\nmstx: true\nprofile_level: level_none\nprofile_with_cpu: false\nprofile_with_npu: true\n";
    let reading = read(text, None, &Run::default());
    assert_eq!(reading.dialect, Some(MindSpeedRl));
    assert_fine(&reading);
    let config = reading.config;
    assert_eq!((config.level, config.mstx, config.cpu, config.npu), (Level::None, true, false, true));
}

#[test]
fn defaults_are_the_documented_ones() {
    let expected = CollectConfig {
        enabled: true,
        schedule: window(0, 0, 1),
        first_step: 1,
        output: "./profiler_data".to_owned(),
        analyse: Analyse::Off,
        ..CollectConfig::default()
    };
    assert_eq!(fine(&section(&[]), MindSpeedRl), expected);
    assert!(!reading("profiler_config:\n  integrated:\n    mstx: true\n", MindSpeedRl).config.enabled);
}

#[test]
fn every_key_does_what_it_says() {
    let config = |line: &str| fine(&section(&[line]), MindSpeedRl);
    assert!(config("mstx: true").mstx);
    assert_eq!(config("profile_save_path: /data").output, "/data");
    assert_eq!(config("profile_export_type: db").export, [Export::Db]);
    for (word, level) in [("level0", Level::Level0), ("level1", Level::Level1), ("level2", Level::Level2)] {
        assert_eq!(config(&format!("profile_level: {word}")).level, level);
    }
    assert!(config("profile_with_memory: true").memory);
    assert!(config("profile_record_shapes: true").shapes);
    assert!(!config("profile_with_cpu: false").cpu);
    assert!(!config("profile_with_npu: false").npu);
    let modules = config("profile_with_module: true");
    assert!(modules.modules && !modules.stack);
    assert_eq!(config("profile_analysis: true").analyse, Analyse::Online);
    assert_eq!(config("profile_ranks: [0, 1]").ranks, Choice::Only(vec![0, 1]));
    assert_eq!(config("profile_ranks: all").ranks, Choice::All);
}

#[test]
fn every_stage_is_known() {
    for stage in [
        "actor_generate",
        "actor_compute_log_prob",
        "reference_compute_log_prob",
        "actor_update",
        "actor_image_embeds",
        "critic_compute_values",
        "critic_update",
    ] {
        let config = fine(&section(&[&format!("stage: {stage}")]), MindSpeedRl);
        assert_eq!(config.stages, Choice::Only(vec![stage.to_owned()]));
    }
    let two = fine(&section(&["stage: [actor_generate, actor_update]"]), MindSpeedRl);
    assert_eq!(two.stages, Choice::Only(vec!["actor_generate".to_owned(), "actor_update".to_owned()]));
    assert_eq!(fine(&section(&["stage: all"]), MindSpeedRl).stages, Choice::All);
}

#[test]
fn stages_that_are_none_record_nothing() {
    let typo = reading(&section(&["stage: actor_updaet"]), MindSpeedRl);
    assert_diagnostics(&typo, "profiler_config.integrated.stage", Severity::Warning, "did you mean actor_update?");
    assert_diagnostics(&typo, "profiler_config.integrated.stage", Severity::Error, "nothing is recorded");
    let some = reading(&section(&["stage: [actor_update, nonsense]"]), MindSpeedRl);
    assert!(!some.has_errors());
    assert_eq!(some.config.stages, Choice::Only(vec!["actor_update".to_owned()]));
    let number = reading(&section(&["stage: 5"]), MindSpeedRl);
    assert_diagnostics(&number, "profiler_config.integrated.stage", Severity::Error, "nothing is recorded");
}

#[test]
fn ranks_that_are_no_list_are_rank_zero() {
    for value in ["3", "true"] {
        let reading = reading(&section(&[&format!("profile_ranks: {value}")]), MindSpeedRl);
        assert_eq!(reading.config.ranks, Choice::Only(vec![0]));
        assert_diagnostics(&reading, "profiler_config.integrated.profile_ranks", Severity::Warning, "[0] instead");
    }
    for value in ["[]", "[-1]", "'0,1'"] {
        let reading = reading(&section(&[&format!("profile_ranks: {value}")]), MindSpeedRl);
        assert_diagnostics(
            &reading,
            "profiler_config.integrated.profile_ranks",
            Severity::Error,
            "nothing is recorded",
        );
    }
}

#[test]
fn unknown_keys_are_errors() {
    let reading = reading(&section(&["profile_with_stack: true", "profile_lvl: level1"]), MindSpeedRl);
    let diagnostic = on(&reading, "profiler_config.integrated.profile_with_stack");
    assert_eq!((diagnostic.severity, diagnostic.line), (Severity::Error, Some(6)));
    assert_diagnostics(
        &reading,
        "profiler_config.integrated.profile_lvl",
        Severity::Error,
        "did you mean profile_level?",
    );
}

#[test]
fn wrong_values_are_errors() {
    for (line, key, words) in [
        ("profile_level: Level1", "profile_level", "did you mean level1?"),
        ("profile_level: 1", "profile_level", "one of level_none"),
        ("profile_export_type: csv", "profile_export_type", "one of text, db"),
        ("mstx: 'false'", "mstx", "true or false"),
        ("profile_step_start: one", "profile_step_start", "an integer"),
    ] {
        assert_diagnostics(
            &reading(&section(&[line]), MindSpeedRl),
            &format!("profiler_config.integrated.{key}"),
            Severity::Error,
            words,
        );
    }
}

#[test]
fn rl_counts_iterations_from_one() {
    let config = fine(&section(&["profile_step_start: 5", "profile_step_end: 7"]), MindSpeedRl);
    assert_eq!((config.schedule, config.first_step), (window(4, 0, 2), 1));
    let zero = reading(&section(&["profile_step_start: 0", "profile_step_end: 2"]), MindSpeedRl);
    assert_diagnostics(&zero, "profiler_config.integrated.profile_step_start", Severity::Warning, "count from 1");
    assert_eq!(zero.config.schedule, window(0, 0, 2));
}

#[test]
fn an_end_before_the_start_is_one_step_or_no_stage() {
    let lines = ["profile_step_start: 5", "profile_step_end: 5"];
    let all = reading(&section(&lines), MindSpeedRl);
    assert_diagnostics(&all, "profiler_config.integrated.profile_step_end", Severity::Warning, "one step");
    assert_eq!(all.config.schedule, window(4, 0, 1));
    let stage = reading(&section(&[lines[0], lines[1], "stage: actor_update"]), MindSpeedRl);
    assert_diagnostics(&stage, "profiler_config.integrated.profile_step_end", Severity::Error, "no stage is recorded");
}

#[test]
fn neither_host_nor_device_is_both() {
    let reading = reading(&section(&["profile_with_cpu: false", "profile_with_npu: false"]), MindSpeedRl);
    assert_diagnostics(&reading, "profiler_config.integrated.profile_with_npu", Severity::Warning, "records both");
    assert!(reading.config.cpu && reading.config.npu);
}

#[test]
fn level_none_needs_mstx() {
    let reading = reading(&section(&["profile_level: level_none"]), MindSpeedRl);
    assert_diagnostics(&reading, "profiler_config.integrated.profile_level", Severity::Warning, "turns mstx on");
    assert!(reading.config.mstx);
}

#[test]
fn other_sections_are_not_read() {
    let reading = reading("profiler_config:\n  integratd:\n    profile: true\n", MindSpeedRl);
    assert_diagnostics(&reading, "profiler_config.integratd", Severity::Warning, "did you mean integrated?");
    assert!(reading.has_errors() && !reading.config.enabled);
}

#[test]
fn interpolations_are_left_to_the_trainer() {
    let reading = reading(&section(&["profile_level: ${oc.env:LEVEL}"]), MindSpeedRl);
    assert_diagnostics(
        &reading,
        "profiler_config.integrated.profile_level",
        Severity::Warning,
        "only the trainer resolves",
    );
}
