//! Tables of tasks and kernels.

use npuscope_sqlite::{Index, SqlCell};
use npuscope_tables::table::{kernel, task};
use npuscope_tables::{Ns, Span, TaskId};

use super::{nothing, span};
use crate::db::cell::{Int, Name, NameOrNa, Real, Time};
use crate::db::layout::{Column, Layout, Presence, db_column};

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
    pub task: Option<TaskId>,
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
    pub task: TaskId,
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
    pub task: TaskId,
    pub bytes: Option<i64>,
    pub operation: Option<npuscope_tables::Str>,
}

pub static MEMCPY_INFO: Layout<MemcpyRow> = Layout {
    table: "MEMCPY_INFO",
    columns: &[&[
        db_column!(task: Int, "globalTaskId", "NUMERIC"),
        db_column!(bytes: Int, "size", "NUMERIC"),
        db_column!(operation: crate::db::cell::MemcpyOperation, "memcpyOperation", "NUMERIC"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};
