//! `all`: how the time of steps divides, and all about communication between ranks.
//!
//! What [`communication_time`](super::communication_time) and
//! [`communication_matrix`](super::communication_matrix) give, from one reading of the data.

use super::communication::{Wanted, built_in, report};
use crate::cluster::{Answer, Failure, Job, Mode};

pub use super::communication::{CommunicationReport, Host, RankStep, StageStep, StepFigures};

pub const MODE: Mode = Mode {
    name: "all",
    folder: "All",
    about: "How the time of steps divides, communication operations and links",
    run,
};

const WANTED: Wanted = Wanted { steps: true, operations: true, links: true };

/// How the time of steps divides, and all about communication between ranks.
pub fn rows(job: &Job<'_>) -> Result<CommunicationReport, Failure> {
    report(&MODE, job, WANTED)
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    built_in(&MODE, job, WANTED)
}
