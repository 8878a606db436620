//! The csv deliverables.
//!
//! A file is described once, as a list of columns with their header spellings and encodings, and the
//! description serves reading and writing. Versions add, rename and drop columns, so columns are
//! found by header, never by place.
//!
//! A file that is read and written is the same byte for byte if all its rows could be read and its lines end alike:
//! [`spelling`] keeps what values alone do not say. A last line without a line end comes back, too.

mod aicpu;
mod cache;
mod cell;
mod dataset;
mod kernel_details;
mod memory;
mod operator_details;
mod read;
mod record;
mod sheet;
mod spelling;
mod statistics;
mod step_trace;
mod write;

pub use read::{Outcome, read_file, tables_of};
pub use write::CsvFiles;

use npuscope_tables::{Interner, RankBuilder, Str, Strings};
use serde_json::Value;

/// The column of tables that have a place for cells without a column of their own.
const OTHER: &str = "metrics";

/// A csv deliverable.
pub struct Layout<R: 'static> {
    /// Its name in `source.kind`, and of the file without `.csv`.
    pub kind: &'static str,
    pub columns: &'static [Column<R>],
    /// A row of the file of that name, before its cells are read.
    pub blank: fn(&mut Interner, &str) -> R,
    /// Headers that are known to hold nothing a column does not.
    pub implied: &'static [&'static str],
    /// Where the cells of all other headers go, as a JSON object: column [`OTHER`]. Without it they stay unread.
    pub other: Option<fn(&mut R) -> &mut Option<Str>>,
}

/// A column of a csv deliverable.
pub struct Column<R> {
    /// The field of the row.
    pub field: &'static str,
    /// Spellings of the header, the current one first.
    pub headers: &'static [&'static str],
    /// How null is spelled.
    pub null: &'static str,
    pub presence: Presence,
    pub read: fn(&mut R, &str, &mut Interner) -> bool,
    /// Appends a cell as it stands in the file, quotes and all; `false` for null.
    pub write: fn(&R, &dyn Texts, &mut Vec<u8>) -> bool,
    /// Whether a value that the file lacks may be computed after reading.
    pub is_filled_in: bool,
}

impl<R> Column<R> {
    /// Appends a cell, null as well.
    fn write_cell(&self, row: &R, texts: &dyn Texts, cell: &mut Vec<u8>) {
        if !(self.write)(row, texts, cell) {
            cell.extend_from_slice(self.null.as_bytes());
        }
    }
}

/// What ids of strings stand for: while they are collected, and afterwards.
pub trait Texts {
    fn text(&self, id: Str) -> &str;
}

impl Texts for Interner {
    fn text(&self, id: Str) -> &str {
        self.get(id)
    }
}

impl Texts for Strings {
    fn text(&self, id: Str) -> &str {
        self.get(id)
    }
}

/// A cell that has no column: a number if it is one, so that it can be computed with.
fn other_cell(cell: &str) -> Value {
    if matches!(cell, "" | "N/A") {
        return Value::Null;
    }
    let number: Option<Value> = serde_json::from_str(cell).ok().filter(Value::is_number);
    number.unwrap_or_else(|| Value::String(cell.to_owned()))
}

/// Whether a file that is written from scratch has a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    Always,
    /// If any row has a value for it.
    Optional,
    /// Never: another column of the file says the same in the current encoding.
    Superseded,
}

/// `column!(field: Codec, "Header" | "Older header", null "N/A"; Optional)`.
macro_rules! column {
    ($field:ident: $codec:ty, $($header:literal)|+ $(, null $null:literal)? $(; $presence:ident)?) => {
        $crate::csv::Column {
            field: stringify!($field),
            headers: &[$($header),+],
            null: [$($null,)? ""][0],
            presence: [$($crate::csv::Presence::$presence,)? $crate::csv::Presence::Always][0],
            read: |row, cell, strings| match <$codec as $crate::csv::cell::Codec<_>>::read(cell, strings) {
                Some(value) => {
                    row.$field = value;
                    true
                }
                None => false,
            },
            write: |row, strings, out| <$codec as $crate::csv::cell::Codec<_>>::write(row.$field, strings, out),
            is_filled_in: false,
        }
    };
}
pub(crate) use column;

/// A file whose rows go to one table.
pub trait CsvTable: Sized {
    fn push(self, rank: &mut RankBuilder);
}

macro_rules! csv_table {
    ($($module:ident,)+) => {
        $(impl CsvTable for npuscope_tables::table::$module::Row {
            fn push(self, rank: &mut RankBuilder) {
                rank.$module.push(self);
            }
        })+
    };
}

csv_table! {
    kernel,
    kernel_cache,
    aicpu_op,
    mem_event,
    mem_sample,
    dataset_op,
    pipeline_op,
    reported_step,
    reported_op_type,
    reported_api,
    reported_operator,
}
