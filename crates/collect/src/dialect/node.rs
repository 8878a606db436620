//! Values of a file with their lines, whatever the format of the file.

use npuscope_messages::Argument;

/// A value and the line it begins on, counted from 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub value: Value,
    pub line: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub key: String,
    /// Of the key.
    pub line: usize,
    pub node: Node,
}

/// Why a text cannot be parsed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Malformed {
    pub what: Argument,
    pub line: Option<usize>,
}

/// How deep values may lie in each other; a configuration has five levels or so.
pub(super) const MAX_DEPTH: usize = 64;

impl Node {
    pub fn map(&self) -> Option<&[Entry]> {
        match &self.value {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value of a key; the last one of duplicates, as in Python.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.map()?.iter().rev().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Itself, or the first of a list.
    pub fn first(&self) -> &Node {
        match &self.value {
            Value::List(list) => list.first().unwrap_or(self),
            _ => self,
        }
    }

    /// A number of at least 1.
    pub fn count(&self) -> Option<u64> {
        match self.value {
            Value::Int(number) => u64::try_from(number).ok().filter(|number| *number > 0),
            _ => None,
        }
    }

    /// For messages, short.
    pub fn shown(&self) -> String {
        const LONGEST: usize = 60;
        let text = match &self.value {
            // A word that means something else without quotes keeps them: "true" is a text.
            Value::Text(text) if is_plain(text) && super::yaml::is_text(text) => text.clone(),
            _ => self.json().to_string(),
        };
        if text.chars().count() <= LONGEST {
            return text;
        }
        text.chars().take(LONGEST - 1).chain(['…']).collect()
    }

    pub fn json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(value) => (*value).into(),
            Value::Int(value) => (*value).into(),
            Value::Float(value) => (*value).into(),
            Value::Text(text) => text.as_str().into(),
            Value::List(list) => list.iter().map(Node::json).collect(),
            Value::Map(entries) => entries.iter().map(|entry| (entry.key.clone(), entry.node.json())).collect(),
        }
    }
}

/// Whether a word can be shown without quotes.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| !c.is_whitespace() && !c.is_control())
}
