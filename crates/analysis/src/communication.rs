//! What names of communication operations tell, and the groups that they are in.

use npuscope_tables::RankTables;
use npuscope_tables::table::{comm_op, metadata};
use serde_json::{Map, Value};

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
    ["send", "Send", "receive", "Receive", "recv", "Recv"].iter().any(|word| name.contains(word))
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

/// The group of an operation, by which ranks know it: its name, or the hash of it where that is all there is.
pub fn group_of<'a>(tables: &'a RankTables, op: &comm_op::Row) -> &'a str {
    tables.opt_text(op.group_name.or(op.group_hash)).unwrap_or_default()
}

/// A group of ranks as the training script made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParallelGroup {
    /// Name that HCCL gave it; what it is hashed from.
    pub id: String,
    /// What it is for: tp, pp, dp, exp …
    pub kind: String,
    /// In the order in which the group numbers them.
    pub ranks: Vec<i64>,
}

/// The groups that a rank is in, from `parallel_group_info` of its metadata.
pub fn parallel_groups(tables: &RankTables) -> Vec<ParallelGroup> {
    let mut infos = tables.rows::<metadata::Row>().filter(|row| tables.text(row.key) == "parallel_group_info");
    let parsed = infos.find_map(|row| serde_json::from_str::<Map<String, Value>>(tables.text(row.value)).ok());
    let group = |(id, info): (String, Value)| {
        let ranks = info.get("global_ranks")?.as_array()?.iter().filter_map(Value::as_i64).collect();
        Some(ParallelGroup { id, kind: info.get("group_name")?.as_str()?.to_owned(), ranks })
    };
    parsed.unwrap_or_default().into_iter().filter_map(group).collect()
}

/// Which way data goes in an operation between two ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Send,
    Receive,
    /// Several sends and receives at once.
    Batch,
}

/// The direction of an operation between two ranks, by its name; `None` for collectives.
pub fn direction(name: &str) -> Option<Direction> {
    let name = name.to_ascii_lowercase();
    if name.contains("batchsendrecv") {
        Some(Direction::Batch)
    } else if name.contains("send") {
        Some(Direction::Send)
    } else if name.contains("recv") || name.contains("receive") {
        Some(Direction::Receive)
    } else {
        None
    }
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
