//! torch_npu: the arguments of `profile` and `_ExperimentalConfig` as a JSON object, or `profiler_config.json` of
//! dynamic profiling.
//!
//! A schedule counts from 0 at the profiler's start. The dynamic counter starts at 1: 0 is never, -1 at once.

use serde_json::{Value as Json, json};

use crate::Schedule;
use crate::config::{AicMetrics, Analyse, Choice, CollectConfig, Export, Level};
use crate::diagnostic::{Diagnostic, Severity};
use crate::messages;

use super::arguments::{
    activities, activity_names, analysis, at_least, domains, export, export_json, handler, handler_json, host_sys,
    host_sys_json, pretty, schedule, schedule_json,
};
use super::check::{self, CpuSwitch, Keys, check};
use super::names::{EXPORTS, HOST_SYSTEMS_TORCH_NPU, LEVELS_TORCH_NPU, METRICS, word};
use super::node::{Node, Value};
use super::section::{Manners, Section};
use super::writing::Window;
use super::{Notation, Run};

const MANNERS: Manners = Manners { wrong: Severity::Warning, bool_is_int: true, ..Manners::of_trainer("torch_npu") };

const ARGUMENTS: &[&str] = &[
    "activities",
    "schedule",
    "on_trace_ready",
    "record_shapes",
    "profile_memory",
    "with_stack",
    "with_flops",
    "with_modules",
    "experimental_config",
    "execution_trace_observer",
    "custom_trace_id_callback",
    "use_cuda",
];

const DYNAMIC: &[&str] = &[
    "activities",
    "prof_dir",
    "analyse",
    "async_mode",
    "record_shapes",
    "profile_memory",
    "with_stack",
    "with_flops",
    "with_modules",
    "active",
    "warmup",
    "start_step",
    "is_rank",
    "rank_list",
    "experimental_config",
    "metadata",
    // Written by torch_npu's own monitor.
    "is_valid",
];

const EXPERIMENTAL: &[&str] = &[
    "profiler_level",
    "aic_metrics",
    "l2_cache",
    "op_attr",
    "gc_detect_threshold",
    "data_simplification",
    "record_op_args",
    "export_type",
    "msprof_tx",
    "mstx",
    "host_sys",
    "mstx_domain_include",
    "mstx_domain_exclude",
    "sys_io",
    "sys_interconnection",
];

/// The keys of a notation, and those of its `experimental_config`.
pub(super) fn keys(notation: Notation) -> (&'static [&'static str], &'static [&'static str]) {
    (if notation == Notation::TorchNpuDynamic { DYNAMIC } else { ARGUMENTS }, EXPERIMENTAL)
}

pub(super) fn read(notation: Notation, node: &Node, run: &Run) -> (CollectConfig, Vec<Diagnostic>) {
    let is_dynamic = notation == Notation::TorchNpuDynamic;
    let mut section = Section::new(node.map().unwrap_or_default(), "", MANNERS.read_by(run.reader));
    section.unknown(keys(notation).0, Severity::Warning, &messages::consequence_no_effect());
    misplaced(&mut section);
    let (cpu, npu) = activities(&mut section);
    let mut config = CollectConfig {
        cpu,
        npu,
        shapes: section.bool("record_shapes", false),
        memory: section.bool("profile_memory", false),
        stack: section.bool("with_stack", false),
        flops: section.bool("with_flops", false),
        modules: section.bool("with_modules", false),
        ..CollectConfig::default()
    };
    experimental(&mut section, &mut config, is_dynamic);
    if is_dynamic {
        dynamic(&mut section, &mut config)
    } else {
        arguments(&mut section, &mut config)
    }
    let keys = Keys {
        enabled: "start_step",
        ranks: "rank_list",
        start: if is_dynamic { "start_step" } else { "schedule" },
        cpu: CpuSwitch::Activities,
        stack: "with_stack",
        shapes: "record_shapes",
        modules: "with_modules",
        flops: "with_flops",
    };
    check(&mut section, &config, &keys, run);
    (config, section.diagnostics)
}

/// Keys of `experimental_config` that stand beside it.
fn misplaced(section: &mut Section) {
    for entry in section.entries() {
        if EXPERIMENTAL.contains(&entry.key.as_str()) {
            section.warn(&entry.key, messages::belongs_in("experimental_config"));
        }
    }
}

