//! Rows that are wanted, without making the others.

use npuscope_tables::{RankTables, Table, TableView};

/// The rows of a table for which `keep` holds. It is asked of the view of a batch, so that a row that is
/// not wanted costs a look at a column.
pub fn rows_where<T: Table>(
    tables: &RankTables,
    mut keep: impl FnMut(&T::View, usize) -> bool,
) -> impl Iterator<Item = T> {
    tables.views::<T>().flat_map(move |(view, rows)| {
        let kept: Vec<usize> = (0..rows).filter(|&row| keep(&view, row)).collect();
        kept.into_iter().map(move |row| view.row(row))
    })
}
