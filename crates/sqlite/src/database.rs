//! A database that nobody vouches for, opened to be read.
//!
//! Plain tables are read from their pages; what [`pages`](crate::pages) does not read goes through SQLite,
//! opened read-only and immutable with the schema untrusted: no journal is replayed, no lock taken, no
//! view or trigger run, no file made.

use std::cell::OnceCell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::pages::{Damage, Pages, Record, TableRows};
use crate::schema::parse_create_table;

/// An opened database.
pub struct Database<'a> {
    path: PathBuf,
    pages: Option<Pages<'a>>,
    sqlite: OnceCell<Result<Connection, SqliteError>>,
    tables: Vec<Table>,
    /// What of the schema could not be read.
    pub damages: Vec<Damage>,
}

/// A table of a database.
#[derive(Clone, Debug)]
pub struct Table {
    pub name: String,
    pub columns: Vec<String>,
    storage: Storage,
}

#[derive(Clone, Copy, Debug)]
enum Storage {
    /// Read from its pages; the column that is the rowid is stored as null.
    Pages {
        root: u32,
        rowid_column: Option<usize>,
    },
    Sqlite,
}

/// Why SQLite could not read a database. One error is shared by all who ask.
#[derive(Clone, Debug, thiserror::Error)]
#[error(transparent)]
pub struct SqliteError(Arc<rusqlite::Error>);

impl From<rusqlite::Error> for SqliteError {
    fn from(error: rusqlite::Error) -> SqliteError {
        SqliteError(Arc::new(error))
    }
}

/// How reading a table went.
#[derive(Debug, Default)]
pub struct Scan {
    pub damages: Vec<Damage>,
    pub more_damages: u64,
    /// Why SQLite stopped.
    pub error: Option<SqliteError>,
}

