//! All tables of one rank.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, RecordBatch};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{Field, Schema, UInt32Type};

use crate::column::ColumnType;
use crate::{Interner, RankBuilder, Str, Strings, Table, TableId, TableView, schema};

/// Everything known of one rank, ready to be read.
///
/// A table is a list of batches of at most [`BATCH_ROWS`](crate::BATCH_ROWS) rows in the order of the
/// source. A batch has no column that holds nothing but nulls.
#[derive(Clone)]
pub struct RankTables {
    strings: Strings,
    /// By [`TableId`].
    batches: Vec<Vec<RecordBatch>>,
}

impl RankTables {
    pub fn new(strings: Strings, batches: Vec<Vec<RecordBatch>>) -> Self {
        RankTables { strings, batches }
    }

    pub fn strings(&self) -> &Strings {
        &self.strings
    }

    #[inline]
    pub fn text(&self, id: Str) -> &str {
        self.strings.get(id)
    }

    #[inline]
    pub fn opt_text(&self, id: Option<Str>) -> Option<&str> {
        id.map(|id| self.strings.get(id))
    }

    pub fn batches(&self, table: TableId) -> &[RecordBatch] {
        self.batches.get(table as usize).map(Vec::as_slice).unwrap_or_default()
    }

    /// Number of rows of a table.
    pub fn len(&self, table: TableId) -> usize {
        self.batches(table).iter().map(RecordBatch::num_rows).sum()
    }

    pub fn is_empty(&self, table: TableId) -> bool {
        self.batches(table).is_empty()
    }

    /// The batches of a table as views, with their number of rows: for reading few columns of many rows.
    pub fn views<T: Table>(&self) -> impl Iterator<Item = (T::View, usize)> + '_ {
        self.batches(T::ID).iter().map(|batch| (T::View::new(batch), batch.num_rows()))
    }

    /// The rows of a table, in the order of the source.
    pub fn rows<T: Table>(&self) -> impl Iterator<Item = T> + '_ {
        self.views::<T>().flat_map(|(view, rows)| (0..rows).map(move |row| view.row(row)))
    }

    /// Replaces the column `name` of a table; `values` gives the values of the next rows, as many as are asked for.
    pub fn set_column(&mut self, table: TableId, name: &str, mut values: impl FnMut(usize) -> ArrayRef) {
        for batch in self.batches.get_mut(table as usize).into_iter().flatten() {
            *batch = with_column(batch, name, values(batch.num_rows()));
        }
    }

    /// Drops the rows of a table.
    pub fn clear(&mut self, table: TableId) {
        self.batches.get_mut(table as usize).into_iter().for_each(Vec::clear);
    }

    /// Keeps the rows of a table that `keep` wants, which is given their numbers.
    pub fn retain(&mut self, table: TableId, mut keep: impl FnMut(usize) -> bool) {
        let Some(batches) = self.batches.get_mut(table as usize) else { return };
        let mut first = 0;
        batches.retain_mut(|batch| {
            let rows = first..first + batch.num_rows();
            first = rows.end;
            let wanted: BooleanArray = rows.map(|row| Some(keep(row))).collect();
            *batch = with_rows(batch, &wanted);
            batch.num_rows() > 0
        });
    }

    /// These tables and, after their rows, those of `more`.
    #[must_use]
    pub fn with(self, more: RankBuilder) -> RankTables {
        let mut pieces = RankPieces::from(self);
        pieces.append(more);
        pieces.finish()
    }
}

fn with_rows(batch: &RecordBatch, wanted: &BooleanArray) -> RecordBatch {
    let kept = filter_record_batch(batch, wanted).unwrap_or_else(|_| batch.clone());
    let is_empty = |column: &ArrayRef| column.null_count() == column.len();
    let used: Vec<usize> =
        kept.columns().iter().enumerate().filter(|(_, c)| !is_empty(c)).map(|(index, _)| index).collect();
    kept.project(&used).unwrap_or(kept)
}

