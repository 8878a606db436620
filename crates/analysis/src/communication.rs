//! Keys of communication groups, and the groups that the training script declared. Names of operations are read in
//! `npuscope_measures`.

use std::fmt;

use npuscope_measures::link::group_hash;
use npuscope_tables::table::{comm_op, metadata};
use npuscope_tables::{Rank, RankTables};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::extract::Text;
use crate::layout::MAX_RANKS;

pub use npuscope_measures::communication::{
    Direction, OpClass, bytes, bytes_of_element, direction, direction_of, group_of, is_communication_core,
    is_point_to_point, op_type,
};

/// Identifies a communication group on all ranks: usually the hash of its name ([`group_key`]); the name itself where
/// ranks are compared by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GroupKey(pub Text);

impl GroupKey {
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether the group is not known.
    pub fn is_unknown(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for GroupKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The key of the group of an operation: its hash, which text, where the name may be missing, and databases share. Empty
/// where the group is not known.
pub fn group_key(tables: &RankTables, op: &comm_op::Row) -> GroupKey {
    GroupKey(match (tables.opt_text(op.group_hash), tables.opt_text(op.group_name)) {
        (Some(hash), _) => hash.into(),
        (None, Some(name)) => group_hash(name).into(),
        (None, None) => Text::default(),
    })
}

/// A group of ranks as the training script made it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredGroup {
    /// Name that HCCL gave it.
    pub id: String,
    /// Hash of that name.
    pub hash: GroupKey,
    /// What it is for: tp, pp, dp, exp …; empty where the script does not say.
    pub purpose: String,
    /// Ascending, as the group numbers them.
    pub ranks: Vec<Rank>,
}

/// The groups that a rank is in, from `parallel_group_info` of its metadata and from `pg_config` of a trace of PyTorch's
/// profiler. Numbers that no rank can have are left out.
pub fn parallel_groups(tables: &RankTables) -> Vec<DeclaredGroup> {
    let mut infos = tables.rows::<metadata::Row>().filter(|row| tables.text(row.key) == "parallel_group_info");
    let parsed = infos.find_map(|row| serde_json::from_str::<Map<String, Value>>(tables.text(row.value)).ok());
    let mut groups: Vec<DeclaredGroup> =
        parsed.unwrap_or_default().into_iter().map(|(id, about)| declared_group(id, &about)).collect();
    for group in groups_of_kineto(tables) {
        if groups.iter().all(|known| known.hash != group.hash) {
            groups.push(group);
        }
    }
    groups
}

/// The groups that `distributedInfo` of a trace lists.
fn groups_of_kineto(tables: &RankTables) -> Vec<DeclaredGroup> {
    let mut infos = tables.rows::<metadata::Row>().filter(|row| tables.text(row.key) == "distributedInfo");
    let info = infos.find_map(|row| serde_json::from_str::<Value>(tables.text(row.value)).ok()).unwrap_or_default();
    let groups = info.get("pg_config").and_then(Value::as_array).into_iter().flatten();
    let groups = groups.filter_map(|group| {
        let id = match group.get("pg_name")? {
            Value::String(name) => name.clone(),
            number => number.to_string(),
        };
        let purpose = group.get("pg_desc").and_then(Value::as_str).unwrap_or_default();
        let about = serde_json::json!({"group_name": purpose, "global_ranks": group.get("ranks")?});
        Some(declared_group(id, &about))
    });
    groups.collect()
}

fn declared_group(id: String, about: &Value) -> DeclaredGroup {
    let listed = about.get("global_ranks").and_then(Value::as_array).into_iter().flatten();
    let mut ranks: Vec<Rank> =
        listed.filter_map(Value::as_i64).filter(|rank| (0..MAX_RANKS).contains(rank)).map(Rank).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let purpose = about.get("group_name").and_then(Value::as_str).unwrap_or_default().to_owned();
    DeclaredGroup { hash: GroupKey(group_hash(&id).into()), id, purpose, ranks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_a_declared_group_are_numbered_in_order() {
        let about = serde_json::json!({"group_name": "tp", "global_ranks": [3, 1, 1, -1, 999_999_999_999i64, "x"]});
        let group = declared_group("a".to_owned(), &about);
        assert_eq!((group.purpose.as_str(), group.ranks), ("tp", vec![Rank(1), Rank(3)]));
        assert_eq!(group.hash.as_str(), group_hash("a"));
    }
}
