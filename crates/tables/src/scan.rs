//! From stored batches to what a query sees.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, RecordBatchOptions, new_null_array};
use arrow::datatypes::{Schema, UInt32Type};
use arrow::error::ArrowError;

use crate::Strings;
use crate::column::ColumnType;
use crate::schema::TableSpec;
use crate::window::windows;

/// The columns `projection` (indices into `spec.schema`) of a stored batch, in the types of `spec.schema`: text as
/// `Utf8View`, columns the batch leaves out as nulls. A batch without `window` is of the first window.
pub fn scan_batch(
    batch: &RecordBatch,
    spec: &TableSpec,
    projection: &[usize],
    strings: &Strings,
) -> Result<RecordBatch, ArrowError> {
    let schema: Schema = spec.schema.project(projection)?;
    let columns: Vec<ArrayRef> = projection
        .iter()
        .map(|&index| {
            let Some(column) = spec.columns.get(index) else { return windows(batch) };
            let stored = batch.column_by_name(&column.name);
            match (stored, column.ty) {
                (None, ty) => new_null_array(&ty.scanned(), batch.num_rows()),
                (Some(stored), ColumnType::Text) => match stored.as_primitive_opt::<UInt32Type>() {
                    Some(ids) => strings.resolve(ids),
                    None => new_null_array(&column.ty.scanned(), batch.num_rows()),
                },
                (Some(stored), _) => stored.clone(),
            }
        })
        .collect();
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::new(schema), columns, &options)
}
