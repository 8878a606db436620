//! `communication_time_sum`: Split the time of communication operations into its parts, and compute their traffic.
//!
//! Reads `reported_comm`, `reported_bandwidth` and the metadata. Writes `CommunicationGroupMapping`,
//! `ClusterCommunicationTime` and `ClusterCommunicationBandwidth` as defined by
//! [`communication_time`](super::communication_time).
//!
//! With `--compat`: text results contain the groups as a database next to the csv files.

use std::sync::Arc;

use super::communication::{
    Reported, Wanted, bandwidth_table, group_mapping, group_times, group_transports, groups_file, notes, rank_groups,
    read, time_table,
};
use crate::cluster::{Answer, Export, Failure, Job, Mode};
use crate::messages::collection;

pub use super::communication::{GroupTime, GroupTransport, PacketSize, RankGroup};

pub const MODE: Mode = Mode {
    name: "communication_time_sum",
    folder: "CommunicationTimeSum",
    about: "Compute the time parts and the traffic of communication operations",
    run,
};

/// The parts of the times of communication operations, and their traffic: sums over the operations of each step, rank
/// and group.
#[derive(Clone, Debug, PartialEq)]
pub struct CommunicationSums {
    pub groups: Vec<RankGroup>,
    pub times: Vec<GroupTime>,
    pub transports: Vec<GroupTransport>,
}

/// The parts of the times of communication operations, and their traffic.
pub fn rows(job: &Job<'_>) -> Result<CommunicationSums, Failure> {
    let reported = reported(job)?;
    let (times, transports) = (group_times(&reported), group_transports(&reported));
    if times.is_empty() && transports.is_empty() {
        return Err(missing());
    }
    Ok(CommunicationSums { groups: rank_groups(&reported), times, transports })
}

fn reported(job: &Job<'_>) -> Result<Arc<Reported>, Failure> {
    Ok(Arc::new(read(job, Wanted { steps: false, operations: true, links: false })?))
}

fn missing() -> Failure {
    Failure::missing(MODE.name, collection::data_operations(), collection::collect_level1_of_devices())
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let reported = reported(job)?;
    let (groups, times, bandwidths) = (group_mapping(&reported), time_table(&reported), bandwidth_table(&reported));
    if times.is_empty() && bandwidths.is_empty() {
        return Err(missing());
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
