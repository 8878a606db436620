//! torch_npu's arguments and dynamic JSON.

use npuscope_collect::Dialect::{TorchNpu, TorchNpuDynamic};
use npuscope_collect::config::{AicMetrics, Analyse, Choice, Export, HostSystem, Level};
use npuscope_collect::dialect::{Notation, Reading, Run, read, write};
use npuscope_collect::{CollectConfig, Schedule, Severity};
use serde_json::{Value, json};

use crate::common::{assert_diagnostics, assert_fine, on, reading, window};

/// What torch_npu writes where there is no file yet.
const DEFAULT_DYNAMIC: &str = r#"{
    "activities": ["CPU", "NPU"],
    "prof_dir": "./",
    "analyse": false,
    "async_mode": false,
    "record_shapes": false,
    "profile_memory": false,
    "with_stack": false,
    "with_flops": false,
    "with_modules": false,
    "active": 1,
    "warmup": 0,
    "start_step": 0,
    "is_rank": false,
    "rank_list": [],
    "experimental_config": {
        "profiler_level": "Level0",
        "aic_metrics": "AiCoreNone",
        "l2_cache": false,
        "op_attr": false,
        "gc_detect_threshold": null,
        "data_simplification": true,
        "record_op_args": false,
        "export_type": ["text"],
        "msprof_tx": false,
        "mstx": false,
        "host_sys": [],
        "mstx_domain_include": [],
        "mstx_domain_exclude": [],
        "sys_io": false,
        "sys_interconnection": false
    }
}"#;

fn arguments(arguments: Value) -> Reading {
    let mut all = json!({"on_trace_ready": {"dir_name": "./out"}});
    all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
    reading(&all.to_string(), TorchNpu)
}

fn experimental(arguments_of_it: Value) -> Reading {
    arguments(json!({"experimental_config": arguments_of_it}))
}

fn dynamic(keys: Value) -> Reading {
    let mut all: Value = serde_json::from_str(DEFAULT_DYNAMIC).unwrap();
    all["start_step"] = json!(10);
    all.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    reading(&all.to_string(), TorchNpu)
}

#[test]
fn the_default_dynamic_file_is_read() {
    let reading = read(DEFAULT_DYNAMIC, None, &Run::default());
    assert_eq!((reading.dialect, reading.notation), (Some(TorchNpuDynamic), Some(Notation::TorchNpuDynamic)));
    assert_fine(&reading);
    let expected = CollectConfig {
        enabled: false,
        schedule: window(0, 0, 1),
        first_step: 1,
        analyse: Analyse::Off,
        ..CollectConfig::default()
    };
    assert_eq!(reading.config, expected);
}

