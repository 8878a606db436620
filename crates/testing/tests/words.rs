//! Sentences use the words of the field. `CONTRIBUTING.md` has the table of phrases that are not used and what to write
//! instead, the glossary the words that are not used for its terms; this test looks for both in sources, documentation
//! and catalogs.

use std::path::{Path, PathBuf};

use npuscope_measures::glossary::NOT_USED;
use npuscope_testing::entries;

/// Files whose text is checked: code with its comments and texts, documentation, message catalogs.
const EXTENSIONS: [&str; 11] = ["rs", "ts", "tsx", "mjs", "py", "pyi", "md", "ftl", "po", "css", "toml"];

/// Directories that are made, not written.
const MADE: [&str; 6] = [".git", "target", "node_modules", "dist", "__pycache__", "npuscope.data"];

/// Files that quote others: their sentences are not ours.
const QUOTES: [(&str, &str); 6] = [
    ("CHANGELOG.md", "lists older names"),
    ("crates/cli/tests/cli/glossary.rs", "looks up words that are not used"),
    ("crates/collect/tests/dialects", "comments of the trainers' own settings"),
    ("docs/glossary.md", "lists words that are not used"),
    ("docs/glossary.zh.md", "lists words that are not used"),
    ("crates/measures/src/glossary/not_used.rs", "the list of words that are not used"),
];

/// The comment behind a name that an option or a key had before, and that is accepted for one version.
const OLDER_NAME: &str = "// older name";

/// A row of the table: phrases that are not used, words that contain one and are fine, and what to write instead.
struct Rule {
    phrases: Vec<String>,
    except: Vec<String>,
    instead: String,
}

fn repository() -> PathBuf {
    let testing = std::env::var_os("CARGO_MANIFEST_DIR").expect("run by cargo");
    Path::new(&testing).join("../..").canonicalize().unwrap()
}

/// What stands between backquotes.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_lowercase).collect()
}

/// The rules of `CONTRIBUTING.md` and of the glossary.
fn rules() -> Vec<Rule> {
    let words = NOT_USED.iter().map(|word| Rule {
        phrases: vec![word.phrase.to_owned()],
        except: word.except.iter().map(|fine| (*fine).to_owned()).collect(),
        instead: format!("the name of the term {}", word.instead),
    });
    rules_of_phrases().into_iter().chain(words).collect()
}

/// The rules in the section "Words" of `CONTRIBUTING.md`: rows of a table with three columns.
fn rules_of_phrases() -> Vec<Rule> {
    let text = std::fs::read_to_string(repository().join("CONTRIBUTING.md")).unwrap();
    let section = text.split("\n## ").find(|section| section.starts_with("Words")).expect("a section Words");
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let rules = rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [phrases, instead, except] = cells[..] else { panic!("a row with other than three cells: {row}") };
        Rule { phrases: quoted(phrases), except: quoted(except), instead: instead.to_owned() }
    });
    rules.collect()
}

/// The line as words: in lower case, and names like `is_told` taken apart.
fn plain(line: &str) -> String {
    line.to_lowercase().replace('_', " ")
}

/// The first rule that a line breaks, and the phrase. Phrases are whole words, but for Chinese, which has no spaces.
fn breach<'r>(line: &str, rules: &'r [Rule]) -> Option<(&'r Rule, &'r str)> {
    let line = plain(line);
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    let is_whole = |at: usize, phrase: &str| {
        let goes_on_before = line[..at].ends_with(is_letter) && phrase.starts_with(is_letter);
        let goes_on_after = line[at + phrase.len()..].starts_with(is_letter) && phrase.ends_with(is_letter);
        !goes_on_before && !goes_on_after
    };
    let is_excepted = |at: usize, phrase: &str, except: &[String]| {
        except.iter().any(|fine| {
            line.match_indices(fine.as_str()).any(|(from, _)| from <= at && at + phrase.len() <= from + fine.len())
        })
    };
    rules.iter().find_map(|rule| {
        let has = |phrase: &&String| {
            let mut places = line.match_indices(phrase.as_str());
            places.any(|(at, _)| is_whole(at, phrase) && !is_excepted(at, phrase, &rule.except))
        };
        rule.phrases.iter().find(has).map(|phrase| (rule, phrase.as_str()))
    })
}

/// All files that are checked, with their paths from the repository on.
fn texts(directory: &Path, root: &Path, found: &mut Vec<(String, String)>) {
    for entry in entries(directory) {
        let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if entry.is_dir() {
            if !MADE.contains(&name.as_str()) {
                texts(&entry, root, found);
            }
        } else if entry.extension().is_some_and(|e| EXTENSIONS.iter().any(|known| e == *known)) {
            let path = entry.strip_prefix(root).unwrap().display().to_string();
            found.push((path, std::fs::read_to_string(&entry).unwrap_or_default()));
        }
    }
}

/// Every breach: path, and what to print of it.
fn breaches() -> Vec<(String, String)> {
    let (root, rules) = (repository(), rules());
    let mut files = Vec::new();
    texts(&root, &root, &mut files);
    let mut found = Vec::new();
    for (path, text) in files {
        let is_table = |line: &str| path == "CONTRIBUTING.md" && line.starts_with("| `");
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !is_table(line) && !line.contains(OLDER_NAME)) {
            if path != file!()
                && let Some((rule, phrase)) = breach(line, &rules)
            {
                let place = format!("{path}:{}", at + 1);
                found.push((
                    path.clone(),
                    format!("{place}: \"{phrase}\"; write {}\n    {}", rule.instead, line.trim()),
                ));
            }
        }
    }
    found
}

fn is_in(path: &str, place: &str) -> bool {
    path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[test]
fn sentences_use_the_words_of_the_field() {
    let quotes = QUOTES.iter().map(|(place, _)| *place);
    let skipped: Vec<&str> = quotes.collect();
    let found: Vec<String> = breaches()
        .into_iter()
        .filter(|(path, _)| !skipped.iter().any(|place| is_in(path, place)))
        .map(|(_, what)| what)
        .collect();
    assert!(found.is_empty(), "see \"Words\" in CONTRIBUTING.md\n{}", found.join("\n"));
}

#[test]
fn every_place_that_is_skipped_still_has_to_be() {
    let found = breaches();
    for (place, _) in QUOTES {
        let is_needed = found.iter().any(|(path, _)| is_in(path, place));
        assert!(is_needed, "{place} has no such phrase any more: remove it from QUOTES");
    }
}

#[test]
fn phrases_are_found_as_whole_words_in_sentences_and_names() {
    let rule =
        |phrases: &str, except: &str| Rule { phrases: quoted(phrases), except: quoted(except), instead: String::new() };
    let rules = [rule("`told`, `its like`", ""), rule("`卡`", "`网卡`")];
    for bad in ["A cut file is told.", "fn what_is_told() {", "slower than Its Like", "// 每张卡的网卡"] {
        assert!(breach(bad, &rules).is_some(), "{bad}");
    }
    for good in ["toldest", "its likeness", "主机的网卡", "reports a cut file"] {
        assert!(breach(good, &rules).is_none(), "{good}");
    }
}

#[test]
fn the_table_of_words_is_read() {
    let rules = rules();
    assert!(rules.iter().any(|rule| rule.phrases.iter().any(|phrase| phrase == "told")));
    assert!(rules.iter().all(|rule| !rule.phrases.is_empty() && !rule.instead.is_empty()));
}
