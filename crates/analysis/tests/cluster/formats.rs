//! Text and databases of one job give the same results in every mode that both can feed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use npuscope_analysis::cluster::{self, Export, Options};
use npuscope_formats::output::Output;
use npuscope_synth::{Format, JobConfig, simulate, write_job};

use crate::support::{Rows, Run, Value, assert_same, csv, database, keep_tail, run};

/// One job, written as text and as databases.
fn job() -> &'static (tempfile::TempDir, tempfile::TempDir) {
    static JOB: OnceLock<(tempfile::TempDir, tempfile::TempDir)> = OnceLock::new();
    JOB.get_or_init(|| {
        let sizes = JobConfig { tp: 2, pp: 2, dp: 2, ep: 2, layers: 2, steps: 3, ..JobConfig::default() };
        // Something for every mode to report.
        let faults = ["slow-rank@3:3", "slow-link@0-2:6", "frequency@5:900"].map(|fault| fault.parse().unwrap());
        let config =
            JobConfig { experts: 4, top_k: 2, expert_ffn: 1024, mfu_ranges: true, faults: faults.to_vec(), ..sizes };
        let job = simulate(&config).unwrap();
        let write = |format| {
            let directory = tempfile::tempdir().unwrap();
            write_job(&job, format, &Output::new(directory.path()).unwrap(), |_| {}).unwrap();
            directory
        };
        (write(Format::Text), write(Format::Db))
    })
}

/// Modes that cannot be asked of this job in both formats.
const NOT_BOTH: &[&str] = &[
    // Wants a profile of GPUs.
    "calibrate_npu_gpu",
];

/// Modes that rightly have no results for this job.
const NOTHING: &[&str] = &[
    // Operations are recorded, and need not be made from ranges.
    "mstx2commop",
];

/// Both formats give the same tables and files. A job is its own baseline.
fn check(mode: &str, options: &Options) {
    let (text, db) = job();
    let ask = |path: &Path| {
        let options = Options { baseline: Some(path.to_owned()), ..options.clone() };
        run(path, mode, None, &options).unwrap_or_else(|failure| panic!("{mode} of {}: {failure}", path.display()))
    };
    let (text, db) = (ask(text.path()), ask(db.path()));
    assert_eq!(text.written.tables, db.written.tables, "{mode}");
    assert_eq!(text.written.files.is_empty(), NOTHING.contains(&mode), "{mode}");
    assert_same_files(mode, &text, &db);
    let tables = |run: &Run| run.written.database.as_deref().map(database).unwrap_or_default();
    let (text, mut db) = (tables(&text), tables(&db));
    for (table, mut rows) in text {
        let mut other = db.remove(&table).unwrap();
        forgive(&table, &mut rows, &mut other);
        assert_same(&rows, &other, &format!("{mode} {table}"));
    }
}

/// Files that are no databases are the same, row by row.
fn assert_same_files(mode: &str, text: &Run, db: &Run) {
    let files = |run: &Run| -> BTreeSet<PathBuf> {
        let inside = run.written.files.iter().map(|file| file.strip_prefix(run.directory.path()).unwrap().to_owned());
        inside.filter(|file| file.extension().is_none_or(|ending| ending != "db")).collect()
    };
    assert_eq!(files(text), files(db), "{mode}");
    for file in files(text) {
        let read = |run: &Run| csv(&run.directory.path().join(&file));
        assert_same(&read(text), &read(db), &format!("{mode} {}", file.display()));
    }
}

/// Levels out what text does not have.
fn forgive(table: &str, text: &mut Rows, db: &mut Rows) {
    match table {
        // Text has it to a quarter microsecond, from two floats.
        "ClusterStepTraceTime" => set_if_near(text, db, "preparing", 0.5),
        // Text does not have the id of a host, and the device only in the trace, which is not read for this.
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

/// Runs the first or the second half of the modes: all of them together take minutes on a busy machine.
fn check_half(half: usize, step: Option<i64>) {
    let modes: Vec<_> = cluster::modes().iter().filter(|mode| !NOT_BOTH.contains(&mode.name)).collect();
    let (first, second) = modes.split_at(modes.len() / 2);
    for mode in [first, second][half] {
        check(mode.name, &Options { export: Some(Export::Db), step, ..Options::default() });
    }
}

#[test]
fn text_and_databases_give_the_same_in_the_first_modes() {
    check_half(0, None);
}

#[test]
fn text_and_databases_give_the_same_in_the_last_modes() {
    check_half(1, None);
}

#[test]
fn text_and_databases_give_the_same_step_in_the_first_modes() {
    check_half(0, Some(11));
}

#[test]
fn text_and_databases_give_the_same_step_in_the_last_modes() {
    check_half(1, Some(11));
}
