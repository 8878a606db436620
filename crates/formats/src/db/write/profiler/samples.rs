//! Steps, kinds of device time, memory and counters.

use std::io;

use npuscope_sqlite::SqlCell;
use npuscope_tables::column::CellView;
use npuscope_tables::table::{mem_event, mem_sample, overlap, step};
use npuscope_tables::{LaneId, Memo, RankTables};

use super::Profiler;
use crate::db::counters;
use crate::db::host_counters::{self, NPUSCOPE_COUNTER};
use crate::db::layouts::{self, OverlapRow};
use crate::rows::rows_where;

impl Profiler {
    pub(super) fn steps_and_overlap(&mut self, tables: &RankTables) -> io::Result<()> {
        let (device, lanes, database) = (self.device(), &self.lanes, &mut self.database);
        database.table(tables, &layouts::STEP_TIME, tables.rows::<step::Row>())?;
        if database.has_source() && database.carried("OVERLAP_ANALYSIS").is_none() {
            // The source is a database that left these to be computed.
            return Ok(());
        }
        let next = database.len("OVERLAP_ANALYSIS");
        let intervals = tables.rows::<overlap::Row>().zip(next..).map(|(mut interval, id)| {
            let kind = overlap::Kind::from_name(tables.text(interval.kind)).map_or(65535, |kind| kind as i64);
            interval.device = interval.device.or(lanes.get(&interval.lane).map(|l| l.device)).or(Some(device));
            OverlapRow { end: interval.start.plus(interval.duration.ns()), id, kind, interval }
        });
        database.table(tables, &layouts::OVERLAP_ANALYSIS, intervals)
    }

    pub(super) fn memory(&mut self, tables: &RankTables) -> io::Result<()> {
        let database = &mut self.database;
        let of_kind = |kind: &'static str| {
            rows_where::<mem_sample::Row>(tables, move |view, row| tables.text(view.kind.get(row)) == kind)
        };
        // Memory of the process has a table of its own, NPU_MEM.
        let records = of_kind("allocator").filter(|row| tables.text(row.component) != "APP");
        database.table(tables, &layouts::MEMORY_RECORD, records)?;
        database.table(tables, &layouts::NPU_MODULE_MEM, of_kind("module"))?;
        database.table(tables, &layouts::NPU_OP_MEM, of_kind("operator"))?;
        let events = tables.rows::<mem_event::Row>().filter(|row| tables.text(row.kind) == "operator");
        let mut names = Memo::default();
        database.table_with(tables, &layouts::OP_MEMORY, events, &["name"], |_, row: &mem_event::Row, context| {
            let id = names.get(row.name, || {
                let name = tables.text(row.name);
                context.words.string(name.strip_prefix("cann::").unwrap_or(name))
            });
            Some(SqlCell::Int(id))
        })
    }

    pub(super) fn counters(&mut self, tables: &RankTables) -> io::Result<()> {
        for (table, _) in counters::TABLES {
            let device_of = |lane: LaneId| {
                let lane = self.lanes.get(&lane).filter(|lane| lane.counters == Some(table.table))?;
                Some(lane.device)
            };
            let mut rows = counters::rows(tables, table.table, device_of);
            if table.table == "NPU_MEM" {
                self.has_process_memory |= !rows.is_empty();
                if !self.has_process_memory {
                    rows = self.process_memory(tables);
                }
            }
            let words = &mut self.database.words;
            let rows: Vec<_> = rows.into_iter().map(|(row, word)| (row, words.string(&word))).collect();
            let special = &["type", "mode", "eventName"];
            self.database.table_with(tables, table, rows, special, |_, (_, word), _| Some(SqlCell::Int(*word)))?;
        }
        let lanes = &self.lanes;
        let process_of = |lane: LaneId| lanes.get(&lane).filter(|lane| lane.has_host_counters).map(|lane| lane.process);
        self.database.table(tables, &NPUSCOPE_COUNTER, host_counters::rows(tables, process_of))
    }

    /// Samples of the process's memory where no counter has them.
    #[expect(clippy::cast_precision_loss, reason = "sizes are below 2^53")]
    fn process_memory(&self, tables: &RankTables) -> Vec<(counters::SampleRow, String)> {
        let is_process = |row: &mem_sample::Row| tables.text(row.component) == "APP";
        let samples =
            tables.rows::<mem_sample::Row>().filter(|row| is_process(row) && tables.text(row.kind) == "allocator");
        let rows = samples.map(|row| counters::SampleRow {
            device: row.device.unwrap_or_else(|| self.device()),
            time: row.time,
            a: Some(0.0),
            b: row.reserved.map(|bytes| bytes as f64),
            ..counters::SampleRow::default()
        });
        rows.map(|row| (row, "app".to_owned())).collect()
    }
}
