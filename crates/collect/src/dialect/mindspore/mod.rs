//! MindSpore: the arguments of `profile` or of the older `Profiler` as a JSON object, `profiler_config.json` of
//! `DynamicProfilerMonitor`, or the variable `MS_PROFILER_OPTIONS`.
//!
//! A schedule counts from 0 at the profiler's start. Dynamic steps count from 1, and `stop_step` is recorded, too.

mod codes;
pub(crate) mod dynamic;

use serde_json::{Value as Json, json};

use crate::config::{AicMetrics, Analyse, CollectConfig, Level};
use crate::diagnostic::{Diagnostic, Severity};
use crate::messages;

use super::arguments::{
    activities, activity_names, domains, export, export_json, handler, handler_json, host_sys, host_sys_json, pretty,
    schedule, schedule_json,
};
use super::check::{CpuSwitch, Keys, check};
use super::names::{EXPORTS, HOST_SYSTEMS_MINDSPORE, LEVELS_MINDSPORE, METRICS, METRICS_MINDSPORE, word};
use super::node::{Entry, Node, Value};
use super::section::{Manners, Section};
use super::{Notation, Run};

const MANNERS: Manners =
    Manners { profiler: "MindSpore", is_mindspore: true, wrong: Severity::Warning, ..Manners::of_trainer("MindSpore") };

/// What every notation has, and what of it `profile` takes in `_ExperimentalConfig`.
const EXPERIMENTAL: &[&str] = &[
    "profiler_level",
    "aic_metrics",
    "aicore_metrics",
    "l2_cache",
    "mstx",
    "data_simplification",
    "export_type",
    "mstx_domain_include",
    "mstx_domain_exclude",
    "sys_io",
    "sys_interconnection",
    "host_sys",
];

/// The keys of the variable, then those that only arguments have; `start` is only the variable's.
const ALL: &[&str] = &[
    "start",
    "activities",
    "profiler_level",
    "aic_metrics",
    "aicore_metrics",
    "with_stack",
    "profile_memory",
    "record_shapes",
    "data_process",
    "parallel_strategy",
    "start_profile",
    "l2_cache",
    "sys_io",
    "sys_interconnection",
    "mstx",
    "hbm_ddr",
    "pcie",
    "host_sys",
    "sync_enable",
    "data_simplification",
    "export_type",
    "mstx_domain_include",
    "mstx_domain_exclude",
    "output_path",
    "schedule",
    "on_trace_ready",
    "experimental_config",
];

const ARGUMENTS: &[&str] = ALL.split_at(1).1;
const ENVIRONMENT: &[&str] = ALL.split_at(ALL.len() - 3).0;

/// The keys of a notation, and those of its `experimental_config`.
pub(super) fn keys(notation: Notation) -> (&'static [&'static str], &'static [&'static str]) {
    match notation {
        Notation::MindSporeDynamic => (dynamic::KEYS, &[]),
        Notation::MindSporeEnvironment => (ENVIRONMENT, &[]),
        _ => (ARGUMENTS, EXPERIMENTAL),
    }
}

pub(super) fn read(notation: Notation, node: &Node, run: &Run) -> (CollectConfig, Vec<Diagnostic>) {
    let entries = flattened(notation, node);
    let mut section = Section::new(&entries, "", MANNERS.read_by(run.reader));
    section.unknown(keys(notation).0, Severity::Warning, &messages::consequence_no_effect());
    // Codes are replaced by words, so that the rest needs to know words only.
    let (entries, mut diagnostics) = codes::words(&entries, notation, &mut section);
    diagnostics.append(&mut section.diagnostics);
    let mut section = Section::new(&entries, "", MANNERS.read_by(run.reader));
    section.diagnostics = diagnostics;
    let mut config = common(&mut section);
    match notation {
        Notation::MindSporeDynamic => dynamic::read(&mut section, &mut config),
        Notation::MindSporeEnvironment => environment(&mut section, &mut config),
        _ => arguments(&mut section, &mut config),
    }
    let keys = Keys {
        enabled: if notation == Notation::MindSporeDynamic { "start_step" } else { "start" },
        ranks: "",
        start: if notation == Notation::MindSporeDynamic { "start_step" } else { "schedule" },
        cpu: CpuSwitch::Activities,
        stack: "with_stack",
        ..Keys::default()
    };
    check(&mut section, &config, &keys, run);
    (config, section.diagnostics)
}

