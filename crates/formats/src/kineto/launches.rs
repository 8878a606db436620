//! Which operator launched a kernel: what a GPU trace has in place of operator types.

use hashbrown::HashMap;
use npuscope_measures::link::set_values;
use npuscope_tables::table::{comm_op, kernel, task};
use npuscope_tables::{ConnectionId, RankTables, Str, TableId};

use super::operators::Operators;

/// Fills the operator type of kernels that have none with the name of the framework operator around the call that
/// launched them; the kernel of a collective has the type of the collective. Host slices must be nested before.
pub fn name_launchers(tables: &mut RankTables) {
    if tables.is_empty(TableId::Kernel) {
        return;
    }
    let operators = Operators::of(tables);
    let connections: Vec<Option<ConnectionId>> = tables.rows::<task::Row>().map(|row| row.connection_id).collect();
    let connection = |kernel: &kernel::Row| *connections.get(usize::try_from(kernel.task?.0).ok()?)?;
    let collectives: HashMap<_, Option<Str>> = tables
        .rows::<comm_op::Row>()
        .map(|row| ((row.device, row.start, row.name, row.connection_id), row.op_type))
        .collect();
    let op_type = |kernel: &kernel::Row| {
        let connection = connection(kernel);
        match collectives.get(&(kernel.device, kernel.start, kernel.name, connection)) {
            Some(of_collective) => of_collective.or(kernel.op_type),
            None => kernel.op_type.or_else(|| operators.around_call(connection?)),
        }
    };
    let types: Vec<Option<Str>> = tables.rows::<kernel::Row>().map(|row| op_type(&row)).collect();
    set_values(tables, TableId::Kernel, "op_type", &types);
}
