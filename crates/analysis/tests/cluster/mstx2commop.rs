//! `mstx2commop`: operations that only ranges record.

use npuscope_analysis::cluster::{Export, Options};
use npuscope_formats::output::Output;
use npuscope_synth::{Format, JobConfig, Level, simulate, write_job};

use crate::hand_made::{RankDb, ask, column};
use crate::support::{assert_same, rows_of, run};

/// Three ranges on one stream.
fn profile() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let mut db = RankDb::create(root.path(), 0);
    db.execute("DROP TABLE COMMUNICATION_OP; DROP TABLE COMMUNICATION_TASK_INFO");
    for (number, group) in [(1, "a"), (2, "b"), (3, "a")] {
        let message = format!(
            r#"{{"streamId": "9", "count": "64", "dataType": "bfp16", "groupName": "{group}", "opName": "hcom_allReduce"}}"#
        );
        db.range(&message, (number * 100, number * 100 + 5), (number * 100 + 50, number * 100 + 90), 9);
    }
    db.range("something else", (0, 5), (10, 20), 9);
    root
}

#[test]
fn a_range_is_one_operation() {
    let root = profile();
    let (_, rows) = &ask(root.path(), "mstx2commop", &Options::default())[0];
    let mut names = column(rows, "opName");
    names.sort();
    // Digits of the hashes of `a` and `b`.
    assert_eq!(names, ["hcom_allReduce__106_0_1", "hcom_allReduce__809_0_1", "hcom_allReduce__809_1_1"]);
    assert_eq!(column(rows, "dataType"), ["bfp16"; 3]);
}

#[test]
fn the_peer_multiplies_what_shares_a_stream() {
    let root = profile();
    let options = Options { compat: true, export: Some(Export::Db), ..Options::default() };
    let run = run(root.path(), "mstx2commop", None, &options).unwrap();
    let rows = rows_of(&run.written.files[0], "SELECT opId, dataType, count FROM COMMUNICATION_OP").unwrap();
    // Three ranges, and four tasks of the stream for each.
    assert_eq!(rows.1.len(), 12);
    assert_eq!(column(&rows, "dataType"), vec!["11"; 12]);
}

#[test]
fn both_forms_of_a_job_give_the_same() {
    let config = JobConfig { tp: 2, pp: 1, dp: 1, layers: 2, steps: 2, level: Level::None, ..JobConfig::default() };
    let job = simulate(&config).unwrap();
    let tables = [Format::Text, Format::Db].map(|form| {
        let directory = tempfile::tempdir().unwrap();
        write_job(&job, form, &Output::new(directory.path()).unwrap(), |_| {}).unwrap();
        ask(directory.path(), "mstx2commop", &Options::default()).remove(0).1
    });
    assert!(!tables[1].1.is_empty());
    assert_same(&tables[0], &tables[1], "operations of text and databases");
}
