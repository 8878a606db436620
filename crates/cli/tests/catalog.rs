//! The catalogs of messages are complete: every message of every crate has a sentence in every language that uses its
//! arguments, and no sentence is without a message.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use npuscope_engine::FUNCTIONS;
use npuscope_measures::glossary::numbers;
use npuscope_messages::{Declared, check, documentation};
use npuscope_tables::schema;
use npuscope_views::VIEWS;

/// The messages of all crates.
fn declared() -> Vec<Declared> {
    [
        npuscope::messages::DECLARED,
        npuscope::messages::clap::DECLARED,
        npuscope::messages::errors::DECLARED,
        npuscope::messages::output::DECLARED,
        npuscope_analysis::messages::DECLARED,
        npuscope_analysis::messages::cluster::DECLARED,
        npuscope_analysis::messages::collection::DECLARED,
        npuscope_analysis::messages::usage::DECLARED,
        npuscope_collect::messages::DECLARED,
        npuscope_formats::error_messages::DECLARED,
        npuscope_messages::io::DECLARED,
        npuscope_messages::severity::DECLARED,
        npuscope_formats::messages::DECLARED,
        npuscope_store::messages::DECLARED,
        npuscope_store::error_messages::DECLARED,
        npuscope_engine::messages::DECLARED,
        npuscope_server::messages::DECLARED,
        npuscope_synth::messages::DECLARED,
        npuscope_views::messages::DECLARED,
    ]
    .concat()
}

#[test]
fn every_message_has_a_sentence_in_every_language_and_no_sentence_is_left_over() {
    let problems = check::problems(&declared());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_message_of_the_sources_is_checked() {
    let declared: BTreeSet<&str> = declared().iter().map(|message| message.id).collect();
    let mut found = 0;
    for file in sources(&crates()) {
        let text = std::fs::read_to_string(&file).unwrap();
        for id in ids(&text).filter(|id| *id != "example") {
            assert!(declared.contains(id), "{id} of {} is not in `declared`", file.display());
            found += 1;
        }
    }
    assert_eq!(found, declared.len());
}

/// The files of Rust below the `src` directories of the crates.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let below = npuscope_testing::entries(directory).into_iter().flat_map(|entry| match entry.is_dir() {
        true => sources(&entry),
        false => vec![entry],
    });
    let is_source = |file: &PathBuf| {
        let in_src = file.components().any(|part| part.as_os_str() == "src");
        in_src && file.extension().is_some_and(|extension| extension == "rs")
    };
    below.filter(is_source).collect()
}

/// The ids that a file declares with `messages!`.
fn ids(source: &str) -> impl Iterator<Item = &str> {
    let blocks = source.split("messages! {\n").skip(1).filter_map(|rest| rest.split("}\n").next());
    blocks
        .flat_map(str::lines)
        .filter_map(|line| line.trim_start().strip_prefix('"')?.split_once("\" => ").map(|(id, _)| id))
}

/// What commands print is a message. The only pair of texts is the beginning of doc lines that `\tables` leaves out.
#[test]
fn commands_have_no_sentences_of_their_own() {
    let pairs: Vec<String> = sources(&crates().join("cli"))
        .into_iter()
        .flat_map(|file| {
            let text = std::fs::read_to_string(&file).unwrap().split_whitespace().collect::<String>();
            let pairs: Vec<String> =
                text.split("choose(\"").skip(1).map(|pair| pair.chars().take(20).collect()).collect();
            pairs
        })
        .collect();
    assert_eq!(pairs, ["Onerowper\",\"每行对应\")}f"]);
}

#[test]
fn every_text_that_documents_code_is_translated_and_no_translation_is_left_over() {
    let tables = schema::all().iter().flat_map(|table| {
        let columns = table.columns.iter().map(|column| column.doc.to_string());
        std::iter::once(table.doc.to_string()).chain(columns)
    });
    let functions = FUNCTIONS.iter().map(|function| function.about.to_owned());
    let views = VIEWS.iter().map(|view| view.about.to_owned());
    let modes = npuscope_analysis::cluster::modes()
        .iter()
        .flat_map(|mode| documentation::translatable_texts(&manual_page(mode.name)));
    let formulas = numbers().map(|term| term.formula.to_owned()).filter(|formula| !formula.is_empty());
    let texts =
        npuscope::help::texts().into_iter().chain(tables).chain(functions).chain(views).chain(modes).chain(formulas);
    let problems = documentation::check(texts);
    assert!(problems.is_empty(), "see crates/messages/catalog/*.zh.po\n{}", problems.join("\n"));
}

/// The comment at the top of a mode's file, which is its manual page.
fn manual_page(mode: &str) -> String {
    let recipes = crates().join("analysis/src/cluster/recipes");
    npuscope_testing::manual_page(&recipes.join(mode).with_extension("rs"))
}

/// The directory of all crates.
fn crates() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("..")
}
