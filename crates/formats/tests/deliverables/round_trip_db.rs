//! A database read into the tables and written again holds the same values.

use std::path::Path;

use npuscope_formats::db;
use npuscope_formats::output::Output;
use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_store::discover::discover;
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_synth::Format;
use npuscope_testing::{captures, database, entries};

use crate::simulated;

fn check(name: &str, source: &Path) {
    let profile = discover(source).unwrap();
    let rank = &profile.ranks[0];
    let tables = read_rank(rank, ReadOptions::default());
    let target = tempfile::tempdir().unwrap();
    db::write_rank(tables, rank.rank, &Output::new(target.path()).unwrap()).unwrap();
    for file in entries(&source.join(OUTPUT_DIRECTORY)) {
        let written = target.path().join(OUTPUT_DIRECTORY).join(file.file_name().unwrap());
        let (before, after) = (database::rows(&file), database::rows(&written));
        for (table, rows) in &before {
            let other = after.get(table).unwrap_or_else(|| panic!("{name} {table} is missing"));
            for (a, b) in rows.iter().zip(other) {
                assert_eq!(a, b, "{name} {table}");
            }
            assert_eq!(rows.len(), other.len(), "{name} {table}");
        }
    }
}

#[test]
fn real_captures_survive() {
    for (name, source) in captures("db") {
        check(&name, &source);
    }
}

#[test]
fn simulated_jobs_survive() {
    let (_directory, ranks) = simulated::ranks(Format::Db);
    for (name, source) in ranks {
        check(&name, &source);
    }
}
