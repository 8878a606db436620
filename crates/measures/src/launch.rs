//! When the host launched what the device ran.

use hashbrown::HashMap;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::{ConnectionId, Ns, RankTables};

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
