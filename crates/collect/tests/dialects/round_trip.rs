//! What a dialect can say comes back as it was.

use npuscope_collect::config::{AicMetrics, Analyse, Choice, Export, HostSystem, Level, UNTIL_END};
use npuscope_collect::dialect::{Notation, Run, read, write, write_notation};
use npuscope_collect::{CollectConfig, Dialect, Schedule, Severity};
use proptest::prelude::*;
use serde_json::json;

const STAGES: &[&str] = &["actor_generate", "actor_compute_log_prob", "reference_compute_log_prob", "actor_update"];

fn some<T: Clone + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = Vec<T>> {
    prop::sample::subsequence(all, 0..=all.len())
}

fn metrics() -> impl Strategy<Value = AicMetrics> {
    prop::sample::select(
        &[
            AicMetrics::None,
            AicMetrics::PipeUtilization,
            AicMetrics::ArithmeticUtilization,
            AicMetrics::Memory,
            AicMetrics::MemoryL0,
            AicMetrics::MemoryUb,
            AicMetrics::ResourceConflictRatio,
            AicMetrics::L2Cache,
            AicMetrics::MemoryAccess,
        ][..],
    )
}

fn schedule() -> impl Strategy<Value = Schedule> {
    (0u64..5, 0u64..5, 1u64..9, 0u64..4, 0u64..50, any::<bool>()).prop_map(
        |(wait, warmup, active, repeat, skip_first, skip_first_wait)| Schedule {
            wait,
            warmup,
            active,
            repeat,
            skip_first,
            skip_first_wait,
        },
    )
}

prop_compose! {
    /// Any configuration that makes sense.
    fn config()(
        (enabled, cpu, npu) in (any::<bool>(), any::<bool>(), any::<bool>()),
        ranks in prop::option::of(prop::collection::btree_set(0u32..100, 1..4)),
        stages in prop::option::of(prop::sample::subsequence(STAGES, 1..=STAGES.len())),
        schedule in prop::option::of(schedule()),
        (first_step, at_once) in (0u64..300, any::<bool>()),
        level in prop::sample::select(&Level::ALL[..]),
        aic_metrics in metrics(),
        switches in prop::collection::vec(any::<bool>(), 14),
        domains in (prop::collection::vec("[a-z]{1,5}", 0..3), any::<bool>()),
        host_sys in some(&HostSystem::ALL),
        gc in prop::option::of(0u32..100),
        export in prop::sample::subsequence(&[Export::Text, Export::Db][..], 1..=2),
        output in "[a-z./][a-zA-Z0-9 _'\"$#:,é-]{0,12}",
        analyse in prop::sample::select(&[Analyse::Off, Analyse::Online, Analyse::Async][..]),
        number in 0i64..100,
    ) -> CollectConfig {
        let on = |index: usize| switches[index];
        let (include, exclude) = if domains.1 { (domains.0, vec![]) } else { (vec![], domains.0) };
        let mstx = on(0) || level == Level::None;
        CollectConfig {
            enabled, at_once, first_step, level, analyse, output, host_sys, schedule,
            ranks: ranks.map_or(Choice::All, |ranks| Choice::Only(ranks.into_iter().collect())),
            stages: stages.map_or(Choice::All, |stages| Choice::Only(stages.into_iter().map(str::to_owned).collect())),
            cpu: cpu || !npu,
            npu,
            aic_metrics: if level.has_metrics() { aic_metrics } else { AicMetrics::None },
            mstx,
            mstx_domain_include: if mstx { include } else { vec![] },
            mstx_domain_exclude: if mstx { exclude } else { vec![] },
            stack: on(1), modules: on(2), memory: on(3), shapes: on(4), flops: on(5), l2_cache: on(6), sys_io: on(7),
            sys_interconnection: on(8), record_op_args: on(9), simplify: on(10), parallel_strategy: on(11),
            op_attr: on(12) && export.contains(&Export::Db),
            data_process: on(13) && schedule.is_none(),
            export,
            gc_threshold_ms: gc.map(f64::from),
            metadata: json!({"number": number}).as_object().unwrap().clone(),
        }
    }
}

