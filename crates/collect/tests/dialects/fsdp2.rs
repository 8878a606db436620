//! FSDP2's YAML and flags.

use npuscope_collect::Dialect::Fsdp2;
use npuscope_collect::config::{AicMetrics, Analyse, Choice, Export, Level, UNTIL_END};
use npuscope_collect::dialect::{Notation, Run, read, read_flags};
use npuscope_collect::{CollectConfig, Severity};

use crate::common::{assert_diagnostics, assert_fine, fine, on, reading, window};

/// The examples of the guide, with their comments: all keys, a first look, a deep one.
const GUIDE: &str = "\
training:
  # ... 其他训练参数 ...

  # --- Profiling 配置 ---
  profile: true
  profile_step_start: 5
  profile_step_end: 10
  profile_ranks: [0]
  profile_level: level1
  profile_export_type: text
  profile_data_simplification: false
  profile_with_cpu: true
  profile_with_stack: true
  profile_with_memory: true
  profile_record_shapes: true
  profile_save_path: ./npu_profile
";

const GUIDE_FIRST_LOOK: &str = "\
training:
  # ... 其他训练参数 ...

  # --- Profiling: 初步性能分析 ---
  profile: true
  profile_step_start: 5
  profile_step_end: 6 # 采集[5, 6), 区间左闭右开
  profile_ranks: [0] # 只采集0号卡
  profile_level: level1
  profile_with_cpu: true
  profile_save_path: ./profile_dir
";

const GUIDE_DEEP: &str = "\
training:
  # ... 其他训练参数 ...

  # --- Profiling: 深度分析（含堆栈/内存/shape）---
  profile: true
  profile_step_start: 5
  profile_step_end: 6 # 采集[5, 6), 区间左闭右开
  profile_ranks: [0] # 只采集0号卡
  profile_level: level1
  profile_with_cpu: true
  profile_with_stack: true # 采集算子详细调用情况
  profile_with_memory: true # 采集内存占用信息
  profile_record_shapes: true # 记录张量 shape
  profile_save_path: ./profile_dir_with_stack
";

fn section(lines: &[&str]) -> String {
    let mut text = "training:\n  lr: 1.0e-4\n  profile: true\n".to_owned();
    for line in lines {
        text.push_str(&format!("  {line}\n"));
    }
    text
}

#[test]
fn the_guide_is_read() {
    let reading = read(GUIDE, None, &Run::default());
    assert_eq!((reading.dialect, reading.notation), (Some(Fsdp2), Some(Notation::Fsdp2Yaml)));
    assert_fine(&reading);
    let expected = CollectConfig {
        ranks: Choice::Only(vec![0]),
        schedule: window(4, 1, 5),
        level: Level::Level1,
        aic_metrics: AicMetrics::PipeUtilization,
        stack: true,
        memory: true,
        shapes: true,
        simplify: false,
        output: "./npu_profile".to_owned(),
        ..CollectConfig::default()
    };
    assert_eq!(reading.config, expected);
}

#[test]
fn the_guides_two_uses_are_read() {
    let look = CollectConfig {
        ranks: Choice::Only(vec![0]),
        schedule: window(4, 1, 1),
        level: Level::Level1,
        aic_metrics: AicMetrics::PipeUtilization,
        simplify: false,
        output: "./profile_dir".to_owned(),
        ..CollectConfig::default()
    };
    assert_eq!(fine(GUIDE_FIRST_LOOK, Fsdp2), look);
    let output = "./profile_dir_with_stack".to_owned();
    assert_eq!(fine(GUIDE_DEEP, Fsdp2), CollectConfig { stack: true, memory: true, shapes: true, output, ..look });
}

#[test]
fn defaults_are_the_documented_ones() {
    let expected = CollectConfig {
        enabled: false,
        schedule: window(0, 0, UNTIL_END),
        cpu: false,
        simplify: false,
        output: "./profile".to_owned(),
        ..CollectConfig::default()
    };
    assert_eq!(fine("training:\n  lr: 1.0e-4\n", Fsdp2), expected);
    assert_eq!(expected.analyse, Analyse::Online);
}

#[test]
fn every_key_does_what_it_says() {
    let config = |line: &str| fine(&section(&[line]), Fsdp2);
    for (word, level) in [("level0", Level::Level0), ("level1", Level::Level1), ("level2", Level::Level2)] {
        assert_eq!(config(&format!("profile_level: {word}")).level, level);
    }
    assert_eq!(config("profile_export_type: db").export, [Export::Db]);
    assert!(config("profile_data_simplification: true").simplify);
    assert!(config("profile_with_cpu: true").cpu);
    assert!(config("profile_with_stack: true").stack);
    assert!(config("profile_with_memory: true").memory);
    assert!(config("profile_record_shapes: true").shapes);
    assert_eq!(config("profile_save_path: /data/p").output, "/data/p");
    assert_eq!(config("profile_ranks: [0, 7]").ranks, Choice::Only(vec![0, 7]));
}

