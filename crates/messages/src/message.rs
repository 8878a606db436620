//! A sentence that can be rendered in every language.

use std::borrow::Cow;
use std::fmt;

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use crate::{Argument, Language, catalog};

/// The id of a sentence in the catalogs, and its arguments.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Message {
    pub(crate) id: Cow<'static, str>,
    pub(crate) arguments: Vec<(Cow<'static, str>, Argument)>,
}

impl Message {
    /// For [`messages!`](crate::messages!), which knows that the catalogs have the id.
    #[doc(hidden)]
    pub fn declared(id: &'static str, arguments: Vec<(&'static str, Argument)>) -> Message {
        let arguments = arguments.into_iter().map(|(name, value)| (Cow::Borrowed(name), value)).collect();
        Message { id: Cow::Borrowed(id), arguments }
    }

    /// For programs: the same in every language and version.
    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn arguments(&self) -> impl Iterator<Item = (&str, &Argument)> {
        self.arguments.iter().map(|(name, value)| (name.as_ref(), value))
    }

    /// The sentence in a language.
    pub fn text(&self, language: Language) -> String {
        catalog::render(self, language)
    }
}

/// In English, for logs and for errors of Rust.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Language::English))
    }
}

/// In JSON with the sentence in every language: `{"id", "arguments": {…}, "text": {"en", "zh"}}`. In bytes that are
/// kept without, since a sentence may change while what it says does not.
impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_json = serializer.is_human_readable();
        let mut fields = serializer.serialize_struct("Message", if is_json { 3 } else { 2 })?;
        fields.serialize_field("id", &self.id)?;
        if is_json {
            fields.serialize_field("arguments", &AsMap(&self.arguments))?;
            fields.serialize_field("text", &Texts(self))?;
        } else {
            fields.serialize_field("arguments", &self.arguments)?;
        }
        fields.end()
    }
}

struct AsMap<'a>(&'a [(Cow<'static, str>, Argument)]);

impl Serialize for AsMap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

struct Texts<'a>(&'a Message);

impl Serialize for Texts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Language::ALL.map(|language| (language.code(), self.0.text(language))))
    }
}

#[cfg(feature = "ts")]
impl ts_rs::TS for Message {
    type WithoutGenerics = Self;
    type OptionInnerType = Self;

    fn name(_: &ts_rs::Config) -> String {
        "Message".to_owned()
    }

    fn inline(_: &ts_rs::Config) -> String {
        "{ id: string, arguments: Record<string, unknown>, text: { en: string, zh: string } }".to_owned()
    }

    fn decl(config: &ts_rs::Config) -> String {
        format!("type Message = {};", Self::inline(config))
    }

    fn decl_concrete(config: &ts_rs::Config) -> String {
        Self::decl(config)
    }

    fn inline_flattened(config: &ts_rs::Config) -> String {
        Self::inline(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Decimal, Documentation, messages};

    messages! {
        "example" => example(steps: u64, times: Decimal<2>),
    }

    #[test]
    fn json_has_id_arguments_and_both_texts() {
        let json = serde_json::to_string(&example(3, Decimal(1.5))).unwrap();
        assert_eq!(
            json,
            r#"{"id":"example","arguments":{"steps":3,"times":1.5},"text":{"en":"3 steps take 1.50x as long as before","zh":"3 个 step 的耗时是之前的 1.50 倍"}}"#
        );
    }

    #[test]
    fn kept_bytes_give_the_message_back() {
        let inner = example(1, Decimal(1.0));
        let arguments = vec![
            ("text", "a".into()),
            ("list", vec!["a", "b"].into()),
            ("message", inner.into()),
            ("decimal", Decimal::<3>(0.5).into()),
            ("integer", (-3i64).into()),
            ("documentation", Documentation("ms per step").into()),
        ];
        let message = Message::declared("example", arguments);
        let bytes = postcard::to_allocvec(&message).unwrap();
        assert_eq!(postcard::from_bytes::<Message>(&bytes).unwrap(), message);
    }

    #[test]
    fn nested_messages_and_lists_follow_the_language() {
        let list: Argument = vec![Argument::from(example(1, Decimal(1.0))), "b".into()].into();
        let message = Message::declared("example", vec![("steps", list), ("times", "x".into())]);
        assert!(message.text(Language::English).starts_with("1 step takes 1.00x as long as before, b steps"));
        assert!(message.text(Language::Chinese).starts_with("1 个 step 的耗时是之前的 1.00 倍、b 个"));
    }

    #[test]
    fn a_message_without_an_entry_shows_its_id_and_arguments() {
        let message = Message::declared("no-such-entry", vec![("file", "a.csv".into())]);
        assert_eq!(message.to_string(), "no-such-entry (file: a.csv)");
    }
}
