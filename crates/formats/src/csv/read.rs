//! Reading csv files.

use std::borrow::Cow;

use csv::{ByteRecord, ReaderBuilder};
use npuscope_messages::Message;
use npuscope_tables::Framework;
use npuscope_tables::{RankBuilder, TableId};
use serde_json::{Map, Value};

use super::record::Records;
use super::spelling::{Spelling, write_row};
use super::{Column, CsvTable, Layout, aicpu, cache, dataset, kernel_details, memory, operator_details, sheet};
use super::{other_cell, statistics, step_trace};
use crate::diagnostic::{BOM, Code, Diagnostic, Severity};
use crate::messages;

/// The outcome of reading a file, beside its rows.
#[derive(Debug, Default)]
pub struct Outcome {
    pub rows: u64,
    /// Headers in order.
    pub columns: Vec<String>,
    /// Headers nothing was read from.
    pub unread: Vec<String>,
    /// How it is spelled where that is not as it is written.
    pub spelling: Option<String>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads `bytes`, the file called `file`, which is of the given kind. Kinds without a layout are kept
/// cell by cell.
pub fn read_file(kind: &str, framework: Framework, bytes: &[u8], file: &str, rank: &mut RankBuilder) -> Outcome {
    let mindspore = framework == Framework::MindSpore;
    match kind {
        "kernel_details" | "op_summary" => read(&kernel_details::KERNEL_DETAILS, bytes, file, rank),
        "operator_details" => read(&operator_details::OPERATOR_DETAILS, bytes, file, rank),
        "operator_memory" if mindspore => read(&memory::OPERATOR_MEMORY_MINDSPORE, bytes, file, rank),
        "operator_memory" => read(&memory::OPERATOR_MEMORY, bytes, file, rank),
        "memory_record" if mindspore => read(&memory::MEMORY_RECORD_MINDSPORE, bytes, file, rank),
        "memory_record" => read(&memory::MEMORY_RECORD, bytes, file, rank),
        "npu_module_mem" => read(&memory::NPU_MODULE_MEM, bytes, file, rank),
        "static_op_mem" => read(&memory::STATIC_OP_MEM, bytes, file, rank),
        "step_trace_time" => read(&step_trace::STEP_TRACE_TIME, bytes, file, rank),
        "op_statistic" => read(&statistics::OP_STATISTIC, bytes, file, rank),
        "api_statistic" => read(&statistics::API_STATISTIC, bytes, file, rank),
        "l2_cache" => read(&cache::L2_CACHE, bytes, file, rank),
        "soc_pmu" => read(&cache::SOC_PMU, bytes, file, rank),
        "data_preprocess" | "aicpu" => read(&aicpu::DATA_PREPROCESS, bytes, file, rank),
        "dataset" => read(&dataset::DATASET, bytes, file, rank),
        "minddata_pipeline_raw" => read(&dataset::PIPELINE_RAW, bytes, file, rank),
        _ => read_sheet(bytes, file, rank),
    }
}

/// The tables that a file of the given kind has rows of.
pub fn tables_of(kind: &str) -> &'static [TableId] {
    match kind {
        "kernel_details" | "op_summary" => &[TableId::Kernel],
        "operator_details" => &[TableId::ReportedOperator],
        "operator_memory" | "static_op_mem" => &[TableId::MemEvent],
        "memory_record" | "npu_module_mem" => &[TableId::MemSample],
        "step_trace_time" => &[TableId::ReportedStep],
        "op_statistic" => &[TableId::ReportedOpType],
        "api_statistic" => &[TableId::ReportedApi],
        "l2_cache" | "soc_pmu" => &[TableId::KernelCache],
        "data_preprocess" | "aicpu" => &[TableId::AicpuOp],
        "dataset" => &[TableId::DatasetOp],
        "minddata_pipeline_raw" => &[TableId::PipelineOp],
        _ => &[TableId::Sheet],
    }
}

/// A row source that knows its position.
struct Table<'a> {
    reader: csv::Reader<&'a [u8]>,
    /// The file without a mark before it.
    bytes: &'a [u8],
    /// Bytes of the mark.
    skipped: usize,
    headers: Vec<String>,
    record: ByteRecord,
    /// Where the row that was read last starts.
    row_start: usize,
    /// The last line, if it has no line end.
    cut: Option<&'a [u8]>,
    lossy: bool,
    uneven_rows: u64,
    diagnostics: Vec<Diagnostic>,
    file: &'a str,
}

