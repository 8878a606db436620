//! Queries within a limit of memory.

use std::path::PathBuf;
use std::sync::Arc;

use npuscope_engine::{EngineError, QueryOptions, Session};
use npuscope_store::Store;
use npuscope_tables::table::host_op;
use npuscope_tables::{Ns, RankBuilder, RankTables};
use tempfile::TempDir;

use crate::job::{Job, number, rows};

const ROWS: i64 = 150_000;

/// Rows with a name each, out of order: some 20 MB.
fn many_names() -> RankTables {
    let mut rank = RankBuilder::default();
    for i in 0..ROWS {
        let name = rank.strings.intern(&format!("an operator with a name of its own, number {:06}", i * 7919 % ROWS));
        rank.host_op.push(host_op::Row { start: Ns(i), name, ..Default::default() });
    }
    rank.finish()
}

fn limited(job: &Job, bytes: usize) -> (Session, TempDir) {
    let spill = tempfile::tempdir().unwrap();
    let options =
        QueryOptions { memory_limit: Some(bytes), spill: Some(spill.path().to_owned()), ..QueryOptions::default() };
    let store = Arc::new(Store::open(&job.path(), job.options()).unwrap());
    (Session::new(store, &options).unwrap(), spill)
}

fn left_in(directory: &TempDir) -> Vec<PathBuf> {
    std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// The largest number of spills that a query's plan reports.
fn spills(session: &Session, sql: &str) -> u64 {
    let plan = rows(session, &format!("EXPLAIN ANALYZE {sql}")).concat().concat();
    let counts = plan.split("spill_count=").skip(1);
    let digits = counts.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
    digits.filter_map(|number| number.parse().ok()).max().unwrap_or_default()
}

#[test]
fn a_sort_larger_than_its_memory_spills_and_cleans_up() {
    let job = Job::with_tables(&many_names());
    let (session, spill) = limited(&job, 8 << 20);
    let sql = "SELECT name, start FROM host_op ORDER BY name";
    assert!(spills(&session, sql) > 0);
    let sorted = rows(&session, sql);
    assert_eq!(sorted.len() as i64, ROWS);
    assert!(sorted.is_sorted());
    drop(session);
    assert_eq!(left_in(&spill), Vec::<PathBuf>::new());
}

#[test]
fn an_aggregate_larger_than_its_memory_spills_and_cleans_up() {
    let job = Job::with_tables(&many_names());
    let (session, spill) = limited(&job, 12 << 20);
    let groups = "SELECT name, count(*) AS n, max(start) AS last FROM host_op GROUP BY name";
    let sql = format!("SELECT sum(n) + sum(last) FROM ({groups})");
    assert!(spills(&session, &sql) > 0);
    assert_eq!(number(&session, &sql), ROWS + ROWS * (ROWS - 1) / 2);
    drop(session);
    assert_eq!(left_in(&spill), Vec::<PathBuf>::new());
}

#[test]
fn a_sort_of_many_ranks_fits_into_little_memory() {
    let job = Job::eight_ranks();
    let (session, _spill) = limited(&job, 4 << 20);
    let sorted = rows(&session, "SELECT start FROM host_op ORDER BY start, name");
    assert!(sorted.len() > 1000 && sorted.is_sorted());
}

#[test]
fn what_cannot_be_done_within_the_limit_says_so() {
    let job = Job::with_tables(&many_names());
    let (session, spill) = limited(&job, 2 << 20);
    let error = session.sql("SELECT count(*) FROM host_op a JOIN host_op b ON a.name = b.name").unwrap_err();
    assert!(matches!(error, EngineError::Memory { .. }), "{error:?}");
    let message = error.to_string();
    assert!(message.starts_with("the query exceeds its memory limit of 2.0 MiB"), "{message}");
    assert!(!message.contains('\n'), "{message}");
    assert!(number(&session, "SELECT count(*) FROM host_op") > 0, "the session is still good");
    drop(session);
    assert_eq!(left_in(&spill), Vec::<PathBuf>::new());
}
