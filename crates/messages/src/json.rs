//! Messages as JSON that is kept: `{"id", "arguments": {…}}`, without the sentences.
//!
//! What `Serialize` makes of a message is for those who read the sentence. This is for columns, which are rendered when
//! they are read, in the language of that moment.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeStruct, Serializer};
use serde::{Deserialize, Serialize};

use crate::{Argument, Language, Message, catalog};

impl Message {
    /// The message as JSON that [`Message::from_json`] reads. Decimals become text, with the digits that they show.
    pub fn to_json(&self) -> String {
        // Strings, integers, lists and maps with strings as keys are always JSON.
        serde_json::to_string(&Kept(self)).unwrap_or_default()
    }

    /// Reads a message back. `None` if the text is no message, or one that the catalogs do not have: another version
    /// wrote it.
    pub fn from_json(json: &str) -> Option<Message> {
        let message: Message = serde_json::from_str::<Read>(json).ok()?.into();
        catalog::has(&message).then_some(message)
    }
}

struct Kept<'a>(&'a Message);

impl Serialize for Kept<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Message", 2)?;
        fields.serialize_field("id", self.0.id())?;
        fields.serialize_field("arguments", &KeptArguments(self.0))?;
        fields.end()
    }
}

struct KeptArguments<'a>(&'a Message);

impl Serialize for KeptArguments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.arguments().map(|(name, value)| (name, KeptArgument(value))))
    }
}

struct KeptArgument<'a>(&'a Argument);

impl Serialize for KeptArgument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Argument::Text(text) | Argument::Documentation(text) => serializer.serialize_str(text),
            Argument::Integer(number) => serializer.serialize_i64(*number),
            // The digits are the same in every language.
            decimal @ Argument::Decimal { .. } => serializer.serialize_str(&decimal.text(Language::English)),
            Argument::Message(message) => Kept(message).serialize(serializer),
            Argument::List(items) => serializer.collect_seq(items.iter().map(KeptArgument)),
        }
    }
}

/// A message as it stands in JSON; other keys, such as the sentences, are ignored.
#[derive(Deserialize)]
struct Read {
    id: String,
    arguments: ReadArguments,
}

impl From<Read> for Message {
    fn from(read: Read) -> Message {
        Message { id: Cow::Owned(read.id), arguments: read.arguments.0 }
    }
}

struct ReadArguments(Vec<(Cow<'static, str>, Argument)>);

impl<'de> Deserialize<'de> for ReadArguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = ReadArguments;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the arguments of a message")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ReadArguments, A::Error> {
                let mut arguments = Vec::new();
                while let Some((name, ReadArgument(value))) = map.next_entry::<String, _>()? {
                    arguments.push((Cow::Owned(name), value));
                }
                Ok(ReadArguments(arguments))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

struct ReadArgument(Argument);

impl<'de> Deserialize<'de> for ReadArgument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = ReadArgument;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, an integer, a message or a list of these")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<ReadArgument, E> {
                Ok(ReadArgument(text.into()))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<ReadArgument, E> {
                Ok(ReadArgument(number.into()))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<ReadArgument, E> {
                Ok(ReadArgument(number.into()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ReadArgument, A::Error> {
                let message: Message = Read::deserialize(MapAccessDeserializer::new(map))?.into();
                Ok(ReadArgument(message.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<ReadArgument, A::Error> {
                let mut list = Vec::new();
                while let Some(ReadArgument(item)) = items.next_element()? {
                    list.push(item);
                }
                Ok(ReadArgument(Argument::List(list)))
            }
        }

        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Decimal, messages, verbatim};

    messages! {
        "example" => example(steps: u64, times: Decimal<2>),
    }

    /// Messages with every kind of argument, each inside each.
    fn samples() -> Vec<Message> {
        let arguments: Vec<Argument> = vec![
            "".into(),
            "a \"quoted\" path\\with\nlines 和中文".into(),
            0i64.into(),
            1i64.into(),
            i64::MIN.into(),
            u64::MAX.into(),
            Decimal::<0>(2.5).into(),
            Decimal::<2>(0.125).into(),
            Decimal::<3>(-1e300).into(),
            Decimal::<1>(f64::NAN).into(),
            example(1, Decimal(1.0)).into(),
            verbatim("{\"id\": 1}".to_owned()).into(),
            Vec::<Argument>::new().into(),
            vec![Argument::from(example(2, Decimal(0.5))), "b".into(), vec!["c", "d"].into()].into(),
        ];
        let of = |steps: &Argument, times: &Argument| {
            Message::declared("example", vec![("times", times.clone()), ("steps", steps.clone())])
        };
        let flat: Vec<Message> =
            arguments.iter().flat_map(|steps| arguments.iter().map(move |times| of(steps, times))).collect();
        let nested = flat.iter().map(|message| of(&message.clone().into(), &vec![message.clone()].into()));
        nested.chain(flat.iter().cloned()).collect()
    }

    #[test]
    fn a_message_from_its_json_has_the_same_text_in_every_language() {
        for message in samples() {
            let json = message.to_json();
            let read = Message::from_json(&json).unwrap_or_else(|| panic!("{json}"));
            for language in Language::ALL {
                assert_eq!(read.text(language), message.text(language), "{json}");
            }
            assert_eq!(read.to_json(), json);
        }
    }

    #[test]
    fn without_decimals_the_very_message_comes_back() {
        let message = Message::declared("example", vec![("times", vec!["a", "b"].into()), ("steps", 3i64.into())]);
        assert_eq!(message.to_json(), r#"{"id":"example","arguments":{"times":["a","b"],"steps":3}}"#);
        assert_eq!(Message::from_json(&message.to_json()), Some(message));
    }

    #[test]
    fn json_with_the_sentences_is_read_too() {
        let message = verbatim("a".to_owned());
        assert_eq!(Message::from_json(&serde_json::to_string(&message).unwrap()), Some(message));
    }

    #[test]
    fn what_is_no_message_of_the_catalogs_is_none() {
        for json in [
            "",
            "text",
            "{}",
            r#"{"id":"example"}"#,
            r#"{"id":"no-such-entry","arguments":{}}"#,
            r#"{"id":"verbatim","arguments":{"text":null}}"#,
            r#"{"id":"verbatim","arguments":{"text":{}}}"#,
        ] {
            assert_eq!(Message::from_json(json), None, "{json}");
        }
    }
}