fn with_column(batch: &RecordBatch, name: &str, column: ArrayRef) -> RecordBatch {
    let schema = batch.schema();
    let kept = schema.fields().iter().zip(batch.columns()).filter(|(field, _)| field.name() != name);
    let (mut fields, mut columns): (Vec<_>, Vec<_>) = kept.map(|(f, c)| (f.clone(), c.clone())).unzip();
    if column.null_count() < column.len() {
        fields.push(Arc::new(Field::new(name, column.data_type().clone(), true)));
        columns.push(column);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap_or_else(|_| batch.clone())
}

impl RankBuilder {
    pub fn finish(self) -> RankTables {
        let (strings, batches) = self.finish_parts();
        RankTables::new(strings.finish(), batches)
    }
}

/// Tables of one rank that were filled in pieces, put together in the order of the pieces.
#[derive(Default)]
pub struct RankPieces {
    strings: Interner,
    batches: Vec<Vec<RecordBatch>>,
}

impl RankPieces {
    /// The id of a text, for columns that are filled once the rows are there.
    pub fn intern(&mut self, text: &str) -> Str {
        self.strings.intern(text)
    }

    pub fn append(&mut self, piece: RankBuilder) {
        let (strings, batches) = piece.finish_parts();
        self.join_with(RankPieces { strings, batches }, 0);
    }

    /// Adds the rows of another source, whose lanes are numbered on from those that are there.
    pub fn join(&mut self, other: RankPieces) {
        let lanes = self.len(TableId::Lane);
        self.join_with(other, u32::try_from(lanes).unwrap_or(u32::MAX));
    }

    fn join_with(&mut self, other: RankPieces, first_lane: u32) {
        if self.batches.iter().all(Vec::is_empty) {
            *self = other;
            return;
        }
        let ids = self.strings.absorb(&other.strings);
        for ((ours, theirs), spec) in self.batches.iter_mut().zip(other.batches).zip(schema::all()) {
            ours.extend(theirs.into_iter().map(|batch| translate(&batch, spec, &ids, first_lane)));
        }
    }

    /// Number of rows of a table so far.
    pub fn len(&self, table: TableId) -> usize {
        self.batches.get(table as usize).into_iter().flatten().map(RecordBatch::num_rows).sum()
    }

    pub fn is_empty(&self, table: TableId) -> bool {
        self.len(table) == 0
    }

    pub fn finish(self) -> RankTables {
        RankTables::new(self.strings.finish(), self.batches)
    }
}

impl From<RankTables> for RankPieces {
    fn from(tables: RankTables) -> Self {
        RankPieces { strings: Interner::from(&tables.strings), batches: tables.batches }
    }
}

/// A batch with its text columns in other ids and its lanes moved up.
fn translate(batch: &RecordBatch, spec: &schema::TableSpec, ids: &[Str], first_lane: u32) -> RecordBatch {
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns()).map(|(field, column)| {
        let is_text = spec.column(field.name()).is_some_and(|c| c.ty == ColumnType::Text);
        match column.as_primitive_opt::<UInt32Type>() {
            Some(old) if is_text => {
                Arc::new(old.unary::<_, UInt32Type>(|id| ids.get(id as usize).copied().unwrap_or_default().0))
                    as ArrayRef
            }
            Some(old) if first_lane > 0 && matches!(field.name().as_str(), "lane" | "src_lane" | "dst_lane") => {
                Arc::new(old.unary::<_, UInt32Type>(|lane| lane.saturating_add(first_lane))) as ArrayRef
            }
            _ => column.clone(),
        }
    });
    RecordBatch::try_new(schema.clone(), columns.collect()).unwrap_or_else(|_| batch.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::step;
    use crate::{BATCH_ROWS, Ns};

    #[test]
    fn only_wanted_rows_are_kept_and_no_column_of_nulls() {
        let mut rank = RankBuilder::default();
        for number in 0..BATCH_ROWS as i64 + 10 {
            let id = (number % 2 == 0).then_some(number);
            rank.step.push(step::Row { id, start: Ns(number), end: Ns(number + 1) });
        }
        let mut tables = rank.finish();
        tables.retain(TableId::Step, |row| row == 3 || row == BATCH_ROWS + 4);
        let kept: Vec<(Option<i64>, i64)> = tables.rows::<step::Row>().map(|row| (row.id, row.start.0)).collect();
        let last = BATCH_ROWS as i64 + 4;
        assert_eq!(kept, [(None, 3), (Some(last), last)]);
        assert!(tables.batches(TableId::Step)[0].column_by_name("id").is_none());
        tables.retain(TableId::Step, |_| false);
        assert!(tables.is_empty(TableId::Step));
    }
}
