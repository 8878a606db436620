//! `export_summary`: calls have their own times, and both forms of a job give the same.

use npuscope_analysis::cluster::Options;
use npuscope_formats::output::Output;
use npuscope_synth::{Format, JobConfig, simulate, write_job};

use crate::hand_made::{RankDb, column};
use crate::support::{assert_same, csv, run};

#[test]
fn calls_have_their_own_times_and_waits_are_between_kernels() {
    let root = tempfile::tempdir().unwrap();
    let mut db = RankDb::create(root.path(), 0);
    let first = db.launch(("aten::a", 0, 100), (100, 300));
    let second = db.launch(("aten::b", 400, 500), (600, 1000));
    db.kernel("a", (2_000, 5_000), Some(first));
    db.operation("hcom_send__001_0_1", "g", (3_000, 7_500), &[]);
    db.kernel("b", (8_001, 9_000), Some(second));
    let files = |compat| {
        let run = run(root.path(), "export_summary", None, &Options { compat, ..Options::default() }).unwrap();
        let folder = run.output().join("ExportSummary/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT");
        (csv(&folder.join("api_statistic.csv")), csv(&folder.join("kernel_details.csv")))
    };
    let (calls, kernels) = files(false);
    assert_eq!(column(&calls, "Total Time(ns)"), ["600"]);
    assert_eq!(column(&calls, "Avg Time(ns)"), ["300"]);
    assert_eq!(column(&kernels, "op_name"), ["a", "b", "hcom_send__001_0_1"]);
    assert_eq!(column(&kernels, "task_wait_time"), ["0", "0.501", "0"]);
    let (calls, kernels) = files(true);
    assert_eq!(column(&calls, "Total Time(ns)"), ["3999"]);
    assert_eq!(column(&kernels, "task_wait_time").len(), 3);
}

#[test]
fn both_forms_of_a_job_give_the_same() {
    let config = JobConfig { tp: 2, pp: 1, dp: 1, layers: 2, steps: 2, ..JobConfig::default() };
    let job = simulate(&config).unwrap();
    let runs = [Format::Text, Format::Db].map(|form| {
        let directory = tempfile::tempdir().unwrap();
        write_job(&job, form, &Output::new(directory.path()).unwrap(), |_| {}).unwrap();
        run(directory.path(), "export_summary", None, &Options::default()).unwrap()
    });
    assert_eq!(runs[0].written.files.len(), 4);
    for (text, db) in runs[0].written.files.iter().zip(&runs[1].written.files) {
        assert_same(&csv(text), &csv(db), &text.display().to_string());
    }
}
