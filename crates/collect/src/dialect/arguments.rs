//! What the profilers of torch_npu and MindSpore have in common: Python's arguments, written as JSON.

use serde_json::{Value as Json, json};

use crate::Schedule;
use crate::config::{Analyse, CollectConfig, Export, HostSystem};
use crate::diagnostic::Severity;
use crate::messages;

use super::node::Value;
use super::section::{Section, named};

/// CPU and NPU; both if the value is missing or invalid.
pub(super) fn activities(section: &mut Section) -> (bool, bool) {
    let key = "activities";
    let Some(node) = section.get(key) else { return (true, true) };
    let one = std::slice::from_ref(node);
    let list = match &node.value {
        Value::List(list) => list,
        Value::Text(_) => one,
        _ => &[],
    };
    let (mut cpu, mut npu) = (false, false);
    for item in list {
        match item.text().and_then(|text| named(text, &[("CPU", 'c'), ("NPU", 'n'), ("GPU", 'g')])) {
            Some('c') => cpu = true,
            Some('n') => npu = true,
            Some(_) if section.manners().is_mindspore => section.note(key, messages::gpu_ignored()),
            _ => {
                section.wrong(key, item, messages::expected_activity(), messages::instead_both());
                return (true, true);
            }
        }
    }
    if !cpu && !npu {
        section.wrong(key, node, messages::expected_activities(), messages::instead_both());
        return (true, true);
    }
    (cpu, npu)
}

pub(super) fn activity_names(config: &CollectConfig) -> Json {
    [(config.cpu, "CPU"), (config.npu, "NPU")].iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect()
}

/// A schedule's arguments, repaired as both profilers do.
pub(super) fn schedule(outer: &mut Section) -> Option<Schedule> {
    let key = "schedule";
    let node = outer.get(key)?;
    let Some(entries) = node.map() else {
        outer.wrong(key, node, messages::expected_schedule(), messages::instead_none());
        return None;
    };
    let manners = outer.manners();
    let mut section = Section::new(entries, "schedule.", manners);
    let mut known = vec!["wait", "warmup", "warm_up", "active", "repeat", "skip_first"];
    if !manners.is_mindspore {
        known.push("skip_first_wait");
    }
    section.unknown(&known, Severity::Warning, &messages::consequence_no_effect());
    if section.has("warm_up") {
        section.note("warm_up", messages::renamed("warmup"));
    }
    let warmup = if section.has("warm_up") && !section.has("warmup") { "warm_up" } else { "warmup" };
    let skip_first_wait = !manners.is_mindspore && section.int("skip_first_wait", 0).unwrap_or(0) != 0;
    if !section.has("active") {
        section.warn("active", messages::active_missing());
    }
    let schedule = Schedule {
        wait: at_least(&mut section, "wait", 0),
        warmup: at_least(&mut section, warmup, 0),
        active: at_least(&mut section, "active", 1),
        repeat: at_least(&mut section, "repeat", 0),
        skip_first: at_least(&mut section, "skip_first", 0),
        skip_first_wait,
    };
    if schedule.warmup == 0 {
        section.note(warmup, messages::no_warmup());
    }
    outer.diagnostics.append(&mut section.diagnostics);
    Some(schedule)
}

/// A number of at least `least`, which is used instead of smaller ones.
pub(super) fn at_least(section: &mut Section, key: &str, least: u64) -> u64 {
    let floor = i64::try_from(least).unwrap_or(i64::MAX);
    let Some(number) = section.int(key, floor) else { return least };
    if number < floor {
        let peer = section.peer();
        section.warn(key, messages::value_too_small(number, floor, peer, floor));
    }
    number.max(floor).unsigned_abs()
}

pub(super) fn schedule_json(schedule: &Schedule, has_skip_first_wait: bool) -> Json {
    let mut json = json!({
        "wait": schedule.wait, "warmup": schedule.warmup, "active": schedule.active, "repeat": schedule.repeat,
        "skip_first": schedule.skip_first,
    });
    if has_skip_first_wait && let Json::Object(arguments) = &mut json {
        arguments.insert("skip_first_wait".to_owned(), u8::from(schedule.skip_first_wait).into());
    }
    json
}

