//! Writing csv files.

use std::io::Write;

use hashbrown::HashMap;
use indexmap::IndexSet;
use npuscope_tables::Framework;
use npuscope_tables::column::CellView;
use npuscope_tables::table::{mem_event, mem_sample, pipeline_op, sheet, source};
use npuscope_tables::{Interner, RankTables, Str, Table, TableView};
use serde_json::{Map, Value};

use super::record::Records;
use super::spelling::{Spelling, has_cells, is_spelling_of, write_row};
use super::{Column, Layout, OTHER, Presence, aicpu, cache, dataset, kernel_details, memory, operator_details};
use super::{statistics, step_trace};
use crate::diagnostic::BOM;
use crate::output::{Output, OutputError, PartFile};
use crate::rows::rows_where;

/// The csv deliverables of a rank that comes in chunks. A file is begun with the first chunk that has rows
/// for it, and that chunk decides its headers.
pub struct CsvFiles {
    framework: Framework,
    out: Output,
    files: HashMap<String, CsvFile>,
}

struct CsvFile {
    file: PartFile,
    headers: Vec<String>,
    /// How the file was spelled that the rows were read from.
    spelling: Spelling,
    /// Rows written.
    rows: u64,
    records: Records,
}

impl CsvFiles {
    pub fn new(framework: Framework, out: Output) -> CsvFiles {
        CsvFiles { framework, out, files: HashMap::new() }
    }

    /// Writes the rows of a chunk, whatever file they are of.
    pub fn append(&mut self, tables: &RankTables) -> Result<(), OutputError> {
        let mindspore = self.framework == Framework::MindSpore;
        self.table(tables, &kernel_details::KERNEL_DETAILS, |_, _| true)?;
        self.table(tables, &cache::L2_CACHE, |view, row| tables.text(view.cache.get(row)) == "l2")?;
        self.table(tables, &cache::SOC_PMU, |view, row| tables.text(view.cache.get(row)) == "tlb")?;
        self.table(tables, &aicpu::DATA_PREPROCESS, |_, _| true)?;
        let is = |kind: Str, name: &str| tables.text(kind) == name;
        let event_kind = |name: &'static str| move |view: &mem_event::View, row: usize| is(view.kind.get(row), name);
        let sample_kind = |name: &'static str| move |view: &mem_sample::View, row: usize| is(view.kind.get(row), name);
        let (events, samples) = if mindspore {
            (&memory::OPERATOR_MEMORY_MINDSPORE, &memory::MEMORY_RECORD_MINDSPORE)
        } else {
            (&memory::OPERATOR_MEMORY, &memory::MEMORY_RECORD)
        };
        self.table(tables, events, event_kind("operator"))?;
        self.table(tables, &memory::STATIC_OP_MEM, event_kind("static"))?;
        self.table(tables, samples, sample_kind("allocator"))?;
        self.table(tables, &memory::NPU_MODULE_MEM, sample_kind("module"))?;
        self.table(tables, &dataset::DATASET, |_, _| true)?;
        self.pipelines(tables)?;
        self.table(tables, &step_trace::STEP_TRACE_TIME, |_, _| true)?;
        self.table(tables, &statistics::OP_STATISTIC, |_, _| true)?;
        self.table(tables, &statistics::API_STATISTIC, |_, _| true)?;
        self.table(tables, &operator_details::OPERATOR_DETAILS, |_, _| true)?;
        self.sheets(tables)
    }

    /// Gives all files their names.
    pub fn finish(self) -> Result<(), OutputError> {
        self.files.into_values().try_for_each(|CsvFile { mut file, spelling, rows, .. }| {
            if let Some(text) = spelling.cut_after(rows) {
                file.write(|out| out.write_all(text.as_bytes()))?;
            }
            file.finish()
        })
    }

