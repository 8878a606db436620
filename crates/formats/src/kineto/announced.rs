//! Collectives as the host announces them, for kernels that do not name their collective.
//!
//! Before 2024 only the operator `record_param_comms` had the group, size and type; the kernel that was launched
//! inside it had but a name.

use hashbrown::HashMap;
use npuscope_tables::table::comm_op;
use npuscope_tables::{ConnectionId, LaneId, Ns, Str};

/// The operator that announces a collective.
pub const OPERATOR: &str = "record_param_comms";

/// Announcements that may be open at a time: collectives that are launched together nest one deep.
const MAX_OPEN: usize = 8;

/// A collective that is announced while its operator runs.
#[derive(Clone, Copy)]
pub struct Announcement {
    pub lane: LaneId,
    pub start: Ns,
    pub end: Ns,
    pub row: comm_op::Row,
}

/// A call of the driver's API, which may be a launch.
#[derive(Clone, Copy)]
pub struct Call {
    pub connection: ConnectionId,
    pub lane: LaneId,
    pub start: Ns,
}

/// Announcements and calls of a file.
#[derive(Default)]
pub struct Announcements {
    pub announced: Vec<Announcement>,
    pub calls: Vec<Call>,
}

impl Announcements {
    /// Takes in those of a piece; `copy` carries its text over.
    pub fn take(&mut self, other: Announcements, mut copy: impl FnMut(comm_op::Row) -> comm_op::Row) {
        self.announced.extend(other.announced.into_iter().map(|one| Announcement { row: copy(one.row), ..one }));
        self.calls.extend(other.calls);
    }

    /// Fills in what the operations do not say of themselves.
    pub fn complete<'a>(mut self, operations: impl Iterator<Item = &'a mut comm_op::Row>) {
        if self.announced.is_empty() {
            return;
        }
        self.announced.sort_by_key(|one| (one.lane, one.start));
        let calls: HashMap<ConnectionId, &Call> = self.calls.iter().map(|call| (call.connection, call)).collect();
        for operation in operations.filter(|operation| operation.group_name.is_none()) {
            let call = operation.connection_id.and_then(|connection| calls.get(&connection));
            if let Some(row) = call.and_then(|call| self.around(call)) {
                let or = |known: Option<Str>, announced: Option<Str>| known.or(announced);
                operation.op_type = or(row.op_type, operation.op_type);
                operation.group_name = row.group_name;
                operation.group_hash = row.group_hash;
                operation.rank_size = operation.rank_size.or(row.rank_size);
                operation.dtype = or(operation.dtype, row.dtype);
                operation.count = operation.count.or(row.count);
                operation.args = or(operation.args, row.args);
            }
        }
    }

    /// The collective that was announced around a call.
    fn around(&self, call: &Call) -> Option<&comm_op::Row> {
        let after = self.announced.partition_point(|one| (one.lane, one.start) <= (call.lane, call.start));
        let before = self.announced.get(..after)?.iter().rev().take(MAX_OPEN);
        let mut open = before.take_while(|one| one.lane == call.lane).filter(|one| call.start <= one.end);
        open.next().map(|one| &one.row)
    }
}
