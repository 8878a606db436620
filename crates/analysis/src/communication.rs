//! What names of communication operations tell, and the groups that they are in.

use std::borrow::Cow;

use npuscope_measures::link::group_hash;
use npuscope_tables::RankTables;
use npuscope_tables::table::{comm_op, metadata};
use serde_json::{Map, Value};

use crate::layout::MAX_RANKS;

/// The type of an operation as databases have it, for example `hcom_allReduce_`: as recorded, or from the
/// name `hcom_allReduce__586_0_1`, which has it before two underscores. Traces record names only.
pub fn op_type<'a>(tables: &'a RankTables, op: &comm_op::Row) -> &'a str {
    match tables.opt_text(op.op_type) {
        Some(kind) => kind,
        None => {
            let name = tables.text(op.name);
            name.find("__").and_then(|at| name.get(..=at)).unwrap_or(name)
        }
    }
}

/// Whether a kernel on this core is a communication operation, which `kernel` lists as the one task it is to the
/// scheduler.
pub fn is_communication_core(core: &str) -> bool {
    matches!(core, "HCCL" | "COMMUNICATION")
}

/// Whether an operation is between two ranks.
pub fn is_point_to_point(name: &str) -> bool {
    OpClass::of(name) == OpClass::PointToPoint
}

/// Bytes of an element, by the names that HCCL gives to types.
pub fn bytes_of_element(dtype: &str) -> Option<i64> {
    match dtype {
        "INT8" | "UINT8" => Some(1),
        "INT16" | "UINT16" | "FP16" | "BFP16" => Some(2),
        "INT32" | "UINT32" | "FP32" => Some(4),
        "INT64" | "UINT64" | "FP64" => Some(8),
        "INT128" => Some(16),
        _ => None,
    }
}

/// The group of an operation as people know it: its name, or the hash of it where that is all there is.
pub fn group_of<'a>(tables: &'a RankTables, op: &comm_op::Row) -> &'a str {
    tables.opt_text(op.group_name.or(op.group_hash)).unwrap_or_default()
}

/// What tells the group of an operation from others on all ranks, whether they were saved as text, which may lack the
/// name, or as databases: its hash. Empty where the group is not known.
pub fn group_key<'a>(tables: &'a RankTables, op: &comm_op::Row) -> Cow<'a, str> {
    match (tables.opt_text(op.group_hash), tables.opt_text(op.group_name)) {
        (Some(hash), _) => Cow::Borrowed(hash),
        (None, Some(name)) => Cow::Owned(group_hash(name)),
        (None, None) => Cow::Borrowed(""),
    }
}

/// A group of ranks as the training script made it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DeclaredGroup {
    /// Name that HCCL gave it.
    pub id: String,
    /// Hash of that name: its [`group_key`].
    pub hash: String,
    /// What it is for: tp, pp, dp, exp …; empty where the script does not say.
    pub purpose: String,
    /// Ascending, as the group numbers them.
    pub ranks: Vec<i64>,
}

/// The groups that a rank is in, from `parallel_group_info` of its metadata. Numbers that no rank can have are left
/// out.
pub fn parallel_groups(tables: &RankTables) -> Vec<DeclaredGroup> {
    let mut infos = tables.rows::<metadata::Row>().filter(|row| tables.text(row.key) == "parallel_group_info");
    let parsed = infos.find_map(|row| serde_json::from_str::<Map<String, Value>>(tables.text(row.value)).ok());
    parsed.unwrap_or_default().into_iter().map(|(id, about)| declared_group(id, &about)).collect()
}

fn declared_group(id: String, about: &Value) -> DeclaredGroup {
    let listed = about.get("global_ranks").and_then(Value::as_array).into_iter().flatten();
    let mut ranks: Vec<i64> = listed.filter_map(Value::as_i64).filter(|rank| (0..MAX_RANKS).contains(rank)).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let purpose = about.get("group_name").and_then(Value::as_str).unwrap_or_default().to_owned();
    DeclaredGroup { hash: group_hash(&id), id, purpose, ranks }
}

/// Which way data goes in an operation between two ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Direction {
    Send,
    Receive,
    /// Several sends and receives at once.
    Batch,
}

/// The direction of an operation between two ranks, by its name; `None` for collectives.
pub fn direction(name: &str) -> Option<Direction> {
    if !is_point_to_point(name) {
        return None;
    }
    let name = name.to_ascii_lowercase();
    Some(match () {
        () if name.contains("batchsendrecv") => Direction::Batch,
        () if name.contains("send") => Direction::Send,
        () => Direction::Receive,
    })
}

/// What an operation does, as far as its name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpClass {
    /// Sends or receives.
    PointToPoint,
    /// All to all.
    Exchange,
    /// All take part in one result.
    Collective,
}

impl OpClass {
    pub fn of(name: &str) -> OpClass {
        const TRANSFERS: [&str; 4] = ["send", "receive", "recv", "batchsendrecv"];
        let begins_with = |word: &str, text: &str| {
            text.as_bytes().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
        };
        if let Some(verb) = name.strip_prefix("hcom_") {
            return if TRANSFERS.iter().any(|word| begins_with(word, verb)) {
                OpClass::PointToPoint
            } else if begins_with("alltoall", verb) {
                OpClass::Exchange
            } else {
                OpClass::Collective
            };
        }
        let lower = name.to_ascii_lowercase();
        if TRANSFERS.iter().any(|word| lower.contains(word)) {
            OpClass::PointToPoint
        } else if lower.contains("alltoall") || lower.contains("all_to_all") {
            OpClass::Exchange
        } else {
            OpClass::Collective
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_transfers_have_a_direction() {
        let names = ["hcom_send__539_0_1", "hcom_receive_", "hcom_batchSendRecv__1_0_1", "hcom_allReduce__586_0_1"];
        let found = [Some(Direction::Send), Some(Direction::Receive), Some(Direction::Batch), None];
        assert_eq!(names.map(direction), found);
        assert_eq!(names.map(is_point_to_point), found.map(|direction| direction.is_some()));
    }

    #[test]
    fn ranks_of_a_declared_group_are_numbered_in_order() {
        let about = serde_json::json!({"group_name": "tp", "global_ranks": [3, 1, 1, -1, 999_999_999_999i64, "x"]});
        let group = declared_group("a".to_owned(), &about);
        assert_eq!((group.purpose.as_str(), group.ranks), ("tp", vec![1, 3]));
        assert_eq!(group.hash, group_hash("a"));
    }
}