/// The arguments with those of `experimental_config` beside the others, as the older `Profiler` has them.
fn flattened(notation: Notation, node: &Node) -> Vec<Entry> {
    let mut flat = Vec::new();
    for entry in node.map().unwrap_or_default() {
        match entry
            .node
            .map()
            .filter(|_| entry.key == "experimental_config" && notation == Notation::MindSporeArguments)
        {
            Some(inner) => flat.extend(inner.iter().cloned()),
            None => flat.push(entry.clone()),
        }
    }
    flat
}

/// What all notations have.
fn common(section: &mut Section) -> CollectConfig {
    let (cpu, npu) = activities(section);
    let mut config = CollectConfig {
        cpu,
        npu,
        level: section.one_of("profiler_level", LEVELS_MINDSPORE, "Level0").unwrap_or(Level::Level0),
        mstx: section.bool("mstx", false),
        stack: section.bool("with_stack", false),
        memory: section.bool("profile_memory", false),
        shapes: section.bool("record_shapes", false),
        parallel_strategy: section.bool("parallel_strategy", false),
        l2_cache: section.bool("l2_cache", false),
        sys_io: section.bool("sys_io", false),
        sys_interconnection: section.bool("sys_interconnection", false),
        simplify: section.bool("data_simplification", true),
        export: export(section, EXPORTS),
        host_sys: host_sys(section, HOST_SYSTEMS_MINDSPORE),
        ..CollectConfig::default()
    };
    if config.level == Level::None && !config.mstx {
        config.level = Level::Level0;
        section.warn("profiler_level", messages::level_none_without_mstx(section.peer()));
    }
    config.aic_metrics = metrics(section, config.level);
    (config.mstx_domain_include, config.mstx_domain_exclude) = domains(section, config.mstx);
    if config.shapes && !config.cpu {
        config.shapes = false;
        section.warn("record_shapes", messages::shapes_need_cpu(section.peer()));
    }
    if config.memory && !(config.cpu && config.npu) {
        section.note("profile_memory", messages::memory_needs_both());
    }
    config
}

/// Metrics need Level1 or Level2, and these levels need metrics.
fn metrics(section: &mut Section, level: Level) -> AicMetrics {
    let key = "aic_metrics";
    let asked = section.one_of(key, METRICS_MINDSPORE, "AiCoreNone").unwrap_or(AicMetrics::None);
    match (level.has_metrics(), asked) {
        (true, AicMetrics::None) => {
            if section.has(key) {
                section.warn(key, messages::metrics_required(section.peer()));
            }
            AicMetrics::PipeUtilization
        }
        (false, asked) if asked != AicMetrics::None => {
            section.warn(key, messages::metrics_need_level(section.peer()));
            AicMetrics::None
        }
        (_, asked) => asked,
    }
}

/// What `profile` and the environment have and a dynamic file has not.
fn constructor(section: &mut Section, config: &mut CollectConfig) {
    config.data_process = section.bool("data_process", false);
    for (key, newer, field) in [
        ("hbm_ddr", "profile_memory", &mut config.memory),
        ("pcie", "sys_interconnection", &mut config.sys_interconnection),
    ] {
        if section.has(key) {
            *field |= section.bool(key, false);
            section.warn(key, messages::deprecated(newer));
        }
    }
    let starts = section.bool("start_profile", true);
    if !starts {
        section.note("start_profile", messages::starts_on_call());
    } else if !config.host_sys.is_empty() {
        section.note("host_sys", messages::host_sys_needs_start());
    }
    if section.has("sync_enable") {
        section.note("sync_enable", messages::no_effect_on_npu());
    }
    config.output = section.text("output_path", "./data");
}

