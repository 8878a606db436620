//! Texts by number: a record holds a number, the writer turns it back.

use std::collections::HashMap;
use std::sync::Arc;

/// The number of a text within one recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Name(pub u32);

impl Name {
    /// No text.
    pub const NONE: Name = Name(0);
    /// Replaces texts after the limit.
    pub const LOST: Name = Name(1);
}

/// What is shown in place of texts that were not kept.
const LOST: &str = "(not kept: too many different names)";

/// Longer texts are cut: a stack of many frames fits.
const MAX_TEXT: usize = 16 << 10;

/// Bytes of texts that are kept.
const MAX_BYTES: usize = 32 << 20;

/// What a text costs beside its bytes.
const ENTRY_BYTES: usize = 64;

pub struct Names {
    numbers: HashMap<Arc<str>, Name>,
    texts: Vec<Arc<str>>,
    bytes: usize,
    lost: u64,
}

impl Default for Names {
    fn default() -> Self {
        let texts: Vec<Arc<str>> = vec!["".into(), LOST.into()];
        Self { numbers: HashMap::from([(texts[0].clone(), Name::NONE)]), texts, bytes: 0, lost: 0 }
    }
}

impl Names {
    pub fn number(&mut self, text: &str) -> Name {
        let text = text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or_default();
        if let Some(name) = self.numbers.get(text) {
            return *name;
        }
        let bytes = text.len() + ENTRY_BYTES;
        if self.bytes + bytes > MAX_BYTES {
            self.lost += 1;
            return Name::LOST;
        }
        self.bytes += bytes;
        let (text, name): (Arc<str>, _) = (text.into(), Name(self.texts.len() as u32));
        self.texts.push(text.clone());
        self.numbers.insert(text, name);
        name
    }

    /// The texts from a number on.
    pub fn since(&self, first: usize) -> &[Arc<str>] {
        self.texts.get(first..).unwrap_or_default()
    }

    /// How often a text was not kept.
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_kept_once_and_not_without_end() {
        let mut names = Names::default();
        assert_eq!(names.number(""), Name::NONE);
        let name = names.number("forward");
        assert_eq!(names.number("forward"), name);
        assert_eq!(&*names.since(name.0 as usize)[0], "forward");
        let long = "x".repeat(MAX_TEXT);
        assert_eq!(names.number(&format!("{long} cut")), names.number(&long));
        let most = MAX_BYTES / (MAX_TEXT + ENTRY_BYTES);
        let others = (0..most + 10).map(|at| names.number(&format!("{at:08}{long}")));
        assert_eq!(others.filter(|name| *name == Name::LOST).count(), 11);
        assert_eq!(names.lost(), 11);
        assert_eq!(names.number("forward"), name, "what is known stays known");
    }
}
