//! `communication_time`: Split the time of steps and of communication operations into their parts.
//!
//! Reads the events from which step times are computed (`npuscope glossary device_time`), `reported_comm` and
//! `reported_bandwidth` (communication.json or the same tables of analysis.db), and the metadata for the parallel
//! layout.
//!
//! For text profiles the mode writes files; with `--export_type db` it writes tables. For databases, and for profiles
//! with both text and databases, it writes tables; with `--export_type text` it writes files.
//!
//! | file | table | contents |
//! |---|---|---|
//! | cluster_step_trace_time.csv | ClusterStepTraceTime | one row per step and rank, and one per step and pipeline stage with the maximum over the ranks of the stage |
//! | cluster_communication.json | ClusterCommunicationTime, ClusterCommunicationBandwidth | communication operations of each rank, and their sums |
//! | communication_group.json | CommunicationGroupMapping | communication groups |
//! | | ClusterBaseInfo, HostInfo, RankDeviceMap | parallel layout, hosts and devices |
//!
//! Step times are in us. Free time is the time in which the device neither computes nor communicates, from the first
//! device work of the step to the first device work of the next step. Stage time is computing + exposed
//! communication + free - bubble. Times of operations are in ms, sizes in MB. Bandwidth is size / time in GB/s, with
//! four decimals. The wait ratio is wait / (wait + transit), the synchronization ratio is synchronization /
//! (synchronization + transit). Steps are identified by their number in all files and tables.
//!
//! Pipeline stages and parallel indices come from the parallel layout: from the metadata of any rank, or, without
//! metadata, inferred from which ranks communicate with each other. With context parallelism, the DP index does not
//! include the CP dimension.
//!
//! With `--compat`: step times are taken from step_trace_time.csv (`reported_step`); text profiles always give files
//! and databases always give tables; steps of communication operations are named like `step50`; results for databases
//! contain ratios only in sums; stages are found only if group names start with `pp`; there are no parallel indices
//! with context parallelism; free time and stage time are those of the profiler, which differ between text and
//! databases.

use super::communication::{Wanted, built_in, report};
use crate::cluster::{Answer, Failure, Job, Mode};

pub use super::communication::CommunicationReport;

pub const MODE: Mode = Mode {
    name: "communication_time",
    folder: "CommunicationTime",
    about: "Compute the time parts of steps and of communication operations",
    run,
};

const WANTED: Wanted = Wanted { steps: true, operations: true, links: false };

/// The parts of step times and of the times of communication operations.
pub fn rows(job: &Job<'_>) -> Result<CommunicationReport, Failure> {
    report(&MODE, job, WANTED)
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    built_in(&MODE, job, WANTED)
}
