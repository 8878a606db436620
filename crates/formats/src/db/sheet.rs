//! Tables of a database that have no table of their own: kept cell by cell.

use std::ops::ControlFlow;

use npuscope_sqlite::SqlCell;
use npuscope_sqlite::{Database, Table};
use npuscope_tables::table::sheet;
use npuscope_tables::{Interner, RankBuilder, RankTables, Str};
use rusqlite::types::ValueRef;

use super::layout::Outcome;
use super::names::Words;

/// Columns of kept tables whose numbers are ids of `STRING_IDS`, which a new file numbers anew.
fn is_name(table: &str, column: &str) -> bool {
    matches!(
        (table, column),
        ("COMMUNICATION_SCHEDULE_TASK_INFO", "name" | "taskType" | "opType")
            | ("SAMPLE_PMU_SUMMARY", "metric")
            | ("SAMPLE_PMU_TIMELINE" | "SAMPLE_PMU_SUMMARY", "coreType")
            | ("CCU", "name" | "args")
            | ("DPU_TASK", "name" | "opType" | "taskType")
    )
}

/// Keeps every cell of a table.
pub fn read(database: &Database<'_>, file: &str, table: &Table, words: &Words<'_>, rank: &mut RankBuilder) -> Outcome {
    let mut outcome = Outcome { columns: table.columns.clone(), ..Outcome::default() };
    let (file, sheet) = (rank.strings.intern(file), rank.strings.intern(&table.name));
    let columns: Vec<_> =
        table.columns.iter().map(|name| (rank.strings.intern(name), is_name(&table.name, name))).collect();
    let mut number = 0;
    outcome.scan = database.scan(table, |row| {
        let mut filled = 0;
        row.each(|index, value| {
            let Some(&(column, is_name)) = columns.get(index) else { return };
            filled = index + 1;
            let (value, value_type) = kept_value(value, is_name, words, &mut rank.strings);
            rank.sheet.push(sheet::Row { file, sheet: Some(sheet), row: number, column, value, value_type });
        });
        for &(column, _) in columns.iter().skip(filled) {
            rank.sheet.push(sheet::Row {
                file,
                sheet: Some(sheet),
                row: number,
                column,
                value: None,
                value_type: None,
            });
        }
        number += 1;
        outcome.rows += 1;
        ControlFlow::Continue(())
    });
    outcome
}

/// A value as text, and what kind of value it is.
fn kept_value(
    value: ValueRef<'_>,
    is_name: bool,
    words: &Words<'_>,
    strings: &mut Interner,
) -> (Option<Str>, Option<Str>) {
    let (text, kind) = match value {
        ValueRef::Null => return (None, None),
        ValueRef::Integer(id) if is_name => (words.string(id, strings), "name"),
        ValueRef::Integer(number) => (Some(strings.intern(&number.to_string())), "integer"),
        ValueRef::Real(real) => (Some(strings.intern(&npuscope_tables::number::float(real))), "real"),
        ValueRef::Text(text) => (Some(strings.intern_bytes(text)), "text"),
        ValueRef::Blob(bytes) => {
            let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
            (Some(strings.intern(&hex)), "blob")
        }
    };
    (text, Some(strings.intern(kind)))
}

/// A kept table, ready to be written: its columns and its rows.
pub struct KeptTable {
    pub name: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<SqlCell<'static>>>,
}

impl KeptTable {
    /// Adds the rows of another piece of the table, which may have further columns.
    pub fn append(&mut self, other: KeptTable) {
        let mut places = Vec::with_capacity(other.columns.len());
        for column in other.columns {
            let known = self.columns.iter().position(|name| *name == column);
            places.push(known.unwrap_or(self.columns.len()));
            if known.is_none() {
                self.columns.push(column);
                self.rows.iter_mut().for_each(|row| row.push(SqlCell::Null));
            }
        }
        let width = self.columns.len();
        self.rows.extend(other.rows.into_iter().map(|cells| {
            let mut row = vec![SqlCell::Null; width];
            for (&place, cell) in places.iter().zip(cells) {
                if let Some(slot) = row.get_mut(place) {
                    *slot = cell;
                }
            }
            row
        }));
    }
}

/// The tables that were kept of databases for which `wanted` holds, in order.
pub fn kept(
    tables: &RankTables,
    wanted: impl Fn(&str) -> bool,
    mut name_id: impl FnMut(&str) -> i64,
) -> Vec<KeptTable> {
    let cells: Vec<sheet::Row> = tables.rows::<sheet::Row>().filter(|c| wanted(tables.text(c.file))).collect();
    let mut kept = Vec::new();
    for table in cells.chunk_by(|a, b| (a.file, a.sheet) == (b.file, b.sheet)) {
        let Some(name) = table.first().and_then(|cell| tables.opt_text(cell.sheet)) else { continue };
        let mut rows = table.chunk_by(|a, b| a.row == b.row);
        let columns =
            rows.clone().next().unwrap_or_default().iter().map(|c| tables.text(c.column).to_owned()).collect();
        let rows =
            rows.by_ref().map(|row| row.iter().map(|cell| value(tables, cell, &mut name_id)).collect()).collect();
        kept.push(KeptTable { name: name.to_owned(), columns, rows });
    }
    kept
}

fn value(tables: &RankTables, cell: &sheet::Row, name_id: &mut impl FnMut(&str) -> i64) -> SqlCell<'static> {
    let Some(text) = tables.opt_text(cell.value) else { return SqlCell::Null };
    match tables.opt_text(cell.value_type) {
        Some("integer") => text.parse().map_or(SqlCell::Null, SqlCell::Int),
        Some("real") => text.parse().map_or(SqlCell::Null, SqlCell::Real),
        Some("name") => SqlCell::Int(name_id(text)),
        _ => SqlCell::Text(text.to_owned().into()),
    }
}