fn experimental(section: &mut Section, config: &mut CollectConfig, is_dynamic: bool) {
    let key = "experimental_config";
    let entries = match section.get(key) {
        None => &[],
        Some(node) => match node.map() {
            Some(entries) => entries,
            None => {
                section.wrong(key, node, messages::expected_object(), messages::instead_default());
                &[]
            }
        },
    };
    if !entries.is_empty() && !config.npu {
        section.warn(key, messages::no_effect_without_npu());
    }
    let mut inner = Section::new(entries, "experimental_config.", section.manners());
    inner.unknown(EXPERIMENTAL, Severity::Warning, &messages::consequence_no_effect());
    config.level = inner.one_of("profiler_level", LEVELS_TORCH_NPU, "Level0").unwrap_or(Level::Level0);
    config.aic_metrics = metrics(&mut inner, config.level, is_dynamic);
    config.l2_cache = inner.bool("l2_cache", false);
    config.mstx = inner.bool("mstx", false);
    if inner.has("msprof_tx") {
        let is_on = inner.bool("msprof_tx", false);
        if is_on || !is_dynamic {
            inner.warn("msprof_tx", messages::deprecated("mstx"));
        }
        config.mstx |= is_on;
    }
    check::level_none_needs_mstx(&mut inner, config, "profiler_level");
    config.simplify = inner.bool("data_simplification", true);
    config.record_op_args = inner.bool("record_op_args", false);
    config.export = export(&mut inner, EXPORTS);
    config.op_attr = inner.bool("op_attr", false);
    if config.op_attr && !config.export.contains(&Export::Db) {
        config.op_attr = false;
        inner.warn("op_attr", messages::op_attr_needs_db(section.peer()));
    }
    config.gc_threshold_ms = gc_threshold(&mut inner, config.cpu);
    config.host_sys = host_sys(&mut inner, HOST_SYSTEMS_TORCH_NPU);
    (config.mstx_domain_include, config.mstx_domain_exclude) = domains(&mut inner, config.mstx);
    config.sys_io = inner.bool("sys_io", false);
    config.sys_interconnection = inner.bool("sys_interconnection", false);
    section.diagnostics.append(&mut inner.diagnostics);
}

/// Levels without metrics reset them. If none are given, levels with metrics use PipeUtilization, and a dynamic file
/// uses none.
fn metrics(section: &mut Section, level: Level, is_dynamic: bool) -> AicMetrics {
    let key = "aic_metrics";
    let pipes = if level.has_metrics() { AicMetrics::PipeUtilization } else { AicMetrics::None };
    let instead = if level.has_metrics() { "PipeUtilization" } else { "AiCoreNone" };
    let asked = match section.one_of(key, METRICS, instead) {
        Some(asked) => asked,
        None if section.has(key) || !is_dynamic => return pipes,
        None => AicMetrics::None,
    };
    if asked != AicMetrics::None && !level.has_metrics() {
        section.warn(key, messages::metrics_need_level(section.peer()));
        return AicMetrics::None;
    }
    asked
}

fn gc_threshold(section: &mut Section, cpu: bool) -> Option<f64> {
    let key = "gc_detect_threshold";
    let node = section.get(key)?;
    let threshold = match node.value {
        #[expect(clippy::cast_precision_loss, reason = "milliseconds")]
        Value::Int(number) => number as f64,
        Value::Float(number) => number,
        _ => f64::NAN,
    };
    if !(threshold >= 0.0 && threshold.is_finite()) {
        section.wrong(key, node, messages::expected_milliseconds(), messages::instead_none());
        return None;
    }
    if !cpu {
        section.warn(key, messages::host_data_off(messages::kind_gc(), messages::cpu_in_activities().into()));
    }
    Some(threshold)
}

fn arguments(section: &mut Section, config: &mut CollectConfig) {
    config.schedule = schedule(section);
    match handler(section) {
        Some((output, analyse)) => (config.output, config.analyse) = (output, analyse),
        None => {
            config.analyse = Analyse::Off;
            if !section.has("on_trace_ready") {
                match section.manners().is_npuscope {
                    true => section.note("on_trace_ready", messages::handler_missing_raw()),
                    false => section.warn("on_trace_ready", messages::handler_missing_temporary()),
                }
            }
        }
    }
    if section.has("use_cuda") {
        section.warn("use_cuda", messages::no_effect_on_npu());
    }
    for key in ["execution_trace_observer", "custom_trace_id_callback"] {
        if section.has(key) {
            section.note(key, messages::code_in_file());
        }
    }
}

