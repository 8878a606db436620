//! Tables of what the host did.

use npuscope_tables::table::host_op;
use npuscope_tables::{ConnectionId, Ns};

use super::{NONE_U32, nothing, span};
use crate::db::cell::{Int, IntOr, MstxEventType, Name, NameOrNone, Time, TimeText};
use crate::db::layout::{Column, Layout, db_column};

/// A row of a table of host calls.
#[derive(Clone, Copy, Default)]
pub struct ApiRow {
    pub op: host_op::Row,
    pub end: Ns,
    /// Process id << 32 | thread id.
    pub thread: i64,
    /// What the call is, in `ENUM_API_TYPE`.
    pub api_type: Option<i64>,
    /// Key into `CONNECTION_IDS`.
    pub connections: Option<i64>,
    /// Key into `PYTORCH_CALLCHAINS`.
    pub call_chain: Option<i64>,
    pub range: Option<i64>,
    pub category: Option<npuscope_tables::Str>,
    pub end_thread: Option<i64>,
}

fn end_of_call(row: &mut ApiRow) {
    row.op.duration = span(row.op.start, row.end);
}

pub static CANN_API: Layout<ApiRow> = Layout {
    table: "CANN_API",
    columns: &[&[
        db_column!(op.start: Time, "startNs", "INTEGER"),
        db_column!(end: Time, "endNs", "INTEGER"),
        db_column!(api_type: Int, "type", "INTEGER"),
        db_column!(thread: Int, "globalTid", "INTEGER"),
        db_column!(op.connection_id: Int, "connectionId", "INTEGER PRIMARY KEY"),
        db_column!(op.name: Name, "name", "INTEGER"),
    ]],
    ignored: &["depth"],
    indexes: &[],
    finish: end_of_call,
};

pub static PYTORCH_API: Layout<ApiRow> = Layout {
    table: "PYTORCH_API",
    columns: &[
        OPERATOR_CALL,
        &[db_column!(op.dtypes: Name, "inputDtypes", "INTEGER"), db_column!(op.shapes: Name, "inputShapes", "INTEGER")],
        OPERATOR_KIND,
    ],
    ignored: &["depth"],
    indexes: &[],
    finish: end_of_call,
};

/// `PYTORCH_API` of writers that put shapes into the column of types and types into that of shapes.
pub static PYTORCH_API_SWAPPED: Layout<ApiRow> = Layout {
    columns: &[
        OPERATOR_CALL,
        &[db_column!(op.shapes: Name, "inputDtypes", "INTEGER"), db_column!(op.dtypes: Name, "inputShapes", "INTEGER")],
        OPERATOR_KIND,
    ],
    ..PYTORCH_API
};

const OPERATOR_CALL: &[Column<ApiRow>] = &[
    db_column!(op.start: TimeText, "startNs", "TEXT"),
    db_column!(end: TimeText, "endNs", "TEXT"),
    db_column!(thread: Int, "globalTid", "INTEGER"),
    db_column!(connections: Int, "connectionId", "INTEGER"),
    db_column!(op.name: Name, "name", "INTEGER"),
    db_column!(op.sequence: Int, "sequenceNumber", "INTEGER"),
    db_column!(op.forward_thread: Int, "fwdThreadId", "INTEGER"),
];

const OPERATOR_KIND: &[Column<ApiRow>] =
    &[db_column!(call_chain: Int, "callchainId", "INTEGER"), db_column!(api_type: Int, "type", "INTEGER")];

pub static MSTX_EVENTS: Layout<ApiRow> = Layout {
    table: "MSTX_EVENTS",
    columns: &[&[
        db_column!(op.start: Time, "startNs", "INTEGER"),
        db_column!(end: Time, "endNs", "INTEGER"),
        db_column!(op.event_type: MstxEventType, "eventType", "INTEGER"),
        db_column!(range: IntOr<NONE_U32>, "rangeId", "INTEGER"),
        db_column!(category: NameOrNone, "category", "INTEGER"),
        db_column!(op.name: Name, "message", "INTEGER"),
        db_column!(thread: Int, "globalTid", "INTEGER"),
        db_column!(end_thread: Int, "endGlobalTid", "INTEGER"),
        db_column!(op.domain: NameOrNone, "domainId", "INTEGER"),
        db_column!(op.connection_id: IntOr<NONE_U32>, "connectionId", "INTEGER"),
    ]],
    ignored: &["depth"],
    indexes: &[],
    finish: end_of_call,
};

pub static GC_RECORD: Layout<ApiRow> = Layout {
    table: "GC_RECORD",
    columns: &[&[
        db_column!(op.start: Time, "startNs", "INTEGER"),
        db_column!(end: Time, "endNs", "INTEGER"),
        db_column!(thread: Int, "globalTid", "INTEGER"),
    ]],
    ignored: &["depth"],
    indexes: &[],
    finish: end_of_call,
};

pub static OSRT_API: Layout<ApiRow> = Layout {
    table: "OSRT_API",
    columns: &[&[
        db_column!(op.name: Name, "name", "INTEGER"),
        db_column!(thread: Int, "globalTid", "INTEGER"),
        db_column!(op.start: Time, "startNs", "INTEGER"),
        db_column!(end: Time, "endNs", "INTEGER"),
    ]],
    ignored: &["depth"],
    indexes: &[],
    finish: end_of_call,
};

/// A row of a table of two numbers.
#[derive(Clone, Copy, Default)]
pub struct ConnectionRow {
    pub id: i64,
    pub connection: ConnectionId,
}

pub static CONNECTION_IDS: Layout<ConnectionRow> = Layout {
    table: "CONNECTION_IDS",
    columns: &[&[db_column!(id: Int, "id", "INTEGER"), db_column!(connection: Int, "connectionId", "INTEGER")]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

/// A frame of a call chain; depth 0 is the innermost.
#[derive(Clone, Copy, Default)]
pub struct FrameRow {
    pub id: i64,
    pub frame: npuscope_tables::Str,
    pub depth: i64,
}

pub static PYTORCH_CALLCHAINS: Layout<FrameRow> = Layout {
    table: "PYTORCH_CALLCHAINS",
    columns: &[&[
        db_column!(id: Int, "id", "INTEGER"),
        db_column!(frame: Name, "stack", "INTEGER"),
        db_column!(depth: Int, "stackDepth", "INTEGER"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};
