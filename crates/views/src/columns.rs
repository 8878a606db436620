//! Tables made column by column.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{Field, Schema};
use npuscope_tables::Rank;

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

pub fn ranks<T: Into<Option<Rank>>>(values: impl IntoIterator<Item = T>) -> ArrayRef {
    ints(values.into_iter().map(|rank| rank.into().map(|rank| rank.0)))
}

pub fn reals<T: Into<Option<f64>>>(values: impl IntoIterator<Item = T>) -> ArrayRef {
    Arc::new(values.into_iter().map(Into::into).collect::<Float64Array>())
}

pub fn texts<S: AsRef<str>>(values: impl IntoIterator<Item = Option<S>>) -> ArrayRef {
    Arc::new(values.into_iter().collect::<StringArray>())
}
