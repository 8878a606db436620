//! Analyses behind pages: the second question reads extracts, and neither files nor columns.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use npuscope_analysis::occupancy::{self, Buckets};
use npuscope_analysis::scope::Scope;
use npuscope_analysis::{dispatch, layout, meetings, memory, pipeline, rl_stages, steps, time_split};
use npuscope_formats::output::Output;
use npuscope_formats::source::RankSource;
use npuscope_measures::intervals::Interval;
use npuscope_store::{OpenOptions, Progress, Store};
use npuscope_synth::{Format, JobConfig, Workload, simulate, write_job};
use npuscope_tables::Rank;

/// Counts ranks whose files are read.
#[derive(Default)]
struct Reads(AtomicUsize);

impl Progress for Reads {
    fn start(&self, _: Rank, _: u64) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
    fn advance(&self, _: Rank, _: u64) {}
    fn finish(&self, _: Rank) {}
}

fn job(profile: &Path, form: Format) {
    let workload = Workload::ReinforcementLearning;
    let config = JobConfig { tp: 1, pp: 2, dp: 2, layers: 2, steps: 2, workload, ..JobConfig::default() };
    write_job(&simulate(&config).unwrap(), form, &Output::new(profile).unwrap(), |_| {}).unwrap();
}

/// Everything pages ask, as text, for all steps and for one; the files that were read for it; what could not be read.
fn ask_all(profile: &Path, cache: &Path) -> (Vec<String>, usize, u64) {
    let reads = Arc::new(Reads::default());
    let store = Store::open(profile, OpenOptions { progress: reads.clone(), ..OpenOptions::new(cache) }).unwrap();
    let sources: Vec<&RankSource> = store.profile().ranks.iter().collect();
    let all = steps::ask(&store, &sources, &Scope::default()).unwrap().unwrap();
    let first = all.first().and_then(|(_, step)| step.id);
    let operations = meetings::operations(&store, &sources).unwrap();
    let (name, start) = operations[0].list.first().map(|first| (first.name(), first.start)).unwrap();
    let mut answers = vec![
        format!("{all:?}"),
        format!("{operations:?}"),
        format!("{:?}", meetings::reported_times(&store, sources[0], name, start).unwrap()),
        format!("{:?}", layout::declared_groups(&store, &sources).unwrap()),
        format!("{:?}", steps::numbers_of_job(&store).unwrap().contains(&first.unwrap())),
    ];
    for step in [None, first] {
        let scope = Scope { step, ..Scope::default() };
        let (_, busy) = all.iter().find(|(_, of_rank)| step.is_none() || of_rank.id == step).unwrap();
        let buckets = Buckets { span: Interval::new(busy.span.start, busy.span.end), count: 8 };
        answers.extend([
            format!("{:?}", time_split::ask(&store, &sources, &scope).unwrap().unwrap()),
            format!("{:?}", dispatch::ask(&store, &sources, &scope, 5).unwrap()),
            format!("{:?}", memory::ask(&store, &sources, &scope, None).unwrap()),
            format!("{:?}", pipeline::ask(&store, &sources, &scope).unwrap()),
            format!("{:?}", rl_stages::ask(&store, &sources, &scope).unwrap().unwrap()),
            format!("{:?}", occupancy::ask(&store, &sources, buckets, true).unwrap()),
        ]);
    }
    let losses = store.loader().met().unwrap().losses;
    (answers, reads.0.load(Ordering::Relaxed), losses)
}

#[test]
fn the_second_question_reads_no_files() {
    for form in [Format::Text, Format::Db] {
        let directory = tempfile::tempdir().unwrap();
        let (profile, cache) = (directory.path().join("profile"), directory.path().join("cache"));
        job(&profile, form);
        let (answers, reads, _) = ask_all(&profile, &cache);
        assert!(reads > 0);
        assert_eq!(ask_all(&profile, &cache), (answers, 0, 0));
    }
}

#[test]
fn what_was_lost_is_known_when_an_extract_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let (profile, cache) = (directory.path().join("profile"), directory.path().join("cache"));
    job(&profile, Format::Text);
    let store = Store::open(&profile, OpenOptions::without_cache()).unwrap();
    let rank = &store.profile().ranks[0].first;
    let trace = rank.path(rank.files.iter().find(|file| file.name.ends_with("trace_view.json")).unwrap());
    let bytes = std::fs::read(&trace).unwrap();
    std::fs::write(&trace, &bytes[..bytes.len() * 9 / 10]).unwrap();
    let (answers, reads, losses) = ask_all(&profile, &cache);
    assert!(reads > 0 && losses > 0);
    assert_eq!(ask_all(&profile, &cache), (answers, 0, losses));
}
