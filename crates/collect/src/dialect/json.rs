//! JSON with lines.

use std::fmt;

use serde::de::{Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::messages;

use super::node::{Entry, MAX_DEPTH, Malformed, Node, Value};

/// Reads a JSON text; `first_line` is the number of its first line.
pub(super) fn parse(text: &str, first_line: usize) -> Result<Node, Malformed> {
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| malformed(&error, first_line))?;
    let source = Source { text, first_line };
    source.node(raw, 0)
}

fn malformed(error: &serde_json::Error, first_line: usize) -> Malformed {
    let (what, place) = (error.to_string(), format!(" at line {} column {}", error.line(), error.column()));
    let what = messages::syntax_at(error.column(), what.strip_suffix(&place).unwrap_or(&what)).into();
    Malformed { what, line: Some(first_line + error.line().saturating_sub(1)) }
}

struct Source<'a> {
    text: &'a str,
    first_line: usize,
}

impl<'a> Source<'a> {
    /// Lines come from where in the text a raw value lies: parsed values do not know.
    fn line(&self, raw: &RawValue) -> usize {
        let offset = (raw.get().as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let before = self.text.as_bytes().get(..offset).unwrap_or_default();
        self.first_line + before.iter().filter(|byte| **byte == b'\n').count()
    }

    fn node(&self, raw: &'a RawValue, depth: usize) -> Result<Node, Malformed> {
        let line = self.line(raw);
        if depth > MAX_DEPTH {
            return Err(Malformed { what: messages::nested_too_deep().into(), line: Some(line) });
        }
        let within = |error: serde_json::Error| malformed(&error, line);
        let value = match raw.get().as_bytes().first() {
            Some(b'{') => {
                let entries = serde_json::Deserializer::from_str(raw.get()).deserialize_map(Entries).map_err(within)?;
                let entries = entries.into_iter().map(|(key, raw)| {
                    let node = self.node(raw, depth + 1)?;
                    Ok(Entry { key, line: node.line, node })
                });
                Value::Map(entries.collect::<Result<_, _>>()?)
            }
            Some(b'[') => {
                let list = serde_json::Deserializer::from_str(raw.get()).deserialize_seq(Items).map_err(within)?;
                Value::List(list.into_iter().map(|raw| self.node(raw, depth + 1)).collect::<Result<_, _>>()?)
            }
            _ => match serde_json::from_str(raw.get()).map_err(within)? {
                serde_json::Value::Bool(value) => Value::Bool(value),
                serde_json::Value::Number(number) => match number.as_i64() {
                    Some(value) => Value::Int(value),
                    // Python's numbers have no end.
                    None if number.is_u64() => Value::Int(i64::MAX),
                    None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
                },
                serde_json::Value::String(text) => Value::Text(text),
                _ => Value::Null,
            },
        };
        Ok(Node { value, line })
    }
}

/// Entries in their order, doubled keys and all.
struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(entries)
    }
}

struct Items;

impl<'de> Visitor<'de> for Items {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_their_lines() {
        let node = parse("{\n  \"a\": 1,\n  \"b\": {\"c\": [true,\n null]}\n}", 10).unwrap();
        assert_eq!(node.get("a").unwrap().line, 11);
        let list = node.get("b").unwrap().get("c").unwrap();
        let Value::List(items) = &list.value else { panic!("{list:?}") };
        assert_eq!((list.line, items[0].line, items[1].line), (12, 12, 13));
    }

    #[test]
    fn an_error_has_its_line() {
        let error = parse("{\n \"a\": ,\n}", 1).unwrap_err();
        assert_eq!((error.what, error.line), (messages::syntax_at(7, "expected value").into(), Some(2)));
    }

    #[test]
    fn deep_nesting_is_refused() {
        let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
        assert!(parse(&deep, 1).is_err());
    }
}
