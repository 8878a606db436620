//! Any bytes as a csv file, its kind and framework by the first: every row that was read is written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use npuscope_formats::csv;
use npuscope_formats::output::Output;
use npuscope_fuzz::{csv_kind, lengths};
use npuscope_tables::Framework;
use npuscope_tables::{RankBuilder, RankTables};

fn read(kind: &str, framework: Framework, bytes: &[u8]) -> RankTables {
    let mut rank = RankBuilder::default();
    let outcome = csv::read_file(kind, framework, bytes, "sheet_0.csv", &mut rank);
    let tables = rank.finish();
    assert!(outcome.rows == 0 || lengths(&tables).iter().any(|&(_, rows)| rows as u64 >= outcome.rows));
    tables
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, bytes)) = bytes.split_first() else { return };
    let (kind, framework) = csv_kind(first);
    let tables = read(kind, framework, bytes);
    let directory = tempfile::tempdir().unwrap();
    let mut files = csv::CsvFiles::new(framework, Output::new(directory.path()).unwrap());
    files.append(&tables).unwrap();
    files.finish().unwrap();
    for file in std::fs::read_dir(directory.path()).unwrap() {
        let again = read(kind, framework, &std::fs::read(file.unwrap().path()).unwrap());
        assert_eq!(lengths(&tables), lengths(&again));
    }
});
