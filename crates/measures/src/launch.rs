//! When the host launched what the device ran.

use hashbrown::HashMap;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::{comm_op, kernel, task};
use npuscope_tables::{ConnectionId, Ns, RankTables, Str, TableId, TaskId};

/// When the host made the calls with these connection ids: the earliest call of CANN, CUDA or HIP with the id. Ids
/// without such a call are left out.
pub fn launches(tables: &RankTables, connections: impl Iterator<Item = ConnectionId>) -> HashMap<ConnectionId, Ns> {
    const UNKNOWN: Ns = Ns(i64::MAX);
    let mut launches: HashMap<ConnectionId, Ns> = connections.map(|id| (id, UNKNOWN)).collect();
    for (view, rows) in tables.views::<host_op::Row>() {
        for row in 0..rows {
            let Some(launch) = view.connection_id.get(row).and_then(|id| launches.get_mut(&id)) else { continue };
            if tables.text(view.kind.get(row)) == Kind::Cann.name() {
                *launch = view.start.get(row).min(*launch);
            }
        }
    }
    launches.retain(|_, launch| *launch != UNKNOWN);
    launches
}

/// When the host launched the work of a device, as far as calls, tasks and operations were read.
pub struct Launches {
    calls: HashMap<ConnectionId, Ns>,
    /// Of tasks that kernels are.
    tasks: HashMap<TaskId, Ns>,
    /// Of operations, by start and name: among kernels they stand without a task.
    operations: HashMap<(Ns, Str), Ns>,
}

impl Launches {
    pub fn of(tables: &RankTables) -> Launches {
        let tasks = || tables.views::<task::Row>();
        let of_tasks = tasks().flat_map(|(view, rows)| (0..rows).filter_map(move |row| view.connection_id.get(row)));
        let of_ops = tables.rows::<comm_op::Row>().filter_map(|op| op.connection_id);
        let calls = launches(tables, of_tasks.chain(of_ops));
        let call = |connection: Option<ConnectionId>| calls.get(&connection?).copied();
        let (mut of_task, mut of_operation) = (HashMap::new(), HashMap::new());
        if !tables.is_empty(TableId::Kernel) {
            for (view, rows) in tasks() {
                let launch = |row| Some((view.task.get(row), call(view.connection_id.get(row))?));
                of_task.extend((0..rows).filter_map(launch));
            }
            for op in tables.rows::<comm_op::Row>() {
                of_operation.extend(call(op.connection_id).map(|launch| ((op.start, op.name), launch)));
            }
        }
        Launches { calls, tasks: of_task, operations: of_operation }
    }

    /// When the work with a connection id was launched.
    pub fn call(&self, connection: Option<ConnectionId>) -> Option<Ns> {
        self.calls.get(&connection?).copied()
    }

    /// When a row of `kernel` was launched.
    pub fn kernel(&self, view: &kernel::View, row: usize) -> Option<Ns> {
        match view.task.get(row) {
            Some(task) => self.tasks.get(&task).copied(),
            None => self.operations.get(&(view.start.get(row), view.name.get(row))).copied(),
        }
    }
}
