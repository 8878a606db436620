//! The tables of the databases, column by column.

use npuscope_sqlite::Index;
use npuscope_sqlite::SqlCell;
use npuscope_tables::table::{
    comm_op, comm_task, host_op, kernel, mem_event, mem_sample, metadata, overlap, step, task,
};
use npuscope_tables::table::{reported_bandwidth, reported_comm, reported_link, reported_step};
use npuscope_tables::{Ns, Span};

use super::cell::{
    DataType, Flag, Int, IntOr, LinkType, Module, MstxEventType, Name, NameOrNa, NameOrNone, NotifyId,
    NumberTextOrZero, RdmaType, Real, Text, Time, TimeText, TransportType, YesNo,
};
use super::layout::{Column, Layout, Presence, db_column};

/// How databases write "no rank", "no plane", "no context".
const NONE_U32: i64 = 4_294_967_295;

const fn nothing<R>(_: &mut R) {}

/// A row of `TASK`.
#[derive(Clone, Copy, Default)]
pub struct TaskRow {
    pub task: task::Row,
    pub end: Ns,
    pub pid: Option<i64>,
}

pub static TASK: Layout<TaskRow> = Layout {
    table: "TASK",
    columns: &[&[
        db_column!(task.start: Time, "startNs", "INTEGER"),
        db_column!(end: Time, "endNs", "INTEGER"),
        db_column!(task.device: Int, "deviceId", "INTEGER"),
        db_column!(task.connection_id: Int, "connectionId", "INTEGER"),
        db_column!(task.task: Int, "globalTaskId", "INTEGER"),
        db_column!(pid: Int, "globalPid", "INTEGER"),
        db_column!(task.task_type: Name, "taskType", "INTEGER"),
        db_column!(task.subtask_id: Int, "contextId", "INTEGER"),
        db_column!(task.stream: Int, "streamId", "INTEGER"),
        db_column!(task.task_id: Int, "taskId", "INTEGER"),
        db_column!(task.model_id: Int, "modelId", "INTEGER"),
    ]],
    ignored: &["depth"],
    indexes: &[Index { name: "TaskIndex", columns: &["startNs", "globalTaskId"] }],
    finish: |row| row.task.duration = span(row.task.start, row.end),
};

/// From start to end; a row that ends before it starts takes no time.
fn span(start: Ns, end: Ns) -> Span {
    Span::from_ns(end.since(start).max(0))
}

/// `COMPUTE_TASK_INFO` since schema 1.1: `blockNum` counts blocks, `blockDim` is the block of a launch.
pub static COMPUTE_TASK_INFO: Layout<kernel::Row> = Layout {
    table: "COMPUTE_TASK_INFO",
    columns: &[
        KERNEL_KEY,
        &[db_column!(block_num: Int, "blockNum", "INTEGER"), db_column!(mix_block_num: Int, "mixBlockNum", "INTEGER")],
        KERNEL_TENSORS,
        &[
            db_column!(grid: NameOrNa, "gridDim", "INTEGER"),
            db_column!(block: NameOrNa, "blockDim", "INTEGER"),
            WAIT_OF_KERNEL,
        ],
    ],
    ignored: &["depth"],
    indexes: &[],
    finish: nothing,
};

/// `COMPUTE_TASK_INFO` of schema 1.0: `blockDim` counts blocks.
pub static COMPUTE_TASK_INFO_1_0: Layout<kernel::Row> = Layout {
    columns: &[
        KERNEL_KEY,
        &[db_column!(block_num: Int, "blockDim", "INTEGER"), db_column!(mix_block_num: Int, "mixBlockDim", "INTEGER")],
        KERNEL_TENSORS,
        &[WAIT_OF_KERNEL],
    ],
    ..COMPUTE_TASK_INFO
};

