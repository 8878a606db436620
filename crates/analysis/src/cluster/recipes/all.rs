//! `all`: Split the step time of each rank into its parts, and summarize communication operations and links between
//! ranks.
//!
//! Writes the files and tables of [`communication_time`](super::communication_time) and
//! [`communication_matrix`](super::communication_matrix), but reads the data only once.

use super::communication::{Wanted, built_in, report};
use crate::cluster::{Answer, Failure, Job, Mode};

pub use super::communication::{CommunicationReport, Host, RankStep, StageStep, StepFigures};

pub const MODE: Mode = Mode {
    name: "all",
    folder: "All",
    about: "Compute the time parts of steps, communication operations and links",
    run,
};

const WANTED: Wanted = Wanted { steps: true, operations: true, links: true };

/// The parts of step times, communication operations and links.
pub fn rows(job: &Job<'_>) -> Result<CommunicationReport, Failure> {
    report(&MODE, job, WANTED)
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    built_in(&MODE, job, WANTED)
}
