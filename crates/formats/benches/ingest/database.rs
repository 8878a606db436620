//! Databases in and out, beside Python's.

use std::path::Path;
use std::process::Command;

use npuscope_formats::db;
use npuscope_formats::output::Output;
use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_store::discover::discover;
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_tables::table::{lane, task};
use npuscope_tables::{ConnectionId, LaneId, Ns, Rank, RankBuilder, RankTables, Span, TaskId};

use crate::measure::measure;

const ROWS: i64 = 3_000_000;
const TIMES: usize = 3;

pub fn run(directory: &Path) {
    println!("\nTASK, {:.1} M rows of 11 columns, one thread; median of {TIMES}\n", ROWS as f64 / 1e6);
    let tables = tasks();
    let rank = directory.join("bench_ascend_pt");
    let write = || {
        let _ = std::fs::remove_dir_all(&rank);
        let out = Output::new(&rank).expect("a directory");
        db::write_rank(tables.clone(), Rank(0), &out).expect("room for the database");
    };
    let out = measure(TIMES, write);
    let file = rank.join(OUTPUT_DIRECTORY).join("ascend_pytorch_profiler_0.db");
    let source = discover(&rank).expect("the database that was just written").ranks.remove(0);
    let input = measure(TIMES, || read_rank(&source, ReadOptions::default()));
    let rate = |cpu: f64| ROWS as f64 / cpu / 1e6;
    println!(
        "  npuscope, tables to database        {:.2} M rows per CPU s, the peers' index included (bar 2.5)",
        rate(out.cpu)
    );
    println!(
        "  npuscope, database to tables        {:.2} M rows per CPU s, heap {:.0} MB",
        rate(input.cpu),
        input.heap as f64 / 1e6
    );
    for (name, bar, program) in [
        ("python sqlite3.fetchall", 3.5, "c.execute('SELECT * FROM TASK').fetchall()"),
        ("pandas.read_sql", 8.0, "import pandas; t = time.process_time(); pandas.read_sql('SELECT * FROM TASK', c)"),
    ] {
        match python(&file, program) {
            Some(cpu) => println!(
                "  {name:<35} {:.2} M rows per CPU s; npuscope is {:.1}x (bar {bar})",
                rate(cpu),
                cpu / input.cpu
            ),
            None => println!("  {name:<35} not measured: needs python3 with pandas (NPUSCOPE_PYTHON names another)"),
        }
    }
}

/// Tasks alone: what a database is mostly made of.
fn tasks() -> RankTables {
    let mut rank = RankBuilder::default();
    let types = ["KERNEL_AICORE", "KERNEL_AIVEC", "MEMCPY_ASYNC", "EVENT_WAIT"].map(|t| rank.strings.intern(t));
    let layer = rank.strings.intern("hardware");
    rank.lane.push(lane::Row { lane: LaneId(0), layer, pid: 4242 << 10, ..lane::Row::default() });
    for number in 0..ROWS {
        let kind = types[number as usize % types.len()];
        rank.task.push(task::Row {
            task: TaskId(number),
            start: Ns(1_767_225_600_000_000_000 + number * 1_500),
            duration: Span::from_ns(1_000 + number % 977),
            name: kind,
            task_type: Some(kind),
            device: Some(0),
            stream: Some(number % 16),
            task_id: Some(number % 65_536),
            subtask_id: Some(4_294_967_295),
            model_id: Some(4_294_967_295),
            connection_id: Some(ConnectionId(number)),
            ..task::Row::default()
        });
    }
    rank.finish()
}

/// CPU seconds of a Python program that has the database open as `c`.
fn python(file: &Path, program: &str) -> Option<f64> {
    let python = std::env::var("NPUSCOPE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = format!(
        "import sqlite3, sys, time\nc = sqlite3.connect(sys.argv[1])\nt = time.process_time()\n{program}\nprint(time.process_time() - t)"
    );
    let run = || {
        let output = Command::new(&python).arg("-c").arg(&script).arg(file).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse::<f64>().ok()
    };
    let mut times: Vec<f64> = (0..TIMES).map(|_| run()).collect::<Option<_>>()?;
    times.sort_by(f64::total_cmp);
    times.get(TIMES / 2).copied()
}
