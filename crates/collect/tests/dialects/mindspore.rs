//! MindSpore's arguments, dynamic JSON and variable.

use npuscope_collect::Dialect::MindSpore;
use npuscope_collect::config::{AicMetrics, Analyse, Choice, Export, HostSystem, Level};
use npuscope_collect::dialect::{Notation, Reader, Run, read};
use npuscope_collect::{CollectConfig, Schedule, Severity};
use serde_json::{Value, json};

use crate::common::{assert_diagnostics, assert_fine, on, reading, window};

const GUIDE_DYNAMIC: &str = r#"{
   "start_step": 2,
   "stop_step": 5,
   "aicore_metrics": -1,
   "profiler_level": 0,
   "activities": 0,
   "analyse_mode": -1,
   "parallel_strategy": false,
   "with_stack": false,
   "data_simplification": true
}"#;

const GUIDE_ENVIRONMENT: &str = r#"export MS_PROFILER_OPTIONS='
{"start": true,
"output_path": "/XXX",
"activities": ["CPU", "NPU"],
"with_stack": true,
"aicore_metrics": "AicoreNone",
"l2_cache": false,
"profiler_level": "Level0"}'
python train.py
"#;

/// The arguments of the guide: `Profiler(schedule=schedule(...), on_trace_ready=tensor_board_trace_handler)`.
const GUIDE_ARGUMENTS: &str = r#"{
    "schedule": {"wait": 0, "warm_up": 0, "active": 2, "repeat": 1, "skip_first": 0},
    "on_trace_ready": "tensor_board_trace_handler"
}"#;

fn arguments(arguments: Value) -> npuscope_collect::dialect::Reading {
    let mut all = json!({"data_process": false, "on_trace_ready": "tensorboard_trace_handler"});
    all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
    reading(&all.to_string(), MindSpore)
}

fn dynamic(keys: Value) -> npuscope_collect::dialect::Reading {
    let mut all = json!({"start_step": 2, "stop_step": 5});
    all.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    reading(&all.to_string(), MindSpore)
}

fn environment(keys: Value) -> npuscope_collect::dialect::Reading {
    let mut all = json!({"start": true});
    all.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    reading(&all.to_string(), MindSpore)
}

#[test]
fn the_guides_dynamic_file_is_read() {
    let reading = read(GUIDE_DYNAMIC, None, &Run::default());
    assert_eq!((reading.dialect, reading.notation), (Some(MindSpore), Some(Notation::MindSporeDynamic)));
    let expected =
        CollectConfig { schedule: window(1, 0, 4), first_step: 1, analyse: Analyse::Off, ..CollectConfig::default() };
    assert_eq!(reading.config, expected);
    assert_eq!(on(&reading, "aicore_metrics").line, Some(4));
    assert_diagnostics(&reading, "aicore_metrics", Severity::Info, "read aic_metrics");
    let other =
        read(&GUIDE_DYNAMIC.replace("-1,\n   \"profiler_level", "1,\n   \"profiler_level"), None, &Run::default());
    assert_diagnostics(&other, "aicore_metrics", Severity::Warning, "read aic_metrics");
    assert_diagnostics(&reading, "profiler_level", Severity::Info, "0 means Level0");
}

#[test]
fn the_guides_variable_is_read() {
    let reading = read(GUIDE_ENVIRONMENT, None, &Run::default());
    assert_eq!((reading.dialect, reading.notation), (Some(MindSpore), Some(Notation::MindSporeEnvironment)));
    let expected = CollectConfig { stack: true, output: "/XXX".to_owned(), ..CollectConfig::default() };
    assert_eq!(reading.config, expected);
    assert_eq!(on(&reading, "aicore_metrics").line, Some(6));
}

#[test]
fn the_guides_arguments_are_read() {
    let reading = reading(GUIDE_ARGUMENTS, MindSpore);
    assert_fine(&reading);
    assert_eq!(reading.notation, Some(Notation::MindSporeArguments));
    assert_eq!((reading.config.schedule, reading.config.first_step), (window(0, 0, 2), 0));
    assert_eq!(reading.config.analyse, Analyse::Online);
    assert_diagnostics(&reading, "schedule.warm_up", Severity::Info, "warmup");
    assert_diagnostics(&reading, "on_trace_ready", Severity::Info, "tensorboard_trace_handler");
}

