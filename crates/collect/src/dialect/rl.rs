//! MindSpeed-RL: YAML below `profiler_config.integrated`.
//!
//! Iterations count from 1, and the end is not recorded. A stage that is named is recorded on its own, with a profiler
//! for each iteration; `all` is one profiler around all of them.

use npuscope_tables::similar;

use crate::Schedule;
use crate::config::{Analyse, Choice, CollectConfig, Export, Level};
use crate::diagnostic::{Diagnostic, Severity};
use crate::messages;

use super::Run;
use super::check::{self, CpuSwitch, Keys, check};
use super::names::{EXPORTS_MINDSPEED, LEVELS_MINDSPEED, STAGES, word};
use super::node::{Node, Value};
use super::outside::{self, Home};
use super::section::{Manners, Section, hint};
use super::switches;
use super::writing::{Window, yaml_quoted};

const MANNERS: Manners = Manners::of_trainer("MindSpeed-RL");
const OUTER: &str = "profiler_config";
const INNER: &str = "integrated";
const PATH: &[&str] = &[OUTER, INNER];
const PREFIX: &str = "profiler_config.integrated.";
const OUTPUT: &str = "./profiler_data";

pub(super) const KEYS: &[&str] = &[
    "profile",
    "mstx",
    "stage",
    "profile_save_path",
    "profile_export_type",
    "profile_step_start",
    "profile_step_end",
    "profile_level",
    "profile_with_memory",
    "profile_record_shapes",
    "profile_with_cpu",
    "profile_with_npu",
    "profile_with_module",
    "profile_analysis",
    "profile_ranks",
];

pub(super) fn read(root: &Node, run: &Run) -> (CollectConfig, Vec<Diagnostic>) {
    let outer = root.get(OUTER);
    let has_section = outer.is_some() || root.get(INNER).is_some();
    let is_bare = !has_section && outside::has_settings(root, KEYS);
    let node = if is_bare { Some(root) } else { outer.unwrap_or(root).get(INNER) };
    let entries = node.and_then(Node::map).unwrap_or_default();
    let mut section = Section::new(entries, PREFIX, MANNERS.read_by(run.reader));
    if entries.is_empty() {
        let diagnostic = Diagnostic::new(Severity::Error, PATH.join("."), messages::section_missing());
        section.diagnostics.push(diagnostic.at(outer.map(|outer| outer.line)));
    }
    for entry in outer.and_then(Node::map).unwrap_or_default().iter().filter(|entry| entry.key != INNER) {
        let message = messages::only_section_read(INNER, hint(similar::near(&entry.key, [INNER])));
        let diagnostic = Diagnostic::new(Severity::Warning, format!("{OUTER}.{}", entry.key), message);
        section.diagnostics.push(diagnostic.at(Some(entry.line)));
    }
    if !is_bare {
        let consequence = messages::consequence_dropped(section.peer());
        let others = &["training", OUTER, INNER];
        let home = Home { path: PATH, known: KEYS, others, consequence };
        section.diagnostics.extend(home.outside(root));
        section.diagnostics.extend(outside::twice(root, OUTER, ""));
        section.diagnostics.extend(outer.and_then(|outer| outside::twice(outer, INNER, "profiler_config.")));
    }
    let refused = messages::consequence_refused(section.peer());
    section.unknown(KEYS, Severity::Error, &refused);
    section.empty(KEYS, Severity::Warning, &messages::value_missing_default());
    let config = settings(&mut section, run);
    (config, section.diagnostics)
}

fn settings(section: &mut Section, run: &Run) -> CollectConfig {
    let level = section.one_of("profile_level", LEVELS_MINDSPEED, "level0").unwrap_or(Level::Level0);
    let export = section.one_of("profile_export_type", EXPORTS_MINDSPEED, "text").unwrap_or(Export::Text);
    let mut config = CollectConfig {
        enabled: section.bool("profile", false),
        ranks: ranks(section),
        stages: stages(section),
        first_step: 1,
        cpu: section.bool("profile_with_cpu", true),
        npu: section.bool("profile_with_npu", true),
        level,
        aic_metrics: switches::metrics(level),
        modules: section.bool("profile_with_module", false),
        memory: section.bool("profile_with_memory", false),
        shapes: section.bool("profile_record_shapes", false),
        mstx: section.bool("mstx", false),
        export: vec![export],
        output: section.text("profile_save_path", OUTPUT),
        analyse: if section.bool("profile_analysis", false) { Analyse::Online } else { Analyse::Off },
        ..CollectConfig::default()
    };
    if !section.has("profile_save_path") {
        section.note("profile_save_path", messages::path_missing(OUTPUT));
    }
    config.schedule = Some(window(section, &config));
    check::level_none_needs_mstx(section, &mut config, "profile_level");
    if !config.cpu && !config.npu {
        (config.cpu, config.npu) = (true, true);
        section.warn("profile_with_npu", messages::cpu_and_npu_off(section.manners().profiler));
    }
    if config.analyse == Analyse::Off && section.has("profile_export_type") {
        section.note("profile_export_type", messages::analysed_later());
    }
    if run.iteration > 0 {
        section.note("profile_step_start", messages::iterations_from_run());
    }
    let keys = Keys {
        enabled: "profile",
        ranks: "profile_ranks",
        start: "profile_step_start",
        cpu: CpuSwitch::Key("profile_with_cpu"),
        shapes: "profile_record_shapes",
        modules: "profile_with_module",
        ..Keys::default()
    };
    check(section, &config, &keys, run);
    config
}

