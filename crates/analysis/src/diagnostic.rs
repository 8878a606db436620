//! A diagnostic with its place, for answers that cover many files.

use npuscope_formats::source::JOB;
use npuscope_messages::Message;
use npuscope_store::messages::in_file;
use npuscope_tables::Rank;

use crate::messages::{diagnostic_of_file, diagnostic_of_rank};

/// A message after the rank and the file that it concerns, as far as it concerns one.
pub fn of_rank(rank: Rank, file: Option<&str>, message: Message) -> Message {
    match file.filter(|file| !file.is_empty()) {
        Some(file) if rank == JOB => in_file(file, message),
        None if rank == JOB => message,
        Some(file) => diagnostic_of_file(rank, file, message),
        None => diagnostic_of_rank(rank, message),
    }
}

#[cfg(test)]
mod tests {
    use npuscope_messages::verbatim;

    use super::*;

    #[test]
    fn a_message_comes_after_the_place_that_it_has() {
        let text = |rank, file| of_rank(rank, file, verbatim("cut".to_owned())).to_string();
        assert_eq!(text(Rank(3), Some("a.csv")), "rank 3 a.csv: cut");
        assert_eq!(text(Rank(3), None), "rank 3: cut");
        assert_eq!(text(JOB, Some("b")), "b: cut");
        assert_eq!(text(JOB, None), "cut");
    }
}
