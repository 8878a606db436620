//! What `PYTORCH_API` points to: connection ids and call chains.

use std::ops::Range;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use indexmap::IndexSet;
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::table::{comm_op, flow, host_op, task};
use npuscope_tables::{ConnectionId, LaneId, Ns, RankTables, Span, Str};

use super::layouts::ConnectionRow;

/// A lane and a time: where a slice begins.
pub type Place = (LaneId, Ns);

/// A connection id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    Id(ConnectionId),
    /// A forward and backward pair, by its number. Its id comes after all others.
    Pair(i64),
}

/// The rows of `CONNECTION_IDS`, until all are there: 12 bytes each.
#[derive(Default)]
pub struct ConnectionIds {
    keys: Vec<u32>,
    /// Ids, and numbers of pairs from [`FIRST_PAIR`] on.
    connections: Vec<ConnectionId>,
    next_key: u32,
    pairs: i64,
    /// Some call says that it launches: then only what such calls launched is connected.
    has_launches: bool,
    greatest: Option<ConnectionId>,
}

/// No id is as low as this.
const FIRST_PAIR: i64 = i64::MIN;
const LAST_PAIR: i64 = i64::MIN / 2;

impl ConnectionIds {
    /// The key under which a set of connections is stored; `None` for none.
    pub fn key(&mut self, connections: impl IntoIterator<Item = Connection>) -> Option<i64> {
        let before = self.connections.len();
        self.connections.extend(connections.into_iter().map(|connection| match connection {
            Connection::Id(id) => id.max(ConnectionId(LAST_PAIR + 1)),
            Connection::Pair(number) => ConnectionId(FIRST_PAIR + number),
        }));
        self.keys.resize(self.connections.len(), self.next_key);
        if self.connections.len() == before {
            return None;
        }
        self.next_key += 1;
        Some(i64::from(self.next_key - 1))
    }

    pub fn rows(&self) -> impl Iterator<Item = ConnectionRow> {
        let greatest = self.greatest.unwrap_or_default();
        self.keys.iter().zip(&self.connections).map(move |(&id, &connection)| ConnectionRow {
            id: i64::from(id),
            connection: match connection {
                ConnectionId(pair) if pair <= LAST_PAIR => ConnectionId(greatest.0 + (pair - FIRST_PAIR)),
                id => id,
            },
        })
    }
}

/// The connections of the operators of a chunk.
pub struct OperatorConnections {
    connections: Vec<Connection>,
    /// By place of the operator: a range of `connections`.
    of_place: HashMap<Place, Range<usize>, FixedState>,
}

impl OperatorConnections {
    pub fn of(tables: &RankTables, ids: &mut ConnectionIds) -> OperatorConnections {
        let launches = launches(tables, ids);
        let work = device_work(tables, &launches);
        let mut found: Vec<(Place, Connection)> = Vec::new();
        let mut kinds = Memo::default();
        for (view, rows) in tables.views::<flow::Row>() {
            for row in 0..rows {
                let src = view.src_lane.get(row).zip(view.src_time.get(row));
                let dst = view.dst_lane.get(row).zip(view.dst_time.get(row));
                let kind = view.kind.get(row);
                match kinds.get(kind, || FlowKind::of(tables.text(kind))) {
                    FlowKind::ToDevice => {
                        let id = view.connection_id.get(row).or_else(|| {
                            let id = dst.and_then(|place| work.get(&place)).copied().flatten();
                            id.filter(|id| !ids.has_launches || launches.contains(id))
                        });
                        found.extend(src.zip(id.map(Connection::Id)));
                    }
                    FlowKind::Pair => {
                        if let Some((src, dst)) = src.zip(dst) {
                            ids.pairs += 1;
                            found.extend([src, dst].map(|place| (place, Connection::Pair(ids.pairs))));
                        }
                    }
                    FlowKind::Other => {}
                }
            }
        }
        found.sort_by_key(|(place, _)| *place);
        let mut connections: Vec<Connection> = Vec::with_capacity(found.len());
        let mut of_place = HashMap::with_capacity_and_hasher(found.len(), FixedState::default());
        for group in found.chunk_by(|a, b| a.0 == b.0) {
            let first = connections.len();
            for (_, connection) in group {
                if !connections.iter().skip(first).any(|known| known == connection) {
                    connections.push(*connection);
                }
            }
            of_place.extend(group.first().map(|(place, _)| (*place, first..connections.len())));
        }
        OperatorConnections { connections, of_place }
    }

