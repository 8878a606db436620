//! Tables of communications.

use npuscope_sqlite::{Index, SqlCell};
use npuscope_tables::table::{comm_op, comm_task};
use npuscope_tables::{Ns, Span};

use super::{NONE_U32, nothing, span};
use crate::db::cell::{
    DataType, Flag, Int, IntOr, LinkType, Name, NameOrNa, NotifyId, RdmaType, Real, Time, TransportType, YesNo,
};
use crate::db::layout::{Column, Layout, Presence, db_column};

/// A row of `COMMUNICATION_OP`.
#[derive(Clone, Copy, Default)]
pub struct CommOpRow {
    pub op: comm_op::Row,
    pub end: Ns,
}

pub static COMMUNICATION_OP: Layout<CommOpRow> = Layout {
    table: "COMMUNICATION_OP",
    columns: &[&[
        db_column!(op.name: Name, "opName", "INTEGER"),
        db_column!(op.start: Time, "startNs", "INTEGER"),
        db_column!(end: Time, "endNs", "INTEGER"),
        db_column!(op.connection_id: Int, "connectionId", "INTEGER"),
        db_column!(op.group_name: Name, "groupName", "INTEGER"),
        db_column!(op.op: Int, "opId", "INTEGER PRIMARY KEY"),
        db_column!(op.relay: YesNo, "relay", "INTEGER"),
        db_column!(op.retry: YesNo, "retry", "INTEGER"),
        db_column!(op.dtype: DataType, "dataType", "INTEGER"),
        db_column!(op.algorithm: NameOrNa, "algType", "INTEGER"),
        db_column!(op.count: Int, "count", "NUMERIC"),
        db_column!(op.op_type: NameOrNa, "opType", "INTEGER"),
        db_column!(op.device: Int, "deviceId", "INTEGER"),
        db_column!(op.rank_size: Int, "rankSize", "INTEGER"),
        Column {
            names: &["waitNs"],
            sql: "INTEGER",
            presence: Presence::Carried,
            read: |row, value, _| match value {
                rusqlite::types::ValueRef::Integer(ns) => {
                    row.op.wait = Some(Span::from_ns(ns));
                    true
                }
                value => value == rusqlite::types::ValueRef::Null,
            },
            write: |row, _| row.op.wait.map_or(SqlCell::Null, |wait| SqlCell::Int(wait.ns())),
        },
    ]],
    // Written by a peer's pairing of sends and receives, from what is in the table.
    ignored: &["depth", "opConnectionId"],
    indexes: &[],
    finish: |row| row.op.duration = span(row.op.start, row.end),
};

/// A row of `COMMUNICATION_TASK_INFO`.
#[derive(Clone, Copy, Default)]
pub struct CommTaskRow {
    pub piece: comm_task::Row,
    /// Name of the operation.
    pub op_name: Option<npuscope_tables::Str>,
    /// Bytes per second.
    pub bandwidth: Option<f64>,
}

pub static COMMUNICATION_TASK_INFO: Layout<CommTaskRow> = Layout {
    table: "COMMUNICATION_TASK_INFO",
    columns: &[&[
        db_column!(op_name: Name, "name", "INTEGER"),
        db_column!(piece.task: Int, "globalTaskId", "INTEGER"),
        db_column!(piece.name: Name, "taskType", "INTEGER"),
        db_column!(piece.plane: IntOr<NONE_U32>, "planeId", "INTEGER"),
        db_column!(piece.group_name: Name, "groupName", "INTEGER"),
        db_column!(piece.notify_id: NotifyId, "notifyId", "INTEGER"),
        db_column!(piece.rdma_type: RdmaType, "rdmaType", "INTEGER"),
        db_column!(piece.src_rank: IntOr<NONE_U32>, "srcRank", "INTEGER"),
        db_column!(piece.dst_rank: IntOr<NONE_U32>, "dstRank", "INTEGER"),
        db_column!(piece.transport: TransportType, "transportType", "INTEGER"),
        db_column!(piece.bytes: IntOr<{ -1 }>, "size", "INTEGER"),
        db_column!(piece.dtype: DataType, "dataType", "INTEGER"),
        db_column!(piece.link: LinkType, "linkType", "INTEGER"),
        db_column!(piece.op: Int, "opId", "INTEGER"),
        db_column!(piece.master: Flag, "isMaster", "INTEGER"),
        db_column!(bandwidth: Real, "bandwidth", "NUMERIC"),
    ]],
    ignored: &["depth"],
    indexes: &[Index { name: "CommunicationTaskIndex", columns: &["globalTaskId"] }],
    finish: nothing,
};
