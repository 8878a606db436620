//! `profiler_config.json` of `DynamicProfilerMonitor`.

use serde_json::json;

use crate::Schedule;
use crate::config::{Analyse, CollectConfig};
use crate::messages;

use super::super::arguments::{activity_names, at_least, export_json, host_sys_json, pretty};
use super::super::names::{HOST_SYSTEMS_MINDSPORE, LEVELS_MINDSPORE, METRICS, word};
use super::super::node::Node;
use super::super::section::Section;
use super::super::writing::Window;

pub(super) const KEYS: &[&str] = &[
    "start_step",
    "stop_step",
    "aic_metrics",
    "aicore_metrics",
    "profiler_level",
    "activities",
    "export_type",
    "analyse",
    "analyse_mode",
    "profile_memory",
    "mstx",
    "parallel_strategy",
    "with_stack",
    "l2_cache",
    "record_shapes",
    "sys_io",
    "sys_interconnection",
    "data_simplification",
    "prof_path",
    "mstx_domain_include",
    "mstx_domain_exclude",
    "host_sys",
];

/// The start that only npuscope's monitor knows: the step after the file is seen. `stop_step` counts from there.
pub(crate) const NEXT: &str = "next";

pub(super) fn read(section: &mut Section, config: &mut CollectConfig) {
    config.at_once = section.get("start_step").and_then(Node::text) == Some(NEXT);
    match config.at_once {
        true => next(section, config),
        false => steps(section, config),
    }
    config.first_step = 1;
    destination(section, config);
}

fn next(section: &mut Section, config: &mut CollectConfig) {
    if !section.manners().is_npuscope {
        section.warn("start_step", messages::start_is_next());
    }
    let active = if section.has("stop_step") { at_least(section, "stop_step", 1) } else { 1 };
    config.schedule = Some(Schedule { wait: 0, warmup: 0, active, repeat: 1, skip_first: 0, skip_first_wait: false });
}

fn steps(section: &mut Section, config: &mut CollectConfig) {
    let start = section.int("start_step", -1).unwrap_or(-1);
    let stop = section.int("stop_step", -1).unwrap_or(-1);
    config.enabled = start != -1;
    let first = start.max(1);
    if config.enabled && stop < first {
        config.enabled = false;
        section.error("stop_step", messages::stop_before_start(stop, first));
    } else if config.enabled && start < 1 {
        section.warn("start_step", messages::begins_at_first_step(start));
    }
    let start = first;
    config.schedule = Some(Schedule {
        wait: 0,
        warmup: 0,
        // The step that is named last is recorded, too.
        active: stop.saturating_sub(start).saturating_add(1).max(1).unsigned_abs(),
        repeat: 1,
        skip_first: start.unsigned_abs() - 1,
        skip_first_wait: false,
    });
}

fn destination(section: &mut Section, config: &mut CollectConfig) {
    config.output = section.text("prof_path", "./");
    let analyses = section.bool("analyse", false);
    let mode = section.int("analyse_mode", -1).unwrap_or(-1);
    config.analyse = match (analyses, mode) {
        (false, _) => Analyse::Off,
        (true, 1) => Analyse::Async,
        (true, _) => Analyse::Online,
    };
    if !analyses && (mode == 0 || mode == 1) {
        section.warn("analyse_mode", messages::analyse_mode_ignored());
    }
    if !(-1..=1).contains(&mode) {
        section.warn("analyse_mode", messages::analyse_mode_unknown(mode));
    }
}

pub(super) fn write(config: &CollectConfig) -> String {
    let window = Window::of(config);
    let start = window.first.saturating_add(1);
    let (start, stop) = match (config.enabled, config.at_once) {
        // A last step without a first one would look like a mistake.
        (false, _) => (json!(-1), json!(-1)),
        (true, true) => (json!(NEXT), json!(window.active)),
        (true, false) => (json!(start), json!(start.saturating_add(window.active - 1))),
    };
    pretty(&json!({
        "start_step": start,
        "stop_step": stop,
        "aic_metrics": word(METRICS, &config.aic_metrics),
        "profiler_level": word(LEVELS_MINDSPORE, &config.level),
        "activities": activity_names(config),
        "export_type": export_json(config),
        "analyse": config.analyse != Analyse::Off,
        "analyse_mode": match config.analyse { Analyse::Off => -1, Analyse::Online => 0, Analyse::Async => 1 },
        "profile_memory": config.memory,
        "mstx": config.mstx,
        "parallel_strategy": config.parallel_strategy,
        "with_stack": config.stack,
        "l2_cache": config.l2_cache,
        "record_shapes": config.shapes,
        "sys_io": config.sys_io,
        "sys_interconnection": config.sys_interconnection,
        "data_simplification": config.simplify,
        "prof_path": config.output,
        "mstx_domain_include": config.mstx_domain_include,
        "mstx_domain_exclude": config.mstx_domain_exclude,
        "host_sys": host_sys_json(config, HOST_SYSTEMS_MINDSPORE),
    }))
}
