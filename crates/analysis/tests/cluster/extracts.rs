//! The second question is answered from extracts: the same answer, and no file is read.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use npuscope_analysis::cluster::{self, Job, LeftOut, Options};
use npuscope_analysis::diagnose::diagnose;
use npuscope_analysis::layout::layout;
use npuscope_analysis::overview::overview;
use npuscope_formats::output::Output;
use npuscope_formats::result::Cell;
use npuscope_messages::Message;
use npuscope_store::cache::Cache;
use npuscope_store::{OpenOptions, Progress, Store};
use npuscope_synth::{Format, JobConfig, simulate, write_job};
use npuscope_tables::Rank;

/// Modes whose results are as large as the files they read, and so are not kept.
const NOT_KEPT: &[&str] = &["filter_db", "export_summary"];

/// A small job of four ranks with something for every mode to report.
pub fn write(form: Format) -> tempfile::TempDir {
    let sizes = JobConfig { tp: 1, pp: 2, dp: 2, ep: 2, layers: 2, steps: 2, ..JobConfig::default() };
    let faults = ["slow-rank@3:3", "frequency@1:900"].map(|fault| fault.parse().unwrap());
    let config =
        JobConfig { experts: 4, top_k: 2, expert_ffn: 256, mfu_ranges: true, faults: faults.to_vec(), ..sizes };
    let directory = tempfile::tempdir().unwrap();
    write_job(&simulate(&config).unwrap(), form, &Output::new(directory.path()).unwrap(), |_| {}).unwrap();
    directory
}

pub fn job() -> &'static Path {
    static JOB: OnceLock<tempfile::TempDir> = OnceLock::new();
    JOB.get_or_init(|| write(Format::Db)).path()
}

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

/// Opens a profile as a process of its own would, and counts the ranks that `ask` reads the files of.
pub fn counted<T>(path: &Path, cache: Cache, ask: impl FnOnce(&Store) -> T) -> (T, usize) {
    let reads = Arc::new(Reads::default());
    let options = OpenOptions { cache, progress: reads.clone(), threads: 2, ..OpenOptions::without_cache() };
    let answer = ask(&Store::open(path, options).unwrap());
    (answer, reads.0.load(Ordering::Relaxed))
}

/// All that an answer says.
#[derive(Debug, PartialEq)]
struct Said {
    tables: Vec<(String, Vec<Vec<Cell>>)>,
    files: Vec<String>,
    notes: Vec<Message>,
    failure: Option<String>,
    left_out: Vec<LeftOut>,
}

fn ask(path: &Path, cache: Cache, mode: &str, options: &Options) -> (Said, usize) {
    counted(path, cache, |store| {
        let job = Job::new(store, None, options);
        let answer = cluster::run(cluster::find(mode).unwrap(), &job);
        let left_out = job.left_out();
        match answer {
            Err(failure) => {
                let failure = Some(failure.to_string());
                Said { tables: Vec::new(), files: Vec::new(), notes: Vec::new(), failure, left_out }
            }
            Ok(answer) => {
                let rows = |table: &npuscope_formats::result::ResultTable| {
                    let mut rows = Vec::new();
                    table
                        .each_row(|row| {
                            rows.push(row.to_vec());
                            Ok(())
                        })
                        .unwrap();
                    (table.name.clone(), rows)
                };
                Said {
                    tables: answer.tables.iter().map(rows).collect(),
                    files: answer.files.iter().map(|file| file.path.clone()).collect(),
                    notes: answer.notes,
                    failure: None,
                    left_out,
                }
            }
        }
    })
}

/// Cells that are no number equal each other here.
fn assert_same(first: &Said, second: &Said, what: &str) {
    assert_eq!(format!("{first:?}"), format!("{second:?}"), "{what}");
}

#[test]
fn every_mode_gives_the_same_from_extracts_and_reads_no_file() {
    let cache = tempfile::tempdir().unwrap();
    for mode in cluster::modes().iter().filter(|mode| !NOT_KEPT.contains(&mode.name)) {
        for (compat, step) in [(false, None), (false, Some(11)), (true, None), (true, Some(11))] {
            let paths = (Some(job().to_owned()), Some(job().to_owned()));
            let options = Options { compat, step, baseline: paths.0, baseline_profile: paths.1, ..Options::default() };
            let what = format!("{} compat {compat} step {step:?}", mode.name);
            let (uncached, _) = ask(job(), Cache::off(), mode.name, &options);
            let (first, _) = ask(job(), Cache::new(cache.path()), mode.name, &options);
            let (second, reads) = ask(job(), Cache::new(cache.path()), mode.name, &options);
            assert_same(&uncached, &first, &what);
            assert_same(&first, &second, &what);
            assert_eq!(reads, 0, "{what}");
        }
    }
}

