//! MindSpeed-LLM with Megatron: flags.
//!
//! Iterations count from 1, and the end is not recorded. The profiler is started before the first iteration of the run,
//! which after a checkpoint is not the first of the training: its steps count from there.

use npuscope_tables::similar;

use crate::Schedule;
use crate::config::{Choice, CollectConfig, UNTIL_END};
use crate::diagnostic::{Diagnostic, Severity};
use crate::messages;

use super::Run;
use super::check::{CpuSwitch, Keys, check};
use super::flags::{self, Takes};
use super::names::{EXPORTS_MINDSPEED, LEVELS_MINDSPEED, word};
use super::node::{Entry, Node, Value};
use super::section::{Manners, Section, hint};
use super::switches::{self, Names};
use super::words::Word;
use super::writing::{Window, shell_quoted};

const TRAINER: &str = "MindSpeed-LLM";
const MANNERS: Manners = Manners::of_trainer(TRAINER);

const NAMES: Names = Names {
    level: "--profile-level",
    export: "--profile-export-type",
    simplify: "--profile-data-simplification",
    cpu: "--profile-with-cpu",
    stack: "--profile-with-stack",
    memory: "--profile-with-memory",
    shapes: "--profile-record-shapes",
    path: "--profile-save-path",
};

const START: &str = "--profile-step-start";
const END: &str = "--profile-step-end";
const RANKS: &str = "--profile-ranks";
/// Megatron's number of steps.
const TRAIN_ITERATIONS: &str = "--train-iters";

const FLAGS: &[(&str, Takes)] = &[
    ("--profile", Takes::Nothing),
    (START, Takes::One),
    (END, Takes::One),
    (RANKS, Takes::Many),
    (NAMES.level, Takes::One),
    (NAMES.export, Takes::One),
    (NAMES.simplify, Takes::Nothing),
    (NAMES.cpu, Takes::Nothing),
    (NAMES.stack, Takes::Nothing),
    (NAMES.memory, Takes::Nothing),
    (NAMES.shapes, Takes::Nothing),
    (NAMES.path, Takes::One),
];

/// Megatron's own defaults.
const DEFAULT_START: i64 = 10;
const DEFAULT_END: i64 = 12;
const DEFAULT_PATH: &str = "./profile_dir";

pub(super) fn read(words: &[Word], run: &Run) -> (CollectConfig, Vec<Diagnostic>) {
    let takes = |name: &str| FLAGS.iter().find(|(flag, _)| *flag == name).map(|(_, takes)| *takes);
    let mut entries = flags::entries(words, takes);
    let several = several_values(&mut entries, MANNERS.read_by(run.reader).peer);
    let mut section = Section::new(&entries, "", MANNERS.read_by(run.reader));
    section.diagnostics.extend(several);
    unknown(&mut section, words);
    missing_values(&mut section);
    let mut config = switches::read(&mut section, &NAMES, DEFAULT_PATH, switch);
    config.enabled = switch(&mut section, "--profile");
    if config.output.contains('$') {
        section.note(NAMES.path, messages::shell_variable());
    }
    config.ranks = ranks(&mut section);
    config.first_step = run.iteration.saturating_add(1);
    config.schedule = Some(window(&mut section, run));
    let keys = Keys {
        enabled: "--profile",
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

/// The number of steps that Megatron is given.
pub(super) fn train_steps(words: &[Word]) -> Option<u64> {
    let entries = flags::entries(words, |name| (name == TRAIN_ITERATIONS).then_some(Takes::One));
    entries.last().and_then(|entry| entry.node.first().count())
}

/// A switch is on if it is present.
fn switch(section: &mut Section, flag: &str) -> bool {
    match section.get(flag).map(|node| &node.value) {
        None => false,
        Some(Value::Bool(true)) => true,
        Some(_) => {
            let shown = |node: &Node| node.text().map_or_else(|| node.shown(), str::to_owned);
            let value = section.get(flag).map(shown).unwrap_or_default();
            section.error(flag, messages::switch_with_value(&value));
            true
        }
    }
}

/// Takes the first of several words after a flag that takes one. The trainer refuses the others.
fn several_values(entries: &mut [Entry], peer: &'static str) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for entry in entries.iter_mut().filter(|entry| entry.key != RANKS) {
        let Value::List(list) = &entry.node.value else { continue };
        let shown = |node: &Node| node.text().map_or_else(|| node.shown(), str::to_owned);
        let values: Vec<String> = list.iter().map(shown).collect();
        let message = messages::several_values_refused(values, messages::consequence_refused(peer));
        diagnostics.push(Diagnostic::new(Severity::Error, entry.key.clone(), message).at(Some(entry.line)));
        entry.node.value = entry.node.first().value.clone();
    }
    diagnostics
}

fn missing_values(section: &mut Section) {
    for entry in section.entries() {
        let is_empty = match &entry.node.value {
            Value::Null => true,
            Value::List(list) => list.is_empty(),
            _ => false,
        };
        if is_empty {
            section.error(&entry.key, messages::value_missing());
        }
    }
}

fn ranks(section: &mut Section) -> Choice<u32> {
    let Some(Node { value: Value::List(list), .. }) = section.get(RANKS) else { return Choice::Only(vec![0]) };
    if list.is_empty() {
        return Choice::Only(vec![0]);
    }
    if let [Node { value: Value::Int(-1), .. }] = list.as_slice() {
        return Choice::All;
    }
    let mut ranks = Vec::new();
    for node in list {
        match node.value {
            Value::Int(-1) => section.warn(RANKS, messages::all_ranks_not_alone()),
            Value::Int(rank) => match u32::try_from(rank) {
                Ok(rank) => ranks.push(rank),
                Err(_) => section.warn(RANKS, messages::not_a_rank(&rank.to_string())),
            },
            _ => section.wrong(RANKS, node, messages::expected_rank_numbers(), "0"),
        }
    }
    Choice::Only(ranks)
}

fn window(section: &mut Section, run: &Run) -> Schedule {
    let start = section.int(START, DEFAULT_START).unwrap_or(DEFAULT_START);
    let end = section.int(END, DEFAULT_END).unwrap_or(DEFAULT_END);
    let first = i64::try_from(run.iteration).unwrap_or(i64::MAX).saturating_add(1);
    if start < 1 {
        section.error(START, messages::before_first_step(start, 1));
    } else if start < first {
        section.error(START, messages::before_this_run(start, run.iteration, first));
    }
    // What is in front of the run cannot be recorded; the rest of the window still shows what else is wrong.
    let start = start.max(first);
    let active = if end == -1 {
        section.warn(END, messages::end_of_training(TRAINER));
        UNTIL_END
    } else if end <= start {
        section.warn(
            END,
            messages::records_one_step(messages::end_not_after_start(end, start), section.manners().profiler),
        );
        1
    } else {
        end.abs_diff(start)
    };
    let before = start.abs_diff(first);
    let warmup = u64::from(before > 0);
    Schedule { wait: 0, warmup, active, repeat: 1, skip_first: before - warmup, skip_first_wait: false }
}

/// Whether a word is one of our flags, or looks like one.
pub(super) fn is_ours(word: &str) -> bool {
    word == "--profile" || word.starts_with("--profile-") || is_slip(word)
}

/// Whether a word is one of our flags with a slip in it.
fn is_slip(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    name.starts_with("--") && slip(name).is_some()
}

/// The flag that was meant: Megatron's parser takes no abbreviations, unlike others.
fn slip(name: &str) -> Option<&'static str> {
    let flags = || FLAGS.iter().map(|(flag, _)| *flag);
    let is_beginning = |flag: &&str| name.starts_with("--profile-") && *flag != name && flag.starts_with(name);
    similar::near(name, flags()).or_else(|| flags().find(is_beginning))
}

