//! `communication_matrix`: how the time of steps divides, and what went over the links between ranks.
//!
//! Reads `reported_step` and `reported_link`, that is step_trace_time.csv and communication_matrix.json or the same
//! tables of analysis.db, and the metadata for the parallel layout. Gives what
//! [`communication_time`](super::communication_time) gives, with these in place of operations:
//!
//! | file | table | holds |
//! |---|---|---|
//! | cluster_communication_matrix.json | ClusterCommunicationMatrix | what went over every link, by class of operation and in all |
//!
//! Ends of links are ranks of the job, also of ranks that are not in the profile, where metadata, links of ranks to
//! themselves or the even distances of ranks tell them. Sizes are in MB, times in ms, bandwidth is size / time in
//! GB/s with four decimals. Figures that several ranks report of one link are added.
//!
//! With `--compat`: links to ranks that are not in the profile are dropped from text; databases have bandwidth
//! unrounded.

use super::communication::{Wanted, built_in, report};
use crate::cluster::{Answer, Failure, Job, Mode};

pub use super::communication::CommunicationReport;

pub const MODE: Mode = Mode {
    name: "communication_matrix",
    folder: "CommunicationMatrix",
    about: "How the time of steps divides, and what went over the links between ranks",
    run,
};

const WANTED: Wanted = Wanted { steps: true, operations: false, links: true };

/// How the time of steps divides, and what went over the links between ranks.
pub fn rows(job: &Job<'_>) -> Result<CommunicationReport, Failure> {
    report(&MODE, job, WANTED)
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    built_in(&MODE, job, WANTED)
}