#[test]
fn defaults_are_the_documented_ones() {
    let reading = reading(r#"{"activities": null}"#, TorchNpu);
    assert_eq!(reading.config, CollectConfig { analyse: Analyse::Off, ..CollectConfig::default() });
    assert_diagnostics(&reading, "on_trace_ready", Severity::Warning, "deleted at the end");
    let handled = arguments(json!({}));
    assert_fine(&handled);
    assert_eq!(handled.config, CollectConfig { output: "./out".to_owned(), ..CollectConfig::default() });
}

#[test]
fn every_switch_does_what_it_says() {
    type Field = fn(&CollectConfig) -> bool;
    let outer: [(&str, Field); 5] = [
        ("record_shapes", |config| config.shapes),
        ("profile_memory", |config| config.memory),
        ("with_stack", |config| config.stack),
        ("with_flops", |config| config.flops),
        ("with_modules", |config| config.modules),
    ];
    for notation in [arguments, dynamic] {
        for (key, field) in outer {
            let on = notation(json!({key: true}));
            assert_fine(&on);
            assert!(field(&on.config) && !field(&notation(json!({key: false})).config), "{key}");
            let wrong = notation(json!({key: 1}));
            assert_diagnostics(&wrong, key, Severity::Warning, "torch_npu uses false instead");
            assert!(!field(&wrong.config), "{key}");
        }
    }
    let inner: [(&str, Field); 5] = [
        ("l2_cache", |config| config.l2_cache),
        ("mstx", |config| config.mstx),
        ("record_op_args", |config| config.record_op_args),
        ("sys_io", |config| config.sys_io),
        ("sys_interconnection", |config| config.sys_interconnection),
    ];
    for (key, field) in inner {
        for notation in [experimental, |inner| dynamic(json!({"experimental_config": inner}))] {
            let on = notation(json!({key: true}));
            assert_fine(&on);
            assert!(field(&on.config) && !field(&notation(json!({})).config), "{key}");
            let wrong = notation(json!({key: "on"}));
            assert_diagnostics(&wrong, &format!("experimental_config.{key}"), Severity::Warning, "uses false instead");
        }
    }
    assert!(!experimental(json!({"data_simplification": false})).config.simplify);
    assert!(experimental(json!({"data_simplification": "no"})).config.simplify);
    assert!(experimental(json!({"data_simplification": null})).config.simplify);
}

#[test]
fn every_level_is_known() {
    for (word, level) in [("Level0", Level::Level0), ("Level1", Level::Level1), ("ProfilerLevel.Level2", Level::Level2)]
    {
        let reading = experimental(json!({"profiler_level": word}));
        assert_fine(&reading);
        assert_eq!(reading.config.level, level);
    }
    for wrong in [json!("Level3"), json!("LevelNone"), json!(1)] {
        let reading = experimental(json!({"profiler_level": wrong}));
        assert_diagnostics(&reading, "experimental_config.profiler_level", Severity::Warning, "uses Level0 instead");
        assert_eq!(reading.config.level, Level::Level0);
    }
}

#[test]
fn metrics_are_reset_below_level1() {
    for (word, metrics) in [
        ("PipeUtilization", AicMetrics::PipeUtilization),
        ("ArithmeticUtilization", AicMetrics::ArithmeticUtilization),
        ("Memory", AicMetrics::Memory),
        ("MemoryL0", AicMetrics::MemoryL0),
        ("MemoryUB", AicMetrics::MemoryUb),
        ("ResourceConflictRatio", AicMetrics::ResourceConflictRatio),
        ("L2Cache", AicMetrics::L2Cache),
        ("MemoryAccess", AicMetrics::MemoryAccess),
    ] {
        for level in ["Level1", "Level2"] {
            let reading = experimental(json!({"profiler_level": level, "aic_metrics": word}));
            assert_fine(&reading);
            assert_eq!(reading.config.aic_metrics, metrics);
        }
        let reading = experimental(json!({"aic_metrics": word}));
        assert_diagnostics(&reading, "experimental_config.aic_metrics", Severity::Warning, "uses AiCoreNone instead");
        assert_eq!(reading.config.aic_metrics, AicMetrics::None);
    }
    let default = experimental(json!({"profiler_level": "Level1"}));
    assert_eq!(default.config.aic_metrics, AicMetrics::PipeUtilization);
    let wrong = experimental(json!({"profiler_level": "Level1", "aic_metrics": "Pipes"}));
    assert_diagnostics(&wrong, "experimental_config.aic_metrics", Severity::Warning, "uses PipeUtilization instead");
    assert_eq!(wrong.config.aic_metrics, AicMetrics::PipeUtilization);
}

#[test]
fn level_none_needs_mstx() {
    let reading = experimental(json!({"profiler_level": "Level_none"}));
    assert_diagnostics(&reading, "experimental_config.profiler_level", Severity::Warning, "turns mstx on");
    assert_eq!((reading.config.level, reading.config.mstx), (Level::None, true));
    assert_fine(&experimental(json!({"profiler_level": "Level_none", "mstx": true})));
}

#[test]
fn msprof_tx_is_mstx() {
    let reading = experimental(json!({"msprof_tx": true}));
    assert!(reading.config.mstx);
    assert_diagnostics(&reading, "experimental_config.msprof_tx", Severity::Warning, "use mstx");
}

#[test]
fn exports_are_one_or_both() {
    for (value, export) in [
        (json!("text"), vec![Export::Text]),
        (json!("db"), vec![Export::Db]),
        (json!(["db", "text"]), vec![Export::Text, Export::Db]),
        (json!("ExportType.Db"), vec![Export::Db]),
    ] {
        let reading = experimental(json!({"export_type": value}));
        assert_fine(&reading);
        assert_eq!(reading.config.export, export);
    }
    for wrong in [json!(["db", "csv"]), json!([]), json!(1)] {
        let reading = experimental(json!({"export_type": wrong}));
        assert_diagnostics(&reading, "experimental_config.export_type", Severity::Warning, "uses text instead");
        assert_eq!(reading.config.export, [Export::Text]);
    }
}

#[test]
fn attributes_of_operators_need_a_database() {
    assert!(experimental(json!({"op_attr": true, "export_type": ["text", "db"]})).config.op_attr);
    let text = experimental(json!({"op_attr": true}));
    assert_diagnostics(&text, "experimental_config.op_attr", Severity::Warning, "unless export_type includes db");
    assert!(!text.config.op_attr);
}

#[test]
fn garbage_collections_have_a_threshold() {
    for (value, threshold) in [(json!(0), Some(0.0)), (json!(1.5), Some(1.5)), (json!(null), None)] {
        let reading = experimental(json!({"gc_detect_threshold": value}));
        assert_fine(&reading);
        assert_eq!(reading.config.gc_threshold_ms, threshold);
    }
    for wrong in [json!(-1), json!("1")] {
        let reading = experimental(json!({"gc_detect_threshold": wrong}));
        assert_diagnostics(&reading, "experimental_config.gc_detect_threshold", Severity::Warning, "uses none instead");
        assert_eq!(reading.config.gc_threshold_ms, None);
    }
    let no_host = arguments(json!({"activities": ["NPU"], "experimental_config": {"gc_detect_threshold": 1}}));
    assert_diagnostics(&no_host, "experimental_config.gc_detect_threshold", Severity::Warning, "CPU in activities");
}

#[test]
fn hosts_and_domains_are_lists() {
    let all = experimental(json!({"host_sys": ["cpu", "mem", "disk", "network", "osrt", "numa"]}));
    assert_fine(&all);
    assert_eq!(all.config.host_sys, HostSystem::ALL);
    for wrong in [json!(["cpu", "gpu"]), json!("cpu"), json!([1])] {
        let reading = experimental(json!({"host_sys": wrong}));
        assert_diagnostics(&reading, "experimental_config.host_sys", Severity::Warning, "uses none instead");
        assert!(reading.config.host_sys.is_empty());
    }
    let both = experimental(json!({"mstx": true, "mstx_domain_include": ["a"], "mstx_domain_exclude": ["b"]}));
    assert_diagnostics(&both, "experimental_config.mstx_domain_exclude", Severity::Warning, "no effect together with");
    assert_eq!((both.config.mstx_domain_include.len(), both.config.mstx_domain_exclude.len()), (1, 0));
    let without = experimental(json!({"mstx_domain_exclude": ["b"]}));
    assert_diagnostics(&without, "experimental_config.mstx_domain_exclude", Severity::Warning, "without mstx");
    assert!(without.config.mstx_domain_exclude.is_empty());
}

#[test]
fn activities_are_both_unless_they_are_right() {
    let config = arguments(json!({"activities": ["ProfilerActivity.CPU"]})).config;
    assert_eq!((config.cpu, config.npu), (true, false));
    for wrong in [json!(["CPU", "GPU"]), json!([]), json!(5)] {
        let reading = arguments(json!({"activities": wrong}));
        assert_diagnostics(&reading, "activities", Severity::Warning, "uses CPU and NPU instead");
        assert!(reading.config.cpu && reading.config.npu);
    }
    let no_device = arguments(json!({"activities": ["CPU"], "experimental_config": {"l2_cache": true}}));
    assert_diagnostics(&no_device, "experimental_config", Severity::Warning, "without NPU");
}

#[test]
fn schedules_have_six_arguments_and_are_repaired() {
    let all = json!({"wait": 2, "warmup": 1, "active": 3, "repeat": 4, "skip_first": 5, "skip_first_wait": 1});
    let reading = arguments(json!({"schedule": all}));
    assert_fine(&reading);
    let expected = Schedule { wait: 2, warmup: 1, active: 3, repeat: 4, skip_first: 5, skip_first_wait: true };
    assert_eq!((reading.config.schedule, reading.config.first_step), (Some(expected), 0));
    let wrong = arguments(
        json!({"schedule": {"wait": -1, "warmup": -1, "active": -3, "repeat": "x", "skip_first": -1, "skip_first_wait": "y"}}),
    );
    for key in ["wait", "warmup", "active", "repeat", "skip_first", "skip_first_wait"] {
        assert_diagnostics(&wrong, &format!("schedule.{key}"), Severity::Warning, "instead");
    }
    let repaired = Schedule { wait: 0, warmup: 0, active: 1, repeat: 0, skip_first: 0, skip_first_wait: false };
    assert_eq!(wrong.config.schedule, Some(repaired));
    assert_diagnostics(&wrong, "schedule.warmup", Severity::Info, "no warmup step");
    assert_eq!(arguments(json!({"schedule": "always"})).config.schedule, None);
    assert_eq!(arguments(json!({"schedule": null})).config.schedule, None);
}

#[test]
fn too_few_steps_are_reported_before_training() {
    let text = json!({"on_trace_ready": "tensorboard_trace_handler", "schedule": {"wait": 1, "warmup": 1, "active": 2, "repeat": 3}});
    let with_steps = |total| read(&text.to_string(), None, &Run { total_steps: Some(total), ..Run::default() });
    assert_fine(&with_steps(12));
    assert_diagnostics(&with_steps(11), "schedule", Severity::Warning, "stays incomplete");
    assert_diagnostics(&with_steps(8), "schedule", Severity::Warning, "2 of 3 recordings will be made");
    assert_diagnostics(&with_steps(2), "schedule", Severity::Error, "nothing is recorded");
}

#[test]
fn the_dynamic_counter_starts_at_one() {
    let reading = dynamic(json!({"start_step": 10, "warmup": 2, "active": 3}));
    assert_eq!((reading.config.schedule, reading.config.first_step), (window(9, 2, 3), 1));
    assert!(reading.config.enabled && !reading.config.at_once);
    assert!(!dynamic(json!({"start_step": 0})).config.enabled);
    let now = dynamic(json!({"start_step": -1}));
    assert!(now.config.enabled && now.config.at_once);
    for (wrong, words) in [(json!(-2), "uses 0 instead"), (json!("5"), "uses 0 instead")] {
        let reading = dynamic(json!({"start_step": wrong}));
        assert_diagnostics(&reading, "start_step", Severity::Warning, words);
        assert!(!reading.config.enabled);
    }
    let repaired = dynamic(json!({"active": 0, "warmup": -1}));
    assert_diagnostics(&repaired, "active", Severity::Warning, "uses 1 instead");
    assert_diagnostics(&repaired, "warmup", Severity::Warning, "uses 0 instead");
    assert_eq!(repaired.config.schedule, window(9, 0, 1));
}

#[test]
fn ranks_of_a_dynamic_file_are_analysed_later() {
    let some = dynamic(json!({"is_rank": true, "rank_list": [0, 3]}));
    assert_fine(&some);
    assert_eq!(some.config.ranks, Choice::Only(vec![0, 3]));
    let analysed = dynamic(json!({"is_rank": true, "rank_list": [0], "analyse": true}));
    assert_diagnostics(&analysed, "analyse", Severity::Warning, "turned off because is_rank is true");
    assert_eq!(analysed.config.analyse, Analyse::Off);
    let background = dynamic(json!({"is_rank": true, "rank_list": [0], "analyse": true, "async_mode": true}));
    assert_fine(&background);
    assert_eq!(background.config.analyse, Analyse::Async);
    let nobody = dynamic(json!({"is_rank": true}));
    assert_diagnostics(&nobody, "rank_list", Severity::Error, "nothing is recorded");
    let forgotten = dynamic(json!({"rank_list": [0]}));
    assert_diagnostics(&forgotten, "rank_list", Severity::Warning, "unless is_rank is true");
    assert_eq!(forgotten.config.ranks, Choice::All);
}

#[test]
fn metadata_of_a_dynamic_file_is_kept() {
    let reading = dynamic(json!({"metadata": {"job": {"id": 7, "tags": ["a", null, 1.5]}}}));
    assert_fine(&reading);
    assert_eq!(json!(reading.config.metadata), json!({"job": {"id": 7, "tags": ["a", null, 1.5]}}));
}

#[test]
fn unknown_and_misplaced_keys_are_reported() {
    let reading = read(
        "{\n \"with_stak\": true,\n \"profiler_level\": \"Level1\",\n \"experimental_config\": {\n  \"l2_cahce\": true},\n \"use_cuda\": true\n}",
        Some(TorchNpu),
        &Run::default(),
    );
    assert_diagnostics(&reading, "with_stak", Severity::Warning, "did you mean with_stack?");
    assert_eq!(on(&reading, "with_stak").line, Some(2));
    assert_diagnostics(&reading, "profiler_level", Severity::Warning, "belongs in experimental_config");
    assert_diagnostics(&reading, "experimental_config.l2_cahce", Severity::Warning, "did you mean l2_cache?");
    assert_eq!(on(&reading, "experimental_config.l2_cahce").line, Some(5));
    assert_diagnostics(&reading, "use_cuda", Severity::Warning, "no effect on NPUs");
}

#[test]
fn none_is_no_word_for_torch_npu_metrics() {
    for (level, metrics, instead) in [
        ("Level1", AicMetrics::PipeUtilization, "uses PipeUtilization instead"),
        ("Level0", AicMetrics::None, "uses AiCoreNone instead"),
    ] {
        let text = json!({"start_step": 1, "experimental_config": {"profiler_level": level, "aic_metrics": "None"}});
        let reading = reading(&text.to_string(), TorchNpuDynamic);
        assert_eq!(reading.config.aic_metrics, metrics);
        assert_diagnostics(&reading, "experimental_config.aic_metrics", Severity::Warning, instead);
    }
}

#[test]
fn a_text_that_looks_like_something_else_is_shown_in_quotes() {
    let text = json!({"record_shapes": "true", "with_stack": "maybe", "schedule": {"active": "3"}});
    let reading = reading(&text.to_string(), TorchNpu);
    assert_diagnostics(&reading, "record_shapes", Severity::Warning, "invalid value \"true\", expected true or false");
    assert_diagnostics(&reading, "with_stack", Severity::Warning, "invalid value maybe, expected");
    assert_diagnostics(&reading, "schedule.active", Severity::Warning, "invalid value \"3\", expected");
}

#[test]
fn an_invalid_handler_is_reported_once_with_a_correct_example() {
    let reading = reading(r#"{"on_trace_ready": "./profiling_data"}"#, TorchNpu);
    let diagnostic = on(&reading, "on_trace_ready");
    assert!(diagnostic.message.to_string().contains(r#"like {"dir_name":"./profiling_data"}"#), "{diagnostic}");
    assert!(diagnostic.message.to_string().contains("deleted at the end"), "{diagnostic}");
}

#[test]
fn named_ranks_are_not_analysed_and_the_file_says_so() {
    let config = CollectConfig { ranks: Choice::Only(vec![0]), analyse: Analyse::Online, ..CollectConfig::default() };
    let writing = write(&config, TorchNpuDynamic);
    assert!(writing.text.contains("\"analyse\": false"), "{}", writing.text);
    let diagnostic =
        writing.diagnostics.iter().find(|diagnostic| diagnostic.key.as_deref() == Some("analyse")).unwrap();
    assert!(diagnostic.message.to_string().contains("because is_rank is true"), "{diagnostic}");
    for kept in [
        CollectConfig { ranks: Choice::All, ..config.clone() },
        CollectConfig { analyse: Analyse::Async, ..config.clone() },
    ] {
        let writing = write(&kept, TorchNpuDynamic);
        assert!(writing.text.contains("\"analyse\": true"), "{}", writing.text);
        assert!(writing.diagnostics.iter().all(|diagnostic| diagnostic.key.as_deref() != Some("analyse")));
    }
}
