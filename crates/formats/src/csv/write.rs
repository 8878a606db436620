//! Writing csv files.

use std::borrow::Cow;
use std::io::Write;

use csv::{QuoteStyle, Terminator, WriterBuilder};
use npuscope_tables::table::{mem_event, mem_sample, sheet, source};
use npuscope_tables::{RankTables, Table};
use serde_json::{Map, Value};

use super::{Column, Layout, Presence, aicpu, cache, dataset, kernel_details, memory, operator_details};
use super::{statistics, step_trace};
use crate::flavour::Flavour;
use crate::output::{Output, OutputError};

/// Writes every csv deliverable that the tables have rows for into `out`.
pub fn write_files(tables: &RankTables, flavour: Flavour, out: &Output) -> Result<(), OutputError> {
    let writer = CsvWriter { tables, flavour, out };
    let mindspore = flavour == Flavour::MindSpore;
    writer.table(&kernel_details::KERNEL_DETAILS, |_| true)?;
    writer.table(&cache::L2_CACHE, |row| tables.text(row.cache) == "l2")?;
    writer.table(&cache::SOC_PMU, |row| tables.text(row.cache) == "tlb")?;
    writer.table(&aicpu::DATA_PREPROCESS, |_| true)?;
    let event_kind = |kind: &'static str| move |row: &mem_event::Row| tables.text(row.kind) == kind;
    let sample_kind = |kind: &'static str| move |row: &mem_sample::Row| tables.text(row.kind) == kind;
    let (events, samples) = if mindspore {
        (&memory::OPERATOR_MEMORY_MINDSPORE, &memory::MEMORY_RECORD_MINDSPORE)
    } else {
        (&memory::OPERATOR_MEMORY, &memory::MEMORY_RECORD)
    };
    writer.table(events, event_kind("operator"))?;
    writer.table(&memory::STATIC_OP_MEM, event_kind("static"))?;
    writer.table(samples, sample_kind("allocator"))?;
    writer.table(&memory::NPU_MODULE_MEM, sample_kind("module"))?;
    writer.table(&dataset::DATASET, |_| true)?;
    writer.pipelines()?;
    writer.table(&step_trace::STEP_TRACE_TIME, |_| true)?;
    writer.table(&statistics::OP_STATISTIC, |_| true)?;
    writer.table(&statistics::API_STATISTIC, |_| true)?;
    writer.table(&operator_details::OPERATOR_DETAILS, |_| true)?;
    writer.sheets()
}

struct CsvWriter<'a> {
    tables: &'a RankTables,
    flavour: Flavour,
    out: &'a Output,
}

