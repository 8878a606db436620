//! What recording a range costs the thread that does it: `cargo bench -p npuscope-collect`.

use std::hint::black_box;

use npuscope_collect::recorder::{self, Name, Options, Recorder};

/// CPU time of this thread.
fn cpu_ns() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a place for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// The best of several rounds, in nanoseconds of each.
fn measure(count: u32, mut work: impl FnMut()) -> f64 {
    let round = |_| {
        let start = cpu_ns();
        (0..count).for_each(|_| work());
        std::thread::sleep(std::time::Duration::from_millis(50));
        (cpu_ns() - start) as f64 / f64::from(count)
    };
    (0..9).map(round).fold(f64::INFINITY, f64::min)
}

/// The most that a range may take.
const BAR: f64 = 80.0;

fn main() {
    const RANGES: u32 = 200_000;
    let place = tempfile::tempdir().unwrap();
    let clock = measure(RANGES, || {
        black_box(recorder::now());
    });
    let off = measure(RANGES, || recorder::range_end(recorder::range_start(black_box(Name::LOST), Name::NONE)));
    let recorder = Recorder::start(Options::new(place.path().join("bench_ascend_pt"))).unwrap();
    let name = recorder::name("forward");
    let on = measure(RANGES, || recorder::range_end(recorder::range_start(black_box(name), Name::NONE)));
    let summary = recorder.stop();
    println!("a look at the clock      {clock:6.1} ns");
    println!("a range, nothing on      {off:6.1} ns");
    println!("a range, recorded        {on:6.1} ns (bar {BAR})");
    println!("records                  {} written, {} dropped", summary.records, summary.dropped);
    if on > BAR {
        std::process::exit(1);
    }
}
