//! Queries end when their time is up, when they need too much, and when nobody waits any more.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use npuscope_engine::{EngineError, QueryOptions, Session};
use npuscope_store::{Store, StoreError};

use crate::job::{Job, number};

/// Rows of a million and more, made of nothing.
const MILLION: &str = "(SELECT a.x * 1000 + b.x AS x FROM (SELECT unnest(range(0, 1000)) AS x) a, (SELECT unnest(range(0, 1000)) AS x) b)";

/// Queries that nobody can wait for.
fn endless() -> Vec<(&'static str, String)> {
    vec![
        ("count of a product", format!("SELECT count(*) FROM {MILLION} a, {MILLION} b")),
        ("sum of a product", format!("SELECT sum(a.x * b.x) FROM {MILLION} a, {MILLION} b")),
        ("product of tables", "SELECT count(*) FROM kernel a, kernel b, kernel c, kernel d".to_owned()),
        ("condition that never holds", format!("SELECT count(*) FROM {MILLION} a JOIN {MILLION} b ON a.x + b.x = -1")),
        (
            "join of equals",
            format!("SELECT count(*) FROM {MILLION} a JOIN {MILLION} b ON a.x % 2 = b.x % 2 AND a.x + b.x < -1"),
        ),
        (
            "recursion",
            "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t".to_owned(),
        ),
        ("groups", format!("SELECT a.x % 10, max(b.x) FROM {MILLION} a, {MILLION} b GROUP BY 1")),
    ]
}

fn limited(job: &Job, options: QueryOptions) -> Session {
    Session::new(Store::open(&job.path(), job.options()).unwrap().into(), &options).unwrap()
}

/// Waits until no query runs. The queries here never end by themselves, so however long it takes, they were stopped.
fn assert_ended(session: &Session, name: &str) {
    let begin = Instant::now();
    while session.running() > 0 {
        assert!(begin.elapsed() < Duration::from_secs(60), "{name} goes on");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Time of the processor that this process has used.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<u64> =
        stat.rsplit(") ").next().unwrap().split(' ').filter_map(|field| field.parse().ok()).collect();
    // Fields 14 and 15 in hundredths of a second; the state, a letter, does not parse.
    Duration::from_millis((fields[10] + fields[11]) * 10)
}

#[test]
fn a_query_ends_when_its_time_is_up() {
    let job = Job::one_rank();
    let limit = Duration::from_millis(500);
    let session =
        limited(&job, QueryOptions { time_limit: Some(limit), memory_limit: Some(1 << 30), ..QueryOptions::default() });
    for (name, sql) in endless() {
        let error = session.sql(&sql).unwrap_err();
        assert!(matches!(error, EngineError::Time { limit: at } if at == limit), "{name}: {error}");
        assert_ended(&session, name);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_query_that_nobody_waits_for_uses_no_processor() {
    let job = Job::one_rank();
    let session = limited(&job, QueryOptions { memory_limit: Some(1 << 30), ..QueryOptions::default() });
    for (name, sql) in endless() {
        let query = session.start(&sql).unwrap();
        std::thread::sleep(Duration::from_millis(300));
        drop(query);
        assert_ended(&session, name);
        // What DataFusion runs beside the query ends with it, a moment later.
        let begin = Instant::now();
        loop {
            let before = processor_time();
            std::thread::sleep(Duration::from_millis(500));
            let used = processor_time() - before;
            if used < Duration::from_millis(200) {
                break;
            }
            assert!(begin.elapsed() < Duration::from_secs(60), "{name} still uses {used:?}");
        }
    }
}

#[test]
fn what_is_collected_counts() {
    let job = Job::one_rank();
    let options = QueryOptions { memory_limit: Some(32 << 20), spill_limit: Some(64 << 20), ..QueryOptions::default() };
    let session = limited(&job, options);
    for sql in [
        format!("SELECT x, count(*) OVER () AS n FROM {MILLION} a, (VALUES (1), (2), (3), (4), (5), (6), (7), (8)) b"),
        format!("SELECT a.x * 1000000 + b.x AS y, count(*) FROM {MILLION} a, {MILLION} b GROUP BY y"),
        format!("SELECT a.x * b.x AS y FROM {MILLION} a, {MILLION} b ORDER BY y"),
    ] {
        let error = session.stream(&sql, |_| Ok::<(), EngineError>(())).unwrap_err();
        assert!(matches!(error, EngineError::Memory { .. } | EngineError::Disk), "{sql}: {error}");
    }
    assert_eq!(number(&session, "SELECT count(*) FROM step"), 1, "what others took is free again");
}

#[test]
fn a_query_ends_after_the_rows_that_are_wanted() {
    let job = Job::one_rank();
    let session = limited(&job, QueryOptions { row_limit: Some(10_000), ..QueryOptions::default() });
    let mut rows = 0;
    let taken = session.stream(&format!("SELECT a.x FROM {MILLION} a, {MILLION} b"), |batch| {
        rows += batch.num_rows();
        Ok::<(), EngineError>(())
    });
    assert!(taken.is_ok());
    assert_eq!(rows, 10_000);
    assert_ended(&session, "a query whose rows are enough");
}

#[test]
fn queries_wait_for_their_turn() {
    let job = Job::one_rank();
    let session = limited(&job, QueryOptions { concurrent: Some(1), ..QueryOptions::default() });
    let first = session.start(&endless()[0].1).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    let second = session.start("SELECT 1").unwrap();
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(session.running(), 1);
    drop((first, second));
    assert_eq!(number(&session, "SELECT 1"), 1);
}

#[test]
fn a_program_that_stops_does_not_wait_for_its_query() {
    let job = Job::one_rank();
    let options = job.options();
    let stop = options.stop.clone();
    let session = Session::open(&job.path(), options).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            stop.store(true, Ordering::Relaxed);
        });
        let error = session.sql(&endless()[0].1).unwrap_err();
        assert!(matches!(error, EngineError::Store(StoreError::Stopped)), "{error}");
    });
    assert_ended(&session, "a query of a program that stops");
}
