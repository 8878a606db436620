//! How a file spells its rows where that is not how they are written, so that it can be written back byte for byte.
//!
//! Frameworks print what Python holds: in one column `0` where nothing was measured and `0.0` where a sum was zero,
//! microseconds with two decimals or three, line ends of either kind. A table has one number for all of these. So a
//! reader writes every row it has read, and keeps the text of those that come out differently.

use std::collections::BTreeMap;

use csv::{ByteRecord, ReaderBuilder};
use npuscope_tables::table::source;
use npuscope_tables::{Interner, RankTables};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::record::{Records, push_text};
use super::{Column, Layout, Texts, other_cell};

/// How a file is spelled: column `spelling` of `source`, as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spelling {
    /// Lines end in LF, those inside cells as well; else in CR LF.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lf: bool,
    /// A mark of the encoding stands first.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bom: bool,
    /// No row has a value in the columns that are filled in after reading: they are written empty.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unfilled: bool,
    /// The line of headers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// Rows by their number.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rows: BTreeMap<u64, String>,
    /// The line that the file ends in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<CutLine>,
    /// Bytes of these rows.
    #[serde(skip)]
    pub kept: usize,
}

/// A last line without a line end. It may be a part of a row, so it is none, but it is written back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CutLine {
    /// Rows of the whole file: where some were left out since, the line is, too.
    pub rows: u64,
    pub text: String,
}

/// Beyond this, rows are written in the usual spelling: what a rank is read into must not double because of it.
const MOST_BYTES: usize = 1 << 24;

impl Spelling {
    pub fn keep(&mut self, row: u64, text: &[u8]) {
        if let Some(text) = self.within_bounds(text) {
            self.rows.insert(row, text);
        }
    }

    /// Keeps the line after all `rows`, which has no line end.
    pub fn keep_cut(&mut self, rows: u64, text: &[u8]) {
        self.cut = self.within_bounds(text).map(|text| CutLine { rows, text });
    }

    fn within_bounds(&mut self, text: &[u8]) -> Option<String> {
        self.kept += text.len();
        std::str::from_utf8(text).ok().filter(|_| self.kept <= MOST_BYTES).map(str::to_owned)
    }

    /// The line to be written after `rows` rows.
    pub fn cut_after(&self, rows: u64) -> Option<&str> {
        self.cut.as_ref().filter(|cut| cut.rows == rows).map(|cut| cut.text.as_str())
    }

    /// As it is kept; `None` for a file that is spelled as it is written.
    pub fn to_json(&self) -> Option<String> {
        let plain = Spelling { kept: self.kept, ..Spelling::default() };
        (*self != plain).then(|| serde_json::to_string(self).unwrap_or_default())
    }

    /// The spelling of the file of that name which the rows were read from.
    pub fn carried(tables: &RankTables, name: &str) -> Spelling {
        let is_it = |row: &source::Row| tables.text(row.file).rsplit('/').next() == Some(name);
        let source = tables.rows::<source::Row>().find(is_it);
        let text = source.and_then(|row| tables.opt_text(row.spelling));
        text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }
}

/// Writes the cells of a row.
pub fn write_row<R: Copy>(
    row: &R,
    columns: &[(&String, Option<&Column<R>>)],
    other: Option<&Map<String, Value>>,
    texts: &dyn Texts,
    records: &mut Records,
) {
    for (header, column) in columns {
        records.cell(|cell| match column {
            Some(column) => column.write_cell(row, texts, cell),
            None => push_value(cell, other.and_then(|other| other.get(*header))),
        });
    }
    records.close();
}

/// A cell of a header that no column has.
fn push_value(cell: &mut Vec<u8>, value: Option<&Value>) {
    match value {
        Some(Value::String(text)) => push_text(cell, text),
        Some(Value::Null) | None => cell.extend_from_slice(b"N/A"),
        Some(value) => push_text(cell, &value.to_string()),
    }
}

/// Whether a row that is spelled like this is `row`. Rows may have been left out or changed since they were read, and a
/// spelling must never bring another number back.
pub fn is_spelling_of<R: Copy>(
    text: &str,
    row: &R,
    other: Option<&Map<String, Value>>,
    texts: &dyn Texts,
    layout: &Layout<R>,
    columns: &[(&String, Option<&Column<R>>)],
) -> bool {
    let Some(record) = record_of(text) else { return false };
    let mut strings = Interner::default();
    let mut spelled = (layout.blank)(&mut strings, "");
    let mut others = Map::new();
    for ((header, column), cell) in columns.iter().zip(&record) {
        let cell = String::from_utf8_lossy(cell);
        match column {
            Some(column) => {
                (column.read)(&mut spelled, &cell, &mut strings);
            }
            None if layout.other.is_some() => {
                others.insert((*header).clone(), other_cell(&cell));
            }
            None => {}
        }
    }
    let (mut one, mut another) = (Vec::new(), Vec::new());
    columns.iter().all(|(header, column)| {
        one.clear();
        another.clear();
        match column {
            Some(column) => {
                column.write_cell(&spelled, &strings, &mut one);
                column.write_cell(row, texts, &mut another);
                one == another
            }
            None => {
                push_value(&mut one, others.get(*header));
                push_value(&mut another, other.and_then(|other| other.get(*header)));
                one == another
            }
        }
    })
}

/// Whether a row of a sheet that is spelled like this has these cells, and else empty ones.
pub fn has_cells<'a>(text: &str, mut cells: impl Iterator<Item = &'a str>) -> bool {
    let Some(record) = record_of(text) else { return false };
    let are_cells_equal = record.iter().all(|spelled| spelled == cells.next().unwrap_or_default().as_bytes());
    are_cells_equal && cells.next().is_none()
}

/// The cells of one row.
fn record_of(text: &str) -> Option<ByteRecord> {
    // A mark of the encoding would be taken off the start, and empty lines are skipped.
    let text = format!("\n{text}");
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut record = ByteRecord::new();
    matches!(reader.read_byte_record(&mut record), Ok(true)).then_some(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_line_comes_back_only_after_all_rows() {
        let mut spelling = Spelling::default();
        spelling.keep_cut(2, b"3,4.");
        let carried: Spelling = serde_json::from_str(&spelling.to_json().unwrap()).unwrap();
        assert_eq!([1, 2].map(|rows| carried.cut_after(rows)), [None, Some("3,4.")]);
    }

    #[test]
    fn a_spelling_of_a_sheet_has_its_cells() {
        let cells = || ["a", "1,5"].into_iter();
        assert!(has_cells("\"a\",\"1,5\"", cells()) && has_cells("a,\"1,5\",,", cells()));
        assert!(["a", "a,1", "a,\"1,5\",6", "\"a\""].iter().all(|text| !has_cells(text, cells())));
    }
}
