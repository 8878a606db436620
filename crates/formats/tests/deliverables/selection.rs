//! Reading some tables of a rank gives the rows that reading all of it gives.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use arrow::util::display::{ArrayFormatter, FormatOptions};
use npuscope_formats::source::OUTPUT_DIRECTORY;
use npuscope_store::discover::discover;
use npuscope_store::read::{ReadOptions, read_rank};
use npuscope_synth::Format;
use npuscope_tables::scan::scan_batch;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::{diagnostic, lane, rank, source};
use npuscope_tables::{RankTables, Selection, TableId, schema};
use npuscope_testing::{captures, entries, shared};
use rusqlite::Connection;

use crate::simulated;

fn read(rank: &Path, selection: Selection) -> RankTables {
    read_rank(&discover(rank).unwrap().ranks[0], ReadOptions { selection, ..ReadOptions::default() })
}

/// A row as text, cell by cell.
type Row = Vec<String>;

fn column(table: TableId, name: &str) -> usize {
    schema::spec(table).columns.iter().position(|column| column.name == name).unwrap()
}

/// The rows of a table. Rows that others stand on or in are named by what they are, not by number.
fn rows(tables: &RankTables, table: TableId, with_lanes: bool) -> Vec<Row> {
    let lanes: HashMap<String, String> =
        tables.rows().map(|row: lane::Row| (row.lane.to_string(), lane_text(tables, &row, with_lanes))).collect();
    let spec = schema::spec(table);
    let all: Vec<usize> = (0..spec.columns.len()).collect();
    let is_lane: Vec<bool> =
        spec.columns.iter().map(|column| ["lane", "src_lane", "dst_lane"].contains(&&*column.name)).collect();
    let mut rows: Vec<Row> = Vec::new();
    for batch in tables.batches(table) {
        let batch = scan_batch(batch, spec, &all, tables.strings()).unwrap();
        let options = FormatOptions::new().with_null("-");
        let columns: Vec<_> = batch.columns().iter().map(|c| ArrayFormatter::try_new(c, &options).unwrap()).collect();
        rows.extend((0..batch.num_rows()).map(|row| {
            let cells = columns.iter().zip(&is_lane).map(|(column, is_lane)| match column.value(row).to_string() {
                lane if *is_lane && lane != "-" => lanes[&lane].clone(),
                value => value,
            });
            cells.collect()
        }));
    }
    if table == TableId::HostOp {
        let [name, start, parent] = ["name", "start", "parent"].map(|name| column(table, name));
        let places: Vec<String> = rows.iter().map(|row| format!("{} {}", row[name], row[start])).collect();
        for row in &mut rows {
            row[parent] = row[parent].parse().map_or(String::new(), |parent: usize| places[parent].clone());
        }
    }
    rows
}

/// What a lane is; where lanes are not asked for, just what it shows.
fn lane_text(tables: &RankTables, row: &lane::Row, with_lanes: bool) -> String {
    let names = [row.process, row.label, row.thread].map(|name| tables.opt_text(name).unwrap_or_default());
    if with_lanes { format!("{names:?} {} {} {}", tables.text(row.layer), row.pid, row.tid) } else { names.join("/") }
}

/// The tables of a full read as rows, each made once.
struct Whole {
    tables: RankTables,
    rows: HashMap<(TableId, bool), Vec<Row>>,
}

impl Whole {
    fn rows(&mut self, table: TableId, with_lanes: bool) -> &[Row] {
        self.rows.entry((table, with_lanes)).or_insert_with(|| rows(&self.tables, table, with_lanes))
    }
}

fn check(name: &str, path: &Path, format: Format, selection: Selection, whole: &mut Whole) {
    let some = read(path, selection);
    let with_lanes = selection.has(TableId::Lane);
    for &table in TableId::ALL.iter().filter(|table| selection.has(**table)) {
        let is_wanted = |row: &&Row| {
            table != TableId::HostOp
                || selection.has_host_op(Kind::from_name(&row[column(TableId::HostOp, "kind")]).unwrap())
        };
        // Text does not say which task a kernel was: it is found where tasks are asked for.
        let is_linked = !(table == TableId::Kernel && format == Format::Text && !selection.has(TableId::Task));
        let found = rows(&some, table, with_lanes);
        let (found, expected) =
            (found.iter().filter(is_wanted), whole.rows(table, with_lanes).iter().filter(is_wanted));
        assert_eq!(found.clone().count(), expected.clone().count(), "{name} {table:?} of {selection:?}");
        for (number, (found, expected)) in found.zip(expected).enumerate() {
            for ((cell, other), spec) in found.iter().zip(expected).zip(&schema::spec(table).columns) {
                let is_nesting = table == TableId::HostOp && ["depth", "parent"].contains(&&*spec.name);
                let is_left_out = spec.name == "task" && !is_linked || is_nesting && !selection.has_nesting();
                // Steps of work are filled with step times.
                let is_unfilled = spec.name == "step"
                    && [TableId::Kernel, TableId::Task, TableId::CommOp].contains(&table)
                    && !selection.has(TableId::StepTime);
                let is_expected = if is_unfilled { cell == "-" } else { cell == other || is_left_out };
                assert!(
                    is_expected,
                    "{name} {table:?}.{} of row {number}: {cell}, not {other}; {selection:?}",
                    spec.name
                );
            }
        }
    }
    for &table in Selection::ALWAYS {
        assert!(table == TableId::Diagnostic || !some.is_empty(table), "{name} {table:?} of {selection:?}");
    }
}

