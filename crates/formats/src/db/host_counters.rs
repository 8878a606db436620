//! Values that the training process sampled: a table of ours, since the peers' have none for them. They pass it over.

use npuscope_tables::table::counter;
use npuscope_tables::{LaneId, Ns, RankTables, Str};

use super::cell::{Int, Name, Real, Time};
use super::layout::{Layout, db_column};

/// A sample.
#[derive(Clone, Copy, Default)]
pub struct HostSampleRow {
    pub process: i64,
    pub time: Ns,
    pub name: Str,
    pub series: Str,
    pub unit: Option<Str>,
    pub value: Option<f64>,
}

pub static NPUSCOPE_COUNTER: Layout<HostSampleRow> = Layout {
    table: "NPUSCOPE_COUNTER",
    columns: &[&[
        db_column!(process: Int, "globalPid", "INTEGER"),
        db_column!(time: Time, "timestampNs", "INTEGER"),
        db_column!(name: Name, "name", "INTEGER"),
        db_column!(series: Name, "series", "INTEGER"),
        db_column!(unit: Name, "unit", "INTEGER"),
        db_column!(value: Real, "value", "REAL"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: |_| {},
};

impl HostSampleRow {
    /// The sample as a row of `counter`.
    pub fn counter(&self, lane: LaneId) -> Option<counter::Row> {
        let HostSampleRow { time, name, series, unit, .. } = *self;
        Some(counter::Row { lane, time, name, series, instance: None, value: self.value?, unit })
    }
}

/// The samples of lanes that `process_of` knows the process of.
pub fn rows(tables: &RankTables, process_of: impl Fn(LaneId) -> Option<i64>) -> impl Iterator<Item = HostSampleRow> {
    tables.rows::<counter::Row>().filter_map(move |row| {
        Some(HostSampleRow {
            process: process_of(row.lane)?,
            time: row.time,
            name: row.name,
            series: row.series,
            unit: row.unit,
            value: Some(row.value),
        })
    })
}
