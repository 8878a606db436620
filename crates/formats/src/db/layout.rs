//! A database table described once, for reading and for writing.

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::cell::{ReadContext, SqlCell, WriteContext};
use super::open::quoted;

/// A table of a database whose rows become rows of type `R`.
pub struct Layout<R: 'static> {
    pub table: &'static str,
    /// In groups, so that versions of a table can share some.
    pub columns: &'static [&'static [Column<R>]],
    /// Columns that hold nothing of the run: a viewer added them.
    pub ignored: &'static [&'static str],
    /// Statements to be run when the table is filled.
    pub indexes: &'static [&'static str],
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
    pub write: fn(&R, &mut WriteContext<'_>) -> SqlCell,
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

/// What reading a table told, beside its rows.
#[derive(Debug, Default)]
pub struct Outcome {
    pub rows: u64,
    pub columns: Vec<String>,
    pub unread: Vec<String>,
    pub bad_cells: u64,
    /// Why the table could not be read to its end.
    pub error: Option<String>,
}

/// Reads the rows of a table in order and gives each to `take`.
pub fn read<R: Default>(
    connection: &Connection,
    layout: &Layout<R>,
    context: &mut ReadContext<'_>,
    mut take: impl FnMut(R, &mut ReadContext<'_>),
) -> Outcome {
    let mut outcome = Outcome::default();
    if let Err(error) = read_rows(connection, layout, context, &mut take, &mut outcome) {
        outcome.error = Some(error.to_string());
    }
    outcome
}

fn read_rows<R: Default>(
    connection: &Connection,
    layout: &Layout<R>,
    context: &mut ReadContext<'_>,
    take: &mut impl FnMut(R, &mut ReadContext<'_>),
    outcome: &mut Outcome,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(&format!("SELECT * FROM {}", quoted(layout.table)))?;
    outcome.columns = statement.column_names().into_iter().map(str::to_owned).collect();
    let columns: Vec<(usize, &Column<R>)> =
        outcome.columns.iter().enumerate().filter_map(|(index, name)| Some((index, layout.column(name)?))).collect();
    let unread = outcome.columns.iter().filter(|name| layout.column(name).is_none());
    outcome.unread = unread.filter(|name| !layout.ignored.contains(&name.as_str())).cloned().collect();
    let mut rows = statement.query(())?;
    while let Some(sql_row) = rows.next()? {
        let mut row = R::default();
        for &(index, column) in &columns {
            if !(column.read)(&mut row, sql_row.get_ref(index)?, context) {
                outcome.bad_cells += 1;
            }
        }
        (layout.finish)(&mut row);
        take(row, context);
        outcome.rows += 1;
    }
    Ok(())
}