impl<'a> Table<'a> {
    fn open(bytes: &'a [u8], file: &'a str) -> Result<Table<'a>, Diagnostic> {
        if let Some(diagnostic) = Diagnostic::not_text(bytes, file) {
            return Err(diagnostic);
        }
        let skipped = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let bytes = bytes.get(skipped..).unwrap_or_default();
        let mut reader = ReaderBuilder::new().flexible(true).from_reader(bytes);
        let unreadable = |error: csv::Error| {
            let offset = error.position().map_or(0, csv::Position::byte);
            let message = messages::csv_no_header(error.to_string());
            Diagnostic::new(Severity::Error, Code::NotCsv, file, message).at(offset)
        };
        let headers = reader.byte_headers().map_err(unreadable)?;
        let headers = headers.iter().map(|h| String::from_utf8_lossy(h).trim().to_owned()).collect();
        let mut table = Table {
            reader,
            bytes,
            skipped,
            headers,
            record: ByteRecord::new(),
            row_start: 0,
            cut: None,
            lossy: false,
            uneven_rows: 0,
            diagnostics: Vec::new(),
            file,
        };
        if table.is_cut() {
            table.diagnostic(Code::CutFile, messages::csv_header_cut());
        }
        Ok(table)
    }

    /// Moves to the next whole row; the byte where it starts.
    fn next(&mut self) -> Option<u64> {
        loop {
            match self.reader.read_byte_record(&mut self.record) {
                Ok(false) => return None,
                Ok(true) => {
                    self.find_row_start();
                    if self.is_cut() {
                        self.cut = self.bytes.get(self.row_start..);
                        self.diagnostic(Code::CutFile, messages::csv_row_cut());
                    } else if self.record.len() < self.headers.len() {
                        self.uneven_row(Code::ShortRow);
                    } else if self.record.iter().skip(self.headers.len()).any(|cell| !cell.is_empty()) {
                        self.uneven_row(Code::LongRow);
                    } else {
                        return Some(self.offset());
                    }
                }
                Err(error) => {
                    self.find_row_start();
                    self.diagnostic(Code::BadRow, messages::csv_bad_row(error.to_string()));
                }
            }
        }
    }

    /// The bytes of the row that was read last, without its line end.
    fn row_bytes(&self) -> &'a [u8] {
        let end = usize::try_from(self.reader.position().byte()).unwrap_or_default();
        without_line_end(self.bytes.get(self.row_start..end).unwrap_or_default())
    }

    /// The spelling of the file before its first row is read.
    fn spelling(&self) -> Spelling {
        let end = usize::try_from(self.reader.position().byte()).unwrap_or_default();
        let header = without_line_end(self.bytes.get(..end).unwrap_or_default());
        let rest = self.bytes.get(header.len()..).unwrap_or_default();
        let lf = rest.starts_with(b"\n");
        let mut records = Records::with_line_ends(lf);
        records.texts(self.headers.iter().map(String::as_str));
        let text = std::str::from_utf8(header).ok().filter(|text| text.as_bytes() != records.row_bytes());
        Spelling { lf, bom: self.skipped > 0, header: text.map(str::to_owned), ..Spelling::default() }
    }

    fn offset(&self) -> u64 {
        (self.skipped + self.row_start) as u64
    }

    fn diagnostic(&mut self, code: Code, message: Message) {
        let diagnostic = Diagnostic::new(Severity::Warning, code, self.file, message).at(self.offset());
        self.diagnostics.push(diagnostic);
    }

    /// The reader steps over the rest of a line end only when it reads on.
    fn find_row_start(&mut self) {
        let from = self.record.position().and_then(|p| usize::try_from(p.byte()).ok()).unwrap_or_default();
        let line_ends = self.bytes.get(from..).unwrap_or_default().iter().take_while(|b| matches!(b, b'\r' | b'\n'));
        self.row_start = from + line_ends.count();
    }

    /// Whether the file ends inside the row that was read last: every writer ends a row with a line end.
    fn is_cut(&self) -> bool {
        if usize::try_from(self.reader.position().byte()).is_ok_and(|at| at < self.bytes.len()) {
            return false;
        }
        let row = self.bytes.get(self.row_start..).unwrap_or_default();
        !row.ends_with(b"\n") && !row.ends_with(b"\r") || memchr::memchr_iter(b'"', row).count() % 2 == 1
    }

    /// Which cell is missing or too many cannot be known, so none can be trusted.
    fn uneven_row(&mut self, code: Code) {
        if self.uneven_rows == 0 {
            self.diagnostic(code, messages::csv_uneven_row(self.record.len(), self.headers.len()));
        }
        self.uneven_rows += 1;
    }

    fn cell(&mut self, index: usize) -> Cow<'_, str> {
        let offset = self.offset();
        let cell = String::from_utf8_lossy(self.record.get(index).unwrap_or_default());
        if matches!(cell, Cow::Owned(_)) && !self.lossy {
            self.lossy = true;
            self.diagnostics.push(Diagnostic::not_utf8(self.file, offset));
        }
        cell
    }

    /// What was wrong, when all rows have been read.
    fn finish(mut self) -> Vec<Diagnostic> {
        if self.uneven_rows > 1 {
            let message = messages::csv_more_uneven_rows(self.uneven_rows - 1);
            self.diagnostics.push(Diagnostic::new(Severity::Warning, Code::UnevenRows, self.file, message));
        }
        self.diagnostics
    }
}

