//! `communication_time_sum`: how the time of communication operations divides, and what they moved.
//!
//! Reads `reported_comm`, `reported_bandwidth` and the metadata; gives `CommunicationGroupMapping`,
//! `ClusterCommunicationTime` and `ClusterCommunicationBandwidth` as
//! [`communication_time`](super::communication_time) defines them.
//!
//! With `--compat`: text has the groups as a database beside the csv files.

use npuscope_formats::result::write_database;

use super::communication::{Wanted, bandwidth_table, group_mapping, notes, read, time_table};
use crate::cluster::{Answer, Export, Failure, Job, Mode, ResultFile};

pub const MODE: Mode = Mode {
    name: "communication_time_sum",
    folder: "CommunicationTimeSum",
    about: "How the time of communication operations divides, and what they moved",
    run,
};

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let reported = read(job, Wanted { steps: false, operations: true, links: false })?;
    let (groups, times, bandwidths) = (group_mapping(&reported), time_table(&reported), bandwidth_table(&reported));
    if times.is_empty() && bandwidths.is_empty() {
        let hint = "collect at level1 or above, on more than one NPU";
        return Err(Failure::missing(MODE.name, "communication operations", hint));
    }
    let mut answer = Answer { notes: notes(&reported), ..Answer::default() };
    if job.options.compat && job.export() != Export::Db {
        let write = move |path: &std::path::Path| write_database(path, &[&groups], None);
        answer.files.push(ResultFile::new(format!("{}/cluster_analysis.db", MODE.folder), write));
    } else {
        answer.tables.push(groups);
    }
    answer.tables.extend([times, bandwidths]);
    Ok(answer)
}
