//! How fast jobs are simulated and written, and in how much memory. Run by `make bench-synth`.
//!
//! Each case runs in a process of its own, whose CPU seconds and peak of resident memory are counted, from
//! the simulation to the last byte. An event of a trace is a slice, an end of an arrow, or a sample of a
//! counter; of a database, a row.

use std::process::Command;

use npuscope_formats::output::Output;
use npuscope_synth::{Fault, FaultKind, Format, JobConfig, View, preset, simulate, write_job};
use npuscope_tables::{RankTables, TableId};

/// What a case writes, and what is asked of it.
struct Case {
    name: &'static str,
    config: fn() -> JobConfig,
    /// `None` simulates the job and what its faults cost, and writes nothing.
    form: Option<Format>,
    /// Millions of events per CPU second; 0 where nothing is asked.
    events_bar: f64,
    /// Megabytes of memory.
    memory_bar: f64,
}

/// Two ranks of a 7B model.
fn two_ranks(steps: usize) -> JobConfig {
    JobConfig { layers: 32, tp: 2, pp: 1, dp: 1, steps, ..JobConfig::default() }
}

const CASES: &[Case] = &[
    Case { name: "text", config: || two_ranks(30), form: Some(Format::Text), events_bar: 1.0, memory_bar: 500.0 },
    Case { name: "db", config: || two_ranks(30), form: Some(Format::Db), events_bar: 2.0, memory_bar: 500.0 },
    Case {
        name: "trace of 5 GB",
        config: || two_ranks(290),
        form: Some(Format::Text),
        events_bar: 0.0,
        memory_bar: 500.0,
    },
    Case {
        name: "1,024 ranks x 20 steps",
        config: || JobConfig { tp: 8, pp: 4, dp: 32, layers: 4, micro_batches: 4, steps: 20, ..JobConfig::default() },
        form: Some(Format::Text),
        events_bar: 0.0,
        memory_bar: 500.0,
    },
    Case {
        name: "1,024 ranks of 72B, truth",
        config: || JobConfig {
            dp: 32,
            steps: 20,
            faults: vec![Fault::new(FaultKind::SlowRank, 5)],
            ..preset("qwen-72b").expect("a preset")
        },
        form: None,
        events_bar: 0.0,
        memory_bar: 500.0,
    },
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.iter().position(|argument| argument == "--case") {
        Some(at) => run(&CASES[arguments[at + 1].parse::<usize>().expect("the number of a case")]),
        None => {
            let program = std::env::current_exe().expect("this program");
            for number in 0..CASES.len() {
                let status = Command::new(&program).args(["--case", &number.to_string()]).status();
                assert!(status.expect("a process").success());
            }
        }
    }
}

fn run(case: &Case) {
    let directory = tempfile::tempdir().expect("a place to write");
    let out = Output::new(directory.path()).expect("a place to write");
    let config = (case.config)();
    let start = cpu_seconds();
    let job = simulate(&config).expect("a job that can be run");
    let simulated = cpu_seconds() - start;
    let Some(form) = case.form else {
        let cost = job.truth().faults.iter().map(|fault| fault.cost_ms_per_step).sum::<f64>();
        println!(
            "{:<26} {:6.1} CPU s, cost of its fault {cost:.0} ms a step; peak memory {:.0} MB (bar {:.0})",
            case.name,
            cpu_seconds() - start,
            peak_memory() as f64 / 1e6,
            case.memory_bar,
        );
        return;
    };
    write_job(&job, form, &out, |_| ()).expect("room for the job");
    let cpu = cpu_seconds() - start;
    let memory = peak_memory();
    let events = match form {
        Format::Db => rows_below(directory.path()),
        _ => {
            // Ranks of a job differ little.
            let counted = config.ranks().min(8);
            let events: usize = (0..counted).map(|rank| events_of(&job.tables(rank, View::Whole))).sum();
            events * config.ranks() / counted
        }
    } as f64;
    let (bytes, largest) = sizes(directory.path());
    let rate = events / cpu / 1e6;
    println!(
        "{:<26} {:6.1} M events, {:7.1} MB (trace or database of a rank up to {:6.1} MB), {:6.1} CPU s of which \
         {:.1} simulating: {:.2} M events per CPU s{}; peak memory {:.0} MB (bar {:.0})",
        case.name,
        events / 1e6,
        bytes as f64 / 1e6,
        largest as f64 / 1e6,
        cpu,
        simulated,
        rate,
        if case.events_bar > 0.0 { format!(" (bar {:.1})", case.events_bar) } else { String::new() },
        memory as f64 / 1e6,
        case.memory_bar,
    );
}

fn events_of(tables: &RankTables) -> usize {
    let slices = [TableId::HostOp, TableId::Task, TableId::CommOp, TableId::CommTask, TableId::Overlap];
    let slices: usize = slices.iter().map(|&table| tables.len(table)).sum();
    slices + 2 * tables.len(TableId::Flow) + tables.len(TableId::Counter)
}

/// Rows of all tables of all databases below a directory.
fn rows_below(directory: &std::path::Path) -> usize {
    let entries = std::fs::read_dir(directory).expect("the directory").filter_map(Result::ok);
    let rows = entries.map(|entry| match entry.path() {
        path if path.is_dir() => rows_below(&path),
        path if path.extension().is_some_and(|ending| ending == "db") => npuscope_testing::database::count(&path),
        _ => 0,
    });
    rows.sum()
}

/// Bytes of all files below a directory, and of the largest.
fn sizes(directory: &std::path::Path) -> (u64, u64) {
    let entries = std::fs::read_dir(directory).expect("the directory").filter_map(Result::ok);
    entries.fold((0, 0), |(all, largest), entry| {
        let kind = entry.metadata().expect("a file");
        let (bytes, most) = if kind.is_dir() { sizes(&entry.path()) } else { (kind.len(), kind.len()) };
        (all + bytes, most.max(largest))
    })
}

fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists on every Unix and `time` is a place to write to.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The most resident memory that this process has had, in bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok()).map_or(0, |kb| kb * 1024)
}
