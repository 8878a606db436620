//! A database table described once, for reading and for writing.

use std::ops::ControlFlow;

use npuscope_sqlite::Index;
use npuscope_sqlite::SqlCell;
use npuscope_sqlite::{Database, Scan};
use rusqlite::types::ValueRef;

use super::cell::{ReadContext, WriteContext};

/// A table of a database whose rows become rows of type `R`.
pub struct Layout<R: 'static> {
    pub table: &'static str,
    /// In groups, so that versions of a table can share some.
    pub columns: &'static [&'static [Column<R>]],
    /// Columns that hold nothing of the run: a viewer added them.
    pub ignored: &'static [&'static str],
    pub indexes: &'static [Index],
    /// Called when all cells of a row are read.
    pub finish: fn(&mut R),
}

/// A column of a database table.
pub struct Column<R> {
    /// Spellings of its name, the current one first.
    pub names: &'static [&'static str],
    /// Its declared type.
    pub sql: &'static str,
    pub presence: Presence,
    pub read: fn(&mut R, ValueRef<'_>, &mut ReadContext<'_>) -> bool,
    pub write: for<'a> fn(&R, &mut WriteContext<'a, '_>) -> SqlCell<'a>,
}

/// Whether a table that is written from scratch has a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    Always,
    /// Only where the source had it.
    Carried,
}

/// `db_column!(field: Codec, "name" | "older", "INTEGER")`, with `; Carried` for columns that are kept
/// but not made. `path.field` reaches into a row that is part of another.
macro_rules! db_column {
    ($($field:ident).+ : $codec:ty, $($name:literal)|+, $sql:literal $(; $presence:ident)?) => {
        $crate::db::layout::Column {
            names: &[$($name),+],
            sql: $sql,
            presence: [$($crate::db::layout::Presence::$presence,)? $crate::db::layout::Presence::Always][0],
            read: |row, value, context| match <$codec as $crate::db::cell::Codec<_>>::read(value, context) {
                Some(value) => {
                    row.$($field).+ = value;
                    true
                }
                None => false,
            },
            write: |row, context| <$codec as $crate::db::cell::Codec<_>>::write(row.$($field).+, context),
        }
    };
}
pub(crate) use db_column;

impl<R> Layout<R> {
    fn column(&self, name: &str) -> Option<&Column<R>> {
        self.columns.iter().copied().flatten().find(|column| column.names.contains(&name))
    }

    /// The columns of a table that is written: those its source had, or the current ones.
    pub fn written(&self, carried: Option<&[String]>) -> Vec<(String, &Column<R>)> {
        match carried {
            Some(names) => names.iter().filter_map(|name| Some((name.clone(), self.column(name)?))).collect(),
            None => self
                .columns
                .iter()
                .copied()
                .flatten()
                .filter(|column| column.presence == Presence::Always)
                .filter_map(|column| Some(((*column.names.first()?).to_owned(), column)))
                .collect(),
        }
    }
}

/// The outcome of reading a table, beside its rows.
#[derive(Debug, Default)]
pub struct Outcome {
    pub rows: u64,
    pub columns: Vec<String>,
    pub unread: Vec<String>,
    pub bad_cells: u64,
    pub scan: Scan,
}

/// Rows that are read: those whose integer in a column is kept. The others cost next to nothing.
#[derive(Clone, Copy)]
pub struct Only<'a> {
    pub column: &'static str,
    pub keeps: &'a dyn Fn(Option<i64>) -> bool,
}

/// Reads the rows of a table in order and gives each to `take`; nothing if there is no such table.
pub fn read<R: Default>(
    database: &Database<'_>,
    layout: &Layout<R>,
    context: &mut ReadContext<'_>,
    only: Option<Only<'_>>,
    mut take: impl FnMut(&mut R, &mut ReadContext<'_>),
) -> Option<Outcome> {
    let table = database.table(layout.table)?;
    let only = only.and_then(|only| Some((table.columns.iter().position(|name| name == only.column)?, only.keeps)));
    let columns: Vec<Option<&Column<R>>> = table.columns.iter().map(|name| layout.column(name)).collect();
    let unread = table.columns.iter().filter(|name| layout.column(name).is_none());
    let unread = unread.filter(|name| !layout.ignored.contains(&name.as_str())).cloned().collect();
    let mut outcome = Outcome { columns: table.columns.clone(), unread, ..Outcome::default() };
    outcome.scan = database.scan(table, |values| {
        if only.is_some_and(|(column, keeps)| !keeps(values.integer(column))) {
            return ControlFlow::Continue(());
        }
        let mut row = R::default();
        values.each(|index, value| {
            context.column = index;
            if let Some(Some(column)) = columns.get(index)
                && !(column.read)(&mut row, value, context)
            {
                outcome.bad_cells += 1;
            }
        });
        (layout.finish)(&mut row);
        take(&mut row, context);
        outcome.rows += 1;
        ControlFlow::Continue(())
    });
    Some(outcome)
}
