//! A small job on disk, and what reading it reports.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use npuscope_formats::diagnostic::Diagnostic;
use npuscope_formats::output::Output;
use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_formats::trace_json;
use npuscope_store::discover::{Profile, discover};
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_synth::{Format, JobConfig, simulate, write_job};
use npuscope_tables::table::diagnostic;
use npuscope_tables::{RankPieces, RankTables, TableId, schema};
use npuscope_testing::entries;
use tempfile::TempDir;

use crate::rows::rows;

/// Two ranks of a small job.
pub fn job(format: Format) -> TempDir {
    let config = JobConfig { tp: 2, pp: 1, dp: 1, layers: 1, steps: 1, micro_batches: 1, ..JobConfig::default() };
    let directory = tempfile::tempdir().unwrap();
    write_job(&simulate(&config).unwrap(), format, &Output::new(directory.path()).unwrap(), |_| {}).unwrap();
    directory
}

/// The directory of a rank of a job.
pub fn rank_directory(job: &Path, rank: usize) -> PathBuf {
    entries(job).into_iter().filter(|p| p.is_dir()).nth(rank).unwrap()
}

/// Every file of a rank, by its name relative to the rank's directory.
pub fn files(rank: &Path) -> Vec<(String, PathBuf)> {
    let all = entries(rank).into_iter().chain(entries(&rank.join(OUTPUT_DIRECTORY))).filter(|p| p.is_file());
    all.map(|path| (path.strip_prefix(rank).unwrap().to_str().unwrap().to_owned(), path)).collect()
}

pub fn read(profile: &Profile, rank: usize) -> RankTables {
    read_rank(&profile.ranks[rank], ReadOptions { threads: 2, ..ReadOptions::default() })
}

pub fn read_path(path: &Path) -> RankTables {
    read(&discover(path).unwrap(), 0)
}

/// The tables but for what is said about the files themselves.
pub fn facts(tables: &RankTables) -> BTreeMap<&'static str, Vec<String>> {
    let about_files = [TableId::Diagnostic, TableId::Source, TableId::Rank];
    let ids = TableId::ALL.iter().filter(|id| !about_files.contains(id));
    ids.map(|&id| (schema::spec(id).name, rows(tables, id))).filter(|(_, rows)| !rows.is_empty()).collect()
}

pub fn assert_same_facts(what: &str, a: &RankTables, b: &RankTables) {
    let (a, b) = (facts(a), facts(b));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>(), "{what}");
    for (table, rows) in &a {
        assert!(rows == &b[table], "{what}: {table} differs, {} rows and {}", rows.len(), b[table].len());
    }
}

/// Code, offset and message of the diagnostics that name `file`.
pub fn reported(tables: &RankTables, file: &str) -> Vec<(String, Option<i64>, String)> {
    tables
        .rows::<diagnostic::Row>()
        .filter(|row| tables.opt_text(row.file) == Some(file))
        .map(|row| (tables.text(row.code).to_owned(), row.offset, tables.text(row.message).to_owned()))
        .collect()
}

/// The one diagnostic that names `file`: its code and offset.
pub fn only_reported(tables: &RankTables, file: &str) -> (String, Option<i64>) {
    let reported = reported(tables, file);
    let [(code, offset, message)] = reported.as_slice() else { panic!("{file}: {reported:?}") };
    assert!(!message.is_empty());
    (code.clone(), *offset)
}

/// Reads bytes as a trace; its tables and diagnostics.
pub fn read_trace(bytes: &[u8]) -> (RankTables, Vec<Diagnostic>) {
    let mut pieces = RankPieces::default();
    let summary = trace_json::read(bytes, "trace_view.json", 2, &mut pieces);
    (pieces.finish(), summary.diagnostics)
}

/// Whether the rows of a cut file are the first of the whole file, table by table.
pub fn assert_first_rows(what: &str, whole: &BTreeMap<&str, Vec<String>>, cut: &RankTables) {
    for (table, rows) in facts(cut) {
        assert_eq!(rows, whole[table][..rows.len()], "{what}: {table}");
    }
}

/// Where the rows of a csv file end.
pub fn row_ends(text: &[u8]) -> Vec<usize> {
    let mut in_quotes = false;
    let mut ends = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'"' => in_quotes = !in_quotes,
            b'\n' if !in_quotes => ends.push(at + 1),
            _ => {}
        }
    }
    ends
}