#[test]
fn defaults_are_the_documented_ones() {
    let defaults = CollectConfig { output: "./data".to_owned(), analyse: Analyse::Off, ..CollectConfig::default() };
    assert_eq!(reading(r#"{"data_process": false}"#, MindSpore).config, defaults);
    let environment = reading(r#"{"start": true}"#, MindSpore);
    assert_fine(&environment);
    assert_eq!(environment.config, CollectConfig { analyse: Analyse::Online, ..defaults.clone() });
    let dynamic = CollectConfig {
        enabled: false,
        schedule: window(0, 0, 1),
        first_step: 1,
        analyse: Analyse::Off,
        ..CollectConfig::default()
    };
    assert_eq!(reading(r#"{"start_step": -1, "stop_step": -1}"#, MindSpore).config, dynamic);
}

/// Switches that all three notations have.
#[test]
fn every_switch_does_what_it_says_in_every_notation() {
    type Field = fn(&CollectConfig) -> bool;
    let switches: [(&str, Field); 8] = [
        ("with_stack", |config| config.stack),
        ("profile_memory", |config| config.memory),
        ("record_shapes", |config| config.shapes),
        ("parallel_strategy", |config| config.parallel_strategy),
        ("l2_cache", |config| config.l2_cache),
        ("mstx", |config| config.mstx),
        ("sys_io", |config| config.sys_io),
        ("sys_interconnection", |config| config.sys_interconnection),
    ];
    for notation in [arguments, dynamic, environment] {
        for (key, field) in switches {
            let on = notation(json!({key: true}));
            assert_fine(&on);
            assert!(field(&on.config) && !field(&notation(json!({key: false})).config), "{key}");
            let wrong = notation(json!({key: "yes"}));
            assert_diagnostics(&wrong, key, Severity::Warning, "MindSpore uses false instead");
            assert!(!field(&wrong.config), "{key}");
        }
        assert!(!notation(json!({"data_simplification": false})).config.simplify);
        let wrong = notation(json!({"data_simplification": 0}));
        assert!(wrong.config.simplify);
        assert_diagnostics(&wrong, "data_simplification", Severity::Warning, "uses true instead");
    }
}

#[test]
fn every_level_and_metric_is_known_in_every_notation() {
    for notation in [arguments, dynamic, environment] {
        for (word, level) in [("Level0", Level::Level0), ("Level1", Level::Level1), ("Level2", Level::Level2)] {
            assert_eq!(notation(json!({"profiler_level": word})).config.level, level);
        }
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
            let reading = notation(json!({"profiler_level": "Level1", "aic_metrics": word}));
            assert_fine(&reading);
            assert_eq!(reading.config.aic_metrics, metrics);
            let at_level0 = notation(json!({"aic_metrics": word}));
            assert_diagnostics(&at_level0, "aic_metrics", Severity::Warning, "requires Level1 or Level2");
            assert_eq!(at_level0.config.aic_metrics, AicMetrics::None);
        }
        let wrong = notation(json!({"profiler_level": "level1"}));
        assert_diagnostics(&wrong, "profiler_level", Severity::Warning, "did you mean Level1?");
        assert_eq!(wrong.config.level, Level::Level0);
        let wrong = notation(json!({"profiler_level": "Level1", "aic_metrics": "Pipes"}));
        assert_diagnostics(&wrong, "aic_metrics", Severity::Warning, "uses AiCoreNone instead");
    }
}

#[test]
fn levels_with_metrics_have_some() {
    let reading = arguments(json!({"profiler_level": "Level1", "aic_metrics": "AiCoreNone"}));
    assert_diagnostics(&reading, "aic_metrics", Severity::Warning, "PipeUtilization instead");
    assert_eq!(reading.config.aic_metrics, AicMetrics::PipeUtilization);
    let silent = arguments(json!({"profiler_level": "Level2"}));
    assert_fine(&silent);
    assert_eq!(silent.config.aic_metrics, AicMetrics::PipeUtilization);
}

#[test]
fn level_none_needs_mstx() {
    let without = arguments(json!({"profiler_level": "LevelNone"}));
    assert_diagnostics(&without, "profiler_level", Severity::Warning, "uses Level0 instead");
    assert_eq!((without.config.level, without.config.mstx), (Level::Level0, false));
    let with = arguments(json!({"profiler_level": "LevelNone", "mstx": true}));
    assert_fine(&with);
    assert_eq!(with.config.level, Level::None);
}

#[test]
fn numbers_stand_for_words_in_dynamic_files_only() {
    let levels = [(-1, Level::None), (0, Level::Level0), (1, Level::Level1), (2, Level::Level2)];
    for (code, level) in levels {
        assert_eq!(dynamic(json!({"profiler_level": code, "mstx": true})).config.level, level);
    }
    let metrics = [
        AicMetrics::PipeUtilization,
        AicMetrics::ArithmeticUtilization,
        AicMetrics::Memory,
        AicMetrics::MemoryL0,
        AicMetrics::MemoryUb,
        AicMetrics::ResourceConflictRatio,
        AicMetrics::L2Cache,
        AicMetrics::MemoryAccess,
    ];
    for (code, metrics) in metrics.into_iter().enumerate() {
        let reading = dynamic(json!({"profiler_level": 1, "aic_metrics": code}));
        assert_eq!(reading.config.aic_metrics, metrics, "{code}");
    }
    for (code, cpu, npu) in [(0, true, true), (1, true, false), (2, false, true)] {
        let config = dynamic(json!({"activities": code})).config;
        assert_eq!((config.cpu, config.npu), (cpu, npu));
    }
    assert_eq!(dynamic(json!({"export_type": 1})).config.export, [Export::Db]);
    assert_eq!(dynamic(json!({"export_type": 2})).config.export, [Export::Text, Export::Db]);
    let zero = dynamic(json!({"export_type": 0}));
    assert_eq!(zero.config.export, [Export::Text]);
    assert_diagnostics(&zero, "export_type", Severity::Warning, "uses text instead");
    let argument = arguments(json!({"profiler_level": 1}));
    assert_diagnostics(&argument, "profiler_level", Severity::Warning, "uses Level0 instead");
}

#[test]
fn mindspore_stop_step_is_inclusive() {
    let reading = dynamic(json!({"start_step": 8, "stop_step": 10}));
    assert_eq!((reading.config.schedule, reading.config.first_step), (window(7, 0, 3), 1));
    let one = dynamic(json!({"start_step": 8, "stop_step": 8}));
    assert_fine(&one);
    assert_eq!(one.config.schedule, window(7, 0, 1));
    let none = dynamic(json!({"start_step": 8, "stop_step": 7}));
    assert_diagnostics(&none, "stop_step", Severity::Error, "nothing is recorded");
    assert!(!none.config.enabled);
    let zero = dynamic(json!({"start_step": 0, "stop_step": 0}));
    assert_diagnostics(&zero, "stop_step", Severity::Error, "0 is before start_step 1");
    assert!(!zero.config.enabled);
}

#[test]
fn a_boolean_is_no_number_for_mindspore() {
    let reading = dynamic(json!({"start_step": true}));
    assert_diagnostics(&reading, "start_step", Severity::Warning, "uses -1 instead");
    assert!(!reading.config.enabled);
    let schedule = arguments(json!({"schedule": {"wait": true, "active": 2}}));
    assert_diagnostics(&schedule, "schedule.wait", Severity::Warning, "uses 0 instead");
}

#[test]
fn schedules_are_repaired() {
    let reading =
        arguments(json!({"schedule": {"wait": -1, "warmup": "a", "active": 0, "repeat": -2, "skip_first": 1.5}}));
    for key in ["wait", "warmup", "active", "repeat", "skip_first"] {
        assert_diagnostics(&reading, &format!("schedule.{key}"), Severity::Warning, "instead");
    }
    let expected = Schedule { wait: 0, warmup: 0, active: 1, repeat: 0, skip_first: 0, skip_first_wait: false };
    assert_eq!(reading.config.schedule, Some(expected));
    let foreign = arguments(json!({"schedule": {"active": 1, "skip_first_wait": 1}}));
    assert_diagnostics(&foreign, "schedule.skip_first_wait", Severity::Warning, "unknown key");
    let none = arguments(json!({"schedule": 5}));
    assert_eq!(none.config.schedule, None);
    assert_diagnostics(&none, "schedule", Severity::Warning, "uses none instead");
}

#[test]
fn activities_are_both_unless_they_are_right() {
    for notation in [arguments, dynamic, environment] {
        let config = notation(json!({"activities": ["CPU"]})).config;
        assert_eq!((config.cpu, config.npu), (true, false));
        let config = notation(json!({"activities": ["ProfilerActivity.NPU"]})).config;
        assert_eq!((config.cpu, config.npu), (false, true));
        for wrong in [json!(["TPU"]), json!([1]), json!([]), json!("TPU")] {
            let reading = notation(json!({"activities": wrong}));
            assert_diagnostics(&reading, "activities", Severity::Warning, "uses CPU and NPU instead");
            assert!(reading.config.cpu && reading.config.npu);
        }
    }
}

#[test]
fn shapes_need_the_host() {
    let reading = arguments(json!({"activities": ["NPU"], "record_shapes": true, "with_stack": true}));
    assert_diagnostics(&reading, "record_shapes", Severity::Warning, "turns it off");
    assert!(!reading.config.shapes);
    assert_diagnostics(&reading, "with_stack", Severity::Info, "CPU in activities");
}

#[test]
fn exports_hosts_and_domains_are_lists() {
    for notation in [arguments, dynamic, environment] {
        assert_eq!(notation(json!({"export_type": ["db", "text"]})).config.export, [Export::Text, Export::Db]);
        assert_eq!(notation(json!({"export_type": "db"})).config.export, [Export::Db]);
        let wrong = notation(json!({"export_type": ["db", "csv"]}));
        assert_eq!(wrong.config.export, [Export::Text]);
        assert_diagnostics(&wrong, "export_type", Severity::Warning, "uses text instead");
        let all = notation(json!({"host_sys": ["cpu", "mem", "disk", "network", "osrt"]}));
        assert_fine(&all);
        assert_eq!(all.config.host_sys, HostSystem::ALL[..5]);
        let numa = notation(json!({"host_sys": ["cpu", "numa"]}));
        assert_diagnostics(&numa, "host_sys", Severity::Warning, "uses none instead");
        assert!(numa.config.host_sys.is_empty());
        let domains = notation(json!({"mstx": true, "mstx_domain_include": ["a"], "mstx_domain_exclude": ["b"]}));
        assert_diagnostics(&domains, "mstx_domain_exclude", Severity::Warning, "no effect together with");
        assert_eq!(
            (domains.config.mstx_domain_include, domains.config.mstx_domain_exclude),
            (vec!["a".to_owned()], vec![])
        );
        let without = notation(json!({"mstx_domain_include": ["a"]}));
        assert_diagnostics(&without, "mstx_domain_include", Severity::Warning, "without mstx");
        for wrong in [json!([""]), json!([1]), json!("a")] {
            let reading = notation(json!({"mstx": true, "mstx_domain_include": wrong}));
            assert_diagnostics(&reading, "mstx_domain_include", Severity::Warning, "uses none instead");
        }
    }
}

#[test]
fn deprecated_keys_are_their_successors() {
    for notation in [arguments, environment] {
        let reading = notation(json!({"hbm_ddr": true, "pcie": true}));
        assert!(reading.config.memory && reading.config.sys_interconnection);
        assert_diagnostics(&reading, "hbm_ddr", Severity::Warning, "use profile_memory");
        assert_diagnostics(&reading, "pcie", Severity::Warning, "use sys_interconnection");
    }
}

#[test]
fn pipelines_and_schedules_exclude_each_other() {
    assert!(arguments(json!({"data_process": true})).config.data_process);
    let both = arguments(json!({"data_process": true, "schedule": {"wait": 0, "active": 1}}));
    assert_diagnostics(&both, "data_process", Severity::Warning, "turns it off");
    assert!(!both.config.data_process);
}

#[test]
fn the_handlers_directory_wins() {
    let reading = arguments(json!({"output_path": "/a", "on_trace_ready": {"dir_name": "/b"}}));
    assert_diagnostics(&reading, "output_path", Severity::Warning, "takes precedence");
    assert_eq!(reading.config.output, "/b");
    let own = arguments(json!({"output_path": "/a"}));
    assert_fine(&own);
    assert_eq!(own.config.output, "/a");
    for (flags, analyse) in [
        (json!({"dir_name": "d"}), Analyse::Online),
        (json!({"dir_name": "d", "async_mode": true}), Analyse::Async),
        (json!({"dir_name": "d", "analyse_flag": false, "async_mode": true}), Analyse::Off),
    ] {
        assert_eq!(arguments(json!({"on_trace_ready": flags})).config.analyse, analyse);
    }
}

#[test]
fn experimental_arguments_may_be_apart() {
    let nested = arguments(json!({"experimental_config": {"profiler_level": "Level1", "l2_cache": true}}));
    assert_fine(&nested);
    assert_eq!((nested.config.level, nested.config.l2_cache), (Level::Level1, true));
}

#[test]
fn the_variable_needs_start() {
    let off = environment(json!({"start": false}));
    assert!(!off.config.enabled);
    assert_diagnostics(&off, "start", Severity::Warning, "must be true");
    // What each of them does about a text.
    for (reader, is_on, words) in [
        (Reader::Trainer, true, r#""true" is a string; MindSpore treats any string as true, npuscope as false"#),
        (Reader::Npuscope, false, r#""true" is a string, which npuscope treats as false; write true or false"#),
    ] {
        let text = json!({"start": "true", "profiler_level": "Level1"}).to_string();
        let reading = read(&text, None, &Run { reader, ..Run::default() });
        assert_eq!(reading.config.enabled, is_on);
        assert_diagnostics(&reading, "start", Severity::Warning, words);
    }
    let schedule = environment(json!({"schedule": {"wait": 0}}));
    assert_diagnostics(&schedule, "schedule", Severity::Warning, "unknown key");
    assert_eq!(
        environment(json!({"profiler_level": "Level1", "aic_metrics": "None"})).config.aic_metrics,
        AicMetrics::PipeUtilization
    );
    assert_fine(&environment(json!({"aic_metrics": "None"})));
}

#[test]
fn dynamic_files_are_analysed_when_analyse_says_so() {
    for (keys, analyse) in [
        (json!({}), Analyse::Off),
        (json!({"analyse": true}), Analyse::Online),
        (json!({"analyse": true, "analyse_mode": 0}), Analyse::Online),
        (json!({"analyse": true, "analyse_mode": 1}), Analyse::Async),
    ] {
        let reading = dynamic(keys);
        assert_fine(&reading);
        assert_eq!(reading.config.analyse, analyse);
    }
    let mode = dynamic(json!({"analyse_mode": 1}));
    assert_eq!(mode.config.analyse, Analyse::Off);
    assert_diagnostics(&mode, "analyse_mode", Severity::Warning, "unless analyse is true");
    assert_eq!(dynamic(json!({"prof_path": "/p"})).config.output, "/p");
}

#[test]
fn unknown_keys_are_reported() {
    let reading = dynamic(json!({"profile_memroy": true, "data_process": true}));
    assert_diagnostics(&reading, "profile_memroy", Severity::Warning, "did you mean profile_memory?");
    assert_diagnostics(&reading, "data_process", Severity::Warning, "unknown key");
    assert_eq!(reading.config.ranks, Choice::All);
}
