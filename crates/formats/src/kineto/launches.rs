//! Which operator launched a kernel: what a GPU trace has in place of operator types.

use npuscope_tables::table::{kernel, task};
use npuscope_tables::{RankTables, TableId};

use super::operators::Operators;
use crate::link::set_ids;

/// Fills the operator type of kernels that have none with the name of the framework operator around the call that
/// launched them. Host slices must be nested before.
pub fn name_launchers(tables: &mut RankTables) {
    if tables.is_empty(TableId::Kernel) {
        return;
    }
    let operators = Operators::of(tables);
    let connections: Vec<Option<i64>> = tables.rows::<task::Row>().map(|row| row.connection_id).collect();
    let launcher = |kernel: &kernel::Row| {
        let task = usize::try_from(kernel.task?).ok()?;
        operators.around_call((*connections.get(task)?)?)
    };
    let types: Vec<Option<u32>> =
        tables.rows::<kernel::Row>().map(|row| row.op_type.or_else(|| launcher(&row)).map(|text| text.0)).collect();
    set_ids(tables, TableId::Kernel, "op_type", &types);
}
