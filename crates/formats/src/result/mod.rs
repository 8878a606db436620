//! Results of analyses as files: tables of a database, csv files, sheets of a workbook.
//!
//! An analysis gives [`ResultTable`]s; what becomes of them is decided here.

mod csv;
mod database;
mod workbook;

use npuscope_tables::{ConnectionId, OpId, Rank};
use std::io;
use std::sync::Arc;

pub use self::csv::{TimeUnit, write_csv};
pub use database::{keep_tables, write_database};
pub use workbook::{Sheet, write_workbook};

/// One value of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Null,
    Int(i64),
    Real(f64),
    Text(Arc<str>),
}

/// The type that a column is declared with in a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    Int,
    Real,
    Text,
    /// Whatever the value is.
    Numeric,
}

impl ColumnKind {
    pub(crate) const fn declared(self) -> &'static str {
        match self {
            ColumnKind::Int => "INTEGER",
            ColumnKind::Real => "REAL",
            ColumnKind::Text => "TEXT",
            ColumnKind::Numeric => "NUMERIC",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultColumn {
    pub name: String,
    pub kind: ColumnKind,
}

/// A table of results: columns, and cells row by row.
#[derive(Clone)]
pub struct ResultTable {
    /// Name in a database.
    pub name: String,
    /// Name of the csv file, without its ending.
    pub file: String,
    pub columns: Vec<ResultColumn>,
    /// How many of the first columns the database has an index over.
    pub index: usize,
    /// What times in columns called `…Ns` become in csv files.
    pub csv_unit: TimeUnit,
    rows: Rows,
}

/// Hands rows over one by one until one is refused.
type EachRow = dyn Fn(&mut dyn FnMut(&[Cell]) -> io::Result<()>) -> io::Result<()> + Send + Sync;

#[derive(Clone)]
enum Rows {
    /// One row after the other.
    Cells(Vec<Cell>),
    /// So many rows, made when they are wanted.
    Made(usize, Arc<EachRow>),
}

impl ResultTable {
    pub fn new(name: &str, file: &str, columns: &[(&str, ColumnKind)]) -> ResultTable {
        ResultTable {
            name: name.to_owned(),
            file: file.to_owned(),
            columns: columns.iter().map(|&(name, kind)| ResultColumn { name: name.to_owned(), kind }).collect(),
            index: 0,
            csv_unit: TimeUnit::Us,
            rows: Rows::Cells(Vec::new()),
        }
    }

    /// The same with `rows` rows that are made when they are wanted: a large table then takes no memory.
    #[must_use]
    pub fn made_by(
        mut self,
        rows: usize,
        each: impl Fn(&mut dyn FnMut(&[Cell]) -> io::Result<()>) -> io::Result<()> + Send + Sync + 'static,
    ) -> ResultTable {
        self.rows = Rows::Made(rows, Arc::new(each));
        self
    }

    /// The same with an index over the first so many columns.
    #[must_use]
    pub fn indexed(mut self, columns: usize) -> ResultTable {
        self.index = columns;
        self
    }

    /// The same with times of csv files in `unit`.
    #[must_use]
    pub fn csv_in(mut self, unit: TimeUnit) -> ResultTable {
        self.csv_unit = unit;
        self
    }

    /// Adds a row; what it lacks is null, what it has beyond the columns is dropped. Rows that are made are forgotten.
    pub fn push(&mut self, row: impl IntoIterator<Item = Cell>) {
        if let Rows::Made(..) = self.rows {
            self.rows = Rows::Cells(Vec::new());
        }
        if let Rows::Cells(cells) = &mut self.rows {
            let before = cells.len();
            cells.extend(row.into_iter().take(self.columns.len()));
            cells.resize(before + self.columns.len(), Cell::Null);
        }
    }

    /// Gives every row to `take`, in order, until it fails.
    pub fn each_row(&self, mut take: impl FnMut(&[Cell]) -> io::Result<()>) -> io::Result<()> {
        match &self.rows {
            Rows::Cells(cells) => cells.chunks(self.columns.len().max(1)).try_for_each(take),
            Rows::Made(_, each) => each(&mut take),
        }
    }

    pub fn len(&self) -> usize {
        match &self.rows {
            Rows::Cells(cells) => cells.len() / self.columns.len().max(1),
            Rows::Made(rows, _) => *rows,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl From<i64> for Cell {
    fn from(value: i64) -> Cell {
        Cell::Int(value)
    }
}

impl From<ConnectionId> for Cell {
    fn from(value: ConnectionId) -> Cell {
        Cell::Int(value.0)
    }
}

impl From<Rank> for Cell {
    fn from(value: Rank) -> Cell {
        Cell::Int(value.0)
    }
}

impl From<OpId> for Cell {
    fn from(value: OpId) -> Cell {
        Cell::Int(value.0)
    }
}

impl From<usize> for Cell {
    fn from(value: usize) -> Cell {
        Cell::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

/// A value that is no number is null, as in the tables of the peers.
impl From<f64> for Cell {
    fn from(value: f64) -> Cell {
        if value.is_nan() { Cell::Null } else { Cell::Real(value) }
    }
}

impl From<&str> for Cell {
    fn from(value: &str) -> Cell {
        Cell::Text(value.into())
    }
}

impl From<String> for Cell {
    fn from(value: String) -> Cell {
        Cell::Text(value.into())
    }
}

impl From<Arc<str>> for Cell {
    fn from(value: Arc<str>) -> Cell {
        Cell::Text(value)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::Null, Into::into)
    }
}
