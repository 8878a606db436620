//! Laws of the forms that a job is written in.

use std::path::Path;

use npuscope_formats::output::Output;
use npuscope_store::discover::discover;
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_synth::{Form, Job, JobConfig, Level, View, simulate, write_job};
use npuscope_tables::RankTables;
use npuscope_tables::table::{diagnostic, source};
use npuscope_testing::tables::common;
use proptest::prelude::*;

use crate::jobs::any_job;

fn written(job: &Job, form: Form, directory: &Path) -> Vec<RankTables> {
    let out = directory.join(format!("{form:?}"));
    write_job(job, form, &Output::new(&out).unwrap(), |_| ()).unwrap();
    discover(&out).unwrap().ranks.iter().map(|rank| read_rank(rank, ReadOptions::default())).collect()
}

fn problems(tables: &RankTables) -> Vec<String> {
    let rows = tables.rows::<diagnostic::Row>();
    let told = rows.map(|row| format!("{}: {}", tables.text(row.code), tables.text(row.message)));
    let unread = tables.rows::<source::Row>().filter_map(|row| tables.opt_text(row.unread).map(str::to_owned));
    told.chain(unread).collect()
}

/// The tables as they were recorded, as text files and as databases hold them, are the same.
fn assert_forms_agree(config: &JobConfig) {
    let scratch = tempfile::tempdir().unwrap();
    let job = simulate(config).unwrap();
    let text = written(&job, Form::Text, scratch.path());
    let db = written(&job, Form::Db, scratch.path());
    assert_eq!((text.len(), db.len()), (config.ranks(), config.ranks()));
    for (rank, (text, db)) in text.iter().zip(&db).enumerate() {
        assert_eq!((problems(text), problems(db)), (vec![], vec![]), "rank {rank} of {config:?}");
        let (recorded, shown) = (common(&job.rank(rank)), common(&job.tables(rank, View::Text)));
        let (text, db) = (common(text), common(db));
        // Free time that begins before a step is no part of it to a database, and all of it to text files.
        for (table, rows) in recorded.iter().filter(|(table, _)| **table != "reported_step") {
            let is_derived = table.starts_with("reported");
            if is_derived && config.level <= Level::Level0 {
                // Text files have nothing of communications there to sum up; databases have their pieces.
                continue;
            }
            let rows = if is_derived { [&text[table]; 2] } else { [&shown[table], rows] };
            for (form, rows, other) in [("text", rows[0], &text[table]), ("db", rows[1], &db[table])] {
                for (a, b) in rows.iter().zip(other) {
                    assert_eq!(a, b, "{table} of rank {rank} in {form}: {config:?}");
                }
                assert_eq!(rows.len(), other.len(), "{table} of rank {rank} in {form}: {config:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(npuscope_testing::cases(5))]

    #[test]
    fn text_database_and_tables_agree(config in any_job()) {
        assert_forms_agree(&config);
    }
}

#[test]
fn they_agree_at_every_level() {
    for level in [Level::None, Level::Level0, Level::Level2] {
        assert_forms_agree(&JobConfig { level, layers: 2, steps: 2, micro_batches: 2, ..JobConfig::default() });
    }
}
