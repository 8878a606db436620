//! Results that are written as workbooks.

use npuscope_formats::result::{ColumnKind, ResultTable, Sheet, write_workbook};

use crate::cluster::ResultFile;

/// A workbook in `folder`, named after the table's file, with the table as its only sheet. Of the columns `merged`,
/// cells that repeat the one above are merged with it.
pub fn workbook(folder: &str, table: ResultTable, merged: &'static [usize]) -> ResultFile {
    ResultFile::new(format!("{folder}/{}.xlsx", table.file), move |path| {
        write_workbook(path, &[Sheet { name: "Sheet1", table: &table, merged }])
    })
}

/// A column: its name in a database, in a workbook, and its kind. Where a name is empty the column is left out.
pub type SheetColumn = (&'static str, &'static str, ColumnKind);

/// The columns of a database.
pub fn db_columns(columns: &[SheetColumn]) -> Vec<(&'static str, ColumnKind)> {
    columns.iter().map(|(name, _, kind)| (*name, *kind)).filter(|(name, _)| !name.is_empty()).collect()
}

/// The columns of a workbook.
pub fn sheet_columns(columns: &[SheetColumn]) -> Vec<(&'static str, ColumnKind)> {
    columns.iter().map(|(_, name, kind)| (*name, *kind)).filter(|(name, _)| !name.is_empty()).collect()
}
