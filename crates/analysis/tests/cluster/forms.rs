//! Text and databases of one job give the same results in every mode that both can feed.

use std::path::Path;
use std::sync::OnceLock;

use npuscope_analysis::cluster::{self, Export, Options};
use npuscope_formats::output::Output;
use npuscope_synth::{Form, JobConfig, simulate, write_job};

use crate::support::{Rows, Value, assert_same, database, keep_tail, run};

/// One job, written as text and as databases.
fn job() -> &'static (tempfile::TempDir, tempfile::TempDir) {
    static JOB: OnceLock<(tempfile::TempDir, tempfile::TempDir)> = OnceLock::new();
    JOB.get_or_init(|| {
        let config = JobConfig { tp: 2, pp: 2, dp: 2, layers: 4, steps: 3, ..JobConfig::default() };
        let job = simulate(&config).unwrap();
        let write = |form| {
            let directory = tempfile::tempdir().unwrap();
            write_job(&job, form, &Output::new(directory.path()).unwrap(), |_| {}).unwrap();
            directory
        };
        (write(Form::Text), write(Form::Db))
    })
}

/// Both forms give the same tables, or both lack what the mode is about.
fn check(mode: &str, options: &Options) {
    let (text, db) = job();
    let ask = |path: &Path| run(path, mode, None, options);
    let (text, db) = match (ask(text.path()), ask(db.path())) {
        (Ok(text), Ok(db)) => (text, db),
        (Err(text), Err(db)) => return assert_eq!(text.to_string(), db.to_string()),
        (text, db) => panic!("{mode}: text {:?}, db {:?}", text.err(), db.err()),
    };
    assert_eq!(text.written.tables, db.written.tables, "{mode}");
    let tables = |run: &crate::support::Run| run.written.database.as_deref().map(database).unwrap_or_default();
    let (text, mut db) = (tables(&text), tables(&db));
    for (table, mut rows) in text {
        let mut other = db.remove(&table).unwrap();
        forgive(&table, &mut rows, &mut other);
        assert_same(&rows, &other, &format!("{mode} {table}"));
    }
}

/// Levels out what text cannot tell.
fn forgive(table: &str, text: &mut Rows, db: &mut Rows) {
    match table {
        // Text has it to a quarter microsecond, from two floats.
        "ClusterStepTraceTime" => set_if_near(text, db, "preparing", 0.5),
        // Text does not tell the id of a host, and the device only in the trace, which is not read for this.
        "RankDeviceMap" => {
            for rows in [text, db] {
                keep_tail(rows, "profilePath");
                blank(rows, "hostUid");
                blank(rows, "deviceId");
            }
        }
        "HostInfo" => [text, db].into_iter().for_each(|rows| blank(rows, "hostUid")),
        _ => {}
    }
}

fn blank((columns, rows): &mut Rows, column: &str) {
    let at = columns.iter().position(|name| name == column).unwrap();
    rows.iter_mut().for_each(|row| row[at] = Value::Null);
    rows.sort_by_cached_key(|row| format!("{row:?}"));
}

/// Makes numbers of a column equal if they are no further apart than that. Rows are matched by what is before the
/// first figure.
fn set_if_near(text: &mut Rows, db: &mut Rows, column: &str, apart: f64) {
    let at = text.0.iter().position(|name| name == column).unwrap();
    for rows in [&mut text.1, &mut db.1] {
        rows.sort_by_cached_key(|row| format!("{:?}", &row[..3]));
    }
    for (a, b) in text.1.iter_mut().zip(&db.1) {
        if let (Value::Number(x), Value::Number(y)) = (&a[at], &b[at])
            && (x - y).abs() <= apart
        {
            a[at] = b[at].clone();
        }
    }
}

#[test]
fn text_and_databases_give_the_same() {
    for mode in cluster::modes() {
        for step in [None, Some(11)] {
            check(mode.name, &Options { export: Some(Export::Db), step, ..Options::default() });
        }
    }
}
