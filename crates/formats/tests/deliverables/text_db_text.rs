//! What both formats can hold survives text -> db -> text, and the tables of both are the same.

use std::path::Path;

use npuscope_formats::output::Output;
use npuscope_formats::{db, text};
use npuscope_store::discover::discover;
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_synth::Format;
use npuscope_tables::{Rank, RankTables};
use npuscope_testing::captures;
use npuscope_testing::tables::common;

use crate::simulated;

fn read(path: &Path) -> (Rank, RankTables) {
    let profile = discover(path).unwrap();
    (profile.ranks[0].rank, read_rank(&profile.ranks[0], ReadOptions::default()))
}

fn assert_same(name: &str, before: &RankTables, after: &RankTables) {
    let (before, after) = (common(before), common(after));
    for (table, rows) in &before {
        let other = &after[table];
        for (a, b) in rows.iter().zip(other) {
            assert_eq!(a, b, "{name} {table}");
        }
        assert_eq!(rows.len(), other.len(), "{name} {table}");
    }
}

fn check(name: &str, source: &Path) {
    let (rank, tables) = read(source);
    let target = tempfile::tempdir().unwrap();
    let (as_db, as_text) = (target.path().join("db_ascend_pt"), target.path().join("text_ascend_pt"));
    db::write_rank(tables.clone(), rank, &Output::new(&as_db).unwrap()).unwrap();
    let (_, from_db) = read(&as_db);
    assert_same(name, &tables, &from_db);
    text::write_rank(from_db, rank, &Output::new(&as_text).unwrap()).unwrap();
    assert_same(name, &tables, &read(&as_text).1);
}

#[test]
fn real_captures_survive() {
    for (name, source) in captures("text") {
        check(&name, &source);
    }
}

#[test]
fn simulated_jobs_survive() {
    let (_directory, ranks) = simulated::ranks(Format::Text);
    // MindSpore's databases have no framework tables, so only torch_npu's hold what text does.
    for (name, source) in ranks.into_iter().filter(|(name, _)| name.starts_with("torch_npu")) {
        check(&name, &source);
    }
}
