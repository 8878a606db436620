//! `CommunicationGroupMapping`.

use npuscope_formats::result::{ColumnKind, ResultTable, write_database};
use npuscope_tables::Rank;

use super::super::Reported;
use super::super::groups::{kind, rank_groups};
use crate::cluster::{DATABASE, Mode, ResultFile};

/// Every group with its ranks and names.
pub fn group_mapping(reported: &Reported) -> ResultTable {
    let columns = ["type", "rank_set", "group_name", "group_id", "pg_name"].map(|name| (name, ColumnKind::Text));
    let mut table = ResultTable::new("CommunicationGroupMapping", "communication_group_mapping", &columns);
    for group in rank_groups(reported) {
        table.push([
            kind(group.is_point_to_point).into(),
            rank_set(&group.ranks).into(),
            group.hash.0.into(),
            group.name.into(),
            group.purpose.into(),
        ]);
    }
    table
}

/// The groups as a database of their own, which is what msprof-analyze makes of them beside csv files.
pub fn groups_file(mode: &Mode, groups: ResultTable) -> ResultFile {
    ResultFile::new(format!("{}/{DATABASE}", mode.folder), move |path| write_database(path, &[groups]))
}

/// `(0,1)`.
pub fn rank_set(ranks: &[Rank]) -> String {
    let ranks: Vec<String> = ranks.iter().map(Rank::to_string).collect();
    format!("({})", ranks.join(","))
}