fn unknown(section: &mut Section, words: &[Word]) {
    for word in words.iter().filter(|word| word.text.starts_with("--")) {
        let name = word.text.split('=').next().unwrap_or(&word.text);
        if FLAGS.iter().any(|(flag, _)| *flag == name) {
            continue;
        }
        let diagnostic = match slip(name) {
            Some(near) => {
                let consequence = messages::consequence_refused(section.peer());
                let message = messages::unknown_flag(hint(Some(near)), consequence);
                Diagnostic::new(Severity::Error, name.to_owned(), message)
            }
            None if name.starts_with("--profile-") || name.starts_with("--profile_") => {
                Diagnostic::new(Severity::Warning, name.to_owned(), messages::foreign_flag(section.peer()))
            }
            None => continue,
        };
        section.diagnostics.push(diagnostic.at(Some(word.line)));
    }
}

pub(super) fn write(config: &CollectConfig) -> String {
    let window = Window::of(config);
    let start = config.first_step.max(1).saturating_add(window.first);
    let mut lines = Vec::new();
    // Ranks that are none cannot be named, but nothing can be switched on.
    let nobody = config.ranks == Choice::Only(Vec::new());
    if config.enabled && !nobody {
        lines.push("--profile".to_owned());
    }
    lines.push(format!("{START} {start}"));
    lines.push(format!("{END} {}", start.saturating_add(window.active)));
    match &config.ranks {
        Choice::All => lines.push(format!("{RANKS} -1")),
        Choice::Only(ranks) if nobody || ranks.is_empty() => {}
        Choice::Only(ranks) => {
            let ranks: Vec<String> = ranks.iter().map(u32::to_string).collect();
            lines.push(format!("{RANKS} {}", ranks.join(" ")));
        }
    }
    lines.push(format!("{} {}", NAMES.level, word(LEVELS_MINDSPEED, &config.level)));
    let export = config.export.last().map_or("text", |export| word(EXPORTS_MINDSPEED, export));
    lines.push(format!("{} {export}", NAMES.export));
    let switches = [
        (config.simplify, NAMES.simplify),
        (config.cpu, NAMES.cpu),
        (config.stack, NAMES.stack),
        (config.memory, NAMES.memory),
        (config.shapes, NAMES.shapes),
    ];
    lines.extend(switches.iter().filter(|(is_on, _)| *is_on).map(|(_, flag)| (*flag).to_owned()));
    lines.push(format!("{} {}", NAMES.path, shell_quoted(&config.output)));
    lines.join(" \\\n") + "\n"
}
