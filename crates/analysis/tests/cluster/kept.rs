//! The second run of a mode writes the files of the first: the same files and words, and no file of a rank is read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use npuscope_analysis::cluster::{self, Export, Job, LeftOut, Options};
use npuscope_formats::output::Output;
use npuscope_messages::Message;
use npuscope_store::cache::Cache;
use npuscope_synth::{Format, JobConfig, simulate, write_job};

use crate::extracts::{copy_of_job, counted, databases, job, write};
use crate::support::database;

/// All that a run says and leaves behind.
#[derive(Clone, Debug, PartialEq)]
struct Run {
    /// Databases as tables, since kept tables of other modes are copied row by row; other files as bytes.
    files: BTreeMap<PathBuf, String>,
    written: String,
    notes: Vec<Message>,
    left_out: Vec<LeftOut>,
    failure: Option<String>,
}

/// Whether the answer was a kept one, and how many ranks were read.
type How = (bool, usize);

fn run_into(output: &Path, path: &Path, cache: &Path, mode: &str, options: &Options) -> (Run, How) {
    let mode = cluster::find(mode).unwrap();
    let ((run, is_kept), reads) = counted(path, Cache::new(cache), |store| {
        let job = Job::new(store, None, options);
        let mut run = Run {
            files: BTreeMap::new(),
            written: String::new(),
            notes: Vec::new(),
            left_out: Vec::new(),
            failure: None,
        };
        let mut is_kept = false;
        match cluster::ask(mode, &job, output) {
            Ok(asked) => {
                is_kept = asked.is_kept();
                run.notes.clone_from(&asked.notes);
                let written = asked.write(mode, &job).unwrap();
                run.written = format!("{written:?}").replace(&output.display().to_string(), "");
            }
            Err(failure) => run.failure = Some(failure.to_string()),
        }
        run.left_out = job.left_out();
        (run, is_kept)
    });
    (Run { files: files(output), ..run }, (is_kept, reads))
}

fn run(path: &Path, cache: &Path, mode: &str, options: &Options) -> (Run, How) {
    run_into(tempfile::tempdir().unwrap().path(), path, cache, mode, options)
}

fn files(root: &Path) -> BTreeMap<PathBuf, String> {
    let (mut found, mut directories) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(directory) = directories.pop() {
        for path in fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let name = path.strip_prefix(root).unwrap().to_owned();
            let content = match path.extension().is_some_and(|ending| ending == "db") {
                true => format!("{:?}", database(&path)),
                // A workbook holds when it was made.
                false if path.extension().is_some_and(|ending| ending == "xlsx") => "workbook".to_owned(),
                false => String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned(),
            };
            found.insert(name, content);
        }
    }
    found
}

/// Every mode writes the same files again, and of nearly all modes it is the kept answer.
fn check_every_mode(path: &Path, export: Option<Export>) {
    let cache = tempfile::tempdir().unwrap();
    let mut kept = 0;
    for mode in cluster::modes() {
        for compat in [false, true] {
            let baseline = Some(job().to_owned());
            let options = Options { compat, export, baseline, ..Options::default() };
            let what = format!("{} compat {compat}", mode.name);
            let (first, (was_kept, _)) = run(path, cache.path(), mode.name, &options);
            let (second, (is_kept, reads)) = run(path, cache.path(), mode.name, &options);
            assert_eq!(first, second, "{what}");
            assert!(!was_kept, "{what}");
            assert!(!is_kept || reads == 0, "{what}");
            kept += usize::from(is_kept);
        }
    }
    assert!(kept > 40, "{kept}");
}

#[test]
fn every_mode_writes_the_same_files_again_of_databases() {
    check_every_mode(job(), None);
}

#[test]
fn every_mode_writes_the_same_text_files_again_of_databases() {
    check_every_mode(job(), Some(Export::Text));
}

#[test]
fn every_mode_writes_the_same_files_again_of_text() {
    check_every_mode(write(Format::Text).path(), None);
}

#[test]
fn a_kept_answer_says_again_what_it_lacks_and_a_changed_file_has_a_new_one() {
    let (profile, cache) = (copy_of_job(), tempfile::tempdir().unwrap());
    let ask = || run(profile.path(), cache.path(), "slow_rank", &Options::default());
    let (whole, how) = ask();
    assert_eq!(how, (false, 4));
    assert_eq!(whole.left_out, []);
    let bytes = fs::read(&databases(profile.path())[1]).unwrap();
    fs::write(&databases(profile.path())[1], &bytes[..bytes.len() / 2]).unwrap();
    let (broken, how) = ask();
    assert_eq!(how, (false, 1));
    assert!(!broken.left_out.is_empty());
    assert_ne!(broken.files, whole.files);
    assert_eq!(ask(), (broken, (true, 0)));
}

