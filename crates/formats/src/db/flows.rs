//! Arrows of a database: it has no arrows, but ids that calls and tasks share.

use std::ops::Range;

use hashbrown::{HashMap, HashSet};
use indexmap::IndexMap;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::{comm_op, flow, host_op, task};
use npuscope_tables::{ConnectionId, LaneId, Ns, RankBuilder};

/// A slice an arrow may leave or reach.
type Place = (LaneId, Ns);

/// A framework operator that owns connection ids.
struct Operator {
    place: Place,
    sequence: Option<i64>,
    /// Its part of [`Flows::owned`].
    owned: Range<usize>,
}

/// Collects who caused what while tables are read, if it is wanted.
#[derive(Default)]
pub struct Flows {
    is_wanted: bool,
    /// By queue correlation id.
    queue: Vec<(ConnectionId, Option<Place>, Option<Place>)>,
    queue_index: HashMap<ConnectionId, usize>,
    /// Framework operators that own connection ids.
    operators: Vec<Operator>,
    /// Their connection ids, one after the other.
    owned: Vec<ConnectionId>,
    calls: Vec<(ConnectionId, Place)>,
    marks: Vec<(ConnectionId, Place)>,
    /// By connection id, once [`Flows::record`] has sorted them.
    tasks: Vec<(ConnectionId, Place)>,
    operations: HashMap<ConnectionId, Place>,
    /// Connection ids of calls, operators and marks.
    wanted: HashSet<ConnectionId>,
}

impl Flows {
    pub fn new(is_wanted: bool) -> Flows {
        Flows { is_wanted, ..Flows::default() }
    }

    pub fn queue(&mut self, kind: Kind, row: &host_op::Row) {
        let Some(correlation) = row.connection_id.filter(|_| self.is_wanted) else { return };
        let index = *self.queue_index.entry(correlation).or_insert_with(|| {
            self.queue.push((correlation, None, None));
            self.queue.len() - 1
        });
        let Some((_, enqueue, dequeue)) = self.queue.get_mut(index) else { return };
        let place = Some((row.lane, row.start));
        if kind == Kind::Enqueue {
            *enqueue = place;
        } else {
            *dequeue = place;
        }
    }

    pub fn operator(&mut self, row: &host_op::Row, connections: &[ConnectionId]) {
        if self.is_wanted && !connections.is_empty() {
            self.wanted.extend(connections);
            let first = self.owned.len();
            self.owned.extend(connections);
            let owned = first..self.owned.len();
            self.operators.push(Operator { place: (row.lane, row.start), sequence: row.sequence, owned });
        }
    }

    pub fn call(&mut self, row: &host_op::Row) {
        if let Some(connection) = row.connection_id.filter(|_| self.is_wanted) {
            self.wanted.insert(connection);
            self.calls.push((connection, (row.lane, row.start)));
        }
    }

    pub fn mark(&mut self, row: &host_op::Row) {
        if let Some(connection) = row.connection_id.filter(|_| self.is_wanted) {
            self.wanted.insert(connection);
            self.marks.push((connection, (row.lane, row.start)));
        }
    }

    /// To be called when all calls, operators and marks are known: a task that none of them leads to is
    /// of no interest.
    pub fn task(&mut self, row: &task::Row) {
        if let Some(connection) = row.connection_id.filter(|_| self.is_wanted)
            && self.wanted.contains(&connection)
        {
            self.tasks.push((connection, (row.lane, row.start)));
        }
    }

    pub fn operation(&mut self, row: &comm_op::Row) {
        if let Some(connection) = row.connection_id.filter(|_| self.is_wanted) {
            self.operations.insert(connection, (row.lane, row.start));
        }
    }

    /// The tasks of a connection, in order of time.
    fn tasks_of(&self, connection: ConnectionId) -> impl Iterator<Item = Place> {
        let first = self.tasks.partition_point(|(id, _)| *id < connection);
        let rest = self.tasks.get(first..).unwrap_or_default();
        rest.iter().take_while(move |(id, _)| *id == connection).map(|(_, place)| *place)
    }

