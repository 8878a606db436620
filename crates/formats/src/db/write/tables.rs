//! The tables of a database, as they grow.

use std::io;
use std::path::Path;

use hashbrown::HashMap;
use indexmap::IndexMap;
use npuscope_sqlite::SqlCell;
use npuscope_sqlite::{NewTable, SqliteFile, TableWriter};
use npuscope_tables::RankTables;
use npuscope_tables::table::source;

use super::names::WordIds;
use crate::db::cell::WriteContext;
use crate::db::layout::Layout;

/// A database being written. Its tables are listed in the order in which they were begun.
pub struct OpenTables {
    pub file: SqliteFile,
    pub words: WordIds,
    tables: IndexMap<&'static str, TableWriter>,
    /// Columns of each table in the database that was read.
    carried: HashMap<String, Vec<String>>,
}

impl OpenTables {
    /// A new database for tables that were read from the sources that `first` lists.
    pub fn create(path: &Path, words: WordIds, first: &RankTables) -> io::Result<OpenTables> {
        let tables = first.rows::<source::Row>().filter(|s| first.text(s.kind) == "db_table");
        let carried = tables.filter_map(|s| {
            let (_, table) = first.text(s.file).rsplit_once('#')?;
            Some((table.to_owned(), serde_json::from_str(first.opt_text(s.columns)?).ok()?))
        });
        Ok(OpenTables { file: SqliteFile::create(path)?, words, tables: IndexMap::new(), carried: carried.collect() })
    }

    /// The columns a table had in the database that was read.
    pub fn carried(&self, table: &str) -> Option<&[String]> {
        self.carried.get(table).map(Vec::as_slice)
    }

    /// Whether a database was read at all.
    pub fn has_source(&self) -> bool {
        !self.carried.is_empty()
    }

    /// Number of rows that a table has so far.
    pub fn len(&self, table: &str) -> i64 {
        self.tables.get(table).map_or(0, TableWriter::row_count)
    }

    /// Adds rows to a table. In the end it is written if it has rows, or if its source had it.
    pub fn table<R>(
        &mut self,
        tables: &RankTables,
        layout: &Layout<R>,
        rows: impl IntoIterator<Item = R>,
    ) -> io::Result<()> {
        self.table_with(tables, layout, rows, &[], |_, _, _| None)
    }

    /// As [`OpenTables::table`]; cells of the columns `special` are asked of `cell` first.
    pub fn table_with<'a, R, W: AsRow<R>>(
        &mut self,
        tables: &'a RankTables,
        layout: &Layout<R>,
        rows: impl IntoIterator<Item = W>,
        special: &[&str],
        mut cell: impl FnMut(&str, &W, &mut WriteContext<'a, '_>) -> Option<SqlCell<'a>>,
    ) -> io::Result<()> {
        let carried = self.carried.get(layout.table);
        let columns = layout.written(carried.map(Vec::as_slice));
        let writer = self.tables.entry(layout.table).or_insert_with(|| {
            TableWriter::new(NewTable {
                name: layout.table.to_owned(),
                columns: columns.iter().map(|(name, column)| (name.clone(), column.sql)).collect(),
                indexes: layout.indexes,
                even_if_empty: carried.is_some(),
            })
        });
        let columns: Vec<_> =
            columns.iter().map(|(name, column)| (name.as_str(), *column, special.contains(&name.as_str()))).collect();
        let mut context = WriteContext { tables, words: &mut self.words };
        writer.rows(&mut self.file, rows, |row, sink| {
            for &(name, column, is_special) in &columns {
                let asked = if is_special { cell(name, row, &mut context) } else { None };
                sink.push(asked.unwrap_or_else(|| (column.write)(row.as_row(), &mut context)));
            }
        })
    }

    /// Completes the tables.
    pub fn finish(&mut self) -> io::Result<()> {
        self.tables.drain(..).try_for_each(|(_, table)| table.finish(&mut self.file))
    }
}

/// A row, alone or with something beside it.
pub trait AsRow<R> {
    fn as_row(&self) -> &R;
}

impl<R> AsRow<R> for R {
    fn as_row(&self) -> &R {
        self
    }
}

impl<R, T> AsRow<R> for (R, T) {
    fn as_row(&self) -> &R {
        &self.0
    }
}
