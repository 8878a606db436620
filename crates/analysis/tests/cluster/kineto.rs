//! Modes that compare the ranks of an operation say the same of a Kineto trace, where all operations of a kind share
//! one name, as of databases.

use std::path::Path;

use npuscope_analysis::cluster::Options;
use npuscope_formats::output::Output;
use npuscope_synth::{Format, JobConfig, simulate, write_job};

use crate::support::{Rows, Value, assert_same, database, run};

fn written(config: &JobConfig, form: Format) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    write_job(&simulate(config).unwrap(), form, &Output::new(directory.path()).unwrap(), |_| {}).unwrap();
    directory
}

/// A table of a mode's answer, without columns that name things as the form does or that Kineto does not record.
fn table(path: &Path, mode: &str, table: &str, without: &[&str]) -> Rows {
    let run = run(path, mode, None, &Options::default()).unwrap_or_else(|failure| panic!("{mode}: {failure}"));
    let (header, rows) = database(run.written.database.as_deref().unwrap()).remove(table).unwrap();
    let kept: Vec<usize> = (0..header.len()).filter(|place| !without.contains(&header[*place].as_str())).collect();
    let mut rows: Vec<Vec<Value>> =
        rows.iter().map(|row| kept.iter().map(|place| row[*place].clone()).collect()).collect();
    rows.sort_by(|a, b| a.partial_cmp(b).unwrap());
    (kept.iter().map(|place| header[*place].clone()).collect(), rows)
}

#[test]
fn slow_ranks_and_waits_are_those_of_databases() {
    let faults = vec!["slow-rank@3:3".parse().unwrap()];
    let config = JobConfig { tp: 2, pp: 2, dp: 2, layers: 2, steps: 2, faults, ..JobConfig::default() };
    let (db, kineto) = (written(&config, Format::Db), written(&config, Format::Kineto));
    for (mode, name, without) in [
        ("slow_rank", "SlowRank", &[][..]),
        ("slow_rank", "SlowOpStats", &["OpName", "GroupName"][..]),
        ("cluster_time_summary", "ClusterTimeSummary", &["memory", "memoryNotOverlapComputationCommunication"][..]),
    ] {
        let [db, kineto] = [&db, &kineto].map(|directory| table(directory.path(), mode, name, without));
        assert!(!db.1.is_empty(), "{mode} {name}");
        assert_same(&kineto, &db, &format!("{mode} {name}"));
    }
}

#[test]
fn collectives_of_which_ranks_are_missing_are_not_counted_though_no_file_says_the_size_of_the_group() {
    let config = JobConfig { tp: 4, pp: 1, dp: 1, layers: 1, steps: 1, ..JobConfig::default() };
    let text = written(&config, Format::Text);
    let mut ranks = npuscope_testing::entries(text.path());
    ranks.retain(|path| path.is_dir());
    for rank in &ranks {
        let _ = std::fs::remove_file(rank.join("profiler_metadata.json"));
    }
    let transmit = || {
        let (header, rows) = table(text.path(), "cluster_time_summary", "ClusterTimeSummary", &[]);
        let place = header.iter().position(|name| name == "communicationTransmitStageTime").unwrap();
        rows.into_iter().map(|row| row[place].clone()).collect::<Vec<_>>()
    };
    assert!(transmit().iter().all(|time| *time > Value::Number(0.0)), "{:?}", transmit());
    ranks.iter().skip(2).for_each(|rank| std::fs::remove_dir_all(rank).unwrap());
    assert_eq!(transmit(), vec![Value::Number(0.0); 2]);
}
