//! `communication_group_map`: List the communication groups with their ranks and names.
//!
//! Reads `reported_comm`, `reported_link` and the metadata. `CommunicationGroupMapping` has one row for each group
//! that was used for collectives, and one row for each group that was used for sends and receives:
//!
//! - `type`: collective or p2p;
//! - `rank_set`: all ranks of the group. Ranks that are not in the profile are included if the metadata lists them,
//!   or if they follow from the equal distances between the known ranks.
//! - `group_name`: the hash that identifies the group in operations; `group_id`: the name that the hash is computed
//!   from; `pg_name`: the name that the trainer uses.
//!
//! With `--compat`: the type is taken from the names of operations; `--export_type text` writes a database into the
//! directory of the mode.

use super::communication::{Reported, Wanted, group_mapping, groups_file, notes, rank_groups, read};
use crate::cluster::{Answer, Export, Failure, Job, Mode};
use crate::messages::collection;

pub use super::communication::RankGroup;

pub const MODE: Mode = Mode {
    name: "communication_group_map",
    folder: "CommunicationGroupMap",
    about: "List the communication groups with their ranks and names",
    run,
};

/// The communication groups, by type (collective or p2p) and hash.
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
