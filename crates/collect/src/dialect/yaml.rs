//! YAML with lines, as PyYAML reads it: the trainers do, and `on` is true there.

use std::borrow::Cow;
use std::collections::HashMap;

use npuscope_messages::Message;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Tag};

use crate::messages;

use super::node::{Entry, MAX_DEPTH, Malformed, Node, Value};

/// Values that aliases may add up to: a few anchors in each other would otherwise fill the memory.
const MAX_NODES: usize = 100_000;

/// Reads the first document of a YAML text.
pub(super) fn parse(text: &str) -> Result<Node, Malformed> {
    let mut builder = Builder { open: Vec::new(), anchors: HashMap::new(), nodes: 0, root: None };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| malformed(&error))?;
        if matches!(event, Event::DocumentEnd) {
            break;
        }
        let line = span.start.line();
        builder.take(event, line).map_err(|why| Malformed { what: why.message().into(), line: Some(line) })?;
    }
    Ok(builder.root.unwrap_or(Node { value: Value::Null, line: 1 }))
}

/// Columns are counted from 1, as editors do; the parser counts them from 0.
fn malformed(error: &ScanError) -> Malformed {
    let place = error.marker();
    Malformed { what: messages::syntax_at(place.col() + 1, error.info()).into(), line: Some(place.line()) }
}

/// Why a document is refused.
#[derive(Debug)]
enum Refused {
    NoAnchor,
    TooDeep,
    TooMany,
}

impl Refused {
    fn message(&self) -> Message {
        match self {
            Refused::NoAnchor => messages::alias_without_anchor(),
            Refused::TooDeep => messages::nested_too_deep(),
            Refused::TooMany => messages::too_many_values(MAX_NODES),
        }
    }
}

struct Builder {
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    root: Option<Node>,
}

/// A list or map whose end is yet to come.
struct Open {
    anchor: usize,
    line: usize,
    kind: Kind,
}

enum Kind {
    List(Vec<Node>),
    Map { entries: Vec<Entry>, key: Option<Node> },
}

impl Builder {
    fn take(&mut self, event: Event, line: usize) -> Result<(), Refused> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let value = scalar(&text, style, tag.as_ref());
                self.add(Node { value, line }, anchor)
            }
            Event::Alias(anchor) => {
                let node = self.anchors.get(&anchor).ok_or(Refused::NoAnchor)?;
                let node = Node { value: node.value.clone(), line };
                self.nodes += count(&node);
                self.add(node, 0)
            }
            Event::SequenceStart(anchor, _) => self.begin(Open { anchor, line, kind: Kind::List(Vec::new()) }),
            Event::MappingStart(anchor, _) => {
                self.begin(Open { anchor, line, kind: Kind::Map { entries: Vec::new(), key: None } })
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(Open { anchor, line, kind }) = self.open.pop() else { return Ok(()) };
                let value = match kind {
                    Kind::List(list) => Value::List(list),
                    Kind::Map { entries, .. } => Value::Map(merged(entries)),
                };
                self.add(Node { value, line }, anchor)
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, open: Open) -> Result<(), Refused> {
        if self.open.len() >= MAX_DEPTH {
            return Err(Refused::TooDeep);
        }
        self.open.push(open);
        Ok(())
    }

    fn add(&mut self, node: Node, anchor: usize) -> Result<(), Refused> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(Refused::TooMany);
        }
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut().map(|open| &mut open.kind) {
            None => self.root = Some(node),
            Some(Kind::List(list)) => list.push(node),
            Some(Kind::Map { entries, key }) => match key.take() {
                None => *key = Some(node),
                Some(Node { value, line }) => {
                    let key = match value {
                        Value::Text(text) => text,
                        other => Node { value: other, line }.shown(),
                    };
                    entries.push(Entry { key, line, node });
                }
            },
        }
        Ok(())
    }
}

fn count(node: &Node) -> usize {
    match &node.value {
        Value::List(list) => 1 + list.iter().map(count).sum::<usize>(),
        Value::Map(entries) => 1 + entries.iter().map(|entry| count(&entry.node)).sum::<usize>(),
        _ => 1,
    }
}