    fn table<R: Table + Copy>(
        &mut self,
        tables: &RankTables,
        layout: &Layout<R>,
        keep: impl Fn(&R::View, usize) -> bool,
    ) -> Result<(), OutputError> {
        self.file(tables, layout, &format!("{}.csv", layout.kind), keep)
    }

    /// Writes rows into a file; without rows there is none, as the peers do.
    fn file<R: Table + Copy>(
        &mut self,
        tables: &RankTables,
        layout: &Layout<R>,
        name: &str,
        keep: impl Fn(&R::View, usize) -> bool,
    ) -> Result<(), OutputError> {
        if !tables.views::<R>().any(|(view, rows)| (0..rows).any(|row| keep(&view, row))) {
            return Ok(());
        }
        if !self.files.contains_key(name) {
            let headers = carried_headers(tables, layout.kind);
            let headers = headers.unwrap_or_else(|| new_headers(tables, self.framework, layout, &keep));
            self.begin(tables, name, headers)?;
        }
        let Some(CsvFile { file, headers, spelling, rows: written, records }) = self.files.get_mut(name) else {
            return Ok(());
        };
        let columns: Vec<_> = headers.iter().map(|header| (header, find(layout, header))).collect();
        let filled_in = || columns.iter().filter_map(|(_, column)| column.filter(|column| column.is_filled_in));
        let unfilled = || filled_in().filter(|_| spelling.unfilled);
        let mut no_strings = Interner::default();
        file.write(|out| {
            for (view, rows) in tables.views::<R>() {
                for row in (0..rows).filter(|&row| keep(&view, row)) {
                    let mut row = view.row(row);
                    let other = layout.other.map(|place| object(tables, *place(&mut row)));
                    for column in unfilled() {
                        (column.read)(&mut row, "", &mut no_strings);
                    }
                    write_row(&row, &columns, other.as_ref(), tables.strings(), records);
                    if let Some(text) = spelling.rows.get(written)
                        && is_spelling_of(text, &row, other.as_ref(), tables.strings(), layout, &columns)
                    {
                        records.replace_row(text.as_bytes());
                    }
                    *written += 1;
                    records.end(out)?;
                }
            }
            records.flush(out)
        })
    }

    fn begin(&mut self, tables: &RankTables, name: &str, headers: Vec<String>) -> Result<(), OutputError> {
        let mut file = self.out.begin(name)?;
        let spelling = Spelling::carried(tables, name);
        let mut records = Records::with_line_ends(spelling.lf);
        file.write(|out| {
            if spelling.bom {
                out.write_all(BOM)?;
            }
            records.texts(headers.iter().map(String::as_str));
            if let Some(text) = spelling.header.as_ref().filter(|text| is_header_of(text, &headers)) {
                records.replace_row(text.as_bytes());
            }
            records.end(out)?;
            records.flush(out)
        })?;
        self.files.insert(name.to_owned(), CsvFile { file, headers, spelling, rows: 0, records });
        Ok(())
    }

    /// One file per MindData pipeline.
    fn pipelines(&mut self, tables: &RankTables) -> Result<(), OutputError> {
        let pipelines: IndexSet<_> = tables.rows::<pipeline_op::Row>().map(|row| row.pipeline).collect();
        for pipeline in pipelines {
            let id = tables.opt_text(pipeline).unwrap_or("0");
            let name = format!("minddata_pipeline_raw_{id}.csv");
            self.file(tables, &dataset::PIPELINE_RAW, &name, |view, row| view.pipeline.get(row) == pipeline)?;
        }
        Ok(())
    }

