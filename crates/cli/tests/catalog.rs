//! The catalogs of messages are complete: every message of every crate has a sentence in every language that uses its
//! arguments, and no sentence is without a message.

use npuscope_messages::check;

#[test]
fn every_message_has_a_sentence_in_every_language_and_no_sentence_is_left_over() {
    let declared = [
        npuscope::messages::DECLARED,
        npuscope_analysis::messages::DECLARED,
        npuscope_analysis::messages::cluster::DECLARED,
        npuscope_analysis::messages::collection::DECLARED,
    ]
    .concat();
    let problems = check::problems(&declared);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