/// Entries with those of `<<: *anchor` put in where the map has none of its own.
fn merged(entries: Vec<Entry>) -> Vec<Entry> {
    if !entries.iter().any(|entry| entry.key == "<<") {
        return entries;
    }
    let (merges, mut own): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(|entry| entry.key == "<<");
    for merge in merges {
        let maps = match merge.node.value {
            Value::List(list) => list,
            _ => vec![merge.node],
        };
        for entry in
            maps.into_iter().filter_map(|map| if let Value::Map(map) = map.value { Some(map) } else { None }).flatten()
        {
            if !own.iter().any(|known| known.key == entry.key) {
                own.push(entry);
            }
        }
    }
    own
}

/// Whether a word without quotes is itself, not a number or the like.
pub(super) fn is_text(word: &str) -> bool {
    matches!(scalar(word, ScalarStyle::Plain, None), Value::Text(_))
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Cow<Tag>>) -> Value {
    let is_text = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
    if style != ScalarStyle::Plain || is_text {
        return Value::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Value::Bool(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => return Value::Bool(false),
        _ => {}
    }
    if let Some(number) = integer(text) {
        return Value::Int(number);
    }
    match float(text) {
        Some(number) => Value::Float(number),
        None => Value::Text(text.to_owned()),
    }
}

/// Digits may be grouped with `_`, and a leading 0 makes a number octal.
fn integer(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let digits = digits.replace('_', "");
    let number = match (digits.strip_prefix("0x"), digits.strip_prefix('0')) {
        (Some(hexadecimal), _) => i64::from_str_radix(hexadecimal, 16).ok()?,
        (None, Some(octal)) if !octal.is_empty() => i64::from_str_radix(octal, 8).ok()?,
        _ => digits.parse().ok()?,
    };
    Some(sign * number)
}

fn float(text: &str) -> Option<f64> {
    let is_number = text.contains('.') && text.chars().all(|c| c.is_ascii_digit() || "+-._eE".contains(c));
    if !is_number || !text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    text.replace('_', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        parse(text).unwrap().value
    }

    #[test]
    fn scalars_are_what_pyyaml_makes_of_them() {
        assert_eq!(value("on"), Value::Bool(true));
        assert_eq!(value("No"), Value::Bool(false));
        assert_eq!(value("'no'"), Value::Text("no".to_owned()));
        assert_eq!(value("1_000"), Value::Int(1000));
        assert_eq!(value("-1"), Value::Int(-1));
        assert_eq!(value("010"), Value::Int(8));
        assert_eq!(value("0x10"), Value::Int(16));
        assert_eq!(value("1.5"), Value::Float(1.5));
        assert_eq!(value("~"), Value::Null);
        assert_eq!(value("./profile"), Value::Text("./profile".to_owned()));
        assert_eq!(value("!!str 5"), Value::Text("5".to_owned()));
    }

    #[test]
    fn lines_are_those_of_keys() {
        let node = parse("# top\na:\n  b: 1\n  c:\n    - 2\n").unwrap();
        let entries = node.get("a").unwrap().map().unwrap();
        assert_eq!(
            entries.iter().map(|entry| (entry.key.as_str(), entry.line)).collect::<Vec<_>>(),
            [("b", 3), ("c", 4)]
        );
    }

    #[test]
    fn anchors_are_merged_and_own_keys_win() {
        let node = parse("base: &base {a: 1, b: 2}\nmine:\n  <<: *base\n  b: 3\n").unwrap();
        let mine = node.get("mine").unwrap();
        assert_eq!(mine.get("a").unwrap().value, Value::Int(1));
        assert_eq!(mine.get("b").unwrap().value, Value::Int(3));
    }

    #[test]
    fn neither_depth_nor_aliases_exhaust_memory() {
        assert!(parse(&"[".repeat(100_000)).is_err());
        let nested: String = (0..1000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
        assert!(parse(&nested).is_err());
        let mut laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for i in 1..12 {
            let many = vec![format!("*a{}", i - 1); 10].join(", ");
            laughs.push_str(&format!("a{i}: &a{i} [{many}]\n"));
        }
        assert!(parse(&laughs).is_err());
    }
}
