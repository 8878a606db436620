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

/// Whether a kernel on this core is a communication operation, which `kernel` lists as the one task it is to the
/// scheduler.
pub fn is_communication_core(core: &str) -> bool {
    matches!(core, "HCCL" | "COMMUNICATION")
}
