//! The catalogs of messages are complete: every message of every crate has a sentence in every language that uses its
//! arguments, and no sentence is without a message.

use std::path::PathBuf;

use npuscope_engine::FUNCTIONS;
use npuscope_messages::{check, documentation};
use npuscope_tables::schema;
use npuscope_views::VIEWS;

#[test]
fn every_message_has_a_sentence_in_every_language_and_no_sentence_is_left_over() {
    let declared = [
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
    .concat();
    let problems = check::problems(&declared);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_text_that_documents_code_is_translated_and_no_translation_is_left_over() {
    let tables = schema::all().iter().flat_map(|table| {
        let columns = table.columns.iter().map(|column| column.doc.to_string());
        std::iter::once(table.doc.to_string()).chain(columns)
    });
    let functions = FUNCTIONS.iter().map(|function| function.about.to_owned());
    let views = VIEWS.iter().map(|view| view.about.to_owned());
    let modes =
        npuscope_analysis::cluster::modes().iter().flat_map(|mode| documentation::units(&manual_page(mode.name)));
    let texts = npuscope::help::texts().into_iter().chain(tables).chain(functions).chain(views).chain(modes);
    let problems = documentation::problems(texts);
    assert!(problems.is_empty(), "see crates/messages/catalog/*.zh.po\n{}", problems.join("\n"));
}

/// The comment at the top of a mode's file, which is its manual page.
fn manual_page(mode: &str) -> String {
    let recipes =
        PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../analysis/src/cluster/recipes");
    npuscope_testing::manual_page(&recipes.join(mode).with_extension("rs"))
}
