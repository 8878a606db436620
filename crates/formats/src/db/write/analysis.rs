//! `analysis.db` and MindSpore's `communication_analyzer.db`: the summaries.

use std::io;
use std::path::Path;

use npuscope_tables::Framework;
use npuscope_tables::table::{reported_bandwidth, reported_comm, reported_link, reported_step};
use npuscope_tables::{RankTables, Str};

use super::names::WordIds;
use super::tables::OpenTables;
use crate::db::layouts;

pub struct Analysis {
    database: OpenTables,
    framework: Framework,
}

impl Analysis {
    pub fn create(path: &Path, first: &RankTables, framework: Framework) -> io::Result<Analysis> {
        Ok(Analysis { database: OpenTables::create(path, WordIds::new(first, &[]), first)?, framework })
    }

    pub fn append(&mut self, tables: &RankTables, device: i64) -> io::Result<()> {
        let Analysis { database, framework } = self;
        database.words.begin_chunk();
        let has_device = database.carried("StepTraceTime").is_none_or(|c| c.iter().any(|c| c == "deviceId"));
        let steps = tables
            .rows::<reported_step::Row>()
            .map(|row| reported_step::Row { device: row.device.or(Some(device)).filter(|_| has_device), ..row });
        database.table(tables, &layouts::STEP_TRACE_TIME, steps)?;
        let is_op = |name: Str| !tables.text(name).starts_with("Total");
        let bandwidths = bandwidths(tables).filter(|row| is_op(row.name));
        database.table(tables, &layouts::COMM_ANALYZER_BANDWIDTH, bandwidths)?;
        let times = tables.rows::<reported_comm::Row>().filter(|row| is_op(row.name));
        database.table(tables, &layouts::COMM_ANALYZER_TIME, times)?;
        let matrix = match framework {
            Framework::MindSpore => &layouts::COMM_ANALYZER_MATRIX_OF_OPERATIONS,
            _ => &layouts::COMM_ANALYZER_MATRIX,
        };
        database.table(tables, matrix, tables.rows::<reported_link::Row>())
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.database.finish()?;
        self.database.file.finish()
    }
}

/// Rows of `CommAnalyzerBandwidth`: a transport that moved nothing has none, one without packets has zeros.
fn bandwidths(tables: &RankTables) -> impl Iterator<Item = reported_bandwidth::Row> {
    let used = tables.rows::<reported_bandwidth::Row>().filter(|row| row.transit_size != Some(0.0));
    used.map(|row| reported_bandwidth::Row {
        count: row.count.or(Some(0.0)),
        total_duration: row.total_duration.or(Some(0.0)),
        ..row
    })
}