    /// The connections of the operator at a place; the first to ask has them.
    pub fn take(&mut self, place: Place) -> &[Connection] {
        let range = self.of_place.get_mut(&place).map(std::mem::take).unwrap_or_default();
        self.connections.get(range).unwrap_or_default()
    }
}

#[derive(Clone, Copy)]
enum FlowKind {
    ToDevice,
    Pair,
    Other,
}

impl FlowKind {
    fn of(kind: &str) -> FlowKind {
        match kind {
            "async_npu" => FlowKind::ToDevice,
            "fwdbwd" => FlowKind::Pair,
            _ => FlowKind::Other,
        }
    }
}

/// The connection ids of the device work that arrows lead to, by its place, for arrows of a trace: those of a
/// database name their connection.
///
/// Other things may begin at the same moment on the same stream: a mark of the user, which no call launched, or the
/// event that a communication records there, which takes next to no time. What was launched and takes longest is meant.
fn device_work(
    tables: &RankTables,
    launches: &HashSet<ConnectionId, FixedState>,
) -> HashMap<Place, Option<ConnectionId>, FixedState> {
    let mut work: HashMap<Place, Option<Work>, FixedState> = HashMap::default();
    let mut kinds = Memo::default();
    for (view, rows) in tables.views::<flow::Row>() {
        for row in 0..rows {
            let kind = view.kind.get(row);
            if view.connection_id.get(row).is_none() && kinds.get(kind, || tables.text(kind) == "async_npu") {
                work.extend(view.dst_lane.get(row).zip(view.dst_time.get(row)).map(|place| (place, None)));
            }
        }
    }
    if work.is_empty() {
        return HashMap::default();
    }
    let mut set = |place: Place, id: Option<ConnectionId>, duration: Span| {
        if let (Some(known), Some(id)) = (work.get_mut(&place), id) {
            let found = Work { is_launched: launches.contains(&id), ns: duration.ns(), id };
            let is_more = known.is_none_or(|known| (found.is_launched, found.ns) > (known.is_launched, known.ns));
            if is_more {
                *known = Some(found);
            }
        }
    };
    for (view, rows) in tables.views::<task::Row>() {
        for row in 0..rows {
            set((view.lane.get(row), view.start.get(row)), view.connection_id.get(row), view.duration.get(row));
        }
    }
    for (view, rows) in tables.views::<comm_op::Row>() {
        for row in 0..rows {
            set((view.lane.get(row), view.start.get(row)), view.connection_id.get(row), view.duration.get(row));
        }
    }
    work.into_iter().map(|(place, work)| (place, work.map(|work| work.id))).collect()
}

/// What began at a place.
#[derive(Clone, Copy)]
struct Work {
    is_launched: bool,
    ns: i64,
    id: ConnectionId,
}

/// The connection ids of launches; notes the greatest of all connection ids.
fn launches(tables: &RankTables, ids: &mut ConnectionIds) -> HashSet<ConnectionId, FixedState> {
    let mut launches = HashSet::default();
    let mut levels = Memo::default();
    for (view, rows) in tables.views::<host_op::Row>() {
        for row in 0..rows {
            let Some(id) = view.connection_id.get(row) else { continue };
            ids.greatest = ids.greatest.max(Some(id));
            if view.level.get(row).is_some_and(|level| levels.get(level, || tables.text(level) == "node")) {
                launches.insert(id);
                ids.has_launches = true;
            }
        }
    }
    launches
}

/// Distinct call stacks, numbered.
#[derive(Default)]
pub struct CallChains {
    stacks: IndexSet<String, FixedState>,
    known: Memo<i64>,
    /// Stacks whose frames are written.
    written: usize,
}

impl CallChains {
    /// Forgets the strings of the chunk before.
    pub fn begin_chunk(&mut self) {
        self.known = Memo::default();
    }

    pub fn key(&mut self, stack: Str, tables: &RankTables) -> i64 {
        let stacks = &mut self.stacks;
        self.known.get(stack, || {
            let text = tables.text(stack);
            let at = stacks.get_index_of(text).unwrap_or_else(|| stacks.insert_full(text.to_owned()).0);
            i64::try_from(at).unwrap_or(i64::MAX)
        })
    }

    /// Number and frames of the stacks that are new since the last time, the innermost frame first.
    pub fn take_new(&mut self) -> impl Iterator<Item = (i64, impl Iterator<Item = &str>)> {
        let new = (0..).zip(&self.stacks).skip(self.written).map(|(id, stack)| (id, stack.split(";\r\n")));
        self.written = self.stacks.len();
        new
    }
}
