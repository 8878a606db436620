//! What is recorded is in the files, byte for byte as they are laid out, and readers find it there.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use npuscope_collect::recorder::{self, Memory, Name, Op, Options, Recorder, Tag};
use npuscope_formats::framework::events::Event;
use npuscope_formats::framework::records::{GcRecord, Hash, MemoryUsage, OpRange, PythonCall};
use npuscope_formats::framework::tlv::{Record, Records};
use npuscope_messages::Language;

/// A process has one recording at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn bytes(directory: &Path, name: &str) -> Vec<u8> {
    fs::read(directory.join("FRAMEWORK").join(name)).unwrap_or_default()
}

fn records<'a, T: Record<'a>>(bytes: &'a [u8]) -> Vec<T> {
    let mut records = Records::new(bytes);
    let all = records.by_ref().collect();
    assert_eq!(records.lost(), None);
    assert_eq!(records.skipped(), 0);
    all
}

fn an_op(name: Name, start: i64, end: i64) -> Op {
    let none = Name::NONE;
    Op { start, end, name, scope: 0, sequence: -1, forward_tid: 0, shapes: none, dtypes: none, stack: none }
}

fn little_endian(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

fn pid() -> [u8; 8] {
    u64::from(std::process::id()).to_le_bytes()
}

fn tid() -> [u8; 8] {
    // SAFETY: no precondition.
    (unsafe { libc::syscall(libc::SYS_gettid) } as u64).to_le_bytes()
}

fn text(kind: u16, text: &str) -> Vec<u8> {
    little_endian(&[&kind.to_le_bytes(), &(text.len() as u32).to_le_bytes(), text.as_bytes()])
}

#[test]
fn operators_are_laid_out_as_torch_npu_lays_them_out() {
    let (_alone, place) = (alone(), tempfile::tempdir().unwrap());
    let recorder = Recorder::start(Options::new(place.path().join("a_ascend_pt"))).unwrap();
    let op = Op {
        scope: 1,
        sequence: 17,
        forward_tid: 42,
        shapes: recorder::name("2,3;4;;"),
        dtypes: recorder::name("float;int;None;Scalar"),
        stack: recorder::name("train.py(3): step;train.py(9): main"),
        ..an_op(recorder::name("aten::add"), 1000, 2500)
    };
    recorder::op(&op);
    let directory = recorder.directory().to_owned();
    assert_eq!(recorder.stop().records, 1);

    let fixed = little_endian(&[
        &1000i64.to_le_bytes(),
        &2500i64.to_le_bytes(),
        &17i64.to_le_bytes(),
        &pid(),
        &tid(),
        &tid(),
        &42u64.to_le_bytes(),
        &[1, 0],
    ]);
    assert_eq!(fixed.len(), 58);
    let value = little_endian(&[
        &fixed,
        &text(2, "aten::add"),
        &text(3, "float;int;None;Scalar"),
        &text(4, "2,3;4;;"),
        &text(8, "train.py(3): step;train.py(9): main"),
    ]);
    let expected = little_endian(&[&1u16.to_le_bytes(), &(value.len() as u32).to_le_bytes(), &value]);
    assert_eq!(bytes(&directory, "torch.op_range"), expected);
    assert_eq!(records::<OpRange>(&expected)[0].name, "aten::add");
}

#[test]
fn allocations_are_laid_out_as_torch_npu_lays_them_out() {
    let (_alone, place) = (alone(), tempfile::tempdir().unwrap());
    let recorder = Recorder::start(Options::new(place.path().join("a_ascend_pt"))).unwrap();
    let release = Memory {
        time: 5,
        address: 0x7f00,
        size: -512,
        total_allocated: 10,
        total_reserved: 20,
        total_active: 30,
        stream: -1,
        device_type: 20,
        device_index: 3,
    };
    recorder::memory(&release);
    let directory = recorder.directory().to_owned();
    recorder.stop();
    let numbers: Vec<u8> =
        [0x7f00i64, 5, -512, 10, 20, 30, -1].iter().flat_map(|number| number.to_le_bytes()).collect();
    let fixed = little_endian(&[&numbers, &[20, 3, 0, 1, 0], &tid(), &pid()]);
    assert_eq!(fixed.len(), 77);
    let expected = little_endian(&[&3u16.to_le_bytes(), &77u32.to_le_bytes(), &fixed]);
    assert_eq!(bytes(&directory, "torch.memory_usage"), expected);
    assert_eq!(records::<MemoryUsage>(&expected)[0].alloc_size, -512);
}

#[test]
fn collections_and_calls_are_laid_out_as_torch_npu_lays_them_out() {
    let (_alone, place) = (alone(), tempfile::tempdir().unwrap());
    let recorder = Recorder::start(Options::new(place.path().join("a_ascend_pt"))).unwrap();
    recorder::collection(7, 9);
    let function = recorder::name("train.py(3): step");
    recorder::call(function, Tag::PythonCall);
    recorder::call(function, Tag::PythonReturn);
    recorder::call(function, Tag::NativeCall);
    recorder::call(function, Tag::NativeReturn);
    let directory = recorder.directory().to_owned();
    assert_eq!(recorder.stop().records, 5);

    let collections = bytes(&directory, "torch.gc_record");
    assert_eq!(collections, little_endian(&[&pid(), &7u64.to_le_bytes(), &9u64.to_le_bytes()]));
    assert_eq!(records::<GcRecord>(&collections).len(), 1);

    let functions = bytes(&directory, "torch.python_tracer_hash");
    let functions: Vec<Hash> = records(&functions);
    let key = |text: &str| functions.iter().find(|hash| hash.text == text).map(|hash| hash.key).unwrap();
    let (step, exit) = (key("train.py(3): step"), key("__torch_npu_profiler_python_tracer_exit"));
    let calls = bytes(&directory, "torch.python_tracer_func");
    assert_eq!(calls.len(), 4 * 33);
    let recorded: Vec<(u64, u8)> = records::<PythonCall>(&calls).iter().map(|call| (call.hash, call.tag)).collect();
    assert_eq!(recorded, [(step, 0), (exit, 1), (step, 2), (exit, 3)]);
    assert_eq!(calls[8..24], little_endian(&[&tid(), &pid()]));
}

#[test]
fn ranges_marks_and_counters_come_back() {
    let (_alone, place) = (alone(), tempfile::tempdir().unwrap());
    let mut options = Options::new(place.path().join("a_ascend_pt"));
    options.domain_exclude = vec!["noise".to_owned()];
    let recorder = Recorder::start(options).unwrap();
    let before = recorder::now();
    let stage = recorder::domain("stage").unwrap();
    assert_eq!(recorder::domain("default"), Some(Name::NONE));
    assert_eq!(recorder::domain("noise"), None);
    let outer = recorder::range_start(recorder::name("actor_update"), stage);
    let inner = recorder::range_start(recorder::name("forward"), Name::NONE);
    recorder::mark(recorder::name("here"), Name::NONE);
    recorder::counter(recorder::name("loss"), 0.25);
    recorder::range_end(inner);
    // Ranges may end on another thread.
    std::thread::spawn(move || recorder::range_end(outer)).join().unwrap();
    let open = recorder::range_start(recorder::name("left open"), Name::NONE);
    assert!(outer != inner && inner != open && open != 0);
    let directory = recorder.directory().to_owned();
    let summary = recorder.stop();
    let after = recorder::now();
    assert_eq!((summary.records, summary.dropped, summary.open_ranges), (5, 0, 1));

    let file = bytes(&directory, "npuscope.events");
    let mut events_seen = Vec::new();
    for event in records::<Event>(&file) {
        events_seen.push(match event {
            Event::Range(range) => {
                assert!(before <= range.start && range.start <= range.end && range.end <= after);
                assert_eq!(range.start_tid != range.end_tid, range.message == "actor_update");
                format!("{} in {:?}", range.message, range.domain)
            }
            Event::Mark(mark) => format!("{} in {:?}", mark.message, mark.domain),
            Event::Counter(counter) => format!("{} {}", counter.name, counter.value),
        });
    }
    events_seen.sort();
    assert_eq!(
        events_seen,
        ["actor_update in Some(\"stage\")", "forward in None", "here in None", "left open in None", "loss 0.25"]
    );
}

#[test]
fn nothing_is_recorded_before_and_after() {
    let (_alone, place) = (alone(), tempfile::tempdir().unwrap());
    assert_eq!(recorder::range_start(Name::LOST, Name::NONE), 0);
    let recorder = Recorder::start(Options::new(place.path().join("a_ascend_pt"))).unwrap();
    assert!(matches!(
        Recorder::start(Options::new(place.path().join("b_ascend_pt"))),
        Err(recorder::RecorderError::Busy)
    ));
    assert!(recorder::is_on());
    assert_eq!(recorder.stop().records, 0);
    assert!(!recorder::is_on());
    assert_eq!(recorder::range_start(Name::LOST, Name::NONE), 0);
    // The next recording begins anew.
    let recorder = Recorder::start(Options::new(place.path().join("b_ascend_pt"))).unwrap();
    recorder::mark(recorder::name("again"), Name::NONE);
    assert_eq!(recorder.stop().records, 1);
}

#[test]
fn sixty_four_threads_lose_nothing() {
    const THREADS: usize = 64;
    const RANGES: usize = 2000;
    let (_alone, place) = (alone(), tempfile::tempdir().unwrap());
    let recorder = Recorder::start(Options::new(place.path().join("a_ascend_pt"))).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let name = recorder::name("work");
                for _ in 0..RANGES {
                    let id = recorder::range_start(name, Name::NONE);
                    recorder::range_end(id);
                }
            });
        }
    });
    let directory = recorder.directory().to_owned();
    let summary = recorder.stop();
    assert_eq!((summary.records as usize, summary.dropped), (THREADS * RANGES, 0));
    let file = bytes(&directory, "npuscope.events");
    let mut ids: Vec<u64> = records::<Event>(&file)
        .iter()
        .filter_map(|event| if let Event::Range(range) = event { Some(range.id) } else { None })
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), THREADS * RANGES, "every range has an id of its own");
}

