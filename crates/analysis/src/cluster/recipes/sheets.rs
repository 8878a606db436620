//! Results that people read as workbooks.

use npuscope_formats::result::{ResultTable, Sheet, write_workbook};

use crate::cluster::ResultFile;

/// A workbook in `folder`, named after the table's file, with the table as its only sheet. Of the columns `merged`,
/// cells that repeat the one above are merged with it.
pub fn workbook(folder: &str, table: ResultTable, merged: &'static [usize]) -> ResultFile {
    ResultFile::new(format!("{folder}/{}.xlsx", table.file), move |path| {
        write_workbook(path, &[Sheet { name: "Sheet1", table: &table, merged }])
    })
}
