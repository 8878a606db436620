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
