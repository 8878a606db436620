//! Seeing changes of the file.

use std::fs::{self, File, FileTimes};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use npuscope_collect::dynamic::{DynamicDialect, MAX_SIZE, Request, Start, Watch, config_file, write_default};
use tempfile::TempDir;

use crate::{mindspore, torch_npu};

const INTERVAL: Duration = Duration::from_millis(10);

/// How long what must come may take on a busy machine.
const A_WHILE: Duration = Duration::from_secs(60);

struct Place {
    _directory: TempDir,
    file: PathBuf,
}

impl Place {
    fn empty() -> Place {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("profiler_config.json");
        Place { _directory: directory, file }
    }

    fn with(text: &str) -> Place {
        let place = Place::empty();
        fs::write(&place.file, text).unwrap();
        place
    }

    fn watch(&self) -> Watch {
        Watch::start(&self.file, INTERVAL)
    }
}

/// What comes within a while.
fn awaited(watch: &mut Watch) -> Option<Request> {
    within(A_WHILE, || watch.newest())
}

/// What comes where nothing should.
fn unexpected(watch: &mut Watch) -> Option<Request> {
    within(Duration::from_millis(150), || watch.newest())
}

fn within<T>(time: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let until = Instant::now() + time;
    loop {
        let found = look();
        if found.is_some() || Instant::now() > until {
            return found;
        }
        std::thread::sleep(Duration::from_millis(3));
    }
}

fn set_time(file: &Path, time: SystemTime) {
    File::options().write(true).open(file).unwrap().set_times(FileTimes::new().set_modified(time)).unwrap();
}

#[test]
fn every_change_is_given_once() {
    let place = Place::with(&mindspore(8, 10));
    let mut watch = place.watch();
    let first = watch.newest().unwrap();
    assert_eq!((first.dialect, first.start, first.active), (DynamicDialect::MindSpore, Start::At(8), 3));
    assert_eq!(unexpected(&mut watch), None);
    fs::write(&place.file, torch_npu(5, 1, 2)).unwrap();
    let second = awaited(&mut watch).unwrap();
    assert_eq!(
        (second.dialect, second.start, second.text),
        (DynamicDialect::TorchNpu, Start::At(5), torch_npu(5, 1, 2))
    );
    assert_ne!(first.fingerprint, second.fingerprint);
    assert_eq!(unexpected(&mut watch), None);
}

#[test]
fn what_was_there_before_is_taken_unless_it_says_the_next_step() {
    let next = r#"{"start_step": "next", "stop_step": 1}"#.to_owned();
    for (text, is_taken) in
        [(mindspore(8, 10), true), (torch_npu(8, 0, 1), true), (torch_npu(-1, 0, 1), false), (next, false)]
    {
        let place = Place::with(&text);
        let mut watch = place.watch();
        assert_eq!(watch.newest().is_some(), is_taken, "{text}");
        assert_eq!(unexpected(&mut watch), None, "{text}");
        let error = watch.error().map(|error| error.to_string());
        assert_eq!(error.is_none(), is_taken, "{text}: {error:?}");
        assert!(error.is_none_or(|error| error.ends_with("but was written before this job began")), "{text}");
        assert_eq!(watch.error(), None, "reported once");
        // Touched while the job runs, it counts.
        set_time(&place.file, SystemTime::now() + Duration::from_secs(5));
        assert!(awaited(&mut watch).is_some(), "{text}");
    }
}

#[test]
fn a_file_that_is_half_written_is_waited_for() {
    let place = Place::with(&mindspore(8, 10));
    let mut watch = place.watch();
    watch.newest().unwrap();
    let text = mindspore(20, 21);
    fs::write(&place.file, &text[..text.len() / 2]).unwrap();
    assert_eq!(unexpected(&mut watch), None);
    fs::write(&place.file, &text).unwrap();
    assert_eq!(awaited(&mut watch).unwrap().text, text);
}

#[test]
fn an_error_is_reported_once_and_only_if_it_lasts() {
    let place = Place::with("{ malformed");
    let mut watch = Watch::start(&place.file, Duration::from_millis(50));
    assert_eq!(watch.error(), None, "not at the first look");
    let error = within(A_WHILE, || watch.error()).unwrap().to_string();
    assert!(error.contains("profiler_config.json: invalid JSON: "), "{error}");
    assert_eq!(within(Duration::from_millis(300), || watch.error()), None, "reported again");
    fs::write(&place.file, mindspore(1, 2)).unwrap();
    assert!(awaited(&mut watch).is_some());
    fs::write(&place.file, "[]").unwrap();
    let error = within(A_WHILE, || watch.error()).unwrap().to_string();
    assert!(error.contains("not a JSON object"), "{error}");
}

#[test]
fn a_file_put_in_the_place_of_another_is_seen_though_time_and_size_are_the_same() {
    let place = Place::with(&mindspore(1, 2));
    let long_ago = SystemTime::now() - Duration::from_secs(1000);
    set_time(&place.file, long_ago);
    let mut watch = place.watch();
    watch.newest().unwrap();
    let other = place.file.with_extension("new");
    fs::write(&other, mindspore(3, 4)).unwrap();
    set_time(&other, long_ago);
    fs::rename(&other, &place.file).unwrap();
    assert_eq!(awaited(&mut watch).unwrap().start, Start::At(3));
}