fn check_all(format: Format, ranks: Vec<(String, PathBuf)>) {
    use TableId::*;
    let kinds = |kinds: &[Kind]| Selection::NONE.and_host_ops(kinds);
    let mut selections: Vec<Selection> = TableId::ALL.iter().map(|table| Selection::of(&[*table])).collect();
    selections.extend(Kind::ALL.iter().flat_map(|kind| [kinds(&[*kind]), kinds(&[*kind]).nested()]));
    selections.extend([
        Selection::of(&[ReportedStep, ReportedComm, ReportedBandwidth, ReportedLink]),
        Selection::of(&[Overlap, CommOp, Step]),
        Selection::of(&[Kernel, Task, Step]),
        Selection::of(&[Lane, Task, CommOp, CommTask]),
        Selection::of(&[Lane, Counter, Flow]),
        Selection::of(&[Step]).and(kinds(&[Kind::Cann])),
        Selection::of(&[Step, Task]).and(kinds(&[Kind::Mstx])),
        Selection::of(&[Lane, MemSample]).and(kinds(&[Kind::Enqueue, Kind::Other])),
    ]);
    for (name, path) in ranks {
        let mut whole = Whole { tables: read(&path, Selection::ALL), rows: HashMap::new() };
        for &selection in &selections {
            check(&name, &path, format, selection, &mut whole);
        }
    }
}

#[test]
fn some_tables_of_text_are_those_of_all() {
    let (_directory, ranks) = simulated::ranks(Format::Text);
    check_all(Format::Text, ranks);
}

#[test]
fn some_tables_of_a_light_text_capture_are_those_of_all() {
    check_all(Format::Text, captures_of("text", "level0"));
}

#[test]
fn some_tables_of_a_full_text_capture_are_those_of_all() {
    check_all(Format::Text, captures_of("text", "level1"));
}

#[test]
fn some_tables_of_older_text_captures_are_those_of_all() {
    let older = shared("data/npu/older").into_iter().flat_map(|path| entries(&path));
    check_all(Format::Text, older.map(|path| (path.display().to_string(), path)).collect());
}

#[test]
fn some_tables_of_databases_are_those_of_all() {
    let (_directory, ranks) = simulated::ranks(Format::Db);
    check_all(Format::Db, ranks);
}

#[test]
fn some_tables_of_database_captures_are_those_of_all() {
    check_all(Format::Db, captures("db"));
}

/// The captures of a level of detail. There is one at least where there are any.
fn captures_of(format: &str, level: &str) -> Vec<(String, PathBuf)> {
    let all = captures(format);
    let of_level: Vec<_> = all.iter().filter(|(name, _)| name.starts_with(level)).cloned().collect();
    assert_eq!(all.is_empty(), of_level.is_empty(), "no capture of {level}");
    of_level
}

#[test]
fn what_follows_from_other_tables_is_found_without_being_asked_for() {
    let (_directory, ranks) = simulated::ranks(Format::Db);
    let mut torch: Vec<_> = ranks.into_iter().filter(|(name, _)| name.starts_with("torch_npu")).collect();
    torch.truncate(1);
    for (_, path) in &torch {
        let is_profiler = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().contains("profiler");
        let database = entries(&path.join(OUTPUT_DIRECTORY)).into_iter().find(is_profiler).unwrap();
        let sql = "DROP TABLE STEP_TIME; DROP TABLE OVERLAP_ANALYSIS; \
                   UPDATE PYTORCH_API SET type = 50004 WHERE rowid % 50 = 0;";
        Connection::open(database).unwrap().execute_batch(sql).unwrap();
        let whole = read(path, Selection::ALL);
        assert!(!whole.is_empty(TableId::Step) && !whole.is_empty(TableId::Overlap));
    }
    check_all(Format::Db, torch);
}