fn ranks(section: &mut Section) -> Choice<u32> {
    let key = "profile_ranks";
    let Some(node) = section.get(key) else { return Choice::All };
    match &node.value {
        Value::Text(text) if text == "all" => Choice::All,
        Value::List(list) => {
            let mut ranks = Vec::new();
            for item in list {
                match item.value {
                    Value::Int(rank) if u32::try_from(rank).is_ok() => ranks.extend(u32::try_from(rank)),
                    Value::Int(-1) => section.warn(key, messages::all_ranks_is_all()),
                    _ => section.warn(key, messages::not_a_rank(&item.shown())),
                }
            }
            Choice::Only(ranks)
        }
        // MindSpeed-RL looks for the rank among the letters.
        Value::Text(text) => {
            section.warn(key, messages::ranks_are_text(&format!("{text:?}")));
            Choice::Only(Vec::new())
        }
        _ => {
            section.warn(key, messages::ranks_are_no_list(&node.shown(), section.peer()));
            Choice::Only(vec![0])
        }
    }
}

fn stages(section: &mut Section) -> Choice<String> {
    let key = "stage";
    let Some(node) = section.get(key) else { return Choice::All };
    let list = match &node.value {
        Value::Text(text) if text == "all" => return Choice::All,
        Value::Text(_) => std::slice::from_ref(node),
        Value::List(list) => list,
        _ => {
            section.error(key, messages::stages_are_no_list(&node.shown()));
            return Choice::Only(Vec::new());
        }
    };
    let mut stages = Vec::new();
    for item in list {
        match item.text() {
            Some(stage) if STAGES.contains(&stage) => stages.push(stage.to_owned()),
            Some("all") => section.warn(key, messages::all_stages_not_alone()),
            _ => {
                let near = item.text().and_then(|text| similar::near(text, STAGES.iter().copied()));
                section.warn(key, messages::unknown_stage(&item.shown(), hint(near), STAGES.to_vec()));
            }
        }
    }
    if stages.is_empty() {
        section.error(key, messages::no_stage_selected());
    }
    Choice::Only(stages)
}

fn window(section: &mut Section, config: &CollectConfig) -> Schedule {
    let (first, last) = ("profile_step_start", "profile_step_end");
    let start = section.int(first, 1).unwrap_or(1);
    let end = section.int(last, 2).unwrap_or(2);
    let mut active = end.saturating_sub(start);
    if start < 1 {
        section.warn(first, messages::begins_at_first_step(start));
        // The profiler's own length stays, a stage is only asked for from the first iteration on.
        active = if config.stages == Choice::All { active } else { end.saturating_sub(1) };
    }
    if active < 1 {
        let message = messages::end_not_after_start(end, start);
        match config.stages {
            Choice::All => section.warn(last, messages::records_one_step(message, section.manners().profiler)),
            Choice::Only(_) => section.error(last, messages::records_no_stage(message)),
        }
    }
    let (start, active) = (start.max(1).unsigned_abs(), active.max(1).unsigned_abs());
    Schedule { wait: 0, warmup: 0, active, repeat: 1, skip_first: start - 1, skip_first_wait: false }
}

pub(super) fn write(config: &CollectConfig) -> String {
    let window = Window::of(config);
    let start = window.first.saturating_add(1);
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    let stage = match &config.stages {
        Choice::All => "all".to_owned(),
        Choice::Only(stages) => list(stages.iter().map(|stage| yaml_quoted(stage)).collect()),
    };
    let ranks = match &config.ranks {
        Choice::All => "all".to_owned(),
        Choice::Only(ranks) => list(ranks.iter().map(u32::to_string).collect()),
    };
    let pairs = [
        ("profile", config.enabled.to_string()),
        ("mstx", config.mstx.to_string()),
        ("stage", stage),
        ("profile_save_path", yaml_quoted(&config.output)),
        ("profile_export_type", config.export.last().map_or("text", |e| word(EXPORTS_MINDSPEED, e)).to_owned()),
        ("profile_step_start", start.to_string()),
        ("profile_step_end", start.saturating_add(window.active).to_string()),
        ("profile_level", word(LEVELS_MINDSPEED, &config.level).to_owned()),
        ("profile_with_memory", config.memory.to_string()),
        ("profile_record_shapes", config.shapes.to_string()),
        ("profile_with_cpu", config.cpu.to_string()),
        ("profile_with_npu", config.npu.to_string()),
        ("profile_with_module", config.modules.to_string()),
        ("profile_analysis", (config.analyse != Analyse::Off).to_string()),
        ("profile_ranks", ranks),
    ];
    let mut text = "profiler_config:\n  integrated:\n".to_owned();
    for (key, value) in pairs {
        text.push_str(&format!("    {key}: {value}\n"));
    }
    text
}