#[test]
fn booleans_may_be_words() {
    for word in ["yes", "true", "t", "y", "1", "'True'", "on"] {
        assert!(fine(&format!("training:\n  profile: {word}\n"), Fsdp2).enabled, "{word}");
    }
    for word in ["no", "false", "f", "n", "0", "'no'", "off"] {
        assert!(!fine(&format!("training:\n  profile: {word}\n"), Fsdp2).enabled, "{word}");
    }
    for word in ["maybe", "2", "[maybe]", "'on'"] {
        let reading = reading(&format!("training:\n  profile: {word}\n"), Fsdp2);
        assert_diagnostics(&reading, "training.profile", Severity::Error, "true or false");
    }
}

#[test]
fn what_fsdp2_refuses_is_an_error() {
    for (lines, key, words) in [
        (&["profile_step_start: -1"][..], "profile_step_start", "count from 0"),
        (&["profile_step_start: 5", "profile_step_end: 5"], "profile_step_end", "not after the start 5"),
        (&["profile_step_start: 5", "profile_step_end: 4"], "profile_step_end", "not after the start 5"),
        (&["profile_step_end: -2"], "profile_step_end", "not after"),
        (&["profile_step_end: 0"], "profile_step_end", "not after"),
        (&["profile_level: level3"], "profile_level", "level_none, level0, level1, level2"),
        (&["profile_export_type: [csv]"], "profile_export_type", "one of text, db"),
        (&["profile_export_type: []"], "profile_export_type", "missing value"),
        (&["profile_step: 5"], "profile_step", "ambiguous abbreviation of profile_step_start, profile_step_end"),
        (&["profile_step_start: 5.5"], "profile_step_start", "an integer"),
        (&["profile_ranks: [zero]"], "profile_ranks", "a list of ranks"),
        (&["profile_ranks: []"], "profile_ranks", "nothing is recorded"),
        (&["profile_save_path: {a: b}"], "profile_save_path", "a string"),
    ] {
        assert_diagnostics(&reading(&section(lines), Fsdp2), &format!("training.{key}"), Severity::Error, words);
    }
}

/// FSDP2 makes flags of its YAML, and its parser is argparse.
#[test]
fn argparse_takes_abbreviations_and_the_first_of_several_values() {
    let abbreviated = reading(&section(&["profile_rank: [0, 1]"]), Fsdp2);
    assert_eq!(abbreviated.config.ranks, Choice::Only(vec![0, 1]));
    assert_diagnostics(&abbreviated, "training.profile_rank", Severity::Warning, "abbreviation of profile_ranks");
    let several = reading(&section(&["profile_export_type: [db, text]", "profile_step_start: [5, 6]"]), Fsdp2);
    assert_eq!(
        (several.config.export.as_slice(), several.config.schedule),
        (&[Export::Db][..], window(4, 1, UNTIL_END))
    );
    assert_diagnostics(&several, "training.profile_export_type", Severity::Warning, "uses db and ignores text");
    assert_diagnostics(&several, "training.profile_step_start", Severity::Warning, "uses 5 and ignores 6");
    assert_eq!(fine(&section(&["profile_level: [level1]"]), Fsdp2).level, Level::Level1);
    assert_eq!(fine(&section(&["profile_save_path: 5"]), Fsdp2).output, "5");

    let argv = |flags: &str| flags.split(' ').map(str::to_owned).collect::<Vec<String>>();
    let flags = read_flags(&argv("--training.profile --training.profile_rank 0 1"), &Run::default());
    assert!(flags.config.enabled, "a switch without a value is on");
    assert_eq!(flags.config.ranks, Choice::Only(vec![0, 1]));
    let script = read("run --training.profile true --training.profile_ranks 0 1\necho 2 done\n", None, &Run::default());
    assert_eq!(script.config.ranks, Choice::Only(vec![0, 1]), "the next command is another");
    let script = read("--training.profile true --training.profile_level level1 level2", None, &Run::default());
    assert_diagnostics(&script, "--training.profile_level", Severity::Warning, "uses level1 and ignores level2");
}

