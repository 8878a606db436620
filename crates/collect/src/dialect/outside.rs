//! Settings of the profiler that stand where the trainer does not look for them.

use npuscope_messages::Message;
use npuscope_tables::similar;

use crate::diagnostic::{Diagnostic, Severity};
use crate::messages;

use super::node::{Entry, Node};
use super::section::hint;

/// How deep sections lie in each other.
const DEEPEST: usize = 6;

/// Whether a key is the profiler's, or a slip of one. `profile` alone is a word of many programs.
pub(super) fn is_ours(key: &str, known: &[&str]) -> bool {
    key.starts_with("profile_") && (known.contains(&key) || similar::near(key, known.iter().copied()).is_some())
}

/// Whether a section has settings of the profiler.
pub(super) fn has_settings(node: &Node, known: &[&str]) -> bool {
    let entries = node.map().unwrap_or_default();
    entries.iter().any(|entry| known.contains(&entry.key.as_str()) || entry.key.starts_with("profile_"))
}

/// The section of a trainer, by the names from the root, such as `profiler_config`, `integrated`.
pub(super) struct Home<'a> {
    pub path: &'a [&'a str],
    pub known: &'a [&'static str],
    /// Sections in which other code looks.
    pub others: &'a [&'a str],
    /// What becomes of a section whose name is a slip.
    pub consequence: Message,
}

impl Home<'_> {
    /// Diagnostics on the settings outside of the section.
    pub fn outside(&self, root: &Node) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        self.walk(root, &mut Vec::new(), &mut diagnostics);
        diagnostics
    }

    fn walk<'n>(&self, node: &'n Node, path: &mut Vec<&'n str>, diagnostics: &mut Vec<Diagnostic>) {
        let entries = node.map().unwrap_or_default();
        let is_home = path.as_slice() == self.path;
        let has_more = entries.iter().any(|entry| is_ours(&entry.key, self.known));
        for entry in entries {
            let is_switch = entry.key == "profile" && (path.is_empty() || has_more) && entry.node.map().is_none();
            if !is_home && (is_switch || is_ours(&entry.key, self.known)) {
                self.say(messages::belongs_below(&self.path.join(".")), path, entry, diagnostics);
            }
            if path.is_empty() && self.others.contains(&entry.key.as_str()) || path.len() >= DEEPEST {
                continue;
            }
            // One word on the section says more than one on each of its keys.
            if let Some(meant) = self.slip(entry, path) {
                let message = messages::unknown_key(hint(Some(meant)), self.consequence.clone());
                self.say(message, path, entry, diagnostics);
                continue;
            }
            path.push(&entry.key);
            self.walk(&entry.node, path, diagnostics);
            path.pop();
        }
    }

    /// The name that a section should have, if it has our settings below it and stands where ours should.
    fn slip(&self, entry: &Entry, path: &[&str]) -> Option<&str> {
        let name = self.path.get(path.len()).filter(|_| self.path.starts_with(path))?;
        let is_slip = entry.key != *name && similar::near(&entry.key, [*name]).is_some();
        (is_slip && (has_settings(&entry.node, self.known) || has_below(&entry.node, self.known, 0))).then_some(*name)
    }

    fn say(&self, message: Message, path: &[&str], entry: &Entry, diagnostics: &mut Vec<Diagnostic>) {
        let key = path.iter().copied().chain([entry.key.as_str()]).collect::<Vec<_>>().join(".");
        diagnostics.push(Diagnostic::new(Severity::Warning, key, message).at(Some(entry.line)));
    }
}

/// Whether there are settings of the profiler anywhere below.
pub(super) fn has_below(node: &Node, known: &[&str], depth: usize) -> bool {
    let below = |entry: &Entry| is_ours(&entry.key, known) || has_below(&entry.node, known, depth + 1);
    depth <= DEEPEST && node.map().unwrap_or_default().iter().any(below)
}

/// Diagnostics on a section that a file has twice, of which the last counts.
pub(super) fn twice(node: &Node, name: &str, prefix: &str) -> Option<Diagnostic> {
    let same: Vec<&Entry> = node.map().unwrap_or_default().iter().filter(|entry| entry.key == name).collect();
    let (_, earlier) = same.split_last()?;
    let first = earlier.first()?;
    Some(Diagnostic::new(Severity::Warning, format!("{prefix}{name}"), messages::key_twice()).at(Some(first.line)))
}
