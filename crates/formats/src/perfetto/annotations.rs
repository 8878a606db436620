//! What a slice says of itself beside its name, as annotations.

use std::borrow::Cow;

use npuscope_tables::{RankTables, Str};
use serde_json::{Map, Value};

use super::ids::Interned;
use super::proto::{Message, annotation, event, interned};
use crate::timeline::facts::ARGS;
use crate::timeline::{Columns, Fact};

/// Writes annotations into events.
pub struct Annotator<'a> {
    tables: &'a RankTables,
    names: Interned<&'static str>,
    texts: Interned<Str>,
}

impl<'a> Annotator<'a> {
    pub fn new(tables: &'a RankTables) -> Annotator<'a> {
        Annotator {
            tables,
            names: Interned::new(interned::ANNOTATION_NAMES),
            texts: Interned::new(interned::ANNOTATION_TEXTS),
        }
    }

    /// The columns of a row that have a value.
    pub fn row(&mut self, columns: &Columns, row: usize, event: &mut Message, fresh: &mut Message) {
        for (name, fact) in columns.facts(row) {
            match fact {
                Fact::Int(number) => self.number(name, number, event, fresh),
                Fact::Real(real) => self.value(name, event, fresh, |a| a.real(annotation::REAL, real)),
                Fact::Bool(is) => self.value(name, event, fresh, |a| a.uint(annotation::BOOL, is.into())),
                Fact::Text(text) if name == ARGS => members(self.tables.text(text), event),
                Fact::Text(text) => self.text(name, text, event, fresh),
            }
        }
    }

    pub fn number(&mut self, name: &'static str, value: i64, event: &mut Message, fresh: &mut Message) {
        self.value(name, event, fresh, |a| a.int(annotation::INT, value));
    }

    fn text(&mut self, name: &'static str, text: Str, event: &mut Message, fresh: &mut Message) {
        let tables = self.tables;
        let id = self.texts.id(text, fresh, || Cow::Borrowed(tables.text(text)));
        self.value(name, event, fresh, |a| a.uint(annotation::TEXT_ID, id));
    }

    fn value(&mut self, name: &'static str, event: &mut Message, fresh: &mut Message, fill: impl FnOnce(&mut Message)) {
        let id = self.names.id(name, fresh, || Cow::Borrowed(name));
        event.message(event::ANNOTATIONS, |a| {
            a.uint(annotation::NAME_ID, id);
            fill(a);
        });
    }
}

/// The members of a JSON object, each an annotation; lists and objects stay JSON. What is no object is one as it is.
fn members(object: &str, event: &mut Message) {
    let Ok(members) = serde_json::from_str::<Map<String, Value>>(object) else {
        event.message(event::ANNOTATIONS, |a| {
            a.text(annotation::NAME, ARGS);
            a.text(annotation::TEXT, object);
        });
        return;
    };
    for (name, value) in members {
        event.message(event::ANNOTATIONS, |a| {
            a.text(annotation::NAME, &name);
            match value {
                Value::Bool(value) => a.uint(annotation::BOOL, value.into()),
                Value::String(text) => a.text(annotation::TEXT, &text),
                Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
                    (Some(int), _, _) => a.int(annotation::INT, int),
                    (None, Some(natural), _) => a.uint(annotation::UINT, natural),
                    (None, None, Some(real)) => a.real(annotation::REAL, real),
                    (None, None, None) => a.text(annotation::TEXT, &number.to_string()),
                },
                other => a.text(annotation::TEXT, &other.to_string()),
            }
        });
    }
}
