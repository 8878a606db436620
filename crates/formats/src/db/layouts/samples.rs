//! Tables of steps, kinds of device time and memory, and of settings.

use npuscope_tables::Ns;
use npuscope_tables::table::{mem_event, mem_sample, metadata, overlap, step};

use super::{nothing, span};
use crate::db::cell::{Int, Module, Name, Text, Time};
use crate::db::layout::{Layout, db_column};

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
