//! Damaged databases, and the text beside them.

use std::fs;
use std::path::{Path, PathBuf};

use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_synth::Format;
use npuscope_tables::TableId;

use super::job::{assert_same_facts, files, job, only_reported, rank_directory, read_path, reported};

#[test]
fn a_damaged_database_gives_way_to_the_text_beside_it() {
    let (both, text) = (job(Format::Both), job(Format::Text));
    let rank = rank_directory(both.path(), 0);
    for (name, path) in files(&rank).into_iter().filter(|(name, _)| name.ends_with(".db")) {
        let mut bytes = fs::read(&path).unwrap();
        // Of the smaller database nothing is left, of the larger one most.
        let damaged = if name.contains("profiler") { 16_384..40_000 } else { 0..bytes.len() };
        bytes[damaged].fill(0xa5);
        fs::write(path, bytes).unwrap();
    }
    let tables = read_path(&rank);
    assert_same_facts("text", &read_path(&rank_directory(text.path(), 0)), &tables);
    let reported = reported(&tables, "ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db");
    assert!(reported.iter().any(|(code, offset, _)| code.starts_with("damaged") && offset.is_some()), "{reported:?}");
}

#[test]
fn where_the_database_is_unreadable_the_text_beside_it_is_read() {
    let (both, text) = (job(Format::Both), job(Format::Text));
    let rank = rank_directory(both.path(), 0);
    for (_, path) in files(&rank).into_iter().filter(|(name, _)| name.ends_with(".db")) {
        fs::write(path, "SQLite format 3").unwrap();
    }
    let tables = read_path(&rank);
    assert_same_facts("text", &read_path(&rank_directory(text.path(), 0)), &tables);
    let name = format!("{OUTPUT_DIRECTORY}/ascend_pytorch_profiler_0.db");
    assert_eq!(only_reported(&tables, &name), ("not-a-database".to_owned(), Some(0)));
}

/// The profiler's database of a job, its bytes and the size of its pages.
fn database(rank: &Path) -> (String, PathBuf, Vec<u8>, usize) {
    let name = format!("{OUTPUT_DIRECTORY}/ascend_pytorch_profiler_0.db");
    let path = rank.join(&name);
    let bytes = fs::read(&path).unwrap();
    let page = usize::from(u16::from_be_bytes([bytes[16], bytes[17]]));
    (name, path, bytes, page)
}

#[test]
fn a_damaged_page_of_a_database_costs_only_its_table() {
    let job = job(Format::Db);
    let rank = rank_directory(job.path(), 0);
    let (name, path, bytes, page) = database(&rank);
    let whole = read_path(&rank);
    let root = |table: &str| -> usize {
        let connection = rusqlite::Connection::open(&path).unwrap();
        let sql = "SELECT rootpage FROM sqlite_master WHERE name = ?";
        connection.query_row(sql, [table], |row| row.get::<_, u32>(0)).unwrap() as usize
    };
    let tables_lost = [
        ("OP_MEMORY", TableId::MemEvent),
        ("OVERLAP_ANALYSIS", TableId::Overlap),
        ("COMMUNICATION_TASK_INFO", TableId::CommTask),
    ];
    for (table, lost) in tables_lost {
        let start = (root(table) - 1) * page;
        let mut damaged = bytes.clone();
        damaged[start..start + page].fill(0xa5);
        fs::write(&path, &damaged).unwrap();
        let tables = read_path(&rank);
        fs::write(&path, &bytes).unwrap();
        assert_eq!(only_reported(&tables, &name), ("damaged-table".to_owned(), Some(start as i64)), "{table}");
        assert!(reported(&tables, &name)[0].2.contains(table));
        let about_tables = [TableId::Lane, TableId::Source, TableId::Diagnostic];
        for &id in TableId::ALL.iter().filter(|id| !about_tables.contains(id)) {
            assert_eq!(tables.len(id), if id == lost { 0 } else { whole.len(id) }, "{table}: {id:?}");
        }
    }
}

#[test]
fn a_cut_database_keeps_the_tables_before_the_cut() {
    let job = job(Format::Db);
    let rank = rank_directory(job.path(), 0);
    let (name, path, bytes, page) = database(&rank);
    let whole = read_path(&rank);
    let mut before = 0;
    for cut in (100..bytes.len()).step_by(page / 2 + 1).chain([bytes.len() - 1]) {
        fs::write(&path, &bytes[..cut]).unwrap();
        let tables = read_path(&rank);
        assert!(!reported(&tables, &name).is_empty(), "cut at {cut}");
        let kept = [TableId::Task, TableId::HostOp, TableId::MemSample, TableId::Counter].map(|id| tables.len(id));
        let total: usize = kept.iter().sum();
        assert!(total >= before, "cut at {cut}: {kept:?}");
        before = total;
    }
    let all = [TableId::Task, TableId::HostOp, TableId::MemSample, TableId::Counter].map(|id| whole.len(id));
    assert_eq!(before, all.iter().sum::<usize>());
}
