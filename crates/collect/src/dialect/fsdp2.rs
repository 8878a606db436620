//! MindSpeed-LLM with FSDP2: YAML below `training`, or the same keys as flags.
//!
//! Steps count from 0 and from the start of this run; the end is not recorded, and -1 is the end of training.

use npuscope_messages::Message;
use npuscope_tables::similar;

use crate::Schedule;
use crate::config::{Choice, CollectConfig, UNTIL_END};
use crate::diagnostic::{Diagnostic, Severity};
use crate::messages;

use super::Run;
use super::argparse::{self, Match, Parser};
use super::check::{CpuSwitch, Keys, check};
use super::flags::{self, Takes};
use super::names::{EXPORTS_MINDSPEED, LEVELS_MINDSPEED, word};
use super::node::{Entry, Node, Value};
use super::outside::{self, Home};
use super::section::{Manners, Section, hint};
use super::switches::{self, Names};
use super::words::Word;
use super::writing::{Window, yaml_quoted};

const MANNERS: Manners = Manners::of_trainer("FSDP2");
const SECTION: &str = "training";
const PREFIX: &str = "training.";
const FLAG_PREFIX: &str = "--training.";

const NAMES: Names = Names {
    level: "profile_level",
    export: "profile_export_type",
    simplify: "profile_data_simplification",
    cpu: "profile_with_cpu",
    stack: "profile_with_stack",
    memory: "profile_with_memory",
    shapes: "profile_record_shapes",
    path: "profile_save_path",
};

const ENABLED: &str = "profile";
const START: &str = "profile_step_start";
const END: &str = "profile_step_end";
const RANKS: &str = "profile_ranks";

pub(super) const KEYS: &[&str] = &[
    ENABLED,
    START,
    END,
    RANKS,
    NAMES.level,
    NAMES.export,
    NAMES.simplify,
    NAMES.cpu,
    NAMES.stack,
    NAMES.memory,
    NAMES.shapes,
    NAMES.path,
];

/// The keys that are on as flags without a value.
const SWITCHES: &[&str] = &[ENABLED, NAMES.simplify, NAMES.cpu, NAMES.stack, NAMES.memory, NAMES.shapes];

/// Whether a text is of this section alone, which is read as well.
pub(super) fn is_bare(root: &Node) -> bool {
    root.get(SECTION).is_none() && outside::has_settings(root, KEYS)
}

pub(super) fn read(root: &Node, run: &Run) -> (CollectConfig, Vec<Diagnostic>) {
    let manners = MANNERS.read_by(run.reader);
    let node = if is_bare(root) { Some(root) } else { root.get(SECTION) };
    let (entries, diagnostics) = parser(PREFIX, manners.peer).parse(node.and_then(Node::map).unwrap_or_default());
    let mut section = Section::new(&entries, PREFIX, manners);
    section.diagnostics.extend(diagnostics);
    if !is_bare(root) {
        if let Some(node) = node.filter(|node| node.map().is_none() && node.value != Value::Null) {
            let message = messages::value_invalid(&node.shown(), messages::expected_keys());
            section.diagnostics.push(Diagnostic::new(Severity::Error, SECTION.to_owned(), message).at(Some(node.line)));
        }
        let consequence = messages::consequence_dropped(manners.peer);
        let others = &["profiler_config", "integrated"];
        let home = Home { path: &[SECTION], known: KEYS, others, consequence };
        section.diagnostics.extend(home.outside(root));
        section.diagnostics.extend(outside::twice(root, SECTION, ""));
    }
    section.empty(KEYS, Severity::Warning, &messages::value_missing_default());
    section_of(section, run)
}

/// The same keys as `--training.profile_level level1`.
pub(super) fn read_flags(words: &[Word], run: &Run) -> (CollectConfig, Vec<Diagnostic>) {
    let manners = MANNERS.read_by(run.reader);
    let takes = |name: &str| match name.strip_prefix(FLAG_PREFIX)? {
        key if whole(key) == RANKS => Some(Takes::Many),
        _ => Some(Takes::One),
    };
    let mut entries: Vec<Entry> = flags::entries(words, takes);
    for entry in &mut entries {
        entry.key = entry.key.trim_start_matches(FLAG_PREFIX).to_owned();
        // A switch without a value is on.
        if entry.node.value == Value::Null && SWITCHES.contains(&whole(&entry.key)) {
            entry.node.value = Value::Bool(true);
        }
    }
    let (entries, diagnostics) = parser(FLAG_PREFIX, manners.peer).parse(&entries);
    let mut section = Section::new(&entries, FLAG_PREFIX, manners);
    section.diagnostics.extend(diagnostics);
    section.empty(KEYS, Severity::Error, &messages::value_missing());
    section_of(section, run)
}

