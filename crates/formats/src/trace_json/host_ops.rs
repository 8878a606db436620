//! Host slices: the arguments that all frameworks call alike, and the rows.

use npuscope_tables::table::host_op;
use npuscope_tables::{ConnectionId, Interner, RankBuilder};

use super::args::{exact_number, integer, text};
use super::text::Cursor;

/// Host slices by kind: each kind fills other columns, and a batch has only columns that are filled.
#[derive(Default)]
pub struct HostOps {
    by_kind: [host_op::Builder; host_op::Kind::ALL.len()],
}

impl HostOps {
    pub fn push(&mut self, kind: host_op::Kind, row: host_op::Row) {
        if let Some(builder) = self.by_kind.get_mut(kind as usize) {
            builder.push(row);
        }
    }

    /// Adds the rows to those of the rank, kind by kind.
    pub fn append_to(self, rank: &mut RankBuilder) {
        for host_ops in self.by_kind {
            rank.host_op.append(host_ops);
        }
    }
}

/// Reads an argument of a framework slice into its column; nothing, and the cursor stays, if it has none or is
/// of another type.
pub fn read_host_arg(
    key: &[u8],
    cursor: &mut Cursor<'_>,
    row: &mut host_op::Row,
    strings: &mut Interner,
) -> Option<()> {
    match key {
        b"Sequence number" => integer(cursor).map(|v| row.sequence = Some(v)),
        b"Fwd thread id" => integer(cursor).map(|v| row.forward_thread = Some(v)),
        b"Input Dims" => text(cursor, strings).map(|v| row.shapes = Some(v)),
        b"Input type" => text(cursor, strings).map(|v| row.dtypes = Some(v)),
        b"Call stack" => text(cursor, strings).map(|v| row.stack = Some(v)),
        b"Module Hierarchy" => text(cursor, strings).map(|v| row.modules = Some(v)),
        b"flops" => exact_number(cursor).map(|v| row.flops = Some(v)),
        b"correlation_id" => integer(cursor).map(|v| row.connection_id = Some(ConnectionId(v))),
        b"Python id" => integer(cursor).map(|v| row.python_id = Some(v)),
        b"Python parent id" => integer(cursor).map(|v| row.python_parent_id = Some(v)),
        b"Python module id" => integer(cursor).map(|v| row.python_module_id = Some(v)),
        b"event_type" => text(cursor, strings).map(|v| row.event_type = Some(v)),
        b"domain" => text(cursor, strings).map(|v| row.domain = Some(v)),
        _ => None,
    }
}
