//! `p2p_pairing` and `pp_chart`: both sides of a transfer get one id; passes are found in both forms of a job.

use std::collections::BTreeMap;
use std::path::Path;

use npuscope_analysis::cluster::{Export, Options};
use npuscope_formats::output::Output;
use npuscope_synth::{Format, JobConfig, simulate, write_job};

use crate::hand_made::{RankDb, ask, column};
use crate::support::{Rows, assert_same, run};

fn written(config: &JobConfig, form: Format) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    write_job(&simulate(config).unwrap(), form, &Output::new(directory.path()).unwrap(), |_| {}).unwrap();
    directory
}

/// The ranks that have each id.
fn sides(rows: &Rows) -> BTreeMap<String, Vec<String>> {
    let mut sides: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (id, rank) in column(rows, "opConnectionId").into_iter().zip(column(rows, "rank")) {
        sides.entry(id).or_default().push(rank);
    }
    sides.values_mut().for_each(|ranks| ranks.sort());
    sides
}

#[test]
fn every_transfer_of_a_pipeline_has_two_sides() {
    let config = JobConfig { tp: 1, pp: 4, dp: 1, layers: 4, steps: 2, ..JobConfig::default() };
    let job = written(&config, Format::Db);
    let (_, rows) = &ask(job.path(), "p2p_pairing", &Options::default())[0];
    let sides = sides(rows);
    assert!(sides.len() > 10 && sides.values().all(|ranks| ranks.len() == 2), "{sides:?}");
    let ends = column(rows, "srcRank").into_iter().zip(column(rows, "dstRank"));
    for ((source, destination), rank) in ends.zip(column(rows, "rank")) {
        assert!(source != destination && (source == rank || destination == rank));
    }
}

#[test]
fn batches_of_a_ring_are_paired_with_the_next_rank() {
    let config = JobConfig { tp: 1, pp: 1, dp: 1, cp: 4, layers: 2, steps: 2, ..JobConfig::default() };
    let job = written(&config, Format::Db);
    let (_, rows) = &ask(job.path(), "p2p_pairing", &Options::default())[0];
    let sides = sides(rows);
    assert!(!sides.is_empty() && sides.values().all(|ranks| ranks.len() == 2), "{sides:?}");
    for (source, destination) in column(rows, "srcRank").into_iter().zip(column(rows, "dstRank")) {
        assert_eq!((source.parse::<i64>().unwrap() + 1) % 4, destination.parse::<i64>().unwrap());
    }
}

#[test]
fn ids_are_counted_for_each_group() {
    let root = tempfile::tempdir().unwrap();
    let mut db = RankDb::create(root.path(), 0);
    let notices = [("Notify_Record", 0, 1), ("Notify_Wait", 0, 1)];
    db.operation("hcom_send__001_0_1", "a", (0, 10), &notices);
    db.operation("hcom_send__002_0_1", "b", (20, 30), &notices);
    db.operation("hcom_receive__001_1_1", "a", (40, 50), &notices);
    let ids = |compat| {
        let options = Options { compat, export: Some(Export::Db), ..Options::default() };
        let run = run(root.path(), "p2p_pairing", None, &options).unwrap();
        let path =
            run.written.files.iter().find(|path| path.ends_with("ascend_pytorch_profiler_0.db")).unwrap().clone();
        let rows = crate::support::rows_of(&path, "SELECT opConnectionId FROM COMMUNICATION_OP").unwrap();
        column(&rows, "opConnectionId")
    };
    assert_eq!(ids(true), ["001_0_1_0", "001_1_0_0", "002_0_1_1"]);
    // Hashes of `a` and `b`.
    assert_eq!(ids(false), ["416611827809_0_1_0", "416611827809_1_0_0", "420906795106_0_1_0"]);
}

#[test]
fn a_step_without_transfers_is_nothing_to_pair() {
    let root = tempfile::tempdir().unwrap();
    let mut db = RankDb::create(root.path(), 0);
    db.step(1, (0, 100));
    db.step(2, (200, 300));
    db.operation("hcom_send__001_0_1", "a", (0, 10), &[("Notify_Record", 0, 1)]);
    let of_step =
        |step| run(root.path(), "p2p_pairing", None, &Options { step: Some(step), ..Options::default() }).unwrap();
    assert_eq!(of_step(1).written.tables, [("P2PPairing".to_owned(), 1)]);
    assert_eq!(of_step(2).notes, ["there are no sends and receives"]);
}

#[test]
fn the_copy_for_viewers_has_ids_and_passes_and_the_profile_stays() {
    let config = JobConfig { tp: 1, pp: 2, dp: 1, layers: 2, steps: 2, ..JobConfig::default() };
    let job = written(&config, Format::Db);
    let before = bytes(job.path());
    let run = run(job.path(), "pp_chart", None, &Options::default()).unwrap();
    assert_eq!(bytes(job.path()), before);
    let copies: Vec<_> = run.written.files.iter().filter(|path| path.to_string_lossy().contains("PPChart")).collect();
    assert_eq!(copies.len(), 2);
    for copy in copies {
        let count = |query: &str| crate::support::rows_of(copy, query).unwrap().1.len();
        assert!(count("SELECT 1 FROM COMMUNICATION_OP WHERE opConnectionId IS NOT NULL") > 0);
        assert!(count("SELECT 1 FROM StepTaskInfo WHERE name = 'FP' AND type = 0") > 0);
    }
}

fn bytes(root: &Path) -> u64 {
    crate::hand_made::files(root).iter().map(|file| std::fs::metadata(file).unwrap().len()).sum()
}

#[test]
fn passes_of_the_chosen_step_are_the_same_in_both_forms() {
    let config = JobConfig { tp: 1, pp: 2, dp: 1, layers: 2, steps: 2, ..JobConfig::default() };
    let (text, db) = (written(&config, Format::Text), written(&config, Format::Db));
    let passes = |root: &Path, step| ask(root, "pp_chart", &Options { step, ..Options::default() }).remove(0).1;
    let (all, one) = (passes(db.path(), None), passes(db.path(), Some(11)));
    assert_eq!(all.1.len(), 2 * one.1.len());
    assert_same(&passes(text.path(), Some(11)), &one, "passes of step 11");
    let names = column(&one, "name");
    assert_eq!(names.iter().filter(|name| *name == "FP").count() * 2, names.len());
}

#[test]
fn passes_of_a_dualpipe_get_the_names_of_its_schedule() {
    let root = tempfile::tempdir().unwrap();
    for (rank, passes) in [(0, 18), (1, 12)] {
        let mut db = RankDb::create(root.path(), rank);
        db.metadata("pp_info", r#"{"pp_type": "dualpipev", "microbatch_num": 4}"#);
        db.metadata("distributed_args", r#"{"world_size": 2, "pipeline_model_parallel_size": 2}"#);
        db.step(1, (0, 100_000));
        for number in 0..passes {
            let start = 1000 * number;
            db.range("backward_step", (start, start + 10), (start + 20, start + 900), 2);
        }
    }
    let (_, rows) = &ask(root.path(), "pp_chart", &Options::default())[0];
    let names: Vec<(String, String)> = column(rows, "rank").into_iter().zip(column(rows, "name")).collect();
    assert_eq!(names.iter().filter(|(rank, name)| rank == "0" && name == "logits").count(), 4);
    assert!(names.contains(&("0".to_owned(), "3F+5B".to_owned())));
    // One pass is missing.
    assert!(names.iter().filter(|(rank, _)| rank == "1").all(|(_, name)| name == "BP"));
}
