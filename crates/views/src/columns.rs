//! Tables made column by column.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{Field, Schema};
use npuscope_analysis::cluster::Answer;
use npuscope_formats::result::Cell;

use crate::sql::failed;
use crate::{Made, NotMade};

/// A table of columns of equal length.
pub fn made(columns: Vec<(&str, ArrayRef)>) -> Result<Made, NotMade> {
    let fields: Vec<Field> =
        columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    let batch = RecordBatch::try_new(schema.clone(), columns).map_err(failed)?;
    Ok(Made { schema, batches: vec![batch] })
}

pub fn ints<T: Into<Option<i64>>>(values: impl IntoIterator<Item = T>) -> ArrayRef {
    Arc::new(values.into_iter().map(Into::into).collect::<Int64Array>())
}

pub fn reals<T: Into<Option<f64>>>(values: impl IntoIterator<Item = T>) -> ArrayRef {
    Arc::new(values.into_iter().map(Into::into).collect::<Float64Array>())
}

pub fn texts<S: AsRef<str>>(values: impl IntoIterator<Item = Option<S>>) -> ArrayRef {
    Arc::new(values.into_iter().collect::<StringArray>())
}

/// A table of an analysis, column by column.
pub struct Results {
    names: Vec<String>,
    columns: Vec<Vec<Cell>>,
}

impl Results {
    /// The table of that name; one without rows if the answer has none.
    pub fn of(answer: &Answer, table: &str) -> Results {
        let Some(table) = answer.tables.iter().find(|known| known.name == table) else {
            return Results { names: Vec::new(), columns: Vec::new() };
        };
        let mut columns: Vec<Vec<Cell>> = table.columns.iter().map(|_| Vec::with_capacity(table.len())).collect();
        // Taking cells does not fail.
        let _ = table.each_row(|row| {
            columns.iter_mut().zip(row).for_each(|(column, cell)| column.push(cell.clone()));
            Ok(())
        });
        Results { names: table.columns.iter().map(|column| column.name.clone()).collect(), columns }
    }

    fn column(&self, name: &str) -> &[Cell] {
        let at = self.names.iter().position(|known| known == name);
        at.and_then(|at| self.columns.get(at)).map(Vec::as_slice).unwrap_or_default()
    }

    pub fn ints(&self, name: &str) -> Vec<Option<i64>> {
        let int = |cell: &Cell| match cell {
            Cell::Int(value) => Some(*value),
            Cell::Real(value) => Some(value.round() as i64),
            Cell::Null | Cell::Text(_) => None,
        };
        self.column(name).iter().map(int).collect()
    }

    pub fn reals(&self, name: &str) -> Vec<Option<f64>> {
        let real = |cell: &Cell| match cell {
            Cell::Int(value) => Some(*value as f64),
            Cell::Real(value) => Some(*value),
            Cell::Null | Cell::Text(_) => None,
        };
        self.column(name).iter().map(real).collect()
    }

    pub fn texts(&self, name: &str) -> Vec<Option<&str>> {
        self.column(name).iter().map(text).collect()
    }
}

fn text(cell: &Cell) -> Option<&str> {
    match cell {
        Cell::Text(value) => Some(value),
        Cell::Null | Cell::Int(_) | Cell::Real(_) => None,
    }
}
