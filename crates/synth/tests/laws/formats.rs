//! Laws of the formats that a job is written in.

use std::collections::BTreeSet;
use std::path::Path;

use npuscope_formats::output::Output;
use npuscope_store::discover::discover;
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_synth::{Format, Job, JobConfig, Level, View, Workload, simulate, write_job};
use npuscope_tables::RankTables;
use npuscope_tables::table::{diagnostic, source};
use npuscope_testing::tables::common;
use proptest::prelude::*;

use crate::jobs::any_job;

/// The ranks that are compared: of many the first, the last and one between, since each takes seconds.
fn compared(config: &JobConfig) -> BTreeSet<usize> {
    BTreeSet::from([0, config.ranks() / 2, config.ranks() - 1])
}

/// The compared ranks of a job, as a format of it has them.
fn written(job: &Job, config: &JobConfig, format: Format, directory: &Path) -> Vec<RankTables> {
    let out = directory.join(format!("{format:?}"));
    write_job(job, format, &Output::new(&out).unwrap(), |_| ()).unwrap();
    let sources = discover(&out).unwrap().ranks;
    assert_eq!(sources.len(), config.ranks());
    compared(config).iter().map(|rank| read_rank(&sources[*rank], ReadOptions::default())).collect()
}

fn problems(tables: &RankTables) -> Vec<String> {
    let rows = tables.rows::<diagnostic::Row>();
    let reported = rows.map(|row| format!("{}: {}", tables.text(row.code), tables.text(row.message)));
    let unread = tables.rows::<source::Row>().filter_map(|row| tables.opt_text(row.unread).map(str::to_owned));
    reported.chain(unread).collect()
}

/// The tables as they were recorded, as text files and as databases hold them, are the same.
fn assert_forms_agree(config: &JobConfig) {
    let scratch = tempfile::tempdir().unwrap();
    let job = simulate(config).unwrap();
    let text = written(&job, config, Format::Text, scratch.path());
    let db = written(&job, config, Format::Db, scratch.path());
    for (rank, (text, db)) in compared(config).into_iter().zip(text.iter().zip(&db)) {
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
            for (format, rows, other) in [("text", rows[0], &text[table]), ("db", rows[1], &db[table])] {
                for (a, b) in rows.iter().zip(other) {
                    assert_eq!(a, b, "{table} of rank {rank} in {format}: {config:?}");
                }
                assert_eq!(rows.len(), other.len(), "{table} of rank {rank} in {format}: {config:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(npuscope_testing::cases(3))]

    #[test]
    fn text_database_and_tables_agree_on_training(config in any_job()) {
        assert_forms_agree(&JobConfig { workload: Workload::Training, ..config });
    }

    #[test]
    fn text_database_and_tables_agree_on_reinforcement_learning(config in any_job()) {
        assert_forms_agree(&JobConfig { workload: Workload::ReinforcementLearning, ..config });
    }
}

#[test]
fn they_agree_at_every_level() {
    for level in [Level::None, Level::Level0, Level::Level2] {
        assert_forms_agree(&JobConfig { level, layers: 2, steps: 2, micro_batches: 2, ..JobConfig::default() });
    }
}
