//! `communication_group_map`: the communication groups, their ranks and names.
//!
//! Reads `reported_comm`, `reported_link` and the metadata. `CommunicationGroupMapping` has a row for each group that
//! was used for collectives, and one for each that was used to send and receive:
//! - `type`: collective or p2p;
//! - `rank_set`: all ranks of the group, also those that are not in the profile where metadata or the even distances
//!   of ranks tell them;
//! - `group_name`: the hash by which operations name it, `group_id`: what the hash is of, `pg_name`: what the trainer
//!   calls it.
//!
//! With `--compat`: names of operations decide the type; text is written as a database in a folder.

use super::communication::{Reported, Wanted, group_mapping, groups_file, notes, rank_groups, read};
use crate::cluster::{Answer, Export, Failure, Job, Mode};
use crate::messages::collection;

pub use super::communication::RankGroup;

pub const MODE: Mode = Mode {
    name: "communication_group_map",
    folder: "CommunicationGroupMap",
    about: "Communication groups, their ranks and names",
    run,
};

/// The communication groups, by kind of use and hash.
pub fn rows(job: &Job<'_>) -> Result<Vec<RankGroup>, Failure> {
    let groups = rank_groups(&reported(job)?);
    if groups.is_empty() { Err(missing()) } else { Ok(groups) }
}

fn reported(job: &Job<'_>) -> Result<Reported, Failure> {
    read(job, Wanted { steps: false, operations: true, links: true })
}

fn missing() -> Failure {
    Failure::missing(MODE.name, collection::data_operations(), collection::collect_level1_of_devices())
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    job.require_export(&MODE, &[Export::Db, Export::Text])?;
    let reported = reported(job)?;
    let table = group_mapping(&reported);
    if table.is_empty() {
        return Err(missing());
    }
    let mut answer = Answer { notes: notes(&reported), ..Answer::default() };
    if job.options.compat && job.export() == Export::Text {
        answer.files.push(groups_file(&MODE, table));
    } else {
        answer.tables.push(table);
    }
    Ok(answer)
}
