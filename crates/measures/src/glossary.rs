//! The names of the product and their definitions, in both languages: the text of `npuscope glossary`, of docs/glossary
//! and of the tooltips of the pages. Most are numbers; concepts and pages have no unit and no function. One file per
//! section; `not_used` has the words that are not used for a concept.
//!
//! ```
//! use npuscope_measures::glossary::Term;
//!
//! let term = Term::find("Communication(Not Overlapped)").unwrap();
//! assert_eq!(term.key, "exposed_communication");
//! assert_eq!(Term::near("exposed comunication").unwrap().key, "exposed_communication");
//! ```

mod communication;
mod concepts;
mod diagnosis;
mod memory;
mod not_used;
mod operators;
mod pages;
mod parallel;
mod step;

pub use not_used::{NOT_USED, NotUsed};
use std::borrow::Cow;

pub use npuscope_messages::Language;
use npuscope_messages::documentation::translate;
use npuscope_tables::similar;

/// A name that users see: of a number, of a concept or of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The name in tables, JSON and addresses, without a unit.
    pub key: &'static str,
    /// The name in sentences.
    pub english_name: &'static str,
    pub chinese_name: &'static str,
    /// Names that mean the same, among them the columns of the files that users know.
    pub also: &'static [&'static str],
    /// Unit in tables and JSON; a name that ends in `_ms` or `_us` says another. Empty where there is none.
    pub unit: &'static str,
    /// In the keys of other terms where there are such; empty where the definition says it all.
    pub formula: &'static str,
    pub english: &'static str,
    pub chinese: &'static str,
    /// The function or the field that computes a number; empty for what is no number.
    pub function: &'static str,
}

/// Terms of one part of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    pub english_name: &'static str,
    pub chinese_name: &'static str,
    /// Whether its terms are numbers, each with the function that computes it.
    pub has_numbers: bool,
    pub terms: &'static [Term],
}

impl Section {
    pub const fn name(&self, language: Language) -> &'static str {
        language.choose(self.english_name, self.chinese_name)
    }
}

/// In the order in which a newcomer would ask.
pub const SECTIONS: &[Section] = &[
    concepts::SECTION,
    step::SECTION,
    communication::SECTION,
    operators::SECTION,
    memory::SECTION,
    parallel::SECTION,
    diagnosis::SECTION,
    pages::SECTION,
];

/// All terms, section by section.
pub fn terms() -> impl Iterator<Item = &'static Term> {
    SECTIONS.iter().flat_map(|section| section.terms)
}

/// The terms that are numbers.
pub fn numbers() -> impl Iterator<Item = &'static Term> {
    SECTIONS.iter().filter(|section| section.has_numbers).flat_map(|section| section.terms)
}

impl Term {
    /// What concepts and pages have in common.
    const NAME: Term = Term {
        key: "",
        english_name: "",
        chinese_name: "",
        also: &[],
        unit: "",
        formula: "",
        english: "",
        chinese: "",
        function: "",
    };

    /// The term with this key or one of its names, else the one that is used instead of this word. Capitals and the
    /// signs between words do not matter.
    pub fn find(name: &str) -> Option<&'static Term> {
        let name = plain(name);
        let instead = || NOT_USED.iter().find(|word| plain(word.phrase) == name).map(|word| word.instead);
        let named = terms().find(|term| term.names().any(|known| plain(known) == name));
        named.or_else(|| instead().and_then(|key| terms().find(|term| term.key == key)))
    }

    /// The term that a misspelt name may have meant: one with a name that is near, else one whose name begins with it,
    /// else one whose name contains it.
    pub fn near(name: &str) -> Option<&'static Term> {
        let wanted = plain(name);
        let names: Vec<(String, &'static Term)> =
            terms().flat_map(|term| term.names().map(move |known| (plain(known), term))).collect();
        // One slip turns any letter into a Chinese name of one character.
        let long_enough = names.iter().map(|(known, _)| known.as_str()).filter(|known| known.chars().count() > 1);
        let near = similar::near(&wanted, long_enough);
        let is_near = |known: &str| near == Some(known);
        let begins = |known: &str| wanted.chars().count() > 1 && known.starts_with(&wanted);
        let contains = |known: &str| wanted.chars().count() > 2 && known.contains(&wanted);
        let first = |is: &dyn Fn(&str) -> bool| names.iter().find(|(known, _)| is(known)).map(|(_, term)| *term);
        first(&is_near).or_else(|| first(&begins)).or_else(|| first(&contains))
    }

    /// Key, names in both languages, and other names.
    fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.key, self.english_name, self.chinese_name].into_iter().chain(self.also.iter().copied())
    }

    pub const fn name(&self, language: Language) -> &'static str {
        language.choose(self.english_name, self.chinese_name)
    }

    /// The formula with the names of terms in a language.
    pub fn formula_in(&self, language: Language) -> Cow<'static, str> {
        translate(self.formula, language)
    }

    pub const fn definition(&self, language: Language) -> &'static str {
        language.choose(self.english, self.chinese)
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_found_by_any_of_its_names() {
        for (name, key) in [
            ("Step Time", "step_time"),
            ("Communication(Not Overlapped)", "exposed_communication"),
            ("free", "free"),
            ("point-to-point time", "p2p_time"),
            ("未掩盖通信", "exposed_communication"),
            ("lane", "lane"),
            ("timeline page", "timeline_page"),
        ] {
            assert_eq!(Term::find(name).map(|term| term.key), Some(key), "{name}");
        }
        assert_eq!(Term::find("weather"), None);
    }

    #[test]
    fn a_misspelt_name_leads_to_the_term() {
        for (name, key) in
            [("confidense", "confidence"), ("replay", "replay_error"), ("large pack", "large_packet_share")]
        {
            assert_eq!(Term::near(name).map(|term| term.key), Some(key), "{name}");
        }
        assert_eq!(Term::near("weather"), None);
        assert_eq!(Term::near(""), None);
    }

    #[test]
    fn no_name_means_two_things() {
        let mut names: Vec<(String, &str)> = Vec::new();
        for term in terms() {
            for name in term.names().map(plain) {
                let other = names.iter().find(|(known, key)| *known == name && *key != term.key);
                assert_eq!(other, None, "{name} also means {}", term.key);
                names.push((name, term.key));
            }
        }
    }

    #[test]
    fn numbers_have_a_function_and_other_terms_do_not() {
        for section in SECTIONS {
            for term in section.terms {
                assert_eq!(term.function.is_empty(), !section.has_numbers, "{}", term.key);
                assert!(section.has_numbers || (term.unit.is_empty() && term.formula.is_empty()), "{}", term.key);
            }
        }
        assert!(numbers().count() >= 89);
    }

    #[test]
    fn every_term_is_defined_in_both_languages() {
        let is_chinese = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
        for term in terms() {
            let Term { key, english_name, english, chinese, .. } = term;
            assert!(!english_name.is_empty() && !term.chinese_name.is_empty(), "{key} has no name");
            assert!(english.ends_with('.') && !is_chinese(english), "{key}: {english}");
            assert!(chinese.ends_with('。') && is_chinese(chinese), "{key}: {chinese}");
            assert!(!is_chinese(term.formula) && !is_chinese(english_name), "{key}");
        }
    }
}
