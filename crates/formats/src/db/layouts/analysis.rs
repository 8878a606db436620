//! Tables of `analysis.db`.

use npuscope_tables::table::{reported_bandwidth, reported_comm, reported_link, reported_step};

use super::nothing;
use crate::db::cell::{Int, NumberTextOrZero, Real, Text};
use crate::db::layout::{Column, Layout, db_column};

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