#[test]
fn kernels_can_come_without_metrics() {
    let (_directory, ranks) = simulated::ranks(Format::Db);
    for (name, path) in ranks {
        let kernels = |selection| rows(&read(&path, selection), TableId::Kernel, false);
        let with = kernels(Selection::of(&[TableId::Kernel]));
        let without = kernels(Selection::of(&[TableId::Kernel]).without_metrics());
        assert_eq!(with.len(), without.len(), "{name}");
        for (with, without) in with.iter().zip(&without) {
            for ((with, without), spec) in with.iter().zip(without).zip(&schema::spec(TableId::Kernel).columns) {
                let is_metric = ["aic_", "aiv_", "metrics"].iter().any(|start| spec.name.starts_with(start));
                assert_eq!(if is_metric { "-" } else { with }, without, "{name} {}", spec.name);
            }
        }
    }
}

#[test]
fn operations_can_come_without_idle_transports() {
    let (_directory, ranks) = simulated::ranks(Format::Db);
    let zero = ["transit_size", "transit_time"].map(|name| column(TableId::ReportedBandwidth, name));
    let is_idle = |row: &&Row| zero.iter().all(|column| row[*column].parse() == Ok(0.0));
    for (name, path) in ranks {
        let transports = |selection| rows(&read(&path, selection), TableId::ReportedBandwidth, false);
        let with = transports(Selection::of(&[TableId::ReportedBandwidth]));
        let without = transports(Selection::of(&[TableId::ReportedBandwidth]).without_idle_transports());
        assert!(with.is_empty() || with.iter().any(|row| is_idle(&row)), "{name}");
        assert!(!without.iter().any(|row| is_idle(&row)), "{name}");
        let mut expected: Vec<&Row> = with.iter().filter(|row| !is_idle(row)).collect();
        let mut without: Vec<&Row> = without.iter().collect();
        expected.sort();
        without.sort();
        assert_eq!(without, expected, "{name}");
    }
}

/// Files and tables of databases that were read.
fn sources(tables: &RankTables) -> HashSet<String> {
    let name = |row: source::Row| tables.text(row.file).rsplit('/').next().unwrap().to_owned();
    tables.rows().map(name).collect()
}

#[test]
fn files_that_have_nothing_of_what_is_wanted_are_not_opened() {
    let (_directory, ranks) = simulated::ranks(Format::Text);
    for (name, path) in ranks {
        for file in ["trace_view.json", "kernel_details.csv", "communication_matrix.json"] {
            std::fs::write(path.join(OUTPUT_DIRECTORY).join(file), "garbage").unwrap();
        }
        let tables = read(&path, Selection::of(&[TableId::ReportedStep, TableId::ReportedComm]));
        assert!(!tables.is_empty(TableId::ReportedStep), "{name}");
        assert_eq!(tables.rows::<diagnostic::Row>().count(), 0, "{name}");
        let rank = tables.rows::<rank::Row>().next().unwrap();
        assert_eq!(tables.text(rank.format), "text", "{name}");
        let whole = read(&path, Selection::ALL);
        assert!(whole.rows::<diagnostic::Row>().count() >= 3, "{name}");
    }
}

#[test]
fn tables_that_have_nothing_of_what_is_wanted_are_not_read() {
    let (_directory, ranks) = simulated::ranks(Format::Db);
    let small = ["META_DATA", "RANK_DEVICE_MAP", "HOST_INFO", "NPU_INFO"];
    let read_tables = |path: &Path, selection| -> HashSet<String> {
        let sources = sources(&read(path, selection));
        let tables = sources.iter().filter_map(|source| Some(source.split_once(".db#")?.1.to_owned()));
        tables.filter(|table| !small.contains(&table.as_str())).collect()
    };
    let expect = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<HashSet<_>>();
    for (name, path) in ranks.into_iter().filter(|(name, _)| name.starts_with("torch_npu")) {
        let of = |tables: &[TableId]| read_tables(&path, Selection::of(tables));
        assert_eq!(of(&[TableId::ReportedStep]), expect(&["StepTraceTime"]), "{name}");
        assert_eq!(of(&[TableId::CommOp]), expect(&["COMMUNICATION_OP"]), "{name}");
        assert_eq!(of(&[TableId::Task]), expect(&["TASK", "COMPUTE_TASK_INFO"]), "{name}");
        let calls = Selection::of(&[TableId::Step]).and_host_ops(&[Kind::Cann]);
        assert_eq!(read_tables(&path, calls), expect(&["CANN_API", "STEP_TIME"]), "{name}");
    }
}