#[test]
fn diagnose_and_overview_give_the_same_from_extracts() {
    let cache = tempfile::tempdir().unwrap();
    let cached = || Cache::new(cache.path());
    let (uncached, _) = counted(job(), Cache::off(), |store| diagnose(store, None).unwrap());
    let (first, read) = counted(job(), cached(), |store| diagnose(store, None).unwrap());
    let (second, again) = counted(job(), cached(), |store| diagnose(store, None).unwrap());
    assert_eq!((read, again), (4, 0));
    assert!(!first.findings.is_empty());
    assert_eq!((&uncached, &first), (&first, &second));
    let (first, _) = counted(job(), cached(), |store| layout(store).unwrap());
    let (second, again) = counted(job(), cached(), |store| layout(store).unwrap());
    assert!(first.is_known());
    assert_eq!((&first, 0), (&second, again));
    let (first, _) = counted(job(), cached(), |store| overview(store, None).unwrap());
    let (second, again) = counted(job(), cached(), |store| overview(store, None).unwrap());
    assert_eq!((serde_json::to_string(&first).unwrap(), again), (serde_json::to_string(&second).unwrap(), 0));
}

#[test]
fn options_that_change_an_extract_have_extracts_of_their_own() {
    let cache = tempfile::tempdir().unwrap();
    let reads = |mode: &str, options: &Options| ask(job(), Cache::new(cache.path()), mode, options).1;
    let top = |top| Options { top_num: Some(top), ..Options::default() };
    let (plain, compat) = (Options::default(), Options { compat: true, ..Options::default() });
    let step = |step| Options { step: Some(step), ..Options::default() };
    assert_eq!(reads("free_analysis", &top(3)), 4);
    assert_eq!(reads("free_analysis", &top(4)), 4);
    assert_eq!(reads("free_analysis", &top(3)), 0);
    // How many rows of a ranking are given is decided after the map.
    assert_eq!(reads("hccl_sum", &top(3)), 4);
    assert_eq!(reads("hccl_sum", &top(4)), 0);
    assert_eq!(reads("slow_rank", &plain), 4);
    assert_eq!(reads("slow_rank", &compat), 4);
    assert_eq!(reads("slow_rank", &step(11)), 4);
    assert_eq!(reads("slow_rank", &step(12)), 4);
    assert_eq!([&plain, &compat, &step(11), &step(12)].map(|options| reads("slow_rank", options)), [0; 4]);
}

/// A copy of the job that a test may damage.
pub fn copy_of_job() -> tempfile::TempDir {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
            let target = to.join(entry.file_name());
            match entry.path().is_dir() {
                true => copy(&entry.path(), &target),
                false => drop(fs::copy(entry.path(), target).unwrap()),
            }
        }
    }
    let directory = tempfile::tempdir().unwrap();
    copy(job(), directory.path());
    directory
}

/// The profiler's database of each rank, by place.
pub fn databases(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for path in fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
            match path.file_name().unwrap().to_string_lossy().starts_with("ascend_pytorch_profiler") {
                _ if path.is_dir() => directories.push(path),
                true => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_changed_file_has_a_new_extract_and_a_broken_rank_stays_left_out() {
    let (profile, cache) = (copy_of_job(), tempfile::tempdir().unwrap());
    let cached = || Cache::new(cache.path());
    let (whole, reads) = ask(profile.path(), cached(), "slow_rank", &Options::default());
    assert_eq!((reads, whole.left_out.len()), (4, 0));
    let database = &databases(profile.path())[1];
    let bytes = fs::read(database).unwrap();
    fs::write(database, &bytes[..bytes.len() / 2]).unwrap();
    let (broken, reads) = ask(profile.path(), cached(), "slow_rank", &Options::default());
    assert_eq!(reads, 1, "only the changed rank is read");
    assert!(!broken.left_out.is_empty());
    let (again, reads) = ask(profile.path(), cached(), "slow_rank", &Options::default());
    assert_same(&broken, &again, "a broken rank");
    assert_eq!(reads, 0);
    let step = Options { step: Some(11), ..Options::default() };
    let (first, _) = ask(profile.path(), cached(), "slow_rank", &step);
    let (again, reads) = ask(profile.path(), cached(), "slow_rank", &step);
    assert_same(&first, &again, "a rank without the step");
    assert_eq!(reads, 0);
}

/// The files of extracts.
fn extracts(cache: &Path) -> Vec<PathBuf> {
    let directories = fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let files = directories.flat_map(|directory| fs::read_dir(directory).unwrap().map(|file| file.unwrap().path()));
    let is_extract = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().contains("slow_rank"));
    files.filter(is_extract).collect()
}

#[test]
fn a_damaged_extract_is_made_again() {
    let cache = tempfile::tempdir().unwrap();
    let cached = || Cache::new(cache.path());
    let (first, _) = ask(job(), cached(), "slow_rank", &Options::default());
    let files = extracts(cache.path());
    assert_eq!(files.len(), 4);
    for (index, file) in files.iter().enumerate() {
        let mut bytes = fs::read(file).unwrap();
        let at = bytes.len() * (index + 1) / 6;
        bytes[at] ^= 1 << index;
        fs::write(file, bytes).unwrap();
    }
    let (second, reads) = ask(job(), cached(), "slow_rank", &Options::default());
    assert_same(&first, &second, "damaged extracts");
    assert_eq!(reads, 4);
    assert_eq!(ask(job(), cached(), "slow_rank", &Options::default()).1, 0);
}