impl<'a> Database<'a> {
    /// Opens the database at `path`, whose bytes are `bytes`.
    pub fn open(bytes: &'a [u8], path: &Path) -> Result<Database<'a>, SqliteError> {
        let mut database = Database {
            path: path.to_owned(),
            pages: Pages::new(bytes),
            sqlite: OnceCell::new(),
            tables: Vec::new(),
            damages: Vec::new(),
        };
        match database.pages {
            Some(pages) => database.read_schema(pages),
            None => database.ask_schema()?,
        }
        Ok(database)
    }

    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// Whether there is a table of that name with anything in it.
    pub fn has_rows(&self, name: &str) -> bool {
        let Some(table) = self.table(name) else { return false };
        let mut has_rows = false;
        self.scan(table, |_| {
            has_rows = true;
            ControlFlow::Break(())
        });
        has_rows
    }

    /// The schema is a table itself, at the first page: type, name, table, root page, statement.
    fn read_schema(&mut self, pages: Pages<'a>) {
        let mut rows = TableRows::new(pages, 1);
        while let Some((_, record)) = rows.next_row() {
            let mut values = record.values();
            let mut next_text = || match values.next() {
                Some(ValueRef::Text(text)) => String::from_utf8_lossy(text).into_owned(),
                _ => String::new(),
            };
            let (kind, name, _) = (next_text(), next_text(), next_text());
            let root = match values.next() {
                Some(ValueRef::Integer(root)) => u32::try_from(root).unwrap_or_default(),
                _ => 0,
            };
            let sql = match values.next() {
                Some(ValueRef::Text(sql)) => String::from_utf8_lossy(sql).into_owned(),
                _ => continue,
            };
            if kind != "table" {
                continue;
            }
            if let Some(plain) = parse_create_table(&sql).filter(|_| root > 0) {
                let storage = Storage::Pages { root, rowid_column: plain.rowid_column };
                self.tables.push(Table { name, columns: plain.columns, storage });
            } else if let Some(columns) = self.ask_columns(&name) {
                self.tables.push(Table { name, columns, storage: Storage::Sqlite });
            }
        }
        self.damages = rows.damages;
    }

    fn sqlite(&self) -> Result<&Connection, SqliteError> {
        self.sqlite.get_or_init(|| open_sqlite(&self.path).map_err(SqliteError::from)).as_ref().map_err(Clone::clone)
    }

    fn ask_schema(&mut self) -> Result<(), SqliteError> {
        let sql =
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY rowid";
        let names = |connection: &Connection| -> rusqlite::Result<Vec<String>> {
            let mut statement = connection.prepare(sql)?;
            statement.query_map((), |row| row.get(0))?.collect()
        };
        let names = names(self.sqlite()?)?;
        for name in names {
            if let Some(columns) = self.ask_columns(&name) {
                self.tables.push(Table { name, columns, storage: Storage::Sqlite });
            }
        }
        Ok(())
    }

    fn ask_columns(&self, table: &str) -> Option<Vec<String>> {
        let statement = self.sqlite().ok()?.prepare(&select_all(table)).ok()?;
        Some(statement.column_names().map(str::to_owned).collect())
    }

    /// Gives every row of a table to `each`, until it breaks off.
    pub fn scan(&self, table: &Table, mut each: impl FnMut(&Row<'_>) -> ControlFlow<()>) -> Scan {
        match (table.storage, self.pages) {
            (Storage::Pages { root, rowid_column }, Some(pages)) => {
                let mut rows = TableRows::new(pages, root);
                while let Some((rowid, record)) = rows.next_row() {
                    if each(&Row::Stored { rowid, rowid_column, record }).is_break() {
                        break;
                    }
                }
                Scan { damages: rows.damages, more_damages: rows.more_damages, error: None }
            }
            _ => {
                let mut read = |connection: &Connection| -> rusqlite::Result<()> {
                    let mut statement = connection.prepare(&select_all(&table.name))?;
                    let mut rows = statement.query(())?;
                    while let Some(row) = rows.next()? {
                        if each(&Row::Asked(row)).is_break() {
                            break;
                        }
                    }
                    Ok(())
                };
                let error = self.sqlite().and_then(|connection| Ok(read(connection)?)).err();
                Scan { error, ..Scan::default() }
            }
        }
    }
}

/// A row, wherever it comes from.
pub enum Row<'r> {
    Stored { rowid: i64, rowid_column: Option<usize>, record: Record<'r> },
    Asked(&'r rusqlite::Row<'r>),
}

impl Row<'_> {
    /// Gives every value with the number of its column to `each`. Columns added to the table after the
    /// row was written are not stored, and not given.
    #[inline]
    pub fn each(&self, mut each: impl FnMut(usize, ValueRef<'_>)) {
        match self {
            Row::Stored { rowid, rowid_column, record } => {
                for (index, value) in record.values().enumerate() {
                    let is_rowid = *rowid_column == Some(index);
                    each(index, if is_rowid { ValueRef::Integer(*rowid) } else { value });
                }
            }
            Row::Asked(row) => {
                let mut index = 0;
                while let Ok(value) = row.get_ref(index) {
                    each(index, value);
                    index += 1;
                }
            }
        }
    }

    /// The integer in a column; null where it holds none.
    #[inline]
    pub fn integer(&self, column: usize) -> Option<i64> {
        let value = match self {
            Row::Stored { rowid, rowid_column, .. } if *rowid_column == Some(column) => return Some(*rowid),
            Row::Stored { record, .. } => record.value(column),
            Row::Asked(row) => row.get_ref(column).ok(),
        };
        if let Some(ValueRef::Integer(number)) = value { Some(number) } else { None }
    }

    /// The integers of the row by column; null where a column holds none.
    pub fn integers(&self) -> Vec<Option<i64>> {
        let mut integers = Vec::new();
        self.each(|_, value| integers.push(if let ValueRef::Integer(number) = value { Some(number) } else { None }));
        integers
    }
}

fn select_all(table: &str) -> String {
    format!("SELECT * FROM {}", quoted(table))
}

/// A name as an SQL identifier.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn open_sqlite(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri(path), flags)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    // A page that lies about its cells is found before it is followed.
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}

/// `file:` URI of a path, read-only and immutable.
fn uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'?' | b'#' | b'%' | 0x80.. => uri.push_str(&format!("%{byte:02X}")),
            _ => uri.push(char::from(byte)),
        }
    }
    uri.push_str("?mode=ro&immutable=1");
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(path: &Path) -> Vec<(String, Vec<String>, Vec<Vec<String>>)> {
        let bytes = std::fs::read(path).unwrap();
        let database = Database::open(&bytes, path).unwrap();
        let tables = database.tables().iter().map(|table| {
            let mut rows = Vec::new();
            let scan = database.scan(table, |row| {
                let mut values = Vec::new();
                row.each(|_, value| values.push(format!("{value:?}")));
                rows.push(values);
                ControlFlow::Continue(())
            });
            assert!(scan.error.is_none() && scan.damages.is_empty());
            (table.name.clone(), table.columns.clone(), rows)
        });
        tables.collect()
    }

    fn make(sql: &str) -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("odd name?#%.db");
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        (directory, path)
    }

    #[test]
    fn tables_that_are_not_plain_go_through_sqlite() {
        let plain = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (7, 'x'), (9, NULL);";
        let (_keep, path) = make(plain);
        let expected = contents(&path);
        assert_eq!(expected[0].2, [["Integer(7)", "Text([120])"], ["Integer(9)", "Null"]]);
        for sql in [
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT) WITHOUT ROWID; INSERT INTO t VALUES (7, 'x'), (9, NULL);",
            "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (7, 'x'), (9, NULL);",
            "CREATE TABLE t (id INTEGER, a TEXT); INSERT INTO t VALUES (7, 'x'), (9, NULL);",
        ] {
            let (_keep, path) = make(sql);
            assert_eq!(contents(&path), expected, "{sql}");
        }
    }

    #[test]
    fn columns_that_were_added_later_are_known() {
        let (_keep, path) = make(
            "CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1); ALTER TABLE t ADD COLUMN depth integer; INSERT INTO t VALUES (2, 3);",
        );
        let table = &contents(&path)[0];
        assert_eq!(table.1, ["a", "depth"]);
        assert_eq!(table.2, [vec!["Integer(1)"], vec!["Integer(2)", "Integer(3)"]]);
    }
}
