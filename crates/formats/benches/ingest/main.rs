//! `cargo bench -p npuscope-formats`: how fast deliverables become tables, and tables deliverables.
//!
//! Every figure is CPU time of this process, one thread unless it says otherwise, and every ratio is of
//! two figures of this run. Data is simulated; `NPUSCOPE_BENCH_MB` sets the size of the trace.

mod database;
mod measure;
mod trace;
mod writing;

#[global_allocator]
static ALLOCATOR: measure::CountingAllocator = measure::CountingAllocator;

fn main() {
    // `cargo bench -- trace` runs one part. `cargo test` lists benchmarks and would run them; they are not tests.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let is_wanted = |part: &str| arguments.iter().all(|argument| argument.starts_with('-') || argument == part);
    let directory = tempfile::tempdir().expect("a temporary directory");
    if is_wanted("trace") {
        trace::run(directory.path());
    }
    if is_wanted("database") {
        database::run(directory.path());
    }
    if is_wanted("writing") {
        writing::run(directory.path());
    }
}