fn read<R: CsvTable + Copy>(layout: &Layout<R>, bytes: &[u8], file: &str, rank: &mut RankBuilder) -> Outcome {
    let mut table = match Table::open(bytes, file) {
        Ok(table) => table,
        Err(diagnostic) => return Outcome { diagnostics: vec![diagnostic], ..Outcome::default() },
    };
    let mut outcome = Outcome { columns: table.headers.clone(), ..Outcome::default() };
    let columns: Vec<Option<&Column<R>>> = outcome.columns.iter().map(|h| find_column(layout, h)).collect();
    if columns.iter().all(Option::is_none) {
        let message = messages::csv_wrong_columns(layout.kind, expected(layout));
        outcome.diagnostics.push(Diagnostic::new(Severity::Error, Code::WrongColumns, file, message).at(0));
        return outcome;
    }
    if layout.other.is_none() {
        let unread = outcome.columns.iter().zip(&columns).filter(|(_, column)| column.is_none());
        outcome.unread = unread.map(|(h, _)| h.clone()).filter(|h| !layout.implied.contains(&h.as_str())).collect();
    }
    let mut bad_cells = 0u64;
    let mut first_bad = None;
    let headers = outcome.columns.clone();
    let columns: Vec<(&String, Option<&Column<R>>)> = headers.iter().zip(columns).collect();
    let filled_in: Vec<&Column<R>> =
        columns.iter().filter_map(|(_, column)| column.filter(|column| column.is_filled_in)).collect();
    let mut spelling = table.spelling();
    let mut records = Records::with_line_ends(spelling.lf);
    let (mut has_filled, mut scratch) = (false, Vec::new());
    while let Some(offset) = table.next() {
        let mut row = (layout.blank)(&mut rank.strings, file);
        let mut others = Map::new();
        for (index, (header, column)) in columns.iter().enumerate() {
            let cell = table.cell(index);
            match column {
                Some(column) if (column.read)(&mut row, &cell, &mut rank.strings) => {}
                Some(_) => {
                    bad_cells += 1;
                    first_bad.get_or_insert_with(|| (offset, cell.into_owned(), *header));
                }
                None if layout.other.is_some() => {
                    others.insert((*header).clone(), other_cell(&cell));
                }
                None => {}
            }
        }
        write_row(&row, &columns, Some(&others), &rank.strings, &mut records);
        let text = table.row_bytes();
        has_filled = has_filled || filled_in.iter().any(|column| (column.write)(&row, &rank.strings, &mut scratch));
        if records.row_bytes() != text {
            spelling.keep(outcome.rows, text);
        }
        records.discard_row();
        if let Some(place) = layout.other
            && others.values().any(|v| !v.is_null())
        {
            *place(&mut row) = Some(rank.strings.intern(&Value::Object(others).to_string()));
        }
        row.push(rank);
        outcome.rows += 1;
    }
    if let Some(text) = table.cut {
        spelling.keep_cut(outcome.rows, text);
    }
    spelling.unfilled = outcome.rows > 0 && !filled_in.is_empty() && !has_filled;
    outcome.spelling = spelling.to_json();
    outcome.diagnostics.append(&mut table.finish());
    if let Some((offset, cell, column)) = first_bad {
        let message = messages::csv_bad_cells(bad_cells, cell, column);
        outcome.diagnostics.push(Diagnostic::new(Severity::Warning, Code::BadCell, file, message).at(offset));
    }
    outcome
}

fn without_line_end(mut line: &[u8]) -> &[u8] {
    while let [rest @ .., b'\r' | b'\n'] = line {
        line = rest;
    }
    line
}

fn find_column<'a, R>(layout: &'a Layout<R>, header: &str) -> Option<&'a Column<R>> {
    layout.columns.iter().find(|column| column.headers.contains(&header))
}

/// The first columns that a file should have.
fn expected<R>(layout: &Layout<R>) -> Vec<&'static str> {
    layout.columns.iter().filter_map(|c| c.headers.first().copied()).take(4).collect()
}

fn read_sheet(bytes: &[u8], file: &str, rank: &mut RankBuilder) -> Outcome {
    let mut table = match Table::open(bytes, file) {
        Ok(table) => table,
        Err(diagnostic) => return Outcome { diagnostics: vec![diagnostic], ..Outcome::default() },
    };
    let mut outcome = Outcome { columns: table.headers.clone(), ..Outcome::default() };
    let mut spelling = table.spelling();
    let mut records = Records::with_line_ends(spelling.lf);
    let mut number = 0;
    while table.next().is_some() {
        for (index, header) in outcome.columns.iter().enumerate() {
            let cell = table.cell(index);
            records.texts(std::iter::once(&*cell));
            sheet::keep(rank, file, number, header, &cell);
        }
        records.close();
        let text = table.row_bytes();
        if records.row_bytes() != text {
            spelling.keep(outcome.rows, text);
        }
        records.discard_row();
        number += 1;
        outcome.rows += 1;
    }
    if let Some(text) = table.cut {
        spelling.keep_cut(outcome.rows, text);
    }
    outcome.spelling = spelling.to_json();
    outcome.diagnostics = table.finish();
    outcome
}
