//! Any database of the known shapes, read into the tables and written again, holds the same values.

mod simulated;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use npuscope_formats::db;
use npuscope_formats::output::Output;
use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_store::discover::discover;
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_synth::Format;
use npuscope_tables::Rank;
use npuscope_tables::table::diagnostic;
use npuscope_testing::database;
use proptest::prelude::*;
use rusqlite::Connection;
use tempfile::TempDir;

/// Columns that may hold any number.
const NUMBERS: [(&str, &[&str]); 11] = [
    ("TASK", &["contextId", "modelId", "taskId"]),
    ("COMPUTE_TASK_INFO", &["blockNum", "mixBlockNum"]),
    ("COMMUNICATION_OP", &["count", "rankSize"]),
    ("COMMUNICATION_TASK_INFO", &["notifyId", "srcRank", "dstRank", "size"]),
    ("PYTORCH_API", &["sequenceNumber", "fwdThreadId"]),
    ("MEMORY_RECORD", &["totalAllocated", "totalReserved", "totalActive", "streamPtr"]),
    ("OP_MEMORY", &["size", "duration", "activeDuration", "releaseTotalAllocated", "streamPtr"]),
    ("AICORE_FREQ", &["freq"]),
    ("NPU_MEM", &["ddr", "hbm"]),
    ("HBM", &["bandwidth"]),
    ("TASK_PMU_INFO", &["value"]),
];

/// Columns that hold the id of a string.
const NAMES: [(&str, &[&str]); 7] = [
    ("COMPUTE_TASK_INFO", &["name", "opType", "inputFormats", "inputShapes", "outputShapes", "attrInfo"]),
    ("COMMUNICATION_OP", &["opName", "algType", "opType"]),
    ("COMMUNICATION_TASK_INFO", &["name", "taskType"]),
    ("TASK_PMU_INFO", &["name"]),
    ("CANN_API", &["name"]),
    ("PYTORCH_API", &["name", "inputShapes"]),
    ("OP_MEMORY", &["name"]),
];

/// Tables whose rows have a start and an end.
const SPANS: [&str; 4] = ["TASK", "COMMUNICATION_OP", "CANN_API", "STEP_TIME"];

/// A change of a database that leaves it one that a profiler could have written.
#[derive(Clone, Debug)]
enum Change {
    Number {
        table: usize,
        column: usize,
        row: usize,
        value: i64,
    },
    Name {
        table: usize,
        column: usize,
        row: usize,
        value: String,
    },
    Duration {
        table: usize,
        row: usize,
        ns: i64,
    },
    /// Times as text, as some versions have them.
    TextTimes,
    /// The columns of schema 1.0.
    OldNames,
    /// A column that a viewer adds.
    ViewerColumn,
    /// A table nobody knows.
    NewTable {
        value: String,
        number: f64,
    },
    /// A table that was not collected.
    Missing {
        table: usize,
    },
}

fn change() -> impl Strategy<Value = Change> {
    let any_row = 0..10_000usize;
    let any_value = -(1i64 << 50)..(1i64 << 50);
    let value = prop_oneof![Just(0), Just(-1), -100..100i64, 0..=i64::from(u32::MAX), any_value];
    let text =
        prop_oneof!["[a-zA-Z0-9_:/.-]{1,20}", "\\PC{0,12}", Just("N/A".to_owned()), Just("[1,2];[3]".to_owned())];
    prop_oneof![
        8 => (0..NUMBERS.len(), 0..9usize, any_row.clone(), value)
            .prop_map(|(table, column, row, value)| Change::Number { table, column, row, value }),
        8 => (0..NAMES.len(), 0..9usize, any_row.clone(), text.clone())
            .prop_map(|(table, column, row, value)| Change::Name { table, column, row, value }),
        4 => (0..SPANS.len(), any_row, 0..10_000_000_000i64)
            .prop_map(|(table, row, ns)| Change::Duration { table, row, ns }),
        1 => Just(Change::TextTimes),
        1 => Just(Change::OldNames),
        1 => Just(Change::ViewerColumn),
        1 => (text, -1e9..1e9f64).prop_map(|(value, number)| Change::NewTable { value, number }),
        1 => (0..NUMBERS.len()).prop_map(|table| Change::Missing { table }),
    ]
}

