//! Results as tables of a database.

use std::io;
use std::path::Path;

use npuscope_sqlite::{NewTable, SqlCell, SqliteFile, TableWriter};
use rusqlite::{Connection, OpenFlags};

use super::{Cell, ResultTable};

/// Writes a new database at `path` with those of `tables` that have rows.
pub fn write_database(path: &Path, tables: &[ResultTable]) -> io::Result<()> {
    let mut file = SqliteFile::create(path)?;
    for table in tables.iter().filter(|table| !table.is_empty()) {
        let columns: Vec<(String, &'static str)> =
            table.columns.iter().map(|column| (column.name.clone(), column.kind.declared())).collect();
        let name = table.name.clone();
        let mut writer = TableWriter::new(NewTable { name, columns, indexes: &[], even_if_empty: true });
        table.each_row(|row| writer.row(&mut file, |sink| row.iter().for_each(|value| sink.push(cell(value)))))?;
        writer.finish(&mut file)?;
    }
    file.finish()?;
    let indexed: Vec<&ResultTable> = tables.iter().filter(|table| table.index > 0 && !table.is_empty()).collect();
    if indexed.is_empty() {
        return Ok(());
    }
    let connection = Connection::open(path).map_err(io::Error::other)?;
    for table in indexed {
        let names: Vec<&str> = table.columns.iter().take(table.index).map(|c| c.name.as_str()).collect();
        let index = quoted(&format!("ix_{}_{}", table.name, names.join("_")));
        let columns: Vec<String> = names.into_iter().map(quoted).collect();
        let statement = format!("CREATE INDEX {index} ON {} ({})", quoted(&table.name), columns.join(","));
        connection.execute_batch(&statement).map_err(io::Error::other)?;
    }
    connection.close().map_err(|(_, error)| io::Error::other(error))
}

/// Adds the tables of the database `old` that are not named in `replaced` to the database at `path`.
pub fn keep_tables(path: &Path, old: &Path, replaced: &[&str]) -> io::Result<()> {
    keep(path, old, replaced).map_err(io::Error::other)
}

fn keep(path: &Path, kept: &Path, replaced: &[&str]) -> rusqlite::Result<()> {
    let old = Connection::open_with_flags(kept, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut list = old.prepare("SELECT type, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")?;
    let entries =
        list.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?)))?;
    let entries: Vec<(String, String, String)> = entries.collect::<Result<_, _>>()?;
    drop(list);
    drop(old);
    let is_kept = |name: &str| {
        let is_new = replaced.iter().any(|replaced| replaced.eq_ignore_ascii_case(name));
        !is_new && !name.starts_with("sqlite_")
    };
    let entries: Vec<_> = entries.into_iter().filter(|(_, name, _)| is_kept(name)).collect();
    if entries.is_empty() {
        return Ok(());
    }
    let connection = Connection::open(path)?;
    connection.execute("ATTACH DATABASE ?1 AS old", [kept.to_string_lossy()])?;
    for (kind, name, sql) in &entries {
        connection.execute_batch(sql)?;
        if kind == "table" {
            let name = quoted(name);
            connection.execute_batch(&format!("INSERT INTO main.{name} SELECT * FROM old.{name}"))?;
        }
    }
    connection.execute_batch("DETACH DATABASE old")?;
    connection.close().map_err(|(_, error)| error)
}

fn cell(cell: &Cell) -> SqlCell<'_> {
    match cell {
        Cell::Null => SqlCell::Null,
        Cell::Int(value) => SqlCell::Int(*value),
        Cell::Real(value) => SqlCell::Real(*value),
        Cell::Text(value) => SqlCell::Text((&**value).into()),
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
