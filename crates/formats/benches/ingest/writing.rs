//! The tables of a simulated rank as deliverables: everything counted, summaries too.

use std::path::Path;

use npuscope_formats::output::Output;
use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_formats::{db, text};
use npuscope_synth::{JobConfig, simulate};
use npuscope_tables::Rank;
use rusqlite::{Connection, OpenFlags};

use crate::measure::measure;

const TIMES: usize = 5;

pub fn run(directory: &Path) {
    let config = JobConfig { tp: 2, pp: 1, dp: 1, layers: 32, micro_batches: 8, steps: 6, ..JobConfig::default() };
    let tables = simulate(&config).expect("a right config").rank(0);
    // A new directory each time: to replace files is to remove others.
    let mut times = 0;
    let mut rank_directory = || {
        times += 1;
        Output::new(directory.join(format!("{times}_ascend_pt"))).expect("a directory")
    };
    let cost =
        measure(TIMES, || text::write_rank(tables.clone(), Rank(0), &rank_directory()).expect("room for the files"));
    let output = rank_directory();
    text::write_rank(tables.clone(), Rank(0), &output).expect("room for the files");
    let trace = std::fs::read(output.path().join(OUTPUT_DIRECTORY).join("trace_view.json")).expect("the trace");
    let events = memchr::memmem::find_iter(&trace, b"\"ph\": ").count();
    println!("\na simulated rank, {events} events, one thread; median of {TIMES}\n");
    println!(
        "  tables to text                      {:.2} M events per CPU s (bar 1.7), heap {:.0} MB",
        events as f64 / cost.cpu / 1e6,
        cost.heap as f64 / 1e6
    );
    let cost =
        measure(TIMES, || db::write_rank(tables.clone(), Rank(0), &rank_directory()).expect("room for the files"));
    let output = rank_directory();
    db::write_rank(tables, Rank(0), &output).expect("room for the files");
    let output = output.path().join(OUTPUT_DIRECTORY);
    let rows = rows(&output.join("ascend_pytorch_profiler_0.db")) + rows(&output.join("analysis.db"));
    println!(
        "  tables to databases                 {:.2} M rows per CPU s (bar 3.5), {rows} rows, heap {:.0} MB",
        rows as f64 / cost.cpu / 1e6,
        cost.heap as f64 / 1e6
    );
}

/// The rows of all tables of a database.
fn rows(file: &Path) -> u64 {
    let database = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("the database");
    let mut statement = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").expect("SQL");
    let tables: Vec<String> = statement.query_map((), |row| row.get(0)).expect("SQL").map(Result::unwrap).collect();
    let count = |table: &String| -> i64 {
        database.query_row(&format!("SELECT count(*) FROM {table}"), (), |row| row.get(0)).expect("SQL")
    };
    tables.iter().map(count).sum::<i64>().cast_unsigned()
}