#[test]
fn settings_of_the_profiler_are_found_wherever_they_stand() {
    let outside = |text: &str| read(text, None, &Run::default());
    let below = outside(
        "training:\n  profile: true\n  trace:\n    profile_level: level1\nparallel:\n  profile: true\n  profile_ranks: [0]\n",
    );
    for key in ["training.trace.profile_level", "parallel.profile", "parallel.profile_ranks"] {
        assert_diagnostics(&below, key, Severity::Warning, "belongs below training");
    }
    let elsewhere = outside("model:\n  profile: true\n  profile_level: level1\n");
    assert_eq!((elsewhere.dialect, elsewhere.config.enabled), (Some(Fsdp2), false));
    assert_diagnostics(&elsewhere, "model.profile_level", Severity::Warning, "belongs below training");
    let slip = outside("trainng:\n  profile: true\n  profile_level: level1\n");
    assert_eq!(on(&slip, "trainng").message.id(), "unknown-key");
    assert_diagnostics(&slip, "trainng", Severity::Warning, "did you mean training?");
    assert!(slip.records_nothing(&Run::default()));
    let twice = outside("training:\n  profile: true\ntraining:\n  profile: false\n");
    assert_diagnostics(&twice, "training", Severity::Warning, "the last one counts");
    // `profile` alone is a word of many programs.
    assert_fine(&outside("nsight:\n  profile: true\ntraining:\n  profile: true\n"));
}

#[test]
fn diagnostics_are_reported_though_profiling_is_off() {
    let reading = reading("training:\n  profile: false\n  profile_level: level9\n", Fsdp2);
    assert!(!reading.config.enabled);
    assert_diagnostics(&reading, "training.profile_level", Severity::Warning, "level9");
}

#[test]
fn fsdp2_counts_from_zero() {
    let config = fine(&section(&["profile_step_start: 5", "profile_step_end: 6"]), Fsdp2);
    assert_eq!((config.schedule, config.first_step), (window(4, 1, 1), 0));
    let first = fine(&section(&["profile_step_start: 0", "profile_step_end: 2"]), Fsdp2);
    assert_eq!(first.schedule, window(0, 0, 2));
    let second = fine(&section(&["profile_step_start: 1", "profile_step_end: 2"]), Fsdp2);
    assert_eq!(second.schedule, window(0, 1, 1));
}

#[test]
fn fsdp2_counts_from_the_start_of_the_run() {
    let run = Run { iteration: 100, ..Run::default() };
    let reading = read(&section(&["profile_step_start: 5", "profile_step_end: 6"]), None, &run);
    assert_eq!((reading.config.schedule, reading.config.first_step), (window(4, 1, 1), 0));
    assert_diagnostics(&reading, "training.profile_step_start", Severity::Info, "from the start of this run");
}

#[test]
fn fsdp2_end_of_minus_one_is_until_the_end() {
    let reading = reading(&section(&["profile_step_start: 5", "profile_step_end: -1"]), Fsdp2);
    assert_fine(&reading);
    assert_eq!(reading.config.schedule, window(4, 1, UNTIL_END));
    assert_diagnostics(&reading, "training.profile_step_start", Severity::Info, "until training ends");
}

#[test]
fn minus_one_anywhere_is_all_ranks() {
    assert_eq!(fine(&section(&["profile_ranks: [-1]"]), Fsdp2).ranks, Choice::All);
    let mixed = reading(&section(&["profile_ranks: [0, -1]"]), Fsdp2);
    assert_eq!(mixed.config.ranks, Choice::All);
    assert_diagnostics(&mixed, "training.profile_ranks", Severity::Info, "all ranks");
}

#[test]
fn level_none_needs_mstx() {
    let reading = reading(&section(&["profile_level: level_none"]), Fsdp2);
    assert_diagnostics(&reading, "training.profile_level", Severity::Warning, "turns mstx on");
    assert!(reading.config.mstx);
}

#[test]
fn misspelt_keys_are_reported_with_their_lines() {
    let reading = reading(
        "training:\n  lr: 1.0e-4\n  profile: true\n  profile_step_strat: 5\n  proflie_level: level1\n  profile_nonsense: 1\n  precision: bf16\n",
        Fsdp2,
    );
    let diagnostic = on(&reading, "training.profile_step_strat");
    assert_eq!((diagnostic.severity, diagnostic.line), (Severity::Warning, Some(4)));
    assert!(diagnostic.message.to_string().contains("did you mean profile_step_start?"), "{diagnostic}");
    assert_diagnostics(&reading, "training.proflie_level", Severity::Warning, "did you mean profile_level?");
    assert_diagnostics(&reading, "training.profile_nonsense", Severity::Warning, "unknown key");
    assert!(!reading.diagnostics.iter().any(|diagnostic| diagnostic.key.as_deref() == Some("training.precision")));
}

