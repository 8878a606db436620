//! Flags of a command line as the entries of a section.

use super::node::{Entry, Node, Value};
use super::words::Word;

/// What follows a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    One,
    /// All words up to the next flag.
    Many,
}

/// The flags that `takes` knows, with their values. A flag with nothing where something is due has the value null, and
/// one with several words where one is due has them as a list.
pub(super) fn entries(words: &[Word], takes: impl Fn(&str) -> Option<Takes>) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let (name, value) = match word.text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ => (word.text.as_str(), None),
        };
        let Some(takes) = takes(name) else { continue };
        let mut values: Vec<Node> = value.map(|value| node(value, word.line)).into_iter().collect();
        let mut next =
            |is_due: bool| words.next_if(|word| is_value(word, is_due)).map(|word| node(&word.text, word.line));
        match takes {
            Takes::Nothing => {}
            Takes::One => {
                if values.is_empty() {
                    values.extend(next(true));
                }
                if !values.is_empty() {
                    values.extend(std::iter::from_fn(|| next(false)));
                }
            }
            Takes::Many if value.is_none() => {
                values.extend(next(true));
                values.extend(std::iter::from_fn(|| next(false)));
            }
            Takes::Many => {}
        }
        let stray =
            takes == Takes::Nothing && value.is_none() && words.peek().is_some_and(|word| is_switch(&word.text));
        let value = match takes {
            Takes::Nothing if stray => Value::Text(words.next().map(|word| word.text.clone()).unwrap_or_default()),
            Takes::Nothing => values.pop().map_or(Value::Bool(true), |node| node.value),
            Takes::One if values.len() > 1 => Value::List(values),
            Takes::One => values.pop().map_or(Value::Null, |node| node.value),
            Takes::Many => Value::List(values),
        };
        entries.push(Entry { key: name.to_owned(), line: word.line, node: Node { value, line: word.line } });
    }
    entries
}

/// Whether a word is a value of the flag before it. The first one is due; what follows must be of the same command, or
/// a number, which no command is.
fn is_value(word: &Word, is_due: bool) -> bool {
    let text = word.text.as_str();
    let is_number = text.parse::<i64>().is_ok();
    let is_own = is_number || !word.begins && !text.starts_with(['$', '-', '@']);
    if is_due { !text.starts_with("--") } else { is_own }
}

/// Whether a word after a switch looks like a value, which switches do not take.
fn is_switch(word: &str) -> bool {
    matches!(word.to_lowercase().as_str(), "true" | "false" | "yes" | "no" | "on" | "off" | "0" | "1")
}

fn node(text: &str, line: usize) -> Node {
    let value = text.parse().map_or_else(|_| Value::Text(text.to_owned()), Value::Int);
    Node { value, line }
}
