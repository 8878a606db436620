//! What names of communication operations tell.

use npuscope_tables::RankTables;
use npuscope_tables::table::comm_op;

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