#[test]
fn keys_outside_of_their_section_are_reported() {
    let reading = reading("profile_level: level1\ntraining:\n  profile: true\n", Fsdp2);
    assert_diagnostics(&reading, "profile_level", Severity::Warning, "belongs below training");
    assert_eq!(reading.config.level, Level::Level0);
}

#[test]
fn a_window_behind_the_end_of_training_is_an_error() {
    let text = section(&["profile_step_start: 10", "profile_step_end: 12"]);
    let run = Run { total_steps: Some(10), ..Run::default() };
    let reading = read(&text, None, &run);
    assert_diagnostics(
        &reading,
        "training.profile_step_start",
        Severity::Error,
        "begin at step 10, but the last step is 9",
    );
    assert_fine(&read(&text, None, &Run { total_steps: Some(12), ..Run::default() }));
    let own = reading_with_max_steps();
    assert_diagnostics(&own, "training.profile_step_start", Severity::Error, "the last step is 9");
}

fn reading_with_max_steps() -> npuscope_collect::dialect::Reading {
    reading(&section(&["max_steps: 10", "profile_step_start: 10", "profile_step_end: 12"]), Fsdp2)
}

#[test]
fn the_same_keys_are_flags() {
    let argv = [
        "--training.profile",
        "true",
        "--training.profile_step_start",
        "5",
        "--training.profile_step_end",
        "6",
        "--training.profile_ranks",
        "0",
        "1",
        "--training.lr",
        "1e-4",
        "--training.profile_levle",
        "level1",
    ]
    .map(str::to_owned);
    let reading = read_flags(&argv, &Run::default());
    assert_eq!((reading.dialect, reading.notation), (Some(Fsdp2), Some(Notation::Fsdp2Flags)));
    assert!(reading.config.enabled);
    assert_eq!((reading.config.schedule, reading.config.ranks.clone()), (window(4, 1, 1), Choice::Only(vec![0, 1])));
    assert_diagnostics(&reading, "--training.profile_levle", Severity::Warning, "did you mean profile_level?");
}

#[test]
fn broken_yaml_is_reported_with_its_line() {
    let reading = reading("training:\n  profile: true\n profile_level: level1\n", Fsdp2);
    assert!(reading.has_errors());
    assert_eq!(reading.diagnostics[0].line, Some(3), "{:?}", reading.diagnostics);
    assert!(!reading.config.enabled);
}

#[test]
fn what_is_off_is_not_refused() {
    let text = |profile: bool| {
        format!(
            "training:\n  profile: {profile}\n  profile_level: level9\n  profile_export_type: csv\n  profile_step_start: 5\n  profile_step_end: 4\n"
        )
    };
    let on = reading(&text(true), Fsdp2);
    let errors = on.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
    assert_eq!(errors, 3, "{:#?}", on.diagnostics);
    assert_diagnostics(&on, "training.profile_step_end", Severity::Error, "FSDP2 refuses to start");
    let off = reading(&text(false), Fsdp2);
    assert!(!off.has_errors(), "{:#?}", off.diagnostics);
    for key in ["training.profile_level", "training.profile_export_type", "training.profile_step_end"] {
        assert_diagnostics(&off, key, Severity::Warning, "FSDP2 would refuse to start if profiling were on");
    }
    // What no number can be made of is refused before anybody asks whether to profile.
    let wrong = reading("training:\n  profile: false\n  profile_step_start: soon\n", Fsdp2);
    assert_diagnostics(&wrong, "training.profile_step_start", Severity::Error, "an integer");
    // A window that the run does not reach hurts nobody either.
    let run = Run { total_steps: Some(3), ..Run::default() };
    let late = read("training:\n  profile: false\n  profile_step_start: 5\n", Some(Fsdp2), &run);
    assert_diagnostics(&late, "training.profile_step_start", Severity::Warning, "nothing is recorded");
}

#[test]
fn a_key_without_a_value_is_reported() {
    let yaml = reading("training:\n  profile: true\n  profile_save_path:\n", Fsdp2);
    assert_diagnostics(
        &yaml,
        "training.profile_save_path",
        Severity::Warning,
        "missing value; the default is used here",
    );
    assert_eq!((on(&yaml, "training.profile_save_path").line, yaml.config.output.as_str()), (Some(3), "./profile"));
    let flags = reading("--training.profile true --training.profile_level", Fsdp2);
    assert_diagnostics(&flags, "--training.profile_level", Severity::Error, "missing value");
}