fn arguments(section: &mut Section, config: &mut CollectConfig) {
    constructor(section, config);
    config.schedule = schedule(section);
    if config.schedule.is_some() && config.data_process {
        config.data_process = false;
        section.warn("data_process", messages::data_process_needs_no_schedule(section.peer()));
    }
    match handler(section) {
        None => config.analyse = Analyse::Off,
        Some((output, analyse)) => {
            let has_directory = section.get("on_trace_ready").is_some_and(|node| node.get("dir_name").is_some());
            if has_directory {
                if section.has("output_path") {
                    section.warn("output_path", messages::output_path_ignored());
                }
                config.output = output;
            }
            config.analyse = analyse;
        }
    }
    if config.analyse == Analyse::Off && !section.has("on_trace_ready") {
        section.note("on_trace_ready", messages::handler_missing_raw());
    }
}

fn environment(section: &mut Section, config: &mut CollectConfig) {
    constructor(section, config);
    config.enabled = starts(section);
    config.analyse = Analyse::Online;
    if !config.enabled && section.get("start").is_none_or(|node| node.text().is_none()) {
        section.warn("start", messages::must_start());
    }
}

/// MindSpore takes any text but an empty one as true, `"false"` included; npuscope takes only true.
fn starts(section: &mut Section) -> bool {
    let Some(node) = section.get("start") else { return false };
    match &node.value {
        Value::Text(text) => {
            let shown = node.shown();
            let own = section.manners().is_npuscope;
            section
                .warn("start", if own { messages::start_is_text(&shown) } else { messages::start_is_truthy(&shown) });
            !own && !text.is_empty()
        }
        _ => section.bool("start", false),
    }
}

pub(super) fn write(config: &CollectConfig, notation: Notation) -> String {
    if notation == Notation::MindSporeDynamic {
        return dynamic::write(config);
    }
    let experimental = json!({
        "profiler_level": word(LEVELS_MINDSPORE, &config.level),
        "aic_metrics": word(METRICS, &config.aic_metrics),
        "l2_cache": config.l2_cache,
        "mstx": config.mstx,
        "data_simplification": config.simplify,
        "export_type": export_json(config),
        "mstx_domain_include": config.mstx_domain_include,
        "mstx_domain_exclude": config.mstx_domain_exclude,
        "sys_io": config.sys_io,
        "sys_interconnection": config.sys_interconnection,
        "host_sys": host_sys_json(config, HOST_SYSTEMS_MINDSPORE),
    });
    let mut json = json!({
        "activities": activity_names(config),
        "with_stack": config.stack,
        "profile_memory": config.memory,
        "record_shapes": config.shapes,
        "data_process": config.data_process,
        "parallel_strategy": config.parallel_strategy,
    });
    let Json::Object(arguments) = &mut json else { return String::new() };
    if notation == Notation::MindSporeEnvironment {
        arguments.insert("start".to_owned(), config.enabled.into());
        arguments.insert("output_path".to_owned(), config.output.clone().into());
        if let Json::Object(experimental) = experimental {
            arguments.extend(experimental);
        }
        // The variable has the value of AiCoreNone, not its name.
        if config.aic_metrics == AicMetrics::None {
            arguments.insert("aic_metrics".to_owned(), "None".into());
        }
    } else {
        let schedule = config.schedule.as_ref().map(|schedule| schedule_json(schedule, false));
        arguments.insert("schedule".to_owned(), schedule.unwrap_or_default());
        arguments.insert("on_trace_ready".to_owned(), handler_json(config));
        arguments.insert("experimental_config".to_owned(), experimental);
    }
    pretty(&json)
}
