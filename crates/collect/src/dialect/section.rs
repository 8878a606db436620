//! The keys of one section, read with the manners of whom they are for.

use std::collections::HashSet;

use npuscope_tables::similar;

use crate::remark::{Remark, Severity};

use super::node::{Entry, Node, Value};

/// What a trainer or profiler does about a value it cannot take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manners {
    /// Who reads the section, for messages.
    pub peer: &'static str,
    /// An error where it raises, a warning where it takes the default instead.
    pub wrong: Severity,
    /// Whether `true` is taken for the number 1, as Python's `int` does.
    pub bool_is_int: bool,
}

pub(super) struct Section<'a> {
    entries: &'a [Entry],
    /// What stands before keys in remarks: `training.`.
    prefix: &'static str,
    manners: Manners,
    pub remarks: Vec<Remark>,
}

impl<'a> Section<'a> {
    pub fn new(entries: &'a [Entry], prefix: &'static str, manners: Manners) -> Self {
        let mut section = Section { entries, prefix, manners, remarks: Vec::new() };
        let mut later = HashSet::new();
        for entry in entries.iter().rev() {
            if !later.insert(entry.key.as_str()) {
                section.remarks.push(
                    Remark::new(
                        Severity::Warning,
                        format!("{prefix}{}", entry.key),
                        "is there twice; the last one counts",
                    )
                    .at(Some(entry.line)),
                );
            }
        }
        section
    }

    pub fn manners(&self) -> Manners {
        self.manners
    }

    pub fn entries(&self) -> &'a [Entry] {
        self.entries
    }

    /// The value of a key; null is none.
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

    /// As remarks name it.
    pub fn full_key(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }

    pub fn say(&mut self, severity: Severity, key: &str, message: impl Into<String>) {
        let line = self.line(key);
        self.remarks.push(Remark::new(severity, format!("{}{key}", self.prefix), message).at(line));
    }

    pub fn note(&mut self, key: &str, message: impl Into<String>) {
        self.say(Severity::Note, key, message);
    }

    pub fn warn(&mut self, key: &str, message: impl Into<String>) {
        self.say(Severity::Warning, key, message);
    }

    pub fn error(&mut self, key: &str, message: impl Into<String>) {
        self.say(Severity::Error, key, message);
    }

    /// Says that a value is not what it should be, and what is taken instead where something is.
    pub fn wrong(&mut self, key: &str, node: &Node, expected: &str, instead: &str) {
        let Manners { peer, wrong, .. } = self.manners;
        let shown = node.shown();
        if shown.starts_with("${") || shown.starts_with('$') {
            self.warn(key, format!("is {shown}, which only the trainer resolves; {instead} is taken here"));
            return;
        }
        let message = match wrong {
            Severity::Error => format!("is {shown}, and should be {expected}"),
            _ => format!("is {shown}, and should be {expected}; {peer} takes {instead} instead"),
        };
        self.say(wrong, key, message);
    }

    pub fn bool(&mut self, key: &str, default: bool) -> bool {
        let Some(node) = self.get(key) else { return default };
        if let Value::Bool(value) = node.value {
            return value;
        }
        self.wrong(key, node, "true or false", if default { "true" } else { "false" });
        default
    }

    /// The number of a key; `None` if it is not there or not a number, which is told.
    pub fn int(&mut self, key: &str, instead: i64) -> Option<i64> {
        let node = self.get(key)?;
        match &node.value {
            Value::Int(value) => return Some(*value),
            Value::Bool(value) if self.manners.bool_is_int => return Some(i64::from(*value)),
            _ => self.wrong(key, node, "a whole number", &instead.to_string()),
        }
        None
    }

    pub fn text(&mut self, key: &str, default: &str) -> String {
        let Some(node) = self.get(key) else { return default.to_owned() };
        match node.text() {
            Some(text) => text.to_owned(),
            None => {
                self.wrong(key, node, "a text", &format!("{default:?}"));
                default.to_owned()
            }
        }
    }

    /// One of some words; `instead` is the word of the default.
    pub fn one_of<T: Copy>(&mut self, key: &str, words: &[(&'static str, T)], instead: &str) -> Option<T> {
        let node = self.get(key)?;
        let found = node.text().and_then(|text| named(text, words));
        if found.is_none() {
            let (expected, hint) = expectation(node, words);
            self.wrong(key, node, &format!("{expected}{hint}"), instead);
        }
        found
    }

    /// Tells of keys that look as if they were set, and have no value.
    pub fn empty(&mut self, known: &[&'static str], severity: Severity, message: &str) {
        for entry in self.entries {
            if known.contains(&entry.key.as_str()) && entry.node.value == Value::Null {
                self.say(severity, &entry.key, message);
            }
        }
    }

    /// Tells of keys that nobody reads. `strict` is what an unknown key is here.
    pub fn unknown(&mut self, known: &[&'static str], strict: Severity, consequence: &str) {
        for entry in self.entries {
            if known.contains(&entry.key.as_str()) {
                continue;
            }
            let hint = similar::near(&entry.key, known.iter().copied());
            let hint = hint.map(|hint| format!(", did you mean {hint}?")).unwrap_or_default();
            let key = format!("{}{}", self.prefix, entry.key);
            let message = format!("there is no such key{hint}; {consequence}");
            self.remarks.push(Remark::new(strict, key, message).at(Some(entry.line)));
        }
    }
}

/// The meaning of a word, with or without the enumeration it is of: `ProfilerLevel.Level1`.
pub(super) fn named<T: Copy>(text: &str, words: &[(&'static str, T)]) -> Option<T> {
    let last = text.rsplit('.').next().unwrap_or(text);
    words.iter().find(|(word, _)| *word == last || *word == text).map(|(_, meaning)| *meaning)
}

fn expectation<T>(node: &Node, words: &[(&'static str, T)]) -> (String, String) {
    let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let expected = format!("one of {}", all.join(", "));
    let near = node.text().and_then(|text| similar::near(text, all.iter().copied()));
    (expected, near.map(|near| format!(" (did you mean {near}?)")).unwrap_or_default())
}