#[test]
fn two_edits_within_one_tick_of_a_coarse_clock_are_both_seen() {
    let place = Place::with(&mindspore(1, 1));
    // Written over, as some editors do: the same inode, size and time.
    for time in [SystemTime::now(), SystemTime::now() - Duration::from_secs(1000)] {
        set_time(&place.file, time);
        let mut watch = place.watch();
        watch.newest().unwrap();
        for step in [3, 5] {
            fs::write(&place.file, mindspore(step, step)).unwrap();
            set_time(&place.file, time);
            assert_eq!(awaited(&mut watch).unwrap().start, Start::At(step as u64));
        }
    }
}

#[test]
fn a_file_that_is_gone_and_back_is_seen() {
    let place = Place::with(&mindspore(1, 2));
    let mut watch = place.watch();
    watch.newest().unwrap();
    fs::remove_file(&place.file).unwrap();
    let error = within(A_WHILE, || watch.error()).unwrap().to_string();
    assert!(error.contains("profiler_config.json"), "{error}");
    fs::write(&place.file, mindspore(3, 4)).unwrap();
    assert_eq!(awaited(&mut watch).unwrap().start, Start::At(3));
}

#[test]
fn a_directory_means_the_file_in_it_even_before_it_is_there() {
    let place = Place::empty();
    let directory = place.file.parent().unwrap();
    let mut watch = Watch::start(directory, INTERVAL);
    assert_eq!(watch.path(), place.file);
    assert_eq!(watch.newest(), None);
    assert!(write_default(directory, DynamicDialect::MindSpore).unwrap());
    let default = awaited(&mut watch).unwrap();
    assert_eq!((default.dialect, default.start), (DynamicDialect::MindSpore, Start::Never));
    assert!(!write_default(directory, DynamicDialect::TorchNpu).unwrap(), "what is there stays");
    assert_eq!(fs::read_to_string(&place.file).unwrap(), default.text);
    assert_eq!(config_file(&directory.join("other.json")), directory.join("other.json"));
}

#[test]
fn defaults_record_nothing_and_need_no_repair() {
    for dialect in [DynamicDialect::TorchNpu, DynamicDialect::MindSpore] {
        let place = Place::empty();
        write_default(&place.file, dialect).unwrap();
        let request = Request::read(&fs::read_to_string(&place.file).unwrap()).unwrap();
        assert_eq!((request.dialect, request.start, request.diagnostics), (dialect, Start::Never, vec![]));
    }
}

#[test]
fn what_is_too_large_or_no_file_is_refused() {
    let place = Place::with(&mindspore(1, 2));
    let mut watch = place.watch();
    watch.newest().unwrap();
    let padding = " ".repeat(2 * MAX_SIZE as usize);
    fs::write(&place.file, format!("{}{padding}", mindspore(3, 4))).unwrap();
    let error = within(A_WHILE, || watch.error()).unwrap().to_string();
    assert!(
        error.ends_with("profiler_config.json: larger than 1 MiB, the limit of torch_npu and MindSpore"),
        "{error}"
    );
    assert_eq!(watch.newest(), None);
    // A pipe nobody writes to must not hold up whoever starts, or the thread.
    let pipe = Place::empty();
    let name = std::ffi::CString::new(pipe.file.to_str().unwrap()).unwrap();
    // SAFETY: a string that ends with zero.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    let mut watch = pipe.watch();
    let error = within(A_WHILE, || watch.error()).unwrap().to_string();
    assert!(error.ends_with("profiler_config.json: not a regular file"), "{error}");
}

/// Threads of this process that watch.
fn watching_threads() -> usize {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let name = |task: fs::DirEntry| fs::read_to_string(task.path().join("comm")).unwrap_or_default();
    tasks.filter_map(Result::ok).map(name).filter(|n| n.trim() == "npuscope-watch").count()
}

#[cfg(target_os = "linux")]
#[test]
fn the_thread_ends_when_the_watch_is_dropped_and_a_fork_has_its_own() {
    // In a process of its own, where no other test has threads.
    in_child(|| {
        let place = Place::with(&mindspore(1, 2));
        let mut watch = Watch::start(&place.file, INTERVAL);
        let first = watch.newest().is_some();
        let one = within(A_WHILE, || (watching_threads() == 1).then_some(())).is_some();
        let forked = in_child(|| {
            let none = watching_threads() == 0;
            let nothing_twice = watch.newest().is_none() && unexpected(&mut watch).is_none();
            let again = within(A_WHILE, || (watching_threads() == 1).then_some(())).is_some();
            fs::write(&place.file, mindspore(3, 4)).unwrap();
            none && nothing_twice && again && awaited(&mut watch).is_some()
        });
        let parent_sees_it_too = awaited(&mut watch).is_some();
        drop(watch);
        let ended = within(A_WHILE, || (watching_threads() == 0).then_some(())).is_some();
        first && one && forked && parent_sees_it_too && ended
    })
    .then_some(())
    .expect("the child says no");
}

/// Runs something in a forked process and returns whether it holds there.
fn in_child(check: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child runs the check and ends at once; glibc makes allocation safe after a fork.
    match unsafe { libc::fork() } {
        0 => {
            let holds = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).unwrap_or(false);
            // SAFETY: ends this process without running what belongs to the parent.
            unsafe { libc::_exit(i32::from(!holds)) }
        }
        child => {
            let mut status = 0;
            // SAFETY: waits for the child just made.
            unsafe { libc::waitpid(child, &raw mut status, 0) };
            libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
        }
    }
}