/// What of a configuration a notation can express; the rest is as the notation has it.
fn expressible(config: CollectConfig, notation: Notation) -> CollectConfig {
    let plain = CollectConfig::default();
    let mindspeed = |config: CollectConfig| CollectConfig {
        aic_metrics: if config.level.has_metrics() { AicMetrics::PipeUtilization } else { AicMetrics::None },
        export: vec![config.export[0]],
        mstx_domain_include: vec![],
        mstx_domain_exclude: vec![],
        l2_cache: false,
        sys_io: false,
        sys_interconnection: false,
        op_attr: false,
        record_op_args: false,
        host_sys: vec![],
        gc_threshold_ms: None,
        data_process: false,
        parallel_strategy: false,
        flops: false,
        at_once: false,
        metadata: plain.metadata.clone(),
        ..config
    };
    let window = |config: &CollectConfig, warmup: u64| {
        let schedule = config.schedule.unwrap_or(Schedule {
            wait: 0,
            warmup,
            active: 1,
            repeat: 1,
            skip_first: 3,
            skip_first_wait: false,
        });
        let skip_first = if warmup > 0 {
            schedule.skip_first
        } else {
            schedule.skip_first
                * u64::from(!matches!(notation, Notation::LlmFlags | Notation::Fsdp2Yaml | Notation::Fsdp2Flags))
        };
        let active =
            if schedule.active == 8 && notation != Notation::MindSporeDynamic { UNTIL_END } else { schedule.active };
        Some(Schedule { wait: 0, warmup, active, repeat: 1, skip_first, skip_first_wait: false })
    };
    let warmup = config.schedule.map_or(0, |schedule| schedule.warmup);
    match notation {
        Notation::LlmFlags | Notation::Fsdp2Yaml | Notation::Fsdp2Flags => {
            let config = mindspeed(config);
            CollectConfig {
                first_step: if notation == Notation::LlmFlags { config.first_step.max(1) } else { 0 },
                schedule: window(&config, warmup.min(1)),
                npu: true,
                mstx: config.level == Level::None,
                modules: false,
                stages: Choice::All,
                analyse: Analyse::Online,
                ..config
            }
        }
        Notation::RlYaml => {
            let config = mindspeed(config);
            let analyse = if config.analyse == Analyse::Async { Analyse::Online } else { config.analyse };
            CollectConfig {
                first_step: 1,
                schedule: window(&config, 0),
                stack: false,
                simplify: true,
                analyse,
                ..config
            }
        }
        Notation::MindSporeArguments | Notation::MindSporeDynamic | Notation::MindSporeEnvironment => {
            let is_dynamic = notation == Notation::MindSporeDynamic;
            let config = CollectConfig {
                ranks: Choice::All,
                stages: Choice::All,
                first_step: u64::from(is_dynamic),
                at_once: false,
                modules: false,
                flops: false,
                op_attr: false,
                record_op_args: false,
                gc_threshold_ms: None,
                metadata: plain.metadata,
                shapes: config.shapes && config.cpu,
                aic_metrics: match (config.level.has_metrics(), config.aic_metrics) {
                    (true, AicMetrics::None) => AicMetrics::Memory,
                    (_, metrics) => metrics,
                },
                host_sys: config.host_sys.iter().copied().filter(|system| *system != HostSystem::Numa).collect(),
                ..config
            };
            match notation {
                Notation::MindSporeDynamic => {
                    CollectConfig { enabled: true, schedule: window(&config, 0), data_process: false, ..config }
                }
                Notation::MindSporeEnvironment => CollectConfig { schedule: None, analyse: Analyse::Online, ..config },
                _ => {
                    let schedule = config.schedule.map(|schedule| Schedule { skip_first_wait: false, ..schedule });
                    CollectConfig { enabled: true, schedule, ..config }
                }
            }
        }
        Notation::TorchNpuArguments => CollectConfig {
            enabled: true,
            ranks: Choice::All,
            stages: Choice::All,
            first_step: 0,
            at_once: false,
            data_process: false,
            parallel_strategy: false,
            metadata: plain.metadata,
            ..config
        },
        Notation::TorchNpuDynamic => {
            let schedule = window(&config, warmup);
            CollectConfig {
                enabled: true,
                stages: Choice::All,
                first_step: 1,
                schedule: schedule.map(|s| Schedule { skip_first: if config.at_once { 0 } else { s.skip_first }, ..s }),
                analyse: match (&config.ranks, config.analyse) {
                    (Choice::Only(_), Analyse::Online) => Analyse::Off,
                    (_, analyse) => analyse,
                },
                data_process: false,
                parallel_strategy: false,
                ..config
            }
        }
    }
}

/// The configuration with one spelling of schedules that record the same steps.
fn same_steps(config: CollectConfig) -> CollectConfig {
    let schedule = config.schedule.map(|schedule| {
        let first_wait = if schedule.skip_first_wait { 0 } else { schedule.wait };
        let begin = schedule.skip_first + first_wait;
        let wait = if schedule.repeat == 1 { 0 } else { schedule.wait };
        // Not a schedule to use: its skipped steps hold the wait of the first round.
        Schedule { wait, skip_first: begin, skip_first_wait: false, ..schedule }
    });
    CollectConfig { schedule, ..config }
}

