//! Rows of modes, in ns and by rank, beside the tables that are written of them.

use std::collections::BTreeMap;
use std::path::Path;

use npuscope_analysis::cluster::recipes::{
    all, cluster_compare_baseline, cluster_time_compare_summary, export_summary, mstx2commop,
};
use npuscope_analysis::cluster::{Export, Failure, Job, Options};
use npuscope_formats::output::Output;
use npuscope_store::{OpenOptions, Store};
use npuscope_synth::{Format, JobConfig, Level, simulate, write_job};
use npuscope_tables::Rank;
use npuscope_tables::table::kernel;
use tempfile::TempDir;

use crate::hand_made::{ask, column};

/// A job of two stages, as databases.
fn written(config: JobConfig) -> TempDir {
    let job = simulate(&JobConfig { tp: 1, pp: 2, dp: 2, layers: 2, steps: 2, ..config }).unwrap();
    let directory = tempfile::tempdir().unwrap();
    write_job(&job, Format::Db, &Output::new(directory.path()).unwrap(), |_| {}).unwrap();
    directory
}

fn rows<T>(path: &Path, options: &Options, rows: impl Fn(&Job<'_>) -> Result<T, Failure>) -> T {
    let cache = tempfile::tempdir().unwrap();
    let store = Store::open(path, OpenOptions::new(cache.path())).unwrap();
    rows(&Job::new(&store, None, options)).unwrap()
}

#[test]
fn a_job_beside_itself_differs_in_nothing() {
    let job = written(JobConfig::default());
    let options = Options { baseline: Some(job.path().to_owned()), ..Options::default() };
    let steps = rows(job.path(), &options, cluster_time_compare_summary::rows);
    assert_eq!((steps.steps.len(), steps.lacking.len()), (8, 0));
    assert!(steps.steps.iter().all(|step| step.times == step.baseline && step.times.step.ns() > 0.0));
    let compared = rows(job.path(), &options, cluster_compare_baseline::rows);
    // All steps and each of two, on all ranks and on each of two stages.
    assert_eq!(compared.times.len(), 9);
    assert!(compared.times.iter().all(|row| row.times == row.baseline));
    assert!(!compared.communication.is_empty());
    assert!(compared.communication.iter().all(|row| row.here == row.baseline && row.ratio() == Some(1.0)));
}

#[test]
fn a_job_with_a_slow_rank_is_slower_than_its_baseline() {
    let healthy = written(JobConfig::default());
    let slow = written(JobConfig { faults: vec!["slow-rank@1:1.5".parse().unwrap()], ..JobConfig::default() });
    let options = Options { baseline: Some(healthy.path().to_owned()), ..Options::default() };
    let steps = rows(slow.path(), &options, cluster_time_compare_summary::rows).steps;
    let ratio = |of: Rank| {
        let mut of_rank = steps.iter().filter(|step| step.rank == of);
        let (own, baseline) = of_rank.clone().fold((0.0, 0.0), |(own, baseline), step| {
            (own + step.times.computing.ns(), baseline + step.baseline.computing.ns())
        });
        assert!(of_rank.all(|step| step.times.step.ns() > step.baseline.step.ns()));
        own / baseline
    };
    assert!((ratio(Rank(1)) - 1.5).abs() < 0.05, "{}", ratio(Rank(1)));
    assert!((ratio(Rank(0)) - 1.0).abs() < 0.05, "{}", ratio(Rank(0)));
}

#[test]
fn steps_of_the_built_in_modes_are_in_ns() {
    let job = written(JobConfig::default());
    let report = rows(job.path(), &Options::default(), all::rows);
    let tables: BTreeMap<_, _> = ask(job.path(), "all", &Options::default()).into_iter().collect();
    let table = &tables["ClusterStepTraceTime"];
    assert_eq!(report.steps.len() + report.stages.len(), table.1.len());
    let places = column(table, "type").into_iter().zip(column(table, "index")).zip(column(table, "step"));
    let of_table: BTreeMap<_, _> = places.zip(column(table, "computing")).collect();
    for row in &report.steps {
        let key = (("rank".to_owned(), row.rank.to_string()), row.step.as_ref().unwrap().to_string());
        let us: f64 = of_table[&key].parse().unwrap();
        assert!((row.figures.computing.unwrap().ns() - us * 1e3).abs() < 1e-3, "{row:?}");
        assert_eq!(row.place.unwrap().pp, if row.rank < Rank(2) { 0 } else { 1 });
    }
    assert_eq!(report.groups.len(), tables["CommunicationGroupMapping"].1.len());
    assert!(!report.times.is_empty() && !report.transports.is_empty() && !report.links.is_empty());
    assert_eq!(report.hosts.len(), 4);
}

#[test]
fn kernels_are_by_start_and_calls_by_total() {
    let job = written(JobConfig::default());
    let summaries = rows(job.path(), &Options::default(), export_summary::rows);
    assert_eq!(summaries.len(), 4);
    for (_, summary) in summaries {
        assert!(!summary.calls.is_empty());
        assert!(summary.calls.is_sorted_by_key(|call| std::cmp::Reverse(call.total)));
        assert!(summary.calls.iter().all(|call| call.min as f64 <= call.mean() && call.mean() <= call.max as f64));
        let kernels: Vec<kernel::Row> = summary.kernels.tables.rows().collect();
        let details: Vec<_> = summary.kernels.details(&kernels).collect();
        assert!(!details.is_empty() && details.is_sorted_by_key(|detail| detail.kernel.start));
    }
}

#[test]
fn marked_operations_are_by_rank_and_start() {
    let job = written(JobConfig { level: Level::None, ..JobConfig::default() });
    let options = Options { export: Some(Export::Db), ..Options::default() };
    let ranks = rows(job.path(), &options, mstx2commop::rows);
    assert_eq!(ranks.iter().map(|(rank, _)| *rank).collect::<Vec<_>>(), [0, 1, 2, 3].map(Rank));
    assert!(ranks.iter().all(|(_, ops)| !ops.is_empty() && ops.is_sorted_by_key(|op| op.start)));
    let recorded = rows(written(JobConfig::default()).path(), &options, mstx2commop::rows);
    assert_eq!(recorded, []);
}
