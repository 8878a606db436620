//! Texts of extracts, and how extracts are written.
//!
//! An extract is [postcard](https://postcard.jamesmunns.com) bytes in two parts: its texts, each once, and its values,
//! in which a [`Text`] is a number. Names of groups, operators and kernels repeat thousands of times in one extract; so
//! they take two bytes each, and decoding shares one allocation.

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use npuscope_formats::result::Cell;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text of an extract. Clones share it; an encoded extract holds it once.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text(Arc<str>);

impl Text {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Text {
    fn default() -> Text {
        Text::from("")
    }
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for Text {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(text.into())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text(text.into())
    }
}

impl From<std::borrow::Cow<'_, str>> for Text {
    fn from(text: std::borrow::Cow<'_, str>) -> Text {
        Text(text.into())
    }
}

impl From<Text> for Cell {
    fn from(text: Text) -> Cell {
        Cell::Text(text.0)
    }
}

impl From<&Text> for Cell {
    fn from(text: &Text) -> Cell {
        Cell::Text(text.0.clone())
    }
}

/// The texts of the extract that is being encoded.
#[derive(Default)]
struct Written {
    texts: Vec<Text>,
    numbers: HashMap<Text, u32, FixedState>,
}

impl Written {
    fn number(&mut self, text: &Text) -> Option<u32> {
        if let Some(number) = self.numbers.get(text) {
            return Some(*number);
        }
        let number = u32::try_from(self.texts.len()).ok()?;
        self.texts.push(text.clone());
        self.numbers.insert(text.clone(), number);
        Some(number)
    }
}

// Serde hands no state down to the values of an extract; an extract is encoded and decoded on one thread.
thread_local! {
    static WRITTEN: RefCell<Option<Written>> = const { RefCell::new(None) };
    static READ: RefCell<Option<Vec<Text>>> = const { RefCell::new(None) };
}

/// Ends the encoding or decoding of an extract, also if it panics.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        WRITTEN.set(None);
        READ.set(None);
    }
}

/// Outside of extracts a text is a string.
impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = WRITTEN.with_borrow_mut(|written| written.as_mut().map(|written| written.number(self)));
        match number {
            None => serializer.serialize_str(self),
            Some(Some(number)) => serializer.serialize_u32(number),
            Some(None) => Err(serde::ser::Error::custom("too many texts")),
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        if READ.with_borrow(Option::is_none) {
            return String::deserialize(deserializer).map(Text::from);
        }
        let number = u32::deserialize(deserializer)?;
        let text = READ.with_borrow(|read| read.as_ref()?.get(number as usize).cloned());
        text.ok_or_else(|| D::Error::custom("no such text"))
    }
}

/// The bytes of a value; `None` if it cannot be written, which costs a cached extract and no answer.
pub fn encode<T: Serialize>(value: &T) -> Option<Vec<u8>> {
    let _end = End;
    WRITTEN.set(Some(Written::default()));
    let values = postcard::to_allocvec(value).ok()?;
    let texts = WRITTEN.take().unwrap_or_default().texts;
    let mut bytes = postcard::to_allocvec(&texts).ok()?;
    bytes.extend_from_slice(&values);
    Some(bytes)
}

/// The value of some bytes; `None` if they are not those of one. It takes memory in proportion to the bytes, whatever
/// lengths they state, and does not panic.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let _end = End;
    let (texts, values) = postcard::take_from_bytes::<Vec<&str>>(bytes).ok()?;
    READ.set(Some(texts.into_iter().map(Text::from).collect()));
    match postcard::take_from_bytes(values).ok()? {
        (value, []) => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Sample {
        names: Vec<Text>,
        by_name: std::collections::BTreeMap<Text, (i64, Option<f64>)>,
    }

    fn sample() -> Sample {
        let names = vec![Text::from("allreduce"); 100];
        Sample { names, by_name: [("a".into(), (-1, None)), ("allreduce".into(), (i64::MAX, Some(0.5)))].into() }
    }

    #[test]
    fn a_text_is_kept_once() {
        let bytes = encode(&sample()).unwrap();
        assert!(bytes.len() < 160, "{}", bytes.len());
        let back: Sample = decode(&bytes).unwrap();
        assert_eq!(back, sample());
        assert!(Arc::ptr_eq(&back.names[0].0, &back.names[99].0));
    }

    #[test]
    fn outside_of_extracts_a_text_is_a_string() {
        assert_eq!(serde_json::to_string(&Text::from("a")).unwrap(), "\"a\"");
        assert_eq!(serde_json::from_str::<Text>("\"a\"").unwrap(), Text::from("a"));
    }

    #[test]
    fn damaged_bytes_never_panic_and_cut_ones_are_refused() {
        let bytes = encode(&sample()).unwrap();
        for cut in 0..bytes.len() {
            assert!(decode::<Sample>(&bytes[..cut]).is_none());
        }
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let _ = decode::<Sample>(&damaged);
        }
        // Lengths that there are no bytes for.
        for length in [1 << 20, u64::from(u32::MAX), u64::MAX] {
            let length = postcard::to_allocvec(&length).unwrap();
            assert!(decode::<Sample>(&[&[0][..], &length, &[0; 20]].concat()).is_none());
            assert!(decode::<Sample>(&[&length[..], &[0; 20]].concat()).is_none());
        }
        assert!(decode::<Sample>(&[&bytes[..], &[0]].concat()).is_none());
    }
}
