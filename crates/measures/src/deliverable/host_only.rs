//! The steps of a job that had no device.

use npuscope_tables::table::diagnostic::Code;
use npuscope_tables::table::reported_step::Row;
use npuscope_tables::table::{diagnostic, step};
use npuscope_tables::{Interner, RankTables, TableId};

use super::us;
use crate::communication::device_operations;

/// Whether any row is of a device.
pub fn has_device(tables: &RankTables) -> bool {
    [TableId::Task, TableId::Kernel, TableId::Overlap].iter().any(|&table| !tables.is_empty(table))
        || device_operations(tables).next().is_some()
}

/// Whether a device was recorded, in a form that is not read: then nobody knows whether it was busy.
pub fn is_device_unread(tables: &RankTables) -> bool {
    tables.rows::<diagnostic::Row>().any(|row| row.is(Code::RawOnly, tables))
}

/// A row for each step where no device did anything: all of it is free, from its start on the host to its end, and
/// that is its stage too.
pub fn host_only_steps(tables: &RankTables, strings: &mut Interner) -> Vec<Row> {
    let steps = tables.rows::<step::Row>().map(|step| {
        let length = us(step.end.since(step.start).max(0));
        Row {
            device: None,
            step: step.id.map(|id| strings.intern(&id.to_string())),
            computing: Some(0.0),
            communication_not_overlapped: Some(0.0),
            overlapped: Some(0.0),
            communication: Some(0.0),
            free: Some(length),
            stage: Some(length),
            bubble: Some(0.0),
            communication_not_overlapped_exclude_receive: Some(0.0),
            preparing: Some(0.0),
        }
    });
    steps.collect()
}
