//! Tables that npuscope keeps cell by cell: csv files that belong to a profile but feed no analysis.

use npuscope_tables::RankBuilder;
use npuscope_tables::table::sheet;

/// Keeps one cell of the file `file`.
pub fn keep(rank: &mut RankBuilder, file: &str, row: i64, column: &str, value: &str) {
    let cell = sheet::Row {
        file: rank.strings.intern(file),
        sheet: None,
        row,
        column: rank.strings.intern(column),
        value: Some(rank.strings.intern(value)),
        value_type: None,
    };
    rank.sheet.push(cell);
}
