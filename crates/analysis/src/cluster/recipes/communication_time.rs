//! `communication_time`: how the time of steps and of communication operations divides.
//!
//! Reads the events that the time of a step follows from (`npuscope glossary device_time`), `reported_comm` and
//! `reported_bandwidth`, that is communication.json or the same tables of analysis.db, and the metadata for the parallel
//! layout. With `--compat` the time of steps is that of step_trace_time.csv, `reported_step`. Text gives files, unless `--export_type db` asks for tables; databases, and text and databases together, give tables, unless
//! `--export_type text` asks for files.
//!
//! | file | table | holds |
//! |---|---|---|
//! | cluster_step_trace_time.csv | ClusterStepTraceTime | steps of ranks, and of stages: the greatest among their ranks |
//! | cluster_communication.json | ClusterCommunicationTime, ClusterCommunicationBandwidth | operations of ranks and their sums |
//! | communication_group.json | CommunicationGroupMapping | communication groups |
//! | | ClusterBaseInfo, HostInfo, RankDeviceMap | the layout, hosts and devices |
//!
//! Times of steps are in us. Free is the time in which a device did nothing from the first work of a step to the
//! first work of the next; stage is computing + exposed communication + free - bubble. Times of operations are in ms,
//! sizes in MB, bandwidth is size / time in GB/s with four decimals. Ratios are wait / (wait + transit) and
//! synchronization / (synchronization + transit). A step is called by its number everywhere.
//!
//! Stages and indices are those of the parallel layout: metadata of any rank, or inferred from who talks to whom. With
//! context parallelism, the DP index counts without it.
//!
//! With `--compat`: text always gives files, databases tables; steps of operations are called `step50`; databases have
//! ratios in sums only; stages need groups called `pp…`; no indices with context parallelism; free and
//! stage are as the profilers report them, which differs between text and databases.

use super::communication::{Wanted, built_in, report};
use crate::cluster::{Answer, Failure, Job, Mode};

pub use super::communication::CommunicationReport;

pub const MODE: Mode = Mode {
    name: "communication_time",
    folder: "CommunicationTime",
    about: "How the time of steps and of communication operations divides",
    run,
};

const WANTED: Wanted = Wanted { steps: true, operations: true, links: false };

/// How the time of steps and of communication operations divides.
pub fn rows(job: &Job<'_>) -> Result<CommunicationReport, Failure> {
    report(&MODE, job, WANTED)
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    built_in(&MODE, job, WANTED)
}