fn dynamic(section: &mut Section, config: &mut CollectConfig) {
    let start = match section.int("start_step", 0).unwrap_or(0) {
        start if start < -1 => {
            section.warn("start_step", messages::value_too_small(start, -1, section.peer(), 0));
            0
        }
        start => start,
    };
    config.enabled = start != 0;
    config.at_once = start == -1;
    config.first_step = 1;
    config.schedule = Some(Schedule {
        wait: 0,
        warmup: at_least(section, "warmup", 0),
        active: if section.has("active") { at_least(section, "active", 1) } else { 1 },
        repeat: 1,
        skip_first: start.max(1).unsigned_abs() - 1,
        skip_first_wait: false,
    });
    config.output = section.text("prof_dir", "./");
    config.analyse = analysis(section.bool("analyse", false), section.bool("async_mode", false));
    if section.bool("is_rank", false) {
        config.ranks = Choice::Only(rank_list(section));
        if config.analyse == Analyse::Online {
            config.analyse = Analyse::Off;
            section.warn("analyse", messages::analysis_off_with_ranks());
        }
    } else if section.get("rank_list").is_some_and(|node| node.value != Value::List(Vec::new())) {
        section.warn("rank_list", messages::rank_list_without_is_rank());
    }
    if let Some(node) = section.get("metadata") {
        match node.json() {
            Json::Object(metadata) => config.metadata = metadata,
            _ => section.wrong("metadata", node, messages::expected_object(), messages::instead_none()),
        }
    }
}

fn rank_list(section: &mut Section) -> Vec<u32> {
    let key = "rank_list";
    let Some(node) = section.get(key) else { return Vec::new() };
    let Value::List(list) = &node.value else {
        section.wrong(key, node, messages::expected_ranks(), messages::instead_none());
        return Vec::new();
    };
    let mut ranks = Vec::new();
    for item in list {
        match item.value {
            Value::Int(rank) if u32::try_from(rank).is_ok() => ranks.extend(u32::try_from(rank)),
            _ => section.warn(key, messages::not_a_rank(&item.shown())),
        }
    }
    ranks
}

pub(super) fn write(config: &CollectConfig, notation: Notation) -> String {
    let experimental = json!({
        "profiler_level": word(LEVELS_TORCH_NPU, &config.level),
        "aic_metrics": word(METRICS, &config.aic_metrics),
        "l2_cache": config.l2_cache,
        "op_attr": config.op_attr,
        "gc_detect_threshold": config.gc_threshold_ms,
        "data_simplification": config.simplify,
        "record_op_args": config.record_op_args,
        "export_type": export_json(config),
        "mstx": config.mstx,
        "host_sys": host_sys_json(config, HOST_SYSTEMS_TORCH_NPU),
        "mstx_domain_include": config.mstx_domain_include,
        "mstx_domain_exclude": config.mstx_domain_exclude,
        "sys_io": config.sys_io,
        "sys_interconnection": config.sys_interconnection,
    });
    let mut json = json!({
        "activities": activity_names(config),
        "record_shapes": config.shapes,
        "profile_memory": config.memory,
        "with_stack": config.stack,
        "with_flops": config.flops,
        "with_modules": config.modules,
        "experimental_config": experimental,
    });
    let more = if notation == Notation::TorchNpuDynamic {
        let window = Window::of(config);
        let start = match (config.enabled, config.at_once) {
            (false, _) => json!(0),
            (true, true) => json!(-1),
            // The counter reaches the start when warming up begins.
            (true, false) => json!(window.first.saturating_sub(window.warmup).saturating_add(1)),
        };
        let ranks = if let Choice::Only(ranks) = &config.ranks { Some(ranks) } else { None };
        json!({
            "prof_dir": config.output,
            // Where ranks are named, torch_npu analyses nothing but in the background.
            "analyse": config.analyse == Analyse::Async || (config.analyse == Analyse::Online && ranks.is_none()),
            "async_mode": config.analyse == Analyse::Async,
            "start_step": start,
            "warmup": window.warmup,
            "active": window.active,
            "is_rank": ranks.is_some(),
            "rank_list": ranks.cloned().unwrap_or_default(),
            "metadata": config.metadata,
        })
    } else {
        let schedule = config.schedule.as_ref().map(|schedule| schedule_json(schedule, true));
        json!({ "schedule": schedule, "on_trace_ready": handler_json(config) })
    };
    if let (Json::Object(json), Json::Object(more)) = (&mut json, more) {
        json.extend(more);
    }
    pretty(&json)
}
