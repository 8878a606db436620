//! Tables of a database that have no table of their own: kept cell by cell.

use npuscope_tables::table::sheet;
use npuscope_tables::{RankBuilder, RankTables};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::cell::SqlCell;
use super::layout::Outcome;
use super::names::Words;
use super::open::quoted;

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
pub fn read(connection: &Connection, file: &str, table: &str, words: &Words, rank: &mut RankBuilder) -> Outcome {
    let mut outcome = Outcome::default();
    if let Err(error) = read_cells(connection, file, table, words, rank, &mut outcome) {
        outcome.error = Some(error.to_string());
    }
    outcome
}

fn read_cells(
    connection: &Connection,
    file: &str,
    table: &str,
    words: &Words,
    rank: &mut RankBuilder,
    outcome: &mut Outcome,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(&format!("SELECT * FROM {}", quoted(table)))?;
    outcome.columns = statement.column_names().into_iter().map(str::to_owned).collect();
    let (file, sheet) = (rank.strings.intern(file), rank.strings.intern(table));
    let columns: Vec<_> =
        outcome.columns.iter().map(|name| (rank.strings.intern(name), is_name(table, name))).collect();
    let mut rows = statement.query(())?;
    let mut number = 0;
    while let Some(row) = rows.next()? {
        for (index, &(column, is_name)) in columns.iter().enumerate() {
            let strings = &mut rank.strings;
            let (value, value_type) = match row.get_ref(index)? {
                ValueRef::Null => (None, None),
                ValueRef::Integer(id) if is_name => (words.string(id), Some("name")),
                ValueRef::Integer(number) => (Some(strings.intern(&number.to_string())), Some("integer")),
                ValueRef::Real(real) => (Some(strings.intern(&crate::number::float(real))), Some("real")),
                ValueRef::Text(text) => (Some(strings.intern_bytes(text)), Some("text")),
                ValueRef::Blob(bytes) => {
                    let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
                    (Some(strings.intern(&hex)), Some("blob"))
                }
            };
            let value_type = value_type.map(|t| strings.intern(t));
            rank.sheet.push(sheet::Row { file, sheet: Some(sheet), row: number, column, value, value_type });
        }
        number += 1;
        outcome.rows += 1;
    }
    Ok(())
}

/// A kept table, ready to be written: its columns and its rows.
pub struct KeptTable {
    pub name: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<SqlCell>>,
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

fn value(tables: &RankTables, cell: &sheet::Row, name_id: &mut impl FnMut(&str) -> i64) -> SqlCell {
    let Some(text) = tables.opt_text(cell.value) else { return SqlCell::Null };
    match tables.opt_text(cell.value_type) {
        Some("integer") => text.parse().map_or(SqlCell::Null, SqlCell::Int),
        Some("real") => text.parse().map_or(SqlCell::Null, SqlCell::Real),
        Some("name") => SqlCell::Int(name_id(text)),
        _ => SqlCell::Text(text.to_owned()),
    }
}