/// `text`, `db` or a list of them; in order, each once.
pub(super) fn export(section: &mut Section, words: &[(&'static str, Export)]) -> Vec<Export> {
    let key = "export_type";
    let text = vec![Export::Text];
    let Some(node) = section.get(key) else { return text };
    let one = std::slice::from_ref(node);
    let list = if let Value::List(list) = &node.value { list } else { one };
    let found: Option<Vec<Export>> = list.iter().map(|item| item.text().and_then(|text| named(text, words))).collect();
    match found {
        Some(mut found) if !found.is_empty() => {
            found.sort();
            found.dedup();
            found
        }
        _ => {
            section.wrong(key, node, messages::expected_export(), "text");
            text
        }
    }
}

/// An unknown word makes the list empty.
pub(super) fn host_sys(section: &mut Section, words: &[(&'static str, HostSystem)]) -> Vec<HostSystem> {
    let key = "host_sys";
    let Some(node) = section.get(key) else { return Vec::new() };
    let list = if let Value::List(list) = &node.value { Some(list) } else { None };
    let found = list.and_then(|list| {
        list.iter().map(|item| item.text().and_then(|text| named(text, words))).collect::<Option<Vec<_>>>()
    });
    match found {
        Some(found) => {
            let mut once: Vec<HostSystem> = Vec::new();
            for system in found {
                if !once.contains(&system) {
                    once.push(system);
                }
            }
            if once.iter().any(|system| matches!(system, HostSystem::Disk | HostSystem::Osrt)) {
                section.note(key, messages::host_sys_needs_root());
            }
            once
        }
        None => {
            let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            section.wrong(key, node, messages::expected_list_of(names), messages::instead_none());
            Vec::new()
        }
    }
}

/// Domains of marks: without marks there are none, and of both lists the included win.
pub(super) fn domains(section: &mut Section, mstx: bool) -> (Vec<String>, Vec<String>) {
    let (include, exclude) = ("mstx_domain_include", "mstx_domain_exclude");
    let mut lists = [include, exclude].map(|key| {
        let Some(node) = section.get(key) else { return Vec::new() };
        let list = if let Value::List(list) = &node.value { Some(list) } else { None };
        let words = list.and_then(|list| {
            let words = list.iter().map(|item| item.text().filter(|text| !text.is_empty()).map(str::to_owned));
            words.collect::<Option<Vec<String>>>()
        });
        words.unwrap_or_else(|| {
            section.wrong(key, node, messages::expected_names(), messages::instead_none());
            Vec::new()
        })
    });
    for (key, list) in [include, exclude].into_iter().zip(&mut lists) {
        if !mstx && !list.is_empty() {
            section.warn(key, messages::no_effect_without("mstx"));
            list.clear();
        }
    }
    let [included, mut excluded] = lists;
    if !included.is_empty() && !excluded.is_empty() {
        section.warn(exclude, messages::no_effect_with(include));
        excluded.clear();
    }
    (included, excluded)
}

/// Where data goes and whether it is analysed: the arguments of `tensorboard_trace_handler`.
pub(super) fn handler(section: &mut Section) -> Option<(String, Analyse)> {
    let key = "on_trace_ready";
    let node = section.get(key)?;
    let manners = section.manners();
    match &node.value {
        Value::Map(entries) => {
            let mut inner = Section::new(entries, "on_trace_ready.", manners);
            inner.unknown(
                &["dir_name", "worker_name", "analyse_flag", "async_mode"],
                Severity::Warning,
                &messages::consequence_no_effect(),
            );
            let output = inner.text("dir_name", "./");
            let (analyse, in_background) = (inner.bool("analyse_flag", true), inner.bool("async_mode", false));
            section.diagnostics.append(&mut inner.diagnostics);
            Some((output, analysis(analyse, in_background)))
        }
        Value::Text(text) if text.contains("tensorboard_trace_handler") => Some(("./".to_owned(), Analyse::Online)),
        Value::Text(text) if text.contains("tensor_board_trace_handler") => {
            section.note(key, messages::renamed_and_called("tensorboard_trace_handler"));
            Some(("./".to_owned(), Analyse::Online))
        }
        _ => {
            let directory = node.text().unwrap_or("./profiling_data");
            let arguments = json!({ "dir_name": directory });
            let instead = match manners.is_mindspore || manners.is_npuscope {
                true => messages::instead_raw_data(),
                false => messages::instead_temporary_data(),
            };
            section.wrong(key, node, messages::expected_handler(arguments.to_string()), instead);
            None
        }
    }
}

pub(super) fn analysis(analyse: bool, in_background: bool) -> Analyse {
    match (analyse, in_background) {
        (false, _) => Analyse::Off,
        (true, false) => Analyse::Online,
        (true, true) => Analyse::Async,
    }
}

pub(super) fn handler_json(config: &CollectConfig) -> Json {
    json!({
        "dir_name": config.output,
        "analyse_flag": config.analyse != Analyse::Off,
        "async_mode": config.analyse == Analyse::Async,
    })
}

pub(super) fn export_json(config: &CollectConfig) -> Json {
    config.export.iter().map(|export| if *export == Export::Db { "db" } else { "text" }).collect()
}

pub(super) fn host_sys_json(config: &CollectConfig, words: &[(&'static str, HostSystem)]) -> Json {
    let known = config.host_sys.iter().filter(|system| words.iter().any(|(_, known)| known == *system));
    known.map(|system| system.name()).collect()
}

/// As Python would write it, and with a last line that ends.
pub(super) fn pretty(json: &Json) -> String {
    serde_json::to_string_pretty(json).unwrap_or_default() + "\n"
}
