//! Calls and operators by the connection id of the work that they launched.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::{comm_op, flow, task};
use npuscope_tables::{ConnectionId, LaneId, Ns, RankTables, Selection, Str, TableId};

/// A slice of a host thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostSlice {
    pub start: i64,
    pub end: i64,
    pub name: Str,
    /// Level of a call: node, acl …
    pub level: Option<Str>,
}

impl HostSlice {
    pub fn length(&self) -> i64 {
        self.end - self.start
    }
}

type ByConnection = HashMap<ConnectionId, HostSlice, FixedState>;

/// CANN calls and framework operators by connection id.
pub struct Launches {
    calls: ByConnection,
    operators: ByConnection,
}

/// Lane and start of a slice.
type Place = (LaneId, Ns);

impl Launches {
    pub const NEEDED: Selection =
        Selection::of(&[TableId::Task, TableId::CommOp, TableId::Flow]).and_host_ops(&[Kind::Cann, Kind::Op]);

    /// Calls have connection ids. Operators are tied by arrows to the work on the device, which has them; of
    /// several that start together, the innermost.
    pub fn of(tables: &RankTables) -> Launches {
        let connections = connections_of_operators(tables);
        let mut launches = Launches { calls: HashMap::default(), operators: HashMap::default() };
        let mut slices: HashMap<Place, HostSlice, FixedState> = HashMap::default();
        let mut kinds = Memo::default();
        for (view, rows) in tables.views::<host_op::Row>() {
            for row in 0..rows {
                let kind = view.kind.get(row);
                let kind = kinds.get(kind, || Kind::from_name(tables.text(kind)));
                if !matches!(kind, Some(Kind::Cann | Kind::Op)) {
                    continue;
                }
                let start = view.start.get(row);
                let end = start.plus(view.duration.get(row).ns());
                let (name, level) = (view.name.get(row), view.level.get(row));
                let slice = HostSlice { start: start.0, end: end.0, name, level };
                match (kind, view.connection_id.get(row)) {
                    (Some(Kind::Cann), Some(connection)) => drop(launches.calls.insert(connection, slice)),
                    (Some(Kind::Op), _) => {
                        let place = (view.lane.get(row), start);
                        if connections.contains_key(&place) {
                            let known = slices.entry(place).or_insert(slice);
                            *known = if slice.end < known.end { slice } else { *known };
                        }
                    }
                    _ => {}
                }
            }
        }
        for (place, connections) in &connections {
            if let Some(slice) = slices.get(place) {
                launches.operators.extend(connections.iter().map(|connection| (*connection, *slice)));
            }
        }
        launches
    }

    /// The call that launched the work of a connection.
    pub fn call(&self, connection: Option<ConnectionId>) -> Option<&HostSlice> {
        self.calls.get(&connection?)
    }

    /// The operator that the work of a connection was for.
    pub fn operator(&self, connection: Option<ConnectionId>) -> Option<&HostSlice> {
        self.operators.get(&connection?)
    }
}

/// The connections of what arrows lead to, by the place they leave.
fn connections_of_operators(tables: &RankTables) -> HashMap<Place, Vec<ConnectionId>, FixedState> {
    let mut sources: HashMap<Place, Place, FixedState> = HashMap::default();
    let mut kinds = Memo::default();
    for (view, rows) in tables.views::<flow::Row>() {
        for row in 0..rows {
            let kind = view.kind.get(row);
            if !kinds.get(kind, || tables.text(kind) == "async_npu") {
                continue;
            }
            let source = view.src_lane.get(row).zip(view.src_time.get(row));
            let reached = view.dst_lane.get(row).zip(view.dst_time.get(row));
            sources.extend(reached.zip(source));
        }
    }
    let mut connections: HashMap<Place, Vec<ConnectionId>, FixedState> = HashMap::default();
    let mut connect = |place: Place, connection: Option<ConnectionId>| {
        if let Some((source, connection)) = sources.get(&place).zip(connection) {
            connections.entry(*source).or_default().push(connection);
        }
    };
    for (view, rows) in tables.views::<task::Row>() {
        (0..rows).for_each(|row| connect((view.lane.get(row), view.start.get(row)), view.connection_id.get(row)));
    }
    for (view, rows) in tables.views::<comm_op::Row>() {
        (0..rows).for_each(|row| connect((view.lane.get(row), view.start.get(row)), view.connection_id.get(row)));
    }
    connections
}
