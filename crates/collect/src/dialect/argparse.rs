//! What Python's `argparse` makes of keys and values. FSDP2 turns its YAML into flags, so its keys may be abbreviated, and
//! a list gives a flag several values.

use crate::diagnostic::{Diagnostic, Severity};
use crate::messages;

use super::node::{Entry, Node, Value};

/// The shortest word that is an abbreviation of `profile`, and not a word of its own.
const SHORTEST: usize = 4;

/// What a word is to the parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Match {
    /// One of the keys, or of none of them.
    Exact,
    Abbreviation(&'static str),
    /// Of several keys: the parser refuses it.
    Ambiguous(Vec<&'static str>),
}

/// A beginning that only one key has stands for that key.
pub(super) fn matched(word: &str, keys: &[&'static str]) -> Match {
    if keys.contains(&word) || word.len() < SHORTEST {
        return Match::Exact;
    }
    let candidates: Vec<&str> = keys.iter().copied().filter(|key| key.starts_with(word)).collect();
    match candidates.as_slice() {
        [] => Match::Exact,
        [one] => Match::Abbreviation(one),
        _ => Match::Ambiguous(candidates),
    }
}

/// The keys of a trainer, and how they are named in diagnostics.
#[derive(Clone, Copy)]
pub(super) struct Parser {
    pub keys: &'static [&'static str],
    /// The keys that take several values.
    pub lists: &'static [&'static str],
    /// The keys that take any text: flags are text, whatever they are in YAML.
    pub texts: &'static [&'static str],
    pub prefix: &'static str,
    /// Who reads them.
    pub peer: &'static str,
}

impl Parser {
    /// The entries as the parser takes them: with whole keys, and one value where one is taken.
    pub fn parse(&self, entries: &[Entry]) -> (Vec<Entry>, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let parsed = entries.iter().cloned().map(|entry| self.entry(entry, &mut diagnostics)).collect();
        (parsed, diagnostics)
    }

    fn entry(&self, mut entry: Entry, diagnostics: &mut Vec<Diagnostic>) -> Entry {
        let (name, line) = (format!("{}{}", self.prefix, entry.key), entry.line);
        let mut say = |severity, message| {
            diagnostics.push(Diagnostic::new(severity, name.clone(), message).at(Some(line)));
        };
        let key = match matched(&entry.key, self.keys) {
            Match::Exact => None,
            Match::Abbreviation(key) => {
                say(Severity::Warning, messages::abbreviation(key, self.peer));
                Some(key)
            }
            Match::Ambiguous(keys) => {
                let refused = messages::consequence_refused(self.peer);
                say(Severity::Error, messages::abbreviation_ambiguous(keys, refused));
                None
            }
        };
        let whole = key.unwrap_or(entry.key.as_str());
        if self.keys.contains(&whole)
            && !self.lists.contains(&whole)
            && let Value::List(list) = &entry.node.value
        {
            entry.node.value = match list.split_first() {
                None => {
                    say(Severity::Error, messages::value_missing());
                    Value::Null
                }
                Some((first, rest)) => {
                    let ignored: Vec<String> = rest.iter().map(Node::shown).collect();
                    if !ignored.is_empty() {
                        say(Severity::Warning, messages::several_values(&first.shown(), ignored, self.peer));
                    }
                    first.value.clone()
                }
            };
        }
        if self.texts.contains(&whole) && matches!(entry.node.value, Value::Int(_) | Value::Float(_)) {
            entry.node.value = Value::Text(entry.node.shown());
        }
        if let Some(key) = key {
            entry.key = key.to_owned();
        }
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: &[&str] = &["profile", "profile_ranks", "profile_step_start", "profile_step_end"];

    #[test]
    fn a_beginning_stands_for_the_only_key_that_has_it() {
        assert_eq!(matched("profile_rank", KEYS), Match::Abbreviation("profile_ranks"));
        assert_eq!(matched("profile_r", KEYS), Match::Abbreviation("profile_ranks"));
        assert_eq!(matched("profile", KEYS), Match::Exact, "a whole key wins");
        assert_eq!(matched("profile_step", KEYS), Match::Ambiguous(vec!["profile_step_start", "profile_step_end"]));
        assert_eq!(matched("profile_rnak", KEYS), Match::Exact);
        assert_eq!(matched("pro", KEYS), Match::Exact, "another word");
    }
}
