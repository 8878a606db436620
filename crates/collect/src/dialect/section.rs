//! The keys of one section, read as the trainer or profiler that they are for reads them.

use std::collections::HashSet;

use npuscope_messages::{Argument, Message};
use npuscope_tables::similar;

use crate::diagnostic::{Diagnostic, Severity};
use crate::messages;

use super::Reader;
use super::node::{Entry, Node, Value};

/// What a trainer or profiler does about an invalid value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manners {
    /// Who reads the section, for messages.
    pub peer: &'static str,
    /// The profiler that the trainer uses, for messages.
    pub profiler: &'static str,
    pub is_mindspore: bool,
    /// Whether the Python package reads it in the place of the trainer.
    pub is_npuscope: bool,
    /// An error where it raises, a warning where it uses the default instead.
    pub wrong: Severity,
    /// Whether `true` is read as the number 1, as Python's `int` does.
    pub bool_is_int: bool,
}

impl Manners {
    /// A trainer on torch_npu that refuses to start with an invalid value.
    pub const fn of_trainer(peer: &'static str) -> Manners {
        Manners {
            peer,
            profiler: "torch_npu",
            is_mindspore: false,
            is_npuscope: false,
            wrong: Severity::Error,
            bool_is_int: false,
        }
    }

    /// The same for whoever reads the section.
    pub fn read_by(self, reader: Reader) -> Manners {
        let is_npuscope = reader == Reader::Npuscope;
        Manners { peer: reader.name(self.peer), profiler: reader.name(self.profiler), is_npuscope, ..self }
    }
}

pub(super) struct Section<'a> {
    entries: &'a [Entry],
    /// Prefix of keys in diagnostics: `training.`.
    prefix: &'static str,
    manners: Manners,
    pub diagnostics: Vec<Diagnostic>,
}

impl<'a> Section<'a> {
    pub fn new(entries: &'a [Entry], prefix: &'static str, manners: Manners) -> Self {
        let mut section = Section { entries, prefix, manners, diagnostics: Vec::new() };
        let mut later = HashSet::new();
        for entry in entries.iter().rev() {
            if !later.insert(entry.key.as_str()) {
                section.diagnostics.push(
                    Diagnostic::new(Severity::Warning, format!("{prefix}{}", entry.key), messages::key_twice())
                        .at(Some(entry.line)),
                );
            }
        }
        section
    }

    pub fn manners(&self) -> Manners {
        self.manners
    }

    /// Who reads the section.
    pub fn peer(&self) -> &'static str {
        self.manners.peer
    }

    pub fn entries(&self) -> &'a [Entry] {
        self.entries
    }

    /// The value of a key; `None` if it is missing or null.
    pub fn get(&self, key: &str) -> Option<&'a Node> {
        let entry = self.entries.iter().rev().find(|entry| entry.key == key)?;
        (entry.node.value != Value::Null).then_some(&entry.node)
    }

    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub fn line(&self, key: &str) -> Option<usize> {
        self.entries.iter().rev().find(|entry| entry.key == key).map(|entry| entry.line)
    }

    /// As diagnostics name it.
    pub fn full_key(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }

    pub fn say(&mut self, severity: Severity, key: &str, message: Message) {
        let line = self.line(key);
        self.diagnostics.push(Diagnostic::new(severity, format!("{}{key}", self.prefix), message).at(line));
    }

    pub fn note(&mut self, key: &str, message: Message) {
        self.say(Severity::Info, key, message);
    }

    pub fn warn(&mut self, key: &str, message: Message) {
        self.say(Severity::Warning, key, message);
    }

    pub fn error(&mut self, key: &str, message: Message) {
        self.say(Severity::Error, key, message);
    }

    /// Reports an invalid value, with the value that is used instead where the trainer goes on.
    pub fn wrong(&mut self, key: &str, node: &Node, expected: Message, instead: impl Into<Argument>) {
        let Manners { peer, wrong, .. } = self.manners;
        let shown = node.shown();
        if shown.starts_with('$') {
            self.warn(key, messages::value_unresolved(&shown, instead.into()));
            return;
        }
        let message = match wrong {
            Severity::Error => messages::value_invalid(&shown, expected),
            _ => messages::value_replaced(&shown, expected, peer, instead.into()),
        };
        self.say(wrong, key, message);
    }

    pub fn bool(&mut self, key: &str, default: bool) -> bool {
        let Some(node) = self.get(key) else { return default };
        if let Value::Bool(value) = node.value {
            return value;
        }
        self.wrong(key, node, messages::expected_bool(), if default { "true" } else { "false" });
        default
    }

    /// The number of a key; `None` if it is missing or, with a diagnostic, not a number.
    pub fn int(&mut self, key: &str, instead: i64) -> Option<i64> {
        let node = self.get(key)?;
        match &node.value {
            Value::Int(value) => return Some(*value),
            Value::Bool(value) if self.manners.bool_is_int => return Some(i64::from(*value)),
            _ => self.wrong(key, node, messages::expected_integer(), instead.to_string()),
        }
        None
    }

    pub fn text(&mut self, key: &str, default: &str) -> String {
        let Some(node) = self.get(key) else { return default.to_owned() };
        match node.text() {
            Some(text) => text.to_owned(),
            None => {
                self.wrong(key, node, messages::expected_text(), format!("{default:?}"));
                default.to_owned()
            }
        }
    }

    /// One of some words; `instead` is the word of the default.
    pub fn one_of<T: Copy>(&mut self, key: &str, words: &[(&'static str, T)], instead: &str) -> Option<T> {
        let node = self.get(key)?;
        let found = node.text().and_then(|text| named(text, words));
        if found.is_none() {
            self.wrong(key, node, expectation(node, words), instead);
        }
        found
    }

    /// Reports known keys without a value.
    pub fn empty(&mut self, known: &[&'static str], severity: Severity, message: &Message) {
        for entry in self.entries {
            if known.contains(&entry.key.as_str()) && entry.node.value == Value::Null {
                self.say(severity, &entry.key, message.clone());
            }
        }
    }

    /// Reports unknown keys. `strict` is the severity of an unknown key here.
    pub fn unknown(&mut self, known: &[&'static str], strict: Severity, consequence: &Message) {
        for entry in self.entries {
            if known.contains(&entry.key.as_str()) {
                continue;
            }
            let hint = hint(similar::near(&entry.key, known.iter().copied()));
            let key = format!("{}{}", self.prefix, entry.key);
            let message = messages::unknown_key(hint, consequence.clone());
            self.diagnostics.push(Diagnostic::new(strict, key, message).at(Some(entry.line)));
        }
    }
}

/// The meaning of a word, with or without the enumeration it is of: `ProfilerLevel.Level1`.
pub(super) fn named<T: Copy>(text: &str, words: &[(&'static str, T)]) -> Option<T> {
    let last = text.rsplit('.').next().unwrap_or(text);
    words.iter().find(|(word, _)| *word == last || *word == text).map(|(_, meaning)| *meaning)
}

fn expectation<T>(node: &Node, words: &[(&'static str, T)]) -> Message {
    let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let near = node.text().and_then(|text| similar::near(text, all.iter().copied()));
    messages::expected_one_of(all, hint(near))
}

/// ` (did you mean …?)`, or nothing.
pub(super) fn hint(word: Option<&str>) -> Message {
    word.map_or_else(messages::hint_none, messages::hint)
}
