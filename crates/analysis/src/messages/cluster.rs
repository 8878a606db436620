//! What `npuscope cluster` says beside its tables.

use npuscope_messages::{Decimal, Message, messages};
use npuscope_tables::Rank;

messages! {
    // Notes beside the tables of a cluster mode.
    "note-of-baseline" => note_of_baseline(note: Message),
    "note-frequency" => note_frequency(nominal: String),
    "note-unknown-peak" => note_unknown_peak(types: Vec<&str>),
    "note-no-kernel-in-range" => note_no_kernel_in_range(),
    "note-has-operations" => note_has_operations(),
    "note-no-slow-links" => note_no_slow_links(),
    "note-no-sends" => note_no_sends(),
    "note-unequal-sends" => note_unequal_sends(source: Rank, sent: usize, destination: Rank, received: usize),
    "note-no-slow-rank" => note_no_slow_rank(),
    "note-no-masked-operation" => note_no_masked_operation(types: &str),
    "note-nothing-to-compare" => note_nothing_to_compare(),
    "note-not-reported" => note_not_reported(what: Message, hint: Message),
    "note-ranks-not-in-profile" => note_ranks_not_in_profile(count: i64, world: i64, ranks: String),
    "note-inferred-layout" => note_inferred_layout(sizes: String, confidence: Decimal<0>),
    "note-unknown-link-ends" => note_unknown_link_ends(links: usize, number: i64, group: &str),
    "note-unknown-link-ends-more" => note_unknown_link_ends_more(links: usize, number: i64, group: &str, more: usize),
    "note-unknown-links" => note_unknown_links(links: usize, from: i64, to: i64, group: String),
    "note-no-operator-in-module" => note_no_operator_in_module(),
    "note-incomplete-collectives" => note_incomplete_collectives(collectives: usize),
    "note-earlier-results" => note_earlier_results(mode: &str),
    "note-baseline-lacks" => note_baseline_lacks(steps: Vec<Message>),
    "step-of-rank" => step_of_rank(step: i64, rank: Rank),
    "note-never-free" => note_never_free(),
    "note-single-marks" => note_single_marks(rank: Rank, marks: String),

    // Why a rank, or a part of it, is not in an answer.
    "absent-step" => absent_step(step: i64),
    "absent-ranges" => absent_ranges(domain: &str),
    "absent-chip" => absent_chip(),
    "absent-no-place" => absent_no_place(),
    "absent-nothing-kept" => absent_nothing_kept(),
    "absent-modules" => absent_modules(),
    "absent-in-baseline" => absent_in_baseline(),
    "lacks-reported" => lacks_reported(what: Message),
    "lacks-copy-of-windows" => lacks_copy_of_windows(),
    "of-baseline" => of_baseline(why: Message),
}
