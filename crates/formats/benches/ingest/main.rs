//! `cargo bench -p npuscope-formats`: how fast deliverables become tables, and tables deliverables.
//!
//! Every figure is CPU time of this process, one thread unless it says otherwise, and every ratio is of
//! two figures of this run. Data is simulated; `NPUSCOPE_BENCH_MB` sets the size of the trace.

mod database;
mod measure;
mod trace;

#[global_allocator]
static ALLOCATOR: measure::CountingAllocator = measure::CountingAllocator;

fn main() {
    // `cargo bench` and `cargo test` pass options of the standard harness; there is nothing to choose here.
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    trace::run(directory.path());
    database::run(directory.path());
}
