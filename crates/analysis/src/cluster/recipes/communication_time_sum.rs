//! `communication_time_sum`: how the time of communication operations divides, and what they moved.
//!
//! Reads `reported_comm`, `reported_bandwidth` and the metadata; gives `CommunicationGroupMapping`,
//! `ClusterCommunicationTime` and `ClusterCommunicationBandwidth` as
//! [`communication_time`](super::communication_time) defines them.
//!
//! With `--compat`: text has the groups as a database beside the csv files.

use std::sync::Arc;

use super::communication::{Wanted, bandwidth_table, group_mapping, groups_file, notes, read, time_table};
use crate::cluster::{Answer, Export, Failure, Job, Mode};

pub const MODE: Mode = Mode {
    name: "communication_time_sum",
    folder: "CommunicationTimeSum",
    about: "How the time of communication operations divides, and what they moved",
    run,
};

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let reported = Arc::new(read(job, Wanted { steps: false, operations: true, links: false })?);
    let (groups, times, bandwidths) = (group_mapping(&reported), time_table(&reported), bandwidth_table(&reported));
    if times.is_empty() && bandwidths.is_empty() {
        let hint = "collect at level1 or above, on more than one NPU";
        return Err(Failure::missing(MODE.name, "communication operations", hint));
    }
    let mut answer = Answer { notes: notes(&reported), ..Answer::default() };
    if job.options.compat && job.export() != Export::Db {
        answer.files.push(groups_file(&MODE, groups));
    } else {
        answer.tables.push(groups);
    }
    answer.tables.extend([times, bandwidths]);
    Ok(answer)
}