#[test]
fn a_changed_option_or_baseline_has_a_new_answer() {
    let (baseline, cache) = (copy_of_job(), tempfile::tempdir().unwrap());
    let ask = |mode, options: &Options| run(job(), cache.path(), mode, options).1.0;
    let top = |top| Options { top_num: Some(top), ..Options::default() };
    assert_eq!([3, 4, 3].map(|number| ask("hccl_sum", &top(number))), [false, false, true]);
    let compared = Options { baseline: Some(baseline.path().to_owned()), ..Options::default() };
    for mode in ["cluster_compare_baseline", "cluster_time_compare_summary"] {
        assert_eq!([(); 2].map(|()| ask(mode, &compared)), [false, true], "{mode}");
    }
    fs::remove_file(&databases(baseline.path())[1]).unwrap();
    assert_eq!([(); 2].map(|()| ask("cluster_compare_baseline", &compared)), [false, true]);
}

#[test]
fn results_of_other_modes_stay_when_a_kept_answer_is_written() {
    let (output, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let ask = |mode: &str| run_into(output.path(), job(), cache.path(), mode, &Options::default());
    let (_, (is_kept, _)) = ask("slow_rank");
    assert!(!is_kept);
    let (both, (is_kept, _)) = ask("hccl_sum");
    assert!(!is_kept);
    for mode in ["hccl_sum", "slow_rank", "hccl_sum"] {
        let (again, how) = ask(mode);
        assert_eq!(how, (true, 0));
        assert_eq!(again.files, both.files, "{mode}");
    }
    // What was kept is this mode's alone.
    let (alone, how) = run(job(), cache.path(), "hccl_sum", &Options::default());
    assert_eq!(how, (true, 0));
    assert!(alone.files.values().all(|tables| !tables.contains("SlowRank")), "{:?}", alone.files.keys());
}

#[test]
fn a_damaged_kept_answer_is_made_again() {
    let cache = tempfile::tempdir().unwrap();
    let ask = || run(job(), cache.path(), "slow_rank", &Options::default());
    let (first, _) = ask();
    let directories = fs::read_dir(cache.path()).unwrap().map(|entry| entry.unwrap().path());
    let files = directories.filter(|path| path.is_dir()).flat_map(|directory| fs::read_dir(directory).unwrap());
    let is_answer = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("outputslow_rank");
    let answers: Vec<PathBuf> = files.map(|file| file.unwrap().path()).filter(is_answer).collect();
    let [answer] = &answers[..] else { panic!("{answers:?}") };
    let mut bytes = fs::read(answer).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(answer, bytes).unwrap();
    assert_eq!(ask(), (first, (false, 0)));
    assert_eq!(ask().1, (true, 0));
}

#[test]
fn a_kept_answer_without_rows_writes_nothing_and_removes_older_rows() {
    let healthy = tempfile::tempdir().unwrap();
    let config = JobConfig { tp: 1, pp: 1, dp: 2, layers: 2, steps: 2, ..JobConfig::default() };
    write_job(&simulate(&config).unwrap(), Format::Db, &Output::new(healthy.path()).unwrap(), |_| {}).unwrap();
    for export in [Export::Db, Export::Text] {
        let (cache, output) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let options = Options { export: Some(export), ..Options::default() };
        for is_kept in [false, true] {
            let (none, how) = run(healthy.path(), cache.path(), "slow_rank", &options);
            assert_eq!((none.failure, none.files, how.0), (None, BTreeMap::new(), is_kept));
        }
        let ask = |path: &Path, mode: &str| run_into(output.path(), path, cache.path(), mode, &options);
        let (before, _) = ask(healthy.path(), "hccl_sum");
        let (slow, _) = ask(job(), "slow_rank");
        assert_ne!(slow.files, before.files);
        let (after, how) = ask(healthy.path(), "slow_rank");
        assert_eq!(how, (true, 0));
        assert_eq!(after.files, before.files);
    }
}

#[test]
fn copies_that_are_unchanged_are_left_alone_and_others_are_made_again() {
    let (profile, cache, output) = (copy_of_job(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let ask = || run_into(output.path(), profile.path(), cache.path(), "p2p_pairing", &Options::default());
    let (first, how) = ask();
    assert_eq!(how, (false, 4));
    let copies = || databases(&output.path().join("cluster_analysis_output/P2PPairing"));
    assert_eq!(copies().len(), 4);
    let times = || -> Vec<_> { copies().iter().map(|copy| fs::metadata(copy).unwrap().modified().unwrap()).collect() };
    let written = times();
    assert_eq!(ask(), (first.clone(), (true, 0)));
    assert_eq!(times(), written);

    // A viewer adds a table to one.
    rusqlite::Connection::open(&copies()[1]).unwrap().execute_batch("CREATE TABLE added (a)").unwrap();
    assert_eq!(ask(), (first.clone(), (false, 0)));
    assert_eq!(ask().1, (true, 0));
    fs::remove_file(&copies()[2]).unwrap();
    assert_eq!(ask(), (first.clone(), (false, 0)));
    // Equal bytes that somebody else wrote are not trusted.
    let bytes = fs::read(&copies()[0]).unwrap();
    fs::write(&copies()[0], bytes).unwrap();
    assert_eq!(ask(), (first.clone(), (false, 0)));

    // Another place has copies of its own.
    let other = tempfile::tempdir().unwrap();
    let elsewhere = || run_into(other.path(), profile.path(), cache.path(), "p2p_pairing", &Options::default());
    assert_eq!(elsewhere(), (first.clone(), (false, 0)));
    assert_eq!(elsewhere(), (first.clone(), (true, 0)));
    let changed = fs::read(&databases(profile.path())[1]).unwrap();
    fs::write(&databases(profile.path())[1], changed).unwrap();
    assert_eq!(elsewhere(), (first, (false, 1)));
}

#[test]
fn files_that_are_unchanged_are_left_alone_and_others_are_written_again() {
    for (export, file) in [(Export::Db, "cluster_analysis.db"), (Export::Text, "HcclSum/all_stats.csv")] {
        let (cache, output) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let options = Options { export: Some(export), ..Options::default() };
        let ask = || run_into(output.path(), job(), cache.path(), "hccl_sum", &options);
        let (first, _) = ask();
        let file = output.path().join("cluster_analysis_output").join(file);
        let inode = || std::os::unix::fs::MetadataExt::ino(&fs::metadata(&file).unwrap());
        let written = inode();
        assert_eq!(ask(), (first.clone(), (true, 0)));
        assert_eq!(inode(), written, "{}", file.display());

        let mut changed = fs::read(&file).unwrap();
        changed.push(b'x');
        fs::write(&file, changed).unwrap();
        assert_eq!(ask(), (first.clone(), (true, 0)));
        let again = inode();
        assert_ne!(again, written, "{}", file.display());
        assert_eq!(ask().1, (true, 0));
        assert_eq!(inode(), again, "{}", file.display());
        fs::remove_file(&file).unwrap();
        assert_eq!(ask(), (first, (true, 0)));
    }
}

#[test]
fn a_mode_writes_its_tables_again_only_after_another_has_written_to_their_database() {
    let (cache, output) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = Options { export: Some(Export::Db), ..Options::default() };
    let file = output.path().join("cluster_analysis_output/cluster_analysis.db");
    let mut last = None;
    let mut has_written = |mode: &str| {
        run_into(output.path(), job(), cache.path(), mode, &options);
        let inode = std::os::unix::fs::MetadataExt::ino(&fs::metadata(&file).unwrap());
        last.replace(inode) != Some(inode)
    };
    let modes = ["hccl_sum", "slow_rank", "hccl_sum", "hccl_sum", "slow_rank", "slow_rank"];
    assert_eq!(modes.map(&mut has_written), [true, true, true, false, true, false]);
}

#[test]
fn two_directories_of_results_are_left_alone_each() {
    let (cache, first, second) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = Options { export: Some(Export::Text), ..Options::default() };
    let inode = |output: &Path| {
        run_into(output, job(), cache.path(), "hccl_sum", &options);
        let file = output.join("cluster_analysis_output/HcclSum/all_stats.csv");
        std::os::unix::fs::MetadataExt::ino(&fs::metadata(file).unwrap())
    };
    let written = [inode(first.path()), inode(second.path())];
    assert_eq!([inode(first.path()), inode(second.path())], written);
}
