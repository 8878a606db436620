//! What is wrong with a question to a profile, and what to ask instead.

use std::path::Path;

use npuscope_messages::messages;
use npuscope_tables::Rank;

messages! {
    "question-no-ranks" => none_of_the_ranks(path: &Path),
    "question-no-rank" => no_such_rank(rank: Rank),
    "question-no-step" => no_such_step(step: i64, steps: Vec<String>),
    "question-no-step-of-many" => no_such_step_of_many(step: i64, steps: Vec<String>),
    "question-no-step-markers" => no_step_markers(step: i64),
    "question-format" => unsupported_format(mode: &str, format: String, possible: Vec<String>),
    "question-no-baseline" => no_baseline(mode: &str),
    "question-no-baseline-profile" => no_baseline_profile(mode: &str),
    "question-no-results" => no_results(path: &Path, table: &str),
}