proptest! {
    #![proptest_config(npuscope_testing::cases(400))]

    #[test]
    fn what_can_be_expressed_comes_back(config in config(), notation in prop::sample::select(Notation::ALL)) {
        let config = expressible(config, notation);
        let run = Run { iteration: config.first_step.saturating_sub(1), ..Run::default() };
        let written = write_notation(&config, notation);
        prop_assert_eq!(&written.diagnostics, &[], "{}", written.text);
        let back = read(&written.text, Some(notation.dialect()), &run);
        prop_assert_eq!(back.notation, Some(notation), "{}", written.text);
        prop_assert_eq!(&back.config, &config, "{}", written.text);
        prop_assert!(!back.has_errors(), "{}\n{:#?}", written.text, back.diagnostics);
        // The dialect is detected from the text alone.
        prop_assert_eq!(read(&written.text, None, &run).notation, Some(notation), "{}", written.text);
    }

    #[test]
    fn what_cannot_be_expressed_is_reported(config in config(), notation in prop::sample::select(Notation::ALL)) {
        let written = write_notation(&config, notation);
        let run = Run { iteration: config.first_step.saturating_sub(1), ..Run::default() };
        let back = read(&written.text, Some(notation.dialect()), &run).config;
        let is_lossless = same_steps(back) == same_steps(config);
        prop_assert_eq!(written.diagnostics.is_empty(), is_lossless, "{}\n{:#?}", written.text, written.diagnostics);
    }

    #[test]
    fn the_configuration_is_json_both_ways(config in config()) {
        let text = serde_json::to_string(&config).unwrap();
        prop_assert_eq!(serde_json::from_str::<CollectConfig>(&text).unwrap(), config);
    }
}

#[test]
fn the_same_step_has_another_number_elsewhere() {
    let fsdp2 = "training:\n  profile: true\n  profile_step_start: 5\n  profile_step_end: 7\n";
    let config = read(fsdp2, None, &Run::default()).config;
    let llm = write(&config, Dialect::MindSpeedLlm);
    assert!(llm.text.contains("--profile-step-start 6 \\\n--profile-step-end 8"), "{}", llm.text);
    let step = llm.diagnostics.iter().find(|diagnostic| diagnostic.key.as_deref() == Some("first_step")).unwrap();
    assert_eq!(step.severity, Severity::Info);
    assert!(write(&config, Dialect::MindSpeedRl).text.contains("profile_step_start: 6\n    profile_step_end: 8"));
    assert!(
        write_notation(&config, Notation::MindSporeDynamic).text.contains("\"start_step\": 6,\n  \"stop_step\": 7")
    );
    // Warming up begins one step before.
    assert!(write(&config, Dialect::TorchNpuDynamic).text.contains("\"start_step\": 5,\n  \"warmup\": 1"));
}

#[test]
fn a_wait_that_comes_once_is_not_lost() {
    let schedule = Schedule { wait: 2, warmup: 1, active: 2, repeat: 1, skip_first: 3, skip_first_wait: false };
    let lost = |schedule| {
        let config = CollectConfig { schedule: Some(schedule), simplify: false, ..CollectConfig::default() };
        let diagnostics = write(&config, Dialect::Fsdp2).diagnostics;
        diagnostics.into_iter().filter_map(|diagnostic| diagnostic.key).collect::<Vec<_>>()
    };
    assert_eq!(lost(schedule), [] as [&str; 0]);
    assert_eq!(lost(Schedule { repeat: 3, ..schedule }), ["schedule.repeat", "schedule.wait"]);
    assert_eq!(lost(Schedule { warmup: 4, ..schedule }), ["schedule.warmup"]);
}

#[test]
fn diagnostics_name_what_is_lost() {
    let config = CollectConfig { stack: true, l2_cache: true, ..CollectConfig::default() };
    let written = write(&config, Dialect::MindSpeedRl);
    let keys: Vec<&str> = written.diagnostics.iter().filter_map(|diagnostic| diagnostic.key.as_deref()).collect();
    assert!(keys.contains(&"stack") && keys.contains(&"l2_cache") && !keys.contains(&"memory"), "{keys:?}");
}

#[test]
fn json_of_the_configuration_is_what_python_sees() {
    let json = serde_json::to_value(CollectConfig::default()).unwrap();
    assert_eq!((&json["ranks"], &json["level"], &json["analyse"]), (&json!("all"), &json!("level0"), &json!("online")));
    assert_eq!(
        (&json["schedule"], &json["export"], &json["aic_metrics"]),
        (&json!(null), &json!(["text"]), &json!("none"))
    );
    assert_eq!(serde_json::to_value(AicMetrics::MemoryL0).unwrap(), json!("memory_l0"));
    assert_eq!(serde_json::to_value(AicMetrics::MemoryUb).unwrap(), json!("memory_ub"));
    assert_eq!(serde_json::to_value(AicMetrics::L2Cache).unwrap(), json!("l2_cache"));
    assert!(serde_json::from_value::<CollectConfig>(json!({"ranks": "some"})).is_err());
    assert!(serde_json::from_value::<CollectConfig>(json!({"rank": [1]})).is_err());
}
