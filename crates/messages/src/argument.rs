//! What stands for a `{ $name }` of a sentence.

use std::path::{Path, PathBuf};

use fluent_bundle::FluentValue;
use serde::{Deserialize, Serialize, Serializer};

use crate::{Language, Message, documentation};

/// A value in a sentence.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub enum Argument {
    /// A name, a path, a piece of code: the same in every language.
    Text(String),
    /// A whole number; a catalog may choose singular or plural by it.
    Integer(i64),
    /// A number with as many digits after the point as the sentence shows.
    Decimal { value: f64, digits: u8 },
    /// A sentence or a part of one.
    Message(Box<Message>),
    /// Several, joined as the language joins them.
    List(Vec<Argument>),
    /// English text of the code that [`documentation`] translates.
    Documentation(String),
}

/// Text of the code that a sentence repeats in the user's language; [`documentation`] has its Chinese.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Documentation(pub &'static str);

/// A number that is shown with `DIGITS` digits after the point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decimal<const DIGITS: u8>(pub f64);

impl Argument {
    /// The value as the catalog of a language sees it.
    pub(crate) fn value(&self, language: Language) -> FluentValue<'_> {
        match self {
            // Only numbers choose plurals, and Fluent counts in floating point: beyond 2^53 a number is only text.
            Argument::Integer(number) if number.unsigned_abs() < 1 << 53 => FluentValue::from(*number),
            other => FluentValue::from(other.text(language)),
        }
    }

    pub(crate) fn text(&self, language: Language) -> String {
        match self {
            Argument::Text(text) => text.clone(),
            Argument::Integer(number) => number.to_string(),
            Argument::Decimal { value, digits } => format!("{value:.*}", usize::from(*digits)),
            Argument::Message(message) => message.text(language),
            Argument::List(items) => {
                let texts: Vec<String> = items.iter().map(|item| item.text(language)).collect();
                texts.join(language.choose(", ", "、"))
            }
            Argument::Documentation(text) => documentation::translate(text, language).into_owned(),
        }
    }
}

/// In JSON a plain value; in bytes that are kept, what it takes to read it back.
impl Serialize for Argument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return match self {
                Argument::Text(text) | Argument::Documentation(text) => serializer.serialize_str(text),
                Argument::Integer(number) => serializer.serialize_i64(*number),
                Argument::Decimal { value, .. } => serializer.serialize_f64(*value),
                Argument::Message(message) => message.serialize(serializer),
                Argument::List(items) => serializer.collect_seq(items),
            };
        }
        match self {
            Argument::Text(text) => serializer.serialize_newtype_variant("Argument", 0, "Text", text),
            Argument::Integer(number) => serializer.serialize_newtype_variant("Argument", 1, "Integer", number),
            Argument::Decimal { value, digits } => {
                use serde::ser::SerializeStructVariant;
                let mut fields = serializer.serialize_struct_variant("Argument", 2, "Decimal", 2)?;
                fields.serialize_field("value", value)?;
                fields.serialize_field("digits", digits)?;
                fields.end()
            }
            Argument::Message(message) => serializer.serialize_newtype_variant("Argument", 3, "Message", message),
            Argument::List(items) => serializer.serialize_newtype_variant("Argument", 4, "List", items),
            Argument::Documentation(text) => serializer.serialize_newtype_variant("Argument", 5, "Documentation", text),
        }
    }
}

macro_rules! from {
    ($($type:ty: $value:ident => $argument:expr),+ $(,)?) => {
        $(impl From<$type> for Argument {
            fn from($value: $type) -> Argument {
                $argument
            }
        })+
    };
}

from! {
    String: text => Argument::Text(text),
    &str: text => Argument::Text(text.to_owned()),
    &String: text => Argument::Text(text.clone()),
    &Path: path => Argument::Text(path.display().to_string()),
    &PathBuf: path => Argument::Text(path.display().to_string()),
    i64: number => Argument::Integer(number),
    i32: number => Argument::Integer(number.into()),
    u32: number => Argument::Integer(number.into()),
    u64: number => i64::try_from(number).map_or_else(|_| Argument::Text(number.to_string()), Argument::Integer),
    usize: number => (number as u64).into(),
    Message: message => Argument::Message(Box::new(message)),
    Documentation: text => Argument::Documentation(text.0.to_owned()),
}

impl<const DIGITS: u8> From<Decimal<DIGITS>> for Argument {
    fn from(Decimal(value): Decimal<DIGITS>) -> Argument {
        Argument::Decimal { value, digits: DIGITS }
    }
}

impl<T: Into<Argument>> From<Vec<T>> for Argument {
    fn from(items: Vec<T>) -> Argument {
        Argument::List(items.into_iter().map(Into::into).collect())
    }
}
