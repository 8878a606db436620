//! Texts that stand beside the code they document: help of options, doc lines of tables and columns, pages of modes.
//!
//! Their English is in the code. `catalog/*.zh.po` have the Chinese, in the syntax of gettext, found by the English
//! text: whoever changes a text has to write its Chinese anew, because a test fails until then.
//!
//! ```
//! use npuscope_messages::{Language, documentation};
//!
//! assert_eq!(documentation::translate("Usage:", Language::Chinese), "用法：");
//! assert_eq!(documentation::translate("Usage:", Language::English), "Usage:");
//! ```

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::LazyLock;

use crate::Language;
use crate::po::entries;

/// The files with the Chinese, by what their texts document.
const SOURCES: [(&str, &str); 4] = [
    ("formulas.zh.po", include_str!("../catalog/formulas.zh.po")),
    ("help.zh.po", include_str!("../catalog/help.zh.po")),
    ("modes.zh.po", include_str!("../catalog/modes.zh.po")),
    ("tables.zh.po", include_str!("../catalog/tables.zh.po")),
];

static CHINESE: LazyLock<HashMap<String, String>> =
    LazyLock::new(|| SOURCES.iter().flat_map(|(_, source)| entries(source)).collect());

/// A text in a language; in English where there is no other.
pub fn translate(text: &str, language: Language) -> Cow<'_, str> {
    match language {
        Language::English => Cow::Borrowed(text),
        Language::Chinese => CHINESE.get(&folded(text)).map_or(Cow::Borrowed(text), |chinese| Cow::Borrowed(chinese)),
    }
}

/// Paragraphs, items of lists and cells of tables in a language, each on its own.
pub fn translate_markdown(text: &str, language: Language) -> String {
    if language == Language::English {
        return text.to_owned();
    }
    let mut page = String::new();
    for block in blocks(text) {
        let _ = match block {
            Block::Blank => writeln!(page),
            Block::Paragraph(text) => writeln!(page, "{}", translate(&text, language)),
            Block::Item(text) => writeln!(page, "- {}", translate(&text, language)),
            Block::Row(cells) => {
                let cells: Vec<Cow<str>> = cells.iter().map(|cell| translate(cell, language)).collect();
                writeln!(page, "| {} |", cells.join(" | "))
            }
        };
    }
    page
}

/// The texts of a page that are translated one by one.
pub fn translatable_texts(markdown: &str) -> Vec<String> {
    let texts = blocks(markdown).into_iter().flat_map(|block| match block {
        Block::Blank => Vec::new(),
        Block::Paragraph(text) | Block::Item(text) => vec![text],
        Block::Row(cells) => cells,
    });
    texts.collect()
}

/// What is wrong with the translations, a line each: texts of `used` without Chinese, Chinese that no text uses, and
/// pairs that do not have the same names and options.
pub fn check(used: impl IntoIterator<Item = String>) -> Vec<String> {
    let used: BTreeSet<String> = used.into_iter().map(|text| folded(&text)).collect();
    let mut known = HashMap::new();
    let mut problems = Vec::new();
    for (file, source) in SOURCES {
        for (english, chinese) in entries(source) {
            if chinese.is_empty() {
                problems.push(format!("{file}: no Chinese for {english:?}"));
            }
            if !used.contains(&english) {
                problems.push(format!("{file}: not used: {english:?}"));
            }
            if !chinese.is_empty() && names(&english) != names(&chinese) {
                problems.push(format!("{file}: other names or options than in English: {chinese:?}"));
            }
            if let Some(before) = known.insert(english.clone(), file) {
                problems.push(format!("{file}: stands in {before}, too: {english:?}"));
            }
        }
    }
    let missing = used.iter().filter(|text| has_words(text) && !known.contains_key(*text));
    problems.extend(missing.map(|text| format!("no Chinese: {text:?}")));
    problems
}

/// What is the same in every language: names in backquotes, and options. A name with placeholders in braces, which are
/// words of the language, is not compared.
fn names(text: &str) -> BTreeSet<&str> {
    let quoted = text.split('`').skip(1).step_by(2).filter(|name| !name.contains('{'));
    let is_of_option = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let words = text.split(move |c: char| !is_of_option(c));
    quoted.chain(words.filter(|word| word.starts_with("--") && word.len() > 2 && !word.starts_with("---"))).collect()
}

/// Whether a text has words, and not only names: small letters outside of backquotes, but for the first.
fn has_words(text: &str) -> bool {
    let outside = text.split('`').step_by(2);
    let mut words = outside.flat_map(|text| text.split(|c: char| c.is_whitespace() || ",;:()[]".contains(c)));
    words.any(|word| {
        let mut letters = word.trim_end_matches('.').chars();
        word.len() > 1
            && letters.next().is_some_and(|first| first.is_ascii_alphabetic())
            && letters.all(|letter| letter.is_ascii_lowercase())
    })
}

pub(crate) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

enum Block {
    Blank,
    Paragraph(String),
    Item(String),
    Row(Vec<String>),
}

/// The blocks of a page: lines of one paragraph or item are one text.
fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for line in markdown.lines() {
        let text = line.trim();
        if text.is_empty() {
            blocks.push(Block::Blank);
        } else if text.starts_with('|') {
            blocks.push(Block::Row(text.trim_matches('|').split('|').map(folded).collect()));
        } else if let Some(item) = text.strip_prefix("- ") {
            blocks.push(Block::Item(folded(item)));
        } else if let Some(Block::Paragraph(before) | Block::Item(before)) = blocks.last_mut() {
            let _ = write!(before, " {}", folded(text));
        } else {
            blocks.push(Block::Paragraph(folded(text)));
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_translated_by_paragraphs_items_and_cells() {
        let page = "Reads `a`\nand b.\n\n- first\n  goes on\n- second\n\n| file | `b` |\n|---|---|\n";
        assert_eq!(
            translatable_texts(page),
            ["Reads `a` and b.", "first goes on", "second", "file", "`b`", "---", "---"]
        );
        assert_eq!(translate_markdown(page, Language::English), page);
        let lines = translate_markdown(page, Language::Chinese).lines().count();
        assert_eq!(lines, 7, "lines of a paragraph are one");
    }

    #[test]
    fn names_need_no_translation() {
        for name in
            ["ClusterBaseInfo, HostInfo", "communication.json", "`all of it`", "---", "FORMAT", "step_trace_time.csv"]
        {
            assert!(!has_words(name), "{name}");
        }
        for text in ["file", "Duration.", "Write the result", "`a` of b and others", "ranks."] {
            assert!(has_words(text), "{text}");
        }
    }

    #[test]
    fn names_are_those_in_backquotes_and_options() {
        assert_eq!(names("`a b` of --max-rows, --x: c -- d"), BTreeSet::from(["a b", "--max-rows", "--x"]));
        assert_ne!(names("`kernel` with --level"), names("`kernels`，使用 --level"));
        assert_eq!(names("`kernel` with --level"), names("使用 --level，`kernel`"));
    }

    #[test]
    fn missing_and_unused_texts_are_reported() {
        let problems = check(["no such text here".to_owned(), "OnlyNames".to_owned()]);
        assert!(problems.iter().any(|problem| problem == "no Chinese: \"no such text here\""), "{problems:?}");
        assert!(!problems.iter().any(|problem| problem.contains("OnlyNames")));
        assert!(problems.iter().any(|problem| problem.ends_with("not used: \"Usage:\"")), "{problems:?}");
    }
}
