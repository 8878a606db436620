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
    /// The line of headers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// Rows by their number.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rows: BTreeMap<u64, String>,
    /// Bytes of these rows.
    #[serde(skip)]
    pub kept: usize,
}

/// Beyond this, rows are written in the usual spelling: what a rank is read into must not double because of it.
const MOST_BYTES: usize = 1 << 24;

impl Spelling {
    pub fn keep(&mut self, row: u64, text: &[u8]) {
        self.kept += text.len();
        if self.kept <= MOST_BYTES
            && let Ok(text) = std::str::from_utf8(text)
        {
            self.rows.insert(row, text.to_owned());
        }
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
            Some(column) => {
                if !(column.write)(row, texts, cell) {
                    cell.extend_from_slice(column.null.as_bytes());
                }
            }
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

/// Whether a row that is spelled like this is one that is written as `written`. Rows may have been left out or changed
/// since they were read, and a spelling must never bring another number back.
pub fn is_spelling_of<R: Copy>(
    text: &str,
    written: &[u8],
    layout: &Layout<R>,
    columns: &[(&String, Option<&Column<R>>)],
    lf: bool,
) -> bool {
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut record = ByteRecord::new();
    if !matches!(reader.read_byte_record(&mut record), Ok(true)) {
        return false;
    }
    let mut strings = Interner::default();
    let mut row = (layout.blank)(&mut strings, "");
    let mut others = Map::new();
    for ((header, column), cell) in columns.iter().zip(&record) {
        let cell = String::from_utf8_lossy(cell);
        match column {
            Some(column) => {
                (column.read)(&mut row, &cell, &mut strings);
            }
            None if layout.other.is_some() => {
                others.insert((*header).clone(), other_cell(&cell));
            }
            None => {}
        }
    }
    let mut records = Records::with_line_ends(lf);
    write_row(&row, columns, Some(&others), &strings, &mut records);
    records.row_bytes() == written
}
