//! Text and databases of one job give the same results in every mode that both can feed.

use std::path::Path;
use std::sync::OnceLock;

use npuscope_analysis::cluster::{self, Export, Options};
use npuscope_formats::output::Output;
use npuscope_synth::{Form, JobConfig, simulate, write_job};

use crate::support::{assert_same, database, run};

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
    let (text, db) = (tables(&text), tables(&db));
    for (table, rows) in &text {
        assert_same(rows, &db[table], &format!("{mode} {table}"));
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