/// `COMPUTE_TASK_INFO` for who wants just the names of tasks.
pub static KERNEL_NAMES: Layout<KernelName> = Layout {
    table: "COMPUTE_TASK_INFO",
    columns: &[&[
        db_column!(name: Name, "name", "INTEGER"),
        db_column!(task: Int, "globalTaskId", "INTEGER PRIMARY KEY"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

#[derive(Clone, Copy, Default)]
pub struct KernelName {
    pub task: Option<i64>,
    pub name: npuscope_tables::Str,
}

const KERNEL_KEY: &[Column<kernel::Row>] =
    &[db_column!(name: Name, "name", "INTEGER"), db_column!(task: Int, "globalTaskId", "INTEGER PRIMARY KEY")];

const KERNEL_TENSORS: &[Column<kernel::Row>] = &[
    db_column!(core: NameOrNa, "taskType", "INTEGER"),
    db_column!(op_type: NameOrNa, "opType", "INTEGER"),
    db_column!(input_formats: NameOrNa, "inputFormats", "INTEGER"),
    db_column!(input_dtypes: NameOrNa, "inputDataTypes", "INTEGER"),
    db_column!(input_shapes: NameOrNa, "inputShapes", "INTEGER"),
    db_column!(output_formats: NameOrNa, "outputFormats", "INTEGER"),
    db_column!(output_dtypes: NameOrNa, "outputDataTypes", "INTEGER"),
    db_column!(output_shapes: NameOrNa, "outputShapes", "INTEGER"),
    db_column!(attributes: NameOrNa, "attrInfo", "INTEGER"),
    db_column!(state: NameOrNa, "opState", "INTEGER"),
    db_column!(hf32: NameOrNa, "hf32Eligible", "INTEGER"),
];

const WAIT_OF_KERNEL: Column<kernel::Row> = Column {
    names: &["waitNs"],
    sql: "INTEGER",
    presence: Presence::Carried,
    read: |row, value, _| match value {
        rusqlite::types::ValueRef::Integer(ns) => {
            row.wait = Some(Span::from_ns(ns));
            true
        }
        value => value == rusqlite::types::ValueRef::Null,
    },
    write: |row, _| row.wait.map_or(SqlCell::Null, |wait| SqlCell::Int(wait.ns())),
};

/// A row of `TASK_PMU_INFO`: one metric of one kernel.
#[derive(Clone, Copy, Default)]
pub struct PmuRow {
    pub task: i64,
    pub name: npuscope_tables::Str,
    pub value: Option<f64>,
}

pub static TASK_PMU_INFO: Layout<PmuRow> = Layout {
    table: "TASK_PMU_INFO",
    columns: &[&[
        db_column!(task: Int, "globalTaskId", "INTEGER"),
        db_column!(name: Name, "name", "INTEGER"),
        db_column!(value: Real, "value", "NUMERIC"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

/// A row of `MEMCPY_INFO`: size and direction of a copy.
#[derive(Clone, Copy, Default)]
pub struct MemcpyRow {
    pub task: i64,
    pub bytes: Option<i64>,
    pub operation: Option<npuscope_tables::Str>,
}

pub static MEMCPY_INFO: Layout<MemcpyRow> = Layout {
    table: "MEMCPY_INFO",
    columns: &[&[
        db_column!(task: Int, "globalTaskId", "NUMERIC"),
        db_column!(bytes: Int, "size", "NUMERIC"),
        db_column!(operation: super::cell::MemcpyOperation, "memcpyOperation", "NUMERIC"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

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
    pub op_name: npuscope_tables::Str,
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
    pub connection: i64,
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

pub static STEP_TIME: Layout<step::Row> = Layout {
    table: "STEP_TIME",
    columns: &[&[
        db_column!(id: Int, "id", "INTEGER"),
        db_column!(start: Time, "startNs", "INTEGER"),
        db_column!(end: Time, "endNs", "INTEGER"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

pub static META_DATA: Layout<metadata::Row> = Layout {
    table: "META_DATA",
    columns: &[&[db_column!(key: Text, "name", "TEXT"), db_column!(value: Text, "value", "TEXT")]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

/// A row of `OVERLAP_ANALYSIS`.
#[derive(Clone, Copy, Default)]
pub struct OverlapRow {
    pub interval: overlap::Row,
    pub end: Ns,
    pub id: i64,
    pub kind: i64,
}

pub static OVERLAP_ANALYSIS: Layout<OverlapRow> = Layout {
    table: "OVERLAP_ANALYSIS",
    columns: &[&[
        db_column!(id: Int, "id", "INTEGER PRIMARY KEY"),
        db_column!(interval.device: Int, "deviceId", "INTEGER"),
        db_column!(interval.start: Time, "startNs", "NUMERIC"),
        db_column!(end: Time, "endNs", "NUMERIC"),
        db_column!(kind: Int, "type", "INTEGER"),
    ]],
    ignored: &["depth"],
    indexes: &[],
    finish: |row| row.interval.duration = span(row.interval.start, row.end),
};

pub static MEMORY_RECORD: Layout<mem_sample::Row> = Layout {
    table: "MEMORY_RECORD",
    columns: &[&[
        db_column!(component: Name, "component", "INTEGER"),
        db_column!(time: Time, "timestamp", "INTEGER"),
        db_column!(allocated: Int, "totalAllocated", "INTEGER"),
        db_column!(reserved: Int, "totalReserved", "INTEGER"),
        db_column!(active: Int, "totalActive", "INTEGER"),
        db_column!(stream_ptr: Int, "streamPtr", "INTEGER"),
        db_column!(device: Int, "deviceId", "INTEGER"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

pub static OP_MEMORY: Layout<mem_event::Row> = Layout {
    table: "OP_MEMORY",
    columns: &[&[
        db_column!(name: Name, "name", "INTEGER"),
        db_column!(bytes: Int, "size", "INTEGER"),
        db_column!(start: Time, "allocationTime", "INTEGER"),
        db_column!(release: Time, "releaseTime", "INTEGER"),
        db_column!(active_release: Time, "activeReleaseTime", "INTEGER"),
        db_column!(duration: Int, "duration", "INTEGER"),
        db_column!(active_duration: Int, "activeDuration", "INTEGER"),
        db_column!(start_allocated: Int, "allocationTotalAllocated", "INTEGER"),
        db_column!(start_reserved: Int, "allocationTotalReserved", "INTEGER"),
        db_column!(start_active: Int, "allocationTotalActive", "INTEGER"),
        db_column!(release_allocated: Int, "releaseTotalAllocated", "INTEGER"),
        db_column!(release_reserved: Int, "releaseTotalReserved", "INTEGER"),
        db_column!(release_active: Int, "releaseTotalActive", "INTEGER"),
        db_column!(stream_ptr: Int, "streamPtr", "INTEGER"),
        db_column!(device: Int, "deviceId", "INTEGER"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

pub static NPU_MODULE_MEM: Layout<mem_sample::Row> = Layout {
    table: "NPU_MODULE_MEM",
    columns: &[&[
        db_column!(component: Module, "moduleId", "INTEGER"),
        db_column!(time: Time, "timestampNs", "INTEGER"),
        db_column!(reserved: Int, "totalReserved", "NUMERIC"),
        db_column!(device: Int, "deviceId", "INTEGER"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

pub static NPU_OP_MEM: Layout<mem_sample::Row> = Layout {
    table: "NPU_OP_MEM",
    columns: &[&[
        db_column!(name: Name, "operatorName", "INTEGER"),
        db_column!(address: Int, "addr", "INTEGER"),
        db_column!(action: Name, "type", "INTEGER"),
        db_column!(bytes: Int, "size", "INTEGER"),
        db_column!(time: Time, "timestampNs", "INTEGER"),
        db_column!(thread: Int, "globalTid", "INTEGER"),
        db_column!(allocated: Int, "totalAllocate", "NUMERIC"),
        db_column!(reserved: Int, "totalReserve", "NUMERIC"),
        db_column!(component: Name, "component", "INTEGER"),
        db_column!(device: Int, "deviceId", "INTEGER"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

pub static STEP_TRACE_TIME: Layout<reported_step::Row> = Layout {
    table: "StepTraceTime",
    columns: &[&[
        db_column!(device: Int, "deviceId", "INTEGER"),
        db_column!(step: Text, "step", "TEXT"),
        db_column!(computing: Real, "computing", "NUMERIC"),
        db_column!(communication_not_overlapped: Real, "communication_not_overlapped", "NUMERIC"),
        db_column!(overlapped: Real, "overlapped", "NUMERIC"),
        db_column!(communication: Real, "communication", "NUMERIC"),
        db_column!(free: Real, "free", "NUMERIC"),
        db_column!(stage: Real, "stage", "NUMERIC"),
        db_column!(bubble: Real, "bubble", "NUMERIC"),
        db_column!(
            communication_not_overlapped_exclude_receive: Real,
            "communication_not_overlapped_and_exclude_receive",
            "NUMERIC"
        ),
        db_column!(preparing: Real, "preparing", "NUMERIC"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

pub static COMM_ANALYZER_TIME: Layout<reported_comm::Row> = Layout {
    table: "CommAnalyzerTime",
    columns: &[&[
        db_column!(name: Text, "hccl_op_name", "TEXT"),
        db_column!(group_hash: Text, "group_name", "TEXT"),
        db_column!(start: Real, "start_timestamp", "NUMERIC"),
        db_column!(elapse: Real, "elapse_time", "NUMERIC"),
        db_column!(transit: Real, "transit_time", "NUMERIC"),
        db_column!(wait: Real, "wait_time", "NUMERIC"),
        db_column!(synchronization: Real, "synchronization_time", "NUMERIC"),
        db_column!(idle: Real, "idle_time", "NUMERIC"),
        db_column!(step: Text, "step", "TEXT"),
        db_column!(kind: Text, "type", "TEXT"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

pub static COMM_ANALYZER_BANDWIDTH: Layout<reported_bandwidth::Row> = Layout {
    table: "CommAnalyzerBandwidth",
    columns: &[&[
        db_column!(name: Text, "hccl_op_name", "TEXT"),
        db_column!(group_hash: Text, "group_name", "TEXT"),
        db_column!(transport: Text, "transport_type", "TEXT"),
        db_column!(transit_size: Real, "transit_size", "NUMERIC"),
        db_column!(transit_time: Real, "transit_time", "NUMERIC"),
        db_column!(bandwidth: Real, "bandwidth", "NUMERIC"),
        db_column!(large_packet_ratio: Real, "large_packet_ratio", "NUMERIC"),
        db_column!(package_size: NumberTextOrZero, "package_size", "NUMERIC"),
        db_column!(count: Real, "count", "NUMERIC"),
        db_column!(total_duration: Real, "total_duration", "NUMERIC"),
        db_column!(step: Text, "step", "TEXT"),
        db_column!(kind: Text, "type", "TEXT"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

pub static COMM_ANALYZER_MATRIX: Layout<reported_link::Row> = Layout {
    columns: &[MATRIX_COLUMNS, &[db_column!(op_name: Text, "op_name", "TEXT")]],
    ..COMM_ANALYZER_MATRIX_OF_OPERATIONS
};

/// In MindSpore's databases: a row is of one operation, not of a class and place.
pub static COMM_ANALYZER_MATRIX_OF_OPERATIONS: Layout<reported_link::Row> =
    Layout { table: "CommAnalyzerMatrix", columns: &[MATRIX_COLUMNS], ignored: &[], indexes: &[], finish: nothing };

const MATRIX_COLUMNS: &[Column<reported_link::Row>] = &[
    db_column!(name: Text, "hccl_op_name", "TEXT"),
    db_column!(group_hash: Text, "group_name", "TEXT"),
    db_column!(src_rank: Text, "src_rank", "TEXT"),
    db_column!(dst_rank: Text, "dst_rank", "TEXT"),
    db_column!(transport: Text, "transport_type", "TEXT"),
    db_column!(transit_size: Real, "transit_size", "NUMERIC"),
    db_column!(transit_time: Real, "transit_time", "NUMERIC"),
    db_column!(bandwidth: Real, "bandwidth", "NUMERIC"),
    db_column!(step: Text, "step", "TEXT"),
    db_column!(kind: Text, "type", "TEXT"),
];
