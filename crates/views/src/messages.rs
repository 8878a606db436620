//! The messages of views: what makes no sense about a question.

use npuscope_messages::messages;

messages! {
    "view-no-parameter" => no_parameter(name: &str),
    "view-no-rank-chosen" => no_rank_chosen(),
    "view-no-rank" => no_rank(rank: String, ranks: Vec<String>),
    "view-not-one-rank" => not_one_rank(),
    "view-end-before-beginning" => end_before_beginning(),
    "view-no-moment" => no_moment(),
    "view-not-a-number" => not_a_number(name: &str),
    "view-out-of-range" => out_of_range(name: &str, most: usize),
    "view-not-one-of" => not_one_of(name: &str, words: Vec<&str>),
    "view-no-gap" => no_gap(rank: String),
    "view-no-operation" => no_operation(rank: String),
}
