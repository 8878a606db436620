use arrow::util::display::{ArrayFormatter, FormatOptions};
use npuscope_tables::scan::scan_batch;
use npuscope_tables::{RankTables, TableId, schema};

/// The rows of a table as text, every column of them.
pub fn rows(tables: &RankTables, table: TableId) -> Vec<String> {
    let spec = schema::spec(table);
    let all: Vec<usize> = (0..spec.columns.len()).collect();
    let mut rows = Vec::new();
    for batch in tables.batches(table) {
        let batch = scan_batch(batch, spec, &all, tables.strings()).unwrap();
        let options = FormatOptions::new().with_null("-");
        let columns: Vec<_> = batch.columns().iter().map(|c| ArrayFormatter::try_new(c, &options).unwrap()).collect();
        rows.extend((0..batch.num_rows()).map(|row| {
            let cells = columns.iter().map(|column| format!("{:?}", column.value(row).to_string()));
            cells.collect::<Vec<_>>().join(" ")
        }));
    }
    rows
}
