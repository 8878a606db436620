//! A rank has one memory peak, wherever it is shown.

use std::path::Path;

use npuscope_analysis::memory;
use npuscope_analysis::overview::overview;
use npuscope_analysis::scope::Scope;
use npuscope_formats::output::Output;
use npuscope_formats::source::RankSource;
use npuscope_measures::memory::{Peak, peak};
use npuscope_store::{OpenOptions, Store};
use npuscope_synth::{Format, JobConfig, simulate, write_job};
use npuscope_tables::Rank;
use npuscope_testing::shared;

/// The memory peak of each rank, once `info` and the page of holders were found to show the same.
fn peaks(profile: &Path) -> Vec<(Rank, Peak)> {
    let cache = tempfile::tempdir().unwrap();
    let store = Store::open(profile, OpenOptions::new(cache.path())).unwrap();
    let sources: Vec<&RankSource> = store.profile().ranks.iter().collect();
    let tables = |source: &RankSource| store.load(source).unwrap().tables().unwrap();
    let expected: Vec<(Rank, Peak)> =
        sources.iter().map(|source| (source.rank, peak(&tables(source)).unwrap())).collect();
    let info = overview(&store, None).unwrap().ranks;
    let of_info: Vec<(Rank, Option<i64>)> = info.iter().map(|rank| (rank.rank, rank.memory_peak)).collect();
    assert_eq!(of_info, expected.iter().map(|(rank, peak)| (*rank, Some(peak.bytes))).collect::<Vec<_>>());
    let holders = memory::ask(&store, &sources, &Scope::default(), None).unwrap();
    for (rank, peak) in &expected {
        let of_rank = || holders.iter().filter(|(holder, _)| holder == rank).map(|(_, holder)| holder);
        assert!(of_rank().all(|holder| (holder.time, holder.total) == (peak.time, peak.bytes)), "rank {rank}");
        assert_eq!(of_rank().map(|holder| holder.bytes).sum::<i64>(), peak.bytes, "rank {rank}");
    }
    expected
}

#[test]
fn a_simulated_job_has_one_memory_peak_on_each_rank() {
    let config = JobConfig { tp: 1, pp: 2, dp: 1, layers: 2, steps: 2, ..JobConfig::default() };
    let job = simulate(&config).unwrap();
    let [text, databases] = [Format::Text, Format::Db].map(|form| {
        let directory = tempfile::tempdir().unwrap();
        write_job(&job, form, &Output::new(directory.path()).unwrap(), |_| {}).unwrap();
        peaks(directory.path())
    });
    assert_eq!(text.len(), 2);
    assert_eq!(text, databases);
}

/// Its samples are higher, 4599.9 MB of another allocator: they are no peak.
#[test]
fn an_older_capture_has_one_memory_peak_on_each_rank() {
    let Some(path) = shared("data/npu/older") else { return };
    let megabytes: Vec<f64> = peaks(&path).iter().map(|(_, peak)| peak.bytes as f64 / f64::from(1 << 20)).collect();
    assert_eq!(megabytes, [80.125, 3273.61962890625]);
}