    /// What a connection led to: the operation, where it was one, and not its many pieces.
    fn caused(&self, connection: ConnectionId) -> impl Iterator<Item = Place> {
        let operation = self.operations.get(&connection).copied();
        let tasks = operation.is_none().then(|| self.tasks_of(connection));
        operation.into_iter().chain(tasks.into_iter().flatten())
    }

    /// Operators with the connection ids they own.
    fn operators(&self) -> impl Iterator<Item = (&Operator, &[ConnectionId])> {
        self.operators.iter().map(|op| (op, self.owned.get(op.owned.clone()).unwrap_or_default()))
    }

    /// Writes the rows of `flow`.
    pub fn record(mut self, rank: &mut RankBuilder) {
        if !self.is_wanted {
            return;
        }
        self.tasks.sort_unstable_by_key(|(connection, (lane, time))| (*connection, *time, *lane));
        let kind = rank.strings.intern("async_task_queue");
        for &(correlation, enqueue, dequeue) in &self.queue {
            rank.flow.push(flow::Row { kind, ..arrow(Some(correlation.0), enqueue, dequeue) });
        }
        let pairs = self.forward_backward(rank);
        let kind = rank.strings.intern("HostToDevice");
        for &(connection, call) in &self.calls {
            // Ids of these flows are connection ids moved up by 32 bits.
            let id = connection.0.checked_mul(1 << 32);
            let id_text = if id.is_none() {
                Some(rank.strings.intern(&(i128::from(connection.0) << 32).to_string()))
            } else {
                None
            };
            for (index, place) in self.caused(connection).enumerate() {
                let branch = (index > 0).then_some(true);
                rank.flow.push(flow::Row { kind, id_text, branch, ..arrow(id, Some(call), Some(place)) });
            }
        }
        let kind = rank.strings.intern("async_npu");
        for (op, connections) in self.operators() {
            for &connection in connections.iter().filter(|id| !pairs.contains(*id)) {
                let connection_id = Some(connection);
                let mut reached = self.caused(connection).peekable();
                if reached.peek().is_none() {
                    rank.flow.push(flow::Row { kind, connection_id, ..arrow(None, Some(op.place), None) });
                }
                for place in reached {
                    let ends = arrow(Some(place.1.0), Some(op.place), Some(place));
                    rank.flow.push(flow::Row { kind, connection_id, ..ends });
                }
            }
        }
        let kind = rank.strings.intern("MsTx");
        for &(connection, mark) in &self.marks {
            let reached = self.tasks_of(connection).next();
            rank.flow.push(flow::Row { kind, ..arrow(Some(connection.0), Some(mark), reached) });
        }
    }

    /// Forward and backward operators share an id, where a call is one operator's alone. Gives those ids.
    ///
    /// Does not follow from the ids: they are counted on from the queue's, and may run into the calls'.
    fn forward_backward(&self, rank: &mut RankBuilder) -> HashSet<ConnectionId> {
        let mut seen: HashSet<ConnectionId> = HashSet::with_capacity(self.owned.len());
        let repeated: HashSet<ConnectionId> = self.owned.iter().copied().filter(|id| !seen.insert(*id)).collect();
        let in_order = self.owned.iter().filter(|id| repeated.contains(*id));
        let mut shared: IndexMap<ConnectionId, Vec<&Operator>> = in_order.map(|id| (*id, Vec::new())).collect();
        for (op, connections) in self.operators() {
            for id in connections {
                if let Some(owners) = shared.get_mut(id) {
                    owners.push(op);
                }
            }
        }
        let kind = rank.strings.intern("fwdbwd");
        for owners in shared.values_mut() {
            owners.sort_by_key(|op| op.place.1);
            if let [forward, backward] = owners.as_slice() {
                let ends = (Some(forward.place), Some(backward.place));
                rank.flow.push(flow::Row { kind, ..arrow(forward.sequence, ends.0, ends.1) });
            }
        }
        repeated
    }
}

fn arrow(id: Option<i64>, src: Option<Place>, dst: Option<Place>) -> flow::Row {
    flow::Row {
        id,
        src_lane: src.map(|p| p.0),
        src_time: src.map(|p| p.1),
        dst_lane: dst.map(|p| p.0),
        dst_time: dst.map(|p| p.1),
        ..flow::Row::default()
    }
}