impl Change {
    fn apply(&self, database: &Connection) -> rusqlite::Result<()> {
        let pick = |table: &str, columns: &[&str], column: usize, row: usize| {
            let rows: i64 = database.query_row(&format!("SELECT count(*) FROM {table}"), (), |r| r.get(0))?;
            let row = i64::try_from(row).unwrap() % rows.max(1);
            Ok::<_, rusqlite::Error>((columns[column % columns.len()].to_owned(), row))
        };
        let place = |table: &str, row: i64| format!("rowid = (SELECT rowid FROM {table} LIMIT 1 OFFSET {row})");
        match self {
            Change::Number { table, column, row, value } => {
                let (table, columns) = NUMBERS[*table];
                let (column, row) = pick(table, columns, *column, *row)?;
                database.execute(&format!("UPDATE {table} SET {column} = ?1 WHERE {}", place(table, row)), [value])?;
            }
            Change::Name { table, column, row, value } => {
                let (table, columns) = NAMES[*table];
                let (column, row) = pick(table, columns, *column, *row)?;
                // A kernel has a metric once: of two under one name the last counts.
                let value = if table == "TASK_PMU_INFO" { &format!("{value} {row}") } else { value };
                let known = database.query_row("SELECT id FROM STRING_IDS WHERE value = ?1", [value], |r| r.get(0));
                let id: i64 = match known {
                    Ok(id) => id,
                    Err(_) => database.query_row("SELECT max(id) + 1 FROM STRING_IDS", (), |r| r.get(0))?,
                };
                database.execute("INSERT OR IGNORE INTO STRING_IDS VALUES (?1, ?2)", (id, value))?;
                database.execute(&format!("UPDATE {table} SET {column} = ?1 WHERE {}", place(table, row)), [id])?;
            }
            Change::Duration { table, row, ns } => {
                let table = SPANS[*table];
                let (_, row) = pick(table, &[""], 0, *row)?;
                let place = place(table, row);
                database.execute(&format!("UPDATE {table} SET endNs = startNs + ?1 WHERE {place}"), [ns])?;
            }
            Change::TextTimes => {
                database.execute_batch("UPDATE PYTORCH_API SET startNs = startNs || '', endNs = endNs || ''")?;
            }
            Change::OldNames => {
                let columns = "PRAGMA table_info(COMPUTE_TASK_INFO)";
                let names: Vec<String> =
                    database.prepare(columns)?.query_map((), |r| r.get(1))?.collect::<Result<_, _>>()?;
                if names.iter().any(|name| name == "gridDim") {
                    database.execute_batch(
                        "ALTER TABLE COMPUTE_TASK_INFO DROP COLUMN gridDim;
                         ALTER TABLE COMPUTE_TASK_INFO DROP COLUMN blockDim;
                         ALTER TABLE COMPUTE_TASK_INFO RENAME COLUMN blockNum TO blockDim;
                         ALTER TABLE COMPUTE_TASK_INFO RENAME COLUMN mixBlockNum TO mixBlockDim",
                    )?;
                }
            }
            Change::ViewerColumn => {
                database.execute_batch("ALTER TABLE CANN_API ADD COLUMN depth INTEGER DEFAULT 0")?
            }
            Change::NewTable { value, number } => {
                database.execute_batch("CREATE TABLE FROM_THE_FUTURE (id INTEGER, value TEXT, number NUMERIC)")?;
                database.execute("INSERT INTO FROM_THE_FUTURE VALUES (1, ?1, ?2)", (value, number))?;
            }
            Change::Missing { table } => {
                database.execute_batch(&format!("DELETE FROM {}", NUMBERS[*table].0))?;
            }
        }
        Ok(())
    }
}

/// A simulated rank, as a database.
fn simulated_rank() -> &'static Path {
    static RANKS: OnceLock<(TempDir, Vec<(String, PathBuf)>)> = OnceLock::new();
    let (_, ranks) = RANKS.get_or_init(|| simulated::ranks(Format::Db));
    &ranks[0].1
}

/// Deletes the rows about tasks that are not there, which have no place in the tables and are counted in a diagnostic
/// per table; how many tables had some.
fn delete_orphans(database: &Connection) -> usize {
    let delete = |table: &str, of: &str| {
        let sql = format!("DELETE FROM {table} WHERE globalTaskId NOT IN (SELECT globalTaskId FROM {of})");
        database.execute(&sql, ()).unwrap()
    };
    let deleted = [
        delete("TASK_PMU_INFO", "COMPUTE_TASK_INFO"),
        delete("COMPUTE_TASK_INFO", "TASK"),
        delete("COMMUNICATION_TASK_INFO", "TASK"),
    ];
    // With a kernel that has no task go its metrics.
    delete("TASK_PMU_INFO", "COMPUTE_TASK_INFO");
    deleted.into_iter().filter(|&rows| rows > 0).count()
}

/// Changes the database of a simulated rank, reads it and writes it again: both hold the same rows.
fn assert_survives(changes: &[Change]) {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("source_ascend_pt");
    let output = source.join(OUTPUT_DIRECTORY);
    std::fs::create_dir_all(&output).unwrap();
    let name = "ascend_pytorch_profiler_0.db";
    std::fs::copy(simulated_rank().join(OUTPUT_DIRECTORY).join(name), output.join(name)).unwrap();
    let database = Connection::open(output.join(name)).unwrap();
    database.execute_batch("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF").unwrap();
    for change in changes {
        // A column or table that is already there stays as it is.
        let _ = change.apply(&database);
    }
    database.close().unwrap();

    let profile = discover(&source).unwrap();
    let tables = read_rank(&profile.ranks[0], ReadOptions::default());
    let reported = tables.rows::<diagnostic::Row>().filter(|row| tables.text(row.code) == "orphan-rows").count();
    let target = scratch.path().join("target");
    db::write_rank(tables, Rank(0), &Output::new(&target).unwrap()).unwrap();

    let database = Connection::open(output.join(name)).unwrap();
    assert_eq!(reported, delete_orphans(&database), "tables with orphans");
    database.close().unwrap();
    let before = database::rows(&output.join(name));
    let after = database::rows(&target.join(OUTPUT_DIRECTORY).join(name));
    for (table, rows) in &before {
        let others = after.get(table).map(Vec::as_slice).unwrap_or_default();
        for (before, after) in rows.iter().zip(others) {
            assert_eq!(before, after, "{table}");
        }
        assert_eq!(rows.len(), others.len(), "{table}");
    }
}

/// The task of an event starts with the copy that an operator launched, on the same stream, and is now the longer one.
#[test]
fn a_long_task_does_not_take_the_connection_of_the_one_beside_it() {
    assert_survives(&[Change::Duration { table: 0, row: 4237, ns: 63_995 }]);
}

#[test]
fn an_operator_keeps_its_connection_without_the_task() {
    let tasks = NUMBERS.iter().position(|(table, _)| *table == "TASK").unwrap();
    assert_survives(&[Change::Missing { table: tasks }]);
}

proptest! {
    #![proptest_config(npuscope_testing::cases(24))]

    #[test]
    fn a_changed_database_survives(changes in prop::collection::vec(change(), 1..40)) {
        assert_survives(&changes);
    }
}
