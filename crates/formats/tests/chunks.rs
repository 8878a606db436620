//! A rank that is written step by step has the deliverables of one that is written whole.

use std::path::{Path, PathBuf};

use npuscope_formats::discover::OUTPUT_DIRECTORY;
use npuscope_formats::flavour::Flavour;
use npuscope_formats::output::Output;
use npuscope_formats::{db, text};
use npuscope_synth::{Job, JobConfig, View, simulate};
use npuscope_tables::{RankBuilder, RankTables};
use npuscope_testing::{database, entries, events};

/// A rank as a whole, and step by step.
fn rank_of(job: &Job) -> (RankTables, Vec<RankTables>) {
    (job.rank(0), job.recording(0, View::Whole).map(RankBuilder::finish).collect())
}

/// Ranks of small jobs, one for each framework and with and without a pipeline.
fn ranks() -> Vec<(RankTables, Vec<RankTables>)> {
    let mut ranks = Vec::new();
    for flavour in [Flavour::TorchNpu, Flavour::MindSpore] {
        for (tp, pp) in [(2, 1), (1, 2)] {
            let config =
                JobConfig { flavour, tp, pp, dp: 1, layers: 4, micro_batches: 2, steps: 4, ..Default::default() };
            ranks.push(rank_of(&simulate(&config).unwrap()));
        }
    }
    ranks
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let all = entries(directory).into_iter().chain(entries(&directory.join(OUTPUT_DIRECTORY)));
    let files: Vec<PathBuf> = all.filter(|path| path.is_file()).collect();
    files.iter().map(|path| path.strip_prefix(directory).unwrap().to_owned()).collect()
}

#[test]
fn text_of_chunks_is_the_text_of_the_whole() {
    for (tables, chunks) in ranks() {
        let (whole, chunked) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        text::write_rank(tables, 0, &Output::new(whole.path()).unwrap()).unwrap();
        let mut writer = text::RankWriter::create(&Output::new(chunked.path()).unwrap(), 0).unwrap();
        chunks.into_iter().for_each(|chunk| writer.append(chunk).unwrap());
        writer.finish().unwrap();
        assert_eq!(files(whole.path()), files(chunked.path()));
        for file in files(whole.path()) {
            let (a, b) = (whole.path().join(&file), chunked.path().join(&file));
            if file.ends_with("trace_view.json") {
                // Tables follow each other within a chunk, so events come in another order.
                let sorted = |path: &Path| {
                    let mut events: Vec<String> = events(path).iter().map(|event| format!("{event:?}")).collect();
                    events.sort();
                    events
                };
                assert_eq!(sorted(&a), sorted(&b));
            } else {
                let lines = |path: &Path| std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect();
                let (a, b): (Vec<String>, Vec<String>) = (lines(&a), lines(&b));
                a.iter().zip(&b).for_each(|(a, b)| assert_eq!(a, b, "{}", file.display()));
                assert_eq!(a.len(), b.len(), "{}", file.display());
            }
        }
    }
}

#[test]
fn databases_of_chunks_have_the_rows_of_the_whole() {
    for (tables, chunks) in ranks() {
        let (whole, chunked) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        db::write_rank(tables, 0, &Output::new(whole.path()).unwrap()).unwrap();
        let mut writer = db::RankWriter::create(&Output::new(chunked.path()).unwrap(), 0).unwrap();
        chunks.into_iter().for_each(|chunk| writer.append(chunk).unwrap());
        writer.finish().unwrap();
        assert_eq!(files(whole.path()), files(chunked.path()));
        for file in files(whole.path()).into_iter().filter(|file| file.extension().unwrap() == "db") {
            let (a, b) = (whole.path().join(&file), chunked.path().join(&file));
            assert_eq!(database::rows(&a), database::rows(&b), "{}", file.display());
            assert_eq!(numbers(&a), numbers(&b), "{}", file.display());
            let check = database_of(&b).query_row("PRAGMA integrity_check", (), |row| row.get::<_, String>(0));
            assert_eq!(check.unwrap(), "ok");
        }
    }
}

fn database_of(path: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(path).unwrap()
}

/// Keys and times of tables whose rows must come in the order of the whole.
fn numbers(path: &Path) -> Vec<Vec<(i64, i64)>> {
    let database = database_of(path);
    let queries = [
        "SELECT rowid, startNs FROM TASK",
        "SELECT id, connectionId FROM CONNECTION_IDS",
        "SELECT id, startNs FROM OVERLAP_ANALYSIS",
        "SELECT globalTaskId, startNs FROM TASK INDEXED BY TaskIndex ORDER BY startNs, globalTaskId",
    ];
    let tables = queries.iter().filter_map(|query| {
        let mut statement = database.prepare(query).ok()?;
        let rows = statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        Some(rows.map(Result::unwrap).collect())
    });
    tables.collect()
}

#[test]
fn a_writer_that_is_dropped_leaves_no_files() {
    let (tables, _) = ranks().remove(0);
    let directory = tempfile::tempdir().unwrap();
    let out = Output::new(directory.path()).unwrap();
    let mut text = text::RankWriter::create(&out, 0).unwrap();
    text.append(tables.clone()).unwrap();
    let mut db = db::RankWriter::create(&out, 0).unwrap();
    db.append(tables).unwrap();
    assert!(!entries(&directory.path().join(OUTPUT_DIRECTORY)).is_empty());
    drop((text, db));
    assert_eq!(files(directory.path()), Vec::<PathBuf>::new());
}
