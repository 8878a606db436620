//! `communication_matrix`: Split the step time of each rank into its parts, and compute the traffic of each link
//! between ranks.
//!
//! Reads the events from which step times are computed (`npuscope glossary device_time`), `reported_link`
//! (communication_matrix.json or the same table of analysis.db), and the metadata for the parallel layout. Writes the
//! files and tables of [`communication_time`](super::communication_time), with the following in place of those for
//! communication operations:
//!
//! | file | table | contents |
//! |---|---|---|
//! | cluster_communication_matrix.json | ClusterCommunicationMatrix | size, time and bandwidth of each link, per class of operation and in total |
//!
//! The ends of a link are global ranks. The profile reports them as numbers within a group. A number is mapped to a
//! global rank if the metadata lists the ranks of the group, if a rank reports a link with this number to itself, or
//! if two ranks of the group are known and the others follow at equal distances. Links to ranks that are not in the
//! profile are therefore kept. Sizes are in MB, times in ms. Bandwidth is size / time in GB/s, with four decimals. If
//! several ranks report the same link, their values are added.
//!
//! With `--compat`: step times are taken from step_trace_time.csv (`reported_step`); links to ranks that are not in
//! the profile are dropped for text profiles; results for databases contain the bandwidth unrounded.

use super::communication::{Wanted, built_in, report};
use crate::cluster::{Answer, Failure, Job, Mode};

pub use super::communication::CommunicationReport;

pub const MODE: Mode = Mode {
    name: "communication_matrix",
    folder: "CommunicationMatrix",
    about: "Compute the time parts of steps and the traffic of links",
    run,
};

const WANTED: Wanted = Wanted { steps: true, operations: false, links: true };

/// The parts of step times, and the traffic of links between ranks.
pub fn rows(job: &Job<'_>) -> Result<CommunicationReport, Failure> {
    report(&MODE, job, WANTED)
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    built_in(&MODE, job, WANTED)
}