impl CsvWriter<'_> {
    fn table<R: Table + Copy>(&self, layout: &Layout<R>, mut keep: impl FnMut(&R) -> bool) -> Result<(), OutputError> {
        let rows = self.tables.rows::<R>().filter(|row| keep(row)).collect();
        self.file(layout, &format!("{}.csv", layout.kind), rows)
    }

    /// Writes one file; nothing if there are no rows, as the peers do.
    fn file<R: Copy>(&self, layout: &Layout<R>, name: &str, rows: Vec<R>) -> Result<(), OutputError> {
        if rows.is_empty() {
            return Ok(());
        }
        let headers = self.carried_headers(layout.kind).unwrap_or_else(|| self.headers(layout, &rows));
        self.out.file(name, |file| {
            let mut csv = writer(file);
            csv.write_record(&headers)?;
            let columns: Vec<_> = headers.iter().map(|header| find(layout, header)).collect();
            for mut row in rows {
                let other = layout.other.map(|place| self.object(*place(&mut row)));
                for (header, column) in headers.iter().zip(&columns) {
                    csv.write_field(self.cell(&row, header, *column, other.as_ref()).as_bytes())?;
                }
                csv.write_record(None::<&[u8]>)?;
            }
            csv.flush()?;
            Ok(())
        })
    }

    fn cell<R>(
        &self,
        row: &R,
        header: &str,
        column: Option<&Column<R>>,
        other: Option<&Map<String, Value>>,
    ) -> Cow<'static, str> {
        match column {
            Some(column) => {
                let mut cell = String::new();
                if (column.write)(row, self.tables.strings(), &mut cell) { cell.into() } else { column.null.into() }
            }
            None => match other.and_then(|o| o.get(header)) {
                Some(Value::String(text)) => text.clone().into(),
                Some(Value::Null) | None => "N/A".into(),
                Some(value) => value.to_string().into(),
            },
        }
    }

    fn object(&self, text: Option<npuscope_tables::Str>) -> Map<String, Value> {
        self.tables.opt_text(text).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// The headers of the file the rows were read from.
    fn carried_headers(&self, kind: &str) -> Option<Vec<String>> {
        let source = self.tables.rows::<source::Row>().find(|s| self.tables.text(s.kind) == kind)?;
        serde_json::from_str(self.tables.opt_text(source.columns)?).ok()
    }

    /// The headers of a new file.
    fn headers<R: Copy>(&self, layout: &Layout<R>, rows: &[R]) -> Vec<String> {
        let strings = self.tables.strings();
        let has_value = |column: &Column<R>| rows.iter().any(|row| (column.write)(row, strings, &mut String::new()));
        let wanted = layout.columns.iter().filter(|column| match column.presence {
            Presence::Always => true,
            Presence::Optional => has_value(column),
            Presence::Superseded => false,
        });
        let spelled = |column: &Column<R>| match (self.flavour, column.headers) {
            (Flavour::MindSpore, ["Step Id", older]) => (*older).to_owned(),
            (_, headers) => headers.first().copied().unwrap_or_default().to_owned(),
        };
        let mut headers: Vec<String> = wanted.map(spelled).collect();
        if let Some(place) = layout.other {
            for &(mut row) in rows {
                for key in self.object(*place(&mut row)).keys().filter(|k| find(layout, k).is_none()) {
                    if !headers.contains(key) {
                        headers.push(key.clone());
                    }
                }
            }
        }
        headers
    }

    /// One file per MindData pipeline.
    fn pipelines(&self) -> Result<(), OutputError> {
        let rows: Vec<_> = self.tables.rows::<npuscope_tables::table::pipeline_op::Row>().collect();
        let mut pipelines: Vec<_> = rows.iter().map(|row| row.pipeline).collect();
        pipelines.dedup();
        for pipeline in pipelines {
            let id = self.tables.opt_text(pipeline).unwrap_or("0");
            let rows = rows.iter().copied().filter(|row| row.pipeline == pipeline).collect();
            self.file(&dataset::PIPELINE_RAW, &format!("minddata_pipeline_raw_{id}.csv"), rows)?;
        }
        Ok(())
    }

    /// Files that were kept cell by cell.
    fn sheets(&self) -> Result<(), OutputError> {
        let cells: Vec<_> = self.tables.rows::<sheet::Row>().filter(|cell| cell.sheet.is_none()).collect();
        for file in cells.chunk_by(|a, b| a.file == b.file) {
            let Some(first) = file.first() else { continue };
            let columns: Vec<_> = file.iter().take_while(|c| c.row == first.row).map(|c| c.column).collect();
            let name = self.tables.text(first.file);
            let name = name.rsplit('/').next().unwrap_or(name);
            self.out.file(name, |out| {
                let mut csv = writer(out);
                csv.write_record(columns.iter().map(|&c| self.tables.text(c)))?;
                for row in file.chunk_by(|a, b| a.row == b.row) {
                    csv.write_record(row.iter().map(|c| self.tables.opt_text(c.value).unwrap_or_default()))?;
                }
                csv.flush()?;
                Ok(())
            })?;
        }
        Ok(())
    }
}

fn writer<W: Write>(file: W) -> csv::Writer<W> {
    WriterBuilder::new()
        .quote_style(QuoteStyle::Necessary)
        .terminator(Terminator::CRLF)
        .flexible(true)
        .from_writer(file)
}

fn find<'a, R>(layout: &'a Layout<R>, header: &str) -> Option<&'a Column<R>> {
    layout.columns.iter().find(|column| column.headers.contains(&header))
}