fn parser(prefix: &'static str, peer: &'static str) -> Parser {
    Parser { keys: KEYS, lists: &[RANKS], texts: &[NAMES.path], prefix, peer }
}

/// The key that a word stands for.
fn whole(word: &str) -> &str {
    match argparse::matched(word, KEYS) {
        Match::Abbreviation(key) => key,
        _ => word,
    }
}

/// The number of steps that the trainer is given.
pub(super) fn train_steps(root: &Node) -> Option<u64> {
    root.get(SECTION).unwrap_or(root).get("max_steps").and_then(Node::count)
}

/// The same, as a flag.
pub(super) fn train_steps_of_flags(words: &[Word]) -> Option<u64> {
    let entries = flags::entries(words, |name| (name == "--training.max_steps").then_some(Takes::One));
    entries.last().and_then(|entry| entry.node.first().count())
}

fn section_of(mut section: Section, run: &Run) -> (CollectConfig, Vec<Diagnostic>) {
    unknown(&mut section);
    let mut config = switches::read(&mut section, &NAMES, "./profile", switch);
    config.enabled = switch(&mut section, ENABLED);
    if !config.enabled {
        warn_only(&mut section);
    }
    config.ranks = ranks(&mut section);
    config.schedule = Some(window(&mut section, config.enabled));
    config.first_step = 0;
    if run.iteration > 0 {
        section.note(START, messages::steps_from_run());
    }
    let keys = Keys {
        enabled: ENABLED,
        ranks: RANKS,
        start: START,
        cpu: CpuSwitch::Key(NAMES.cpu),
        stack: NAMES.stack,
        shapes: NAMES.shapes,
        ..Keys::default()
    };
    check(&mut section, &config, &keys, run);
    (config, section.diagnostics)
}

/// Booleans may be words, as on a command line.
fn switch(section: &mut Section, key: &str) -> bool {
    let Some(node) = section.get(key) else { return false };
    let word = match &node.value {
        Value::Bool(value) => return *value,
        Value::Int(number) => number.to_string(),
        Value::Text(text) => text.to_lowercase(),
        _ => String::new(),
    };
    match word.as_str() {
        "yes" | "true" | "t" | "y" | "1" => true,
        "no" | "false" | "f" | "n" | "0" => false,
        _ => {
            section.wrong(key, node, messages::expected_bool(), "false");
            false
        }
    }
}

/// A number, also as text: the YAML goes through a parser of command lines.
fn int(section: &mut Section, key: &str, default: i64) -> i64 {
    match section.get(key).and_then(Node::text).and_then(|text| text.trim().parse().ok()) {
        Some(number) => number,
        None => section.int(key, default).unwrap_or(default),
    }
}

fn ranks(section: &mut Section) -> Choice<u32> {
    let Some(node) = section.get(RANKS) else { return Choice::All };
    let one = std::slice::from_ref(node);
    let list = if let Value::List(list) = &node.value { list } else { one };
    let mut numbers = Vec::new();
    for item in list {
        match (&item.value, item.text().and_then(|text| text.trim().parse::<i64>().ok())) {
            (Value::Int(rank), _) => numbers.push(*rank),
            (_, Some(rank)) => numbers.push(rank),
            _ => section.wrong(RANKS, item, messages::expected_ranks_or_all(), "[-1]"),
        }
    }
    if numbers.contains(&-1) {
        if numbers.len() > 1 {
            section.note(RANKS, messages::all_ranks_included());
        }
        return Choice::All;
    }
    let mut ranks = Vec::new();
    for number in numbers {
        match u32::try_from(number) {
            Ok(rank) => ranks.push(rank),
            Err(_) => section.warn(RANKS, messages::not_a_rank(&number.to_string())),
        }
    }
    Choice::Only(ranks)
}