    /// Files that were kept cell by cell.
    fn sheets(&mut self, tables: &RankTables) -> Result<(), OutputError> {
        let cells: Vec<_> = tables.rows::<sheet::Row>().filter(|cell| cell.sheet.is_none()).collect();
        for sheet in cells.chunk_by(|a, b| a.file == b.file) {
            let Some(first) = sheet.first() else { continue };
            let name = tables.text(first.file);
            let name = name.rsplit('/').next().unwrap_or(name);
            if !self.files.contains_key(name) {
                let columns = sheet.iter().take_while(|cell| cell.row == first.row).map(|cell| cell.column);
                self.begin(tables, name, columns.map(|column| tables.text(column).to_owned()).collect())?;
            }
            let Some(CsvFile { file, spelling, rows: written, records, .. }) = self.files.get_mut(name) else {
                continue;
            };
            file.write(|out| {
                for row in sheet.chunk_by(|a, b| a.row == b.row) {
                    let cells = || row.iter().map(|cell| tables.opt_text(cell.value).unwrap_or_default());
                    records.texts(cells());
                    if let Some(text) = spelling.rows.get(written).filter(|text| has_cells(text, cells())) {
                        records.replace_row(text.as_bytes());
                    }
                    *written += 1;
                    records.end(out)?;
                }
                records.flush(out)
            })?;
        }
        Ok(())
    }
}

/// Whether a line of headers names these, spaces aside.
fn is_header_of(line: &str, headers: &[String]) -> bool {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
    let record = reader.records().next().and_then(Result::ok).unwrap_or_default();
    record.len() == headers.len() && record.iter().zip(headers).all(|(cell, header)| cell.trim() == header)
}

fn object(tables: &RankTables, text: Option<Str>) -> Map<String, Value> {
    tables.opt_text(text).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// The headers of the file the rows were read from.
fn carried_headers(tables: &RankTables, kind: &str) -> Option<Vec<String>> {
    let source = tables.rows::<source::Row>().find(|s| tables.text(s.kind) == kind)?;
    serde_json::from_str(tables.opt_text(source.columns)?).ok()
}

/// The headers of a new file.
fn new_headers<R: Table + Copy>(
    tables: &RankTables,
    framework: Framework,
    layout: &Layout<R>,
    keep: impl Fn(&R::View, usize) -> bool,
) -> Vec<String> {
    let strings = tables.strings();
    let mut scratch = Vec::new();
    // A batch has no column that is null throughout: what no batch has need not be looked for.
    let is_stored = |field: &str| tables.batches(R::ID).iter().any(|batch| batch.column_by_name(field).is_some());
    let optional = layout.columns.iter().enumerate().filter(|(_, column)| column.presence == Presence::Optional);
    let (mut unseen, mut empty): (Vec<_>, Vec<_>) = optional.partition(|(_, column)| is_stored(column.field));
    let other = layout.other.filter(|_| is_stored(OTHER));
    let mut others: Vec<String> = Vec::new();
    for mut row in rows_where::<R>(tables, keep) {
        unseen.retain(|(_, column)| !(column.write)(&row, strings, &mut scratch));
        scratch.clear();
        let object = other.map(|place| object(tables, *place(&mut row)));
        for (key, _) in object.into_iter().flatten() {
            if find(layout, &key).is_none() && !others.contains(&key) {
                others.push(key);
            }
        }
        if unseen.is_empty() && other.is_none() {
            break;
        }
    }
    empty.extend(unseen);
    let is_empty = |index: usize| empty.iter().any(|(at, _)| *at == index);
    let wanted = layout.columns.iter().enumerate();
    let wanted = wanted.filter(|(index, column)| column.presence != Presence::Superseded && !is_empty(*index));
    let spelled = |column: &Column<R>| match (framework, column.headers) {
        (Framework::MindSpore, ["Step Id", older]) => (*older).to_owned(),
        (_, headers) => headers.first().copied().unwrap_or_default().to_owned(),
    };
    let mut headers: Vec<String> = wanted.map(|(_, column)| spelled(column)).collect();
    let new: Vec<String> = others.into_iter().filter(|key| !headers.contains(key)).collect();
    headers.extend(new);
    headers
}

fn find<'a, R>(layout: &'a Layout<R>, header: &str) -> Option<&'a Column<R>> {
    layout.columns.iter().find(|column| column.headers.contains(&header))
}
