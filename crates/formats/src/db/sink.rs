//! A database being written.

use std::path::Path;

use rusqlite::{Connection, Statement};

use super::cell::SqlCell;
use super::open::quoted;

/// Rows per INSERT: the price of a statement is then no longer felt.
const ROWS_PER_INSERT: usize = 50;
/// SQLite takes this many parameters in one statement.
const MAX_PARAMETERS: usize = 32_766;

/// A new database at a path where nothing is.
pub struct Sink {
    connection: Connection,
}

impl Sink {
    /// Nobody else sees the file before it is complete, so no journal and no lock is needed.
    pub fn create(path: &Path) -> rusqlite::Result<Sink> {
        let connection = Connection::open(path)?;
        connection.execute_batch(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN",
        )?;
        Ok(Sink { connection })
    }

    pub fn execute(&self, sql: &str) -> rusqlite::Result<()> {
        self.connection.execute_batch(sql)
    }

    /// Creates a table and fills it.
    pub fn table(
        &self,
        name: &str,
        columns: &[(String, &str)],
        rows: impl IntoIterator<Item = Vec<SqlCell>>,
    ) -> rusqlite::Result<()> {
        let mut insert = self.insert(name, columns)?;
        for row in rows {
            for cell in row {
                insert.push(&cell)?;
            }
        }
        insert.finish()
    }

    /// Creates a table; rows are then pushed cell by cell.
    pub fn insert(&self, name: &str, columns: &[(String, &str)]) -> rusqlite::Result<Insert<'_>> {
        let list: Vec<String> = columns.iter().map(|(name, sql)| format!("{} {sql}", quoted(name))).collect();
        self.execute(&format!("CREATE TABLE {} ({})", quoted(name), list.join(", ")))?;
        let width = columns.len().max(1);
        let rows_per_insert = ROWS_PER_INSERT.min(MAX_PARAMETERS / width).max(1);
        let statement = self.connection.prepare(&insert_sql(name, width, rows_per_insert))?;
        Ok(Insert {
            connection: &self.connection,
            name: name.to_owned(),
            statement,
            width,
            full: rows_per_insert * width,
            bound: 0,
            pending: Vec::with_capacity(width),
        })
    }

    pub fn finish(self) -> rusqlite::Result<()> {
        self.connection.execute_batch("COMMIT")?;
        self.connection.close().map_err(|(_, error)| error)
    }
}

fn insert_sql(table: &str, width: usize, rows: usize) -> String {
    let row = format!("({})", vec!["?"; width].join(","));
    format!("INSERT INTO {} VALUES {}", quoted(table), vec![row; rows].join(","))
}

/// Rows on their way into a table, many to a statement.
pub struct Insert<'a> {
    connection: &'a Connection,
    name: String,
    statement: Statement<'a>,
    width: usize,
    /// Parameters of a full statement.
    full: usize,
    bound: usize,
    /// The cells bound so far, to be bound again to a shorter statement at the end.
    pending: Vec<SqlCell>,
}

impl Insert<'_> {
    pub fn push(&mut self, cell: &SqlCell) -> rusqlite::Result<()> {
        self.bound += 1;
        bind(&mut self.statement, self.bound, cell)?;
        self.pending.push(cell.clone());
        if self.bound == self.full {
            self.statement.raw_execute()?;
            self.bound = 0;
            self.pending.clear();
        }
        Ok(())
    }

    pub fn finish(self) -> rusqlite::Result<()> {
        let rows = self.pending.len() / self.width;
        if rows == 0 {
            return Ok(());
        }
        let mut statement = self.connection.prepare(&insert_sql(&self.name, self.width, rows))?;
        for (index, cell) in self.pending.iter().take(rows * self.width).enumerate() {
            bind(&mut statement, index + 1, cell)?;
        }
        statement.raw_execute().map(drop)
    }
}

fn bind(statement: &mut Statement<'_>, index: usize, cell: &SqlCell) -> rusqlite::Result<()> {
    match cell {
        SqlCell::Null => statement.raw_bind_parameter(index, rusqlite::types::Null),
        SqlCell::Int(number) => statement.raw_bind_parameter(index, number),
        SqlCell::Real(real) => statement.raw_bind_parameter(index, real),
        SqlCell::Text(text) => statement.raw_bind_parameter(index, text.as_str()),
    }
}