/// FSDP2 checks these values only where profiling is on; it refuses invalid numbers and switches in any case.
fn warn_only(section: &mut Section) {
    let keys = [NAMES.level, NAMES.export].map(|key| section.full_key(key));
    let peer = section.peer();
    for diagnostic in &mut section.diagnostics {
        let is_such = diagnostic.key.as_ref().is_some_and(|key| keys.contains(key));
        if is_such && diagnostic.severity == Severity::Error {
            diagnostic.severity = Severity::Warning;
            diagnostic.message = messages::would_refuse(diagnostic.message.clone(), peer);
        }
    }
}

fn refused(section: &mut Section, key: &str, message: Message, is_on: bool) {
    match is_on {
        true => section.error(key, messages::refused(message, section.peer())),
        false => section.warn(key, messages::would_refuse(message, section.peer())),
    }
}

fn window(section: &mut Section, is_on: bool) -> Schedule {
    let (start, end) = (int(section, START, 0), int(section, END, -1));
    if start < 0 {
        refused(section, START, messages::before_first_step(start, 0), is_on);
    }
    let start = start.max(0);
    let active = if end == -1 {
        UNTIL_END
    } else if end <= start {
        refused(section, END, messages::end_not_after_start(end, start), is_on);
        1
    } else {
        end.abs_diff(start)
    };
    let start = start.unsigned_abs();
    let warmup = u64::from(start > 0);
    Schedule { wait: 0, warmup, active, repeat: 1, skip_first: start - warmup, skip_first_wait: false }
}

/// Reports keys that look like the profiler's: FSDP2 only logs unknown keys, and the setting is lost.
fn unknown(section: &mut Section) {
    for entry in section.entries() {
        let key = entry.key.as_str();
        if KEYS.contains(&key) || matches!(argparse::matched(key, KEYS), Match::Ambiguous(_)) {
            continue;
        }
        let near = similar::near(key, KEYS.iter().copied());
        if near.is_none() && !key.starts_with("profile_") {
            continue;
        }
        let consequence = messages::consequence_dropped(section.peer());
        section.warn(key, messages::unknown_key(hint(near), consequence));
    }
}

/// The keys and their values, as they are written.
fn pairs(config: &CollectConfig) -> Vec<(&'static str, String)> {
    let window = Window::of(config);
    let end = if window.active >= UNTIL_END {
        "-1".to_owned()
    } else {
        window.first.saturating_add(window.active).to_string()
    };
    let ranks = match &config.ranks {
        Choice::All => "[-1]".to_owned(),
        Choice::Only(ranks) => format!("[{}]", ranks.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
    };
    vec![
        (ENABLED, config.enabled.to_string()),
        (START, window.first.to_string()),
        (END, end),
        (RANKS, ranks),
        (NAMES.level, word(LEVELS_MINDSPEED, &config.level).to_owned()),
        (NAMES.export, config.export.last().map_or("text", |export| word(EXPORTS_MINDSPEED, export)).to_owned()),
        (NAMES.simplify, config.simplify.to_string()),
        (NAMES.cpu, config.cpu.to_string()),
        (NAMES.stack, config.stack.to_string()),
        (NAMES.memory, config.memory.to_string()),
        (NAMES.shapes, config.shapes.to_string()),
    ]
}

pub(super) fn write(config: &CollectConfig) -> String {
    let mut text = "training:\n".to_owned();
    for (key, value) in pairs(config) {
        text.push_str(&format!("  {key}: {value}\n"));
    }
    text.push_str(&format!("  {}: {}\n", NAMES.path, yaml_quoted(&config.output)));
    text
}

pub(super) fn write_flags(config: &CollectConfig) -> String {
    let mut lines: Vec<String> = pairs(config)
        .into_iter()
        .map(|(key, value)| format!("{FLAG_PREFIX}{key} {}", value.replace(['[', ']', ','], "")))
        .collect();
    lines.push(format!("{FLAG_PREFIX}{} {}", NAMES.path, super::writing::shell_quoted(&config.output)));
    lines.join(" \\\n") + "\n"
}