#[test]
fn bytes_stay_within_the_budget_and_stacks_go_first() {
    let (_alone, place) = (alone(), tempfile::tempdir().unwrap());
    let mut options = Options::new(place.path().join("a_ascend_pt"));
    options.budget = 400_000;
    let recorder = Recorder::start(options).unwrap();
    let op = Op {
        shapes: recorder::name(&"1024,1024;".repeat(8)),
        stack: recorder::name(&"layer.py(10): forward;".repeat(16)),
        ..an_op(recorder::name("aten::mm"), 1, 2)
    };
    for _ in 0..200 {
        for _ in 0..20 {
            recorder::op(&op);
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let directory = recorder.directory().to_owned();
    let summary = recorder.stop();
    let size: u64 =
        fs::read_dir(directory.join("FRAMEWORK")).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert_eq!(size, summary.bytes);
    assert!(size <= 400_000, "{size}");
    let given_up: Vec<&str> = summary.degraded.iter().map(|degraded| degraded.what).collect();
    assert!(given_up.starts_with(&["stacks", "shapes", "host_ops"]), "{given_up:?}");
    let file = bytes(&directory, "torch.op_range");
    let ops: Vec<OpRange> = records(&file);
    assert!(ops.first().unwrap().stack.is_some());
    assert!(ops.last().unwrap().stack.is_none());
}

#[test]
fn a_child_of_a_fork_records_nothing_and_the_parent_goes_on() {
    let (_alone, place) = (alone(), tempfile::tempdir().unwrap());
    let recorder = Recorder::start(Options::new(place.path().join("a_ascend_pt"))).unwrap();
    recorder::mark(recorder::name("parent"), Name::NONE);
    // SAFETY: the child calls nothing but what is tested, and leaves without unwinding.
    match unsafe { libc::fork() } {
        0 => {
            let is_on = recorder::is_on();
            recorder::mark(recorder::name("child"), Name::NONE);
            drop(recorder);
            // A recording of its own is possible.
            let own = Recorder::start(Options::new(place.path().join("child_ascend_pt")));
            let is_own = own.is_ok_and(|own| {
                recorder::mark(recorder::name("own"), Name::NONE);
                own.stop().records == 1
            });
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(if !is_on && is_own { 0 } else { 1 }) }
        }
        child => {
            let mut status = 0;
            // SAFETY: `child` is ours, `status` a place for the answer.
            unsafe { libc::waitpid(child, &mut status, 0) };
            assert_eq!(status, 0, "the child must have recorded in its own directory only");
        }
    }
    recorder::mark(recorder::name("parent again"), Name::NONE);
    assert_eq!(recorder.stop().records, 2);
}

#[test]
fn a_directory_that_cannot_be_made_is_an_error_and_one_that_vanishes_a_failure() {
    let (_alone, place) = (alone(), tempfile::tempdir().unwrap());
    let file = place.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Recorder::start(Options::new(file.join("a_ascend_pt"))).err().unwrap();
    assert!(error.message().text(Language::Chinese).ends_with("：不是目录"), "{error}");
    assert!(!recorder::is_on());

    let directory = place.path().join("a_ascend_pt");
    let recorder = Recorder::start(Options::new(&directory)).unwrap();
    fs::remove_dir_all(&directory).unwrap();
    recorder::mark(recorder::name("lost"), Name::NONE);
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while recorder.error().is_none() {
        assert!(std::time::Instant::now() < deadline, "the loss must be noticed");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(!recorder::is_on(), "recording must turn itself off");
    recorder.stop();
}

#[test]
fn the_files_of_a_running_recording_can_be_read() {
    let (_alone, place) = (alone(), tempfile::tempdir().unwrap());
    let recorder =
        Recorder::start(Options { rank: Some(3), ..Options::new(place.path().join("a_ascend_pt")) }).unwrap();
    recorder::mark(recorder::name("flushed"), Name::NONE);
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let is_written = || {
        let info = fs::read(recorder.directory().join("profiler_info_3.json")).unwrap_or_default();
        let info: serde_json::Value = serde_json::from_slice(&info).unwrap_or_default();
        info["end_info"]["MonotonicTimeEnd"].is_i64() && !bytes(recorder.directory(), "npuscope.events").is_empty()
    };
    // Long enough for a frequency.
    std::thread::sleep(std::time::Duration::from_millis(300));
    while !is_written() {
        assert!(std::time::Instant::now() < deadline, "the record must be written while the recording goes on");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let info = fs::read(recorder.directory().join("profiler_info_3.json")).unwrap();
    let info: serde_json::Value = serde_json::from_slice(&info).unwrap();
    assert!(info["end_info"]["MonotonicTimeEnd"].as_i64() >= info["start_info"]["start_monotonic"].as_i64());
    let file = bytes(recorder.directory(), "npuscope.events");
    assert_eq!(records::<Event>(&file).len(), 1);
    let directory = recorder.directory().to_owned();
    recorder.stop();
    let last = fs::read(directory.join("profiler_info_3.json")).unwrap();
    let last: serde_json::Value = serde_json::from_slice(&last).unwrap();
    let frequency = |info: &serde_json::Value| info["start_info"]["freq"].as_f64().unwrap();
    assert!((frequency(&info) / frequency(&last) - 1.0).abs() < 1e-3, "{info} {last}");
}

#[test]
fn the_end_of_a_range_of_an_earlier_recording_ends_no_other() {
    let (_alone, place) = (alone(), tempfile::tempdir().unwrap());
    let first = Recorder::start(Options::new(place.path().join("a_ascend_pt"))).unwrap();
    let before = recorder::range_start(recorder::name("epoch"), Name::NONE);
    assert_eq!(first.stop().open_ranges, 1);
    let second = Recorder::start(Options::new(place.path().join("b_ascend_pt"))).unwrap();
    let own = recorder::range_start(recorder::name("forward"), Name::NONE);
    recorder::range_end(before);
    assert_ne!(before, own);
    assert_eq!(second.stop().open_ranges, 1, "nobody ended it");
}

#[test]
fn long_messages_take_no_more_memory_than_they_may() {
    fn peak_kb() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
        line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
    }
    let (_alone, place) = (alone(), tempfile::tempdir().unwrap());
    let mut options = Options::new(place.path().join("a_ascend_pt"));
    options.budget = 20 << 20;
    let before = peak_kb();
    let recorder = Recorder::start(options).unwrap();
    let message = recorder::name(&"x".repeat(60_000));
    for _ in 0..60_000 {
        recorder::mark(message, Name::NONE);
    }
    let directory = recorder.directory().to_owned();
    let summary = recorder.stop();
    assert!(peak_kb() - before < 200_000, "{} KB", peak_kb() - before);
    assert!(summary.bytes > 18 << 20 && summary.bytes <= 20 << 20, "{summary:?}");
    assert_eq!(summary.records + summary.given_up + summary.dropped, 60_000, "{summary:?}");
    assert_eq!(records::<Event>(&bytes(&directory, "npuscope.events")).len() as u64, summary.records);
}

#[test]
fn what_was_begun_ends_when_it_ends_however_little_is_kept() {
    let (_alone, place) = (alone(), tempfile::tempdir().unwrap());
    let mut options = Options::new(place.path().join("a_ascend_pt"));
    options.budget = 200_000;
    let recorder = Recorder::start(options).unwrap();
    let (outer, inner) = (recorder::name("outer"), recorder::name("inner"));
    recorder::call(outer, Tag::PythonCall);
    let range = recorder::range_start(recorder::name("range"), Name::NONE);
    let filling = recorder::name("filling");
    let fill_until = |kept| {
        while recorder.kept() < kept {
            recorder::mark(filling, Name::NONE);
            std::thread::sleep(std::time::Duration::from_micros(20));
        }
    };
    fill_until(recorder::Kept::NoStacks);
    recorder::call(inner, Tag::PythonCall);
    recorder::call(inner, Tag::PythonReturn);
    recorder::call(outer, Tag::PythonReturn);
    fill_until(recorder::Kept::StepsOnly);
    let ended = recorder::now();
    recorder::range_end(range);
    let after = recorder::now();
    std::thread::sleep(std::time::Duration::from_millis(100));
    let directory = recorder.directory().to_owned();
    assert_eq!(recorder.stop().open_ranges, 0);
    let file = bytes(&directory, "npuscope.events");
    let end = records::<Event>(&file).into_iter().find_map(|event| match event {
        Event::Range(range) => Some(range.end),
        _ => None,
    });
    assert!(end.is_some_and(|end| (ended..=after).contains(&end)), "{end:?} is not in {ended}..={after}");
    let calls = bytes(&directory, "torch.python_tracer_func");
    let tags: Vec<u8> = records::<PythonCall>(&calls).iter().map(|call| call.tag).collect();
    assert_eq!(tags, [0, 1], "the outer call is there with its end, the inner one is not");
}
