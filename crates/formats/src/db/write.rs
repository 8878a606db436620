//! Writing a database: our tables into the peers'.
//!
//! A table whose source was a database gets the columns it had there; otherwise those of the current
//! schema. So an older file stays an older file, and a new one is a new one.

use std::io;
use std::path::Path;

use hashbrown::HashMap;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::{
    comm_op, comm_task, diagnostic, flow, host_op, kernel, lane, mem_event, mem_sample, metadata, overlap, rank,
    source, step, task,
};
use npuscope_tables::table::{reported_bandwidth, reported_comm, reported_link, reported_step};
use npuscope_tables::{Ns, RankTables, Str, TableId};
use serde_json::{Map, Value};

use super::cell::{SqlCell, WriteContext};
use super::counters;
use super::layout::Layout;
use super::layouts::{
    self, ApiRow, CommOpRow, CommTaskRow, ConnectionRow, FrameRow, MemcpyRow, OverlapRow, PmuRow, TaskRow,
};
use super::names::Vocabulary;
use super::pmu;
use super::read::SWAPPED_COLUMNS;
use super::sheet::{self, KeptTable};
use super::sqlite_file::{NewTable, SqliteFile};
use super::write_names::WordIds;
use crate::derive::{self, Target, is_communication};
use crate::discover::OUTPUT_DIRECTORY;
use crate::flavour::Flavour;
use crate::info_json;
use crate::output::{Output, OutputError};

/// The schema this module writes.
const SCHEMA: [(&str, &str); 4] = [
    ("SCHEMA_VERSION_MICRO", "0"),
    ("SCHEMA_VERSION_MINOR", "2"),
    ("SCHEMA_VERSION_MAJOR", "1"),
    ("SCHEMA_VERSION", "1.2.0"),
];

/// Writes the databases of rank number `rank` into `directory`, a rank directory of its own.
pub fn write_rank(tables: RankTables, rank: i64, directory: &Output) -> Result<(), OutputError> {
    let flavour = Flavour::of(&tables);
    directory.check_flavour(flavour)?;
    let tables = derive::complete(tables, Target::Db(flavour));
    let out = directory.directory(OUTPUT_DIRECTORY)?;
    directory.file(&format!("profiler_info_{rank}.json"), |file| info_json::write(file, &tables, "profiler_info"))?;
    if tables.rows::<metadata::Row>().any(|row| tables.text(row.file) == "profiler_metadata") {
        directory.file("profiler_metadata.json", |file| info_json::write(file, &tables, "profiler_metadata"))?;
    }
    let (profiler, analysis) = match flavour {
        Flavour::MindSpore => (format!("ascend_mindspore_profiler_{rank}.db"), "communication_analyzer.db"),
        _ => (format!("ascend_pytorch_profiler_{rank}.db"), "analysis.db"),
    };
    out.path_for(&profiler, |path| DbWriter::new(&tables, rank, flavour, path)?.profiler())?;
    let has_summaries = [TableId::ReportedStep, TableId::ReportedComm, TableId::ReportedLink];
    if has_summaries.iter().any(|&table| !tables.is_empty(table)) {
        out.path_for(analysis, |path| DbWriter::new(&tables, rank, flavour, path)?.analysis())?;
    }
    Ok(())
}

struct DbWriter<'a> {
    tables: &'a RankTables,
    rank: i64,
    rank_row: rank::Row,
    flavour: Flavour,
    file: SqliteFile,
    words: WordIds,
    kept: Vec<KeptTable>,
    /// Columns of each table in the database that was read.
    carried: HashMap<String, Vec<String>>,
    /// Process id << 32 | thread id of each lane, and the device.
    lanes: HashMap<u32, LaneIds>,
}

#[derive(Clone, Copy)]
struct LaneIds {
    thread: i64,
    process: i64,
    device: i64,
}

/// Databases whose kept tables go into the profiler database.
fn is_profiler_db(file: &str) -> bool {
    file.contains("profiler") && file.ends_with(".db")
        || file.rsplit('/').next().is_some_and(|f| f.starts_with("msprof_"))
}

impl<'a> DbWriter<'a> {
    fn new(tables: &'a RankTables, rank: i64, flavour: Flavour, path: &Path) -> io::Result<Self> {
        let no_names = |_: &str| 0;
        let enums = sheet::kept(tables, is_profiler_db, no_names);
        let words = WordIds::new(tables, &enums);
        let carried = tables.rows::<source::Row>().filter(|s| tables.text(s.kind) == "db_table").filter_map(|s| {
            let (_, table) = tables.text(s.file).rsplit_once('#')?;
            Some((table.to_owned(), serde_json::from_str(tables.opt_text(s.columns)?).ok()?))
        });
        let lanes = tables.rows::<lane::Row>().map(|row| {
            let process = if tables.opt_text(row.process).is_some_and(is_framework) { row.pid } else { row.pid >> 10 };
            let thread = process << 32 | row.tid;
            (row.lane, LaneIds { thread, process, device: row.pid & 31 })
        });
        Ok(DbWriter {
            rank_row: tables.rows::<rank::Row>().next().unwrap_or_default(),
            carried: carried.collect(),
            lanes: lanes.collect(),
            file: SqliteFile::create(path)?,
            tables,
            rank,
            flavour,
            words,
            kept: Vec::new(),
        })
    }

    /// Writes a table if it has rows, or if its source had it.
    fn table<R>(&mut self, layout: &Layout<R>, rows: impl IntoIterator<Item = R>) -> io::Result<()> {
        self.table_with(layout, rows, &[], |_, _, _| None)
    }

    /// As [`DbWriter::table`]; cells of the columns `special` are asked of `cell` first.
    fn table_with<R, W: AsRow<R>>(
        &mut self,
        layout: &Layout<R>,
        rows: impl IntoIterator<Item = W>,
        special: &[&str],
        mut cell: impl FnMut(&str, &W, &mut WriteContext<'_>) -> Option<SqlCell>,
    ) -> io::Result<()> {
        let carried = self.carried.get(layout.table);
        let columns = layout.written(carried.map(Vec::as_slice));
        let declared: Vec<(String, &str)> = columns.iter().map(|(name, column)| (name.clone(), column.sql)).collect();
        let columns: Vec<_> =
            columns.iter().map(|(name, column)| (name.as_str(), *column, special.contains(&name.as_str()))).collect();
        let even_if_empty = carried.is_some();
        let table = NewTable { name: layout.table, columns: &declared, indexes: layout.indexes, even_if_empty };
        let mut context = WriteContext { tables: self.tables, words: &mut self.words };
        self.file.table(&table, rows, |row, sink| {
            for &(name, column, is_special) in &columns {
                let asked = if is_special { cell(name, row, &mut context) } else { None };
                sink.push(asked.unwrap_or_else(|| (column.write)(row.as_row(), &mut context)));
            }
        })
    }

    fn profiler(mut self) -> io::Result<()> {
        let mut words = std::mem::replace(&mut self.words, WordIds::new(self.tables, &[]));
        self.kept = sheet::kept(self.tables, is_profiler_db, |name| words.string(name));
        self.words = words;
        self.identity()?;
        self.tasks()?;
        self.communication()?;
        self.calls()?;
        if self.flavour != Flavour::MindSpore {
            self.framework()?;
        }
        self.steps_and_overlap()?;
        self.memory()?;
        self.counters()?;
        self.meta_data()?;
        self.kept_tables()?;
        self.words()?;
        self.file.finish()
    }

    fn analysis(mut self) -> io::Result<()> {
        let device = self.device();
        let has_device = self.carried.get("StepTraceTime").is_none_or(|c| c.iter().any(|c| c == "deviceId"));
        let steps: Vec<reported_step::Row> = self.tables.rows().collect();
        let steps = steps
            .into_iter()
            .map(|row| reported_step::Row { device: row.device.or(Some(device)).filter(|_| has_device), ..row });
        self.table(&layouts::STEP_TRACE_TIME, steps)?;
        let tables = self.tables;
        let is_op = move |name: Str| !tables.text(name).starts_with("Total");
        self.table(&layouts::COMM_ANALYZER_BANDWIDTH, bandwidths(tables).into_iter().filter(move |r| is_op(r.name)))?;
        self.table(&layouts::COMM_ANALYZER_TIME, tables.rows::<reported_comm::Row>().filter(move |r| is_op(r.name)))?;
        let matrix = match self.flavour {
            Flavour::MindSpore => &layouts::COMM_ANALYZER_MATRIX_OF_OPERATIONS,
            _ => &layouts::COMM_ANALYZER_MATRIX,
        };
        self.table(matrix, tables.rows::<reported_link::Row>())?;
        self.file.finish()
    }

    fn device(&self) -> i64 {
        self.rank_row.device.unwrap_or_default()
    }

    fn has_kept(&self, table: &str) -> bool {
        // Read anew by each writer: a handful of small tables.
        self.kept.iter().any(|kept| kept.name == table)
    }

    /// Who and where: small tables that a database always has.
    fn identity(&mut self) -> io::Result<()> {
        let tables = self.tables;
        let text = |id: Option<Str>| tables.opt_text(id).map(|t| SqlCell::Text(t.to_owned()));
        let column = |name: &str, sql: &'static str| (name.to_owned(), sql);
        let device = self.device();
        if !self.has_kept("RANK_DEVICE_MAP") {
            let columns = [column("rankId", "INTEGER"), column("deviceId", "INTEGER")];
            let row = vec![SqlCell::Int(self.rank), SqlCell::Int(device)];
            self.file.cells("RANK_DEVICE_MAP", &columns, [row])?;
        }
        if let Some(host) = text(self.rank_row.host).filter(|_| !self.has_kept("HOST_INFO")) {
            let columns = [column("hostUid", "TEXT"), column("hostName", "TEXT")];
            let uid = text(self.rank_row.host_uid).unwrap_or(host.clone());
            self.file.cells("HOST_INFO", &columns, [vec![uid, host]])?;
        }
        if let Some(chip) = text(self.rank_row.chip).filter(|_| !self.has_kept("NPU_INFO")) {
            let columns = [column("id", "INTEGER"), column("name", "TEXT")];
            self.file.cells("NPU_INFO", &columns, [vec![SqlCell::Int(device), chip]])?;
        }
        let session =
            self.rank_row.session_start.or(self.rank_row.start).zip(self.rank_row.session_end.or(self.rank_row.end));
        if let Some((start, end)) = session.filter(|_| !self.has_kept("SESSION_TIME_INFO")) {
            let columns = [column("startTimeNs", "INTEGER"), column("endTimeNs", "INTEGER")];
            self.file.cells("SESSION_TIME_INFO", &columns, [vec![SqlCell::Int(start.0), SqlCell::Int(end.0)]])?;
        }
        Ok(())
    }

    /// `TASK`, `COMPUTE_TASK_INFO`, `TASK_PMU_INFO`, `MEMCPY_INFO`.
    fn tasks(&mut self) -> io::Result<()> {
        let tables = self.tables;
        let (kernels, extra_tasks) = self.kernels();
        let core_of_task: HashMap<i64, Option<Str>> = kernels.iter().filter_map(|k| Some((k.task?, k.core))).collect();
        let (device, lanes) = (self.device(), std::mem::take(&mut self.lanes));
        let process = self.rank_row.process;
        let rows = tables.rows::<task::Row>().map(|mut row| {
            let ids = lanes.get(&row.lane);
            row.device = row.device.or(ids.map(|l| l.device)).or(Some(device));
            TaskRow { end: row.start.plus(row.duration.ns()), pid: process.or(ids.map(|l| l.process)), task: row }
        });
        // A trace gives tasks the device's types; databases have the host's.
        let special: &[&str] = if self.carried.contains_key("TASK") { &[] } else { &["taskType"] };
        let mut type_ids: HashMap<(Str, Option<Option<Str>>), i64> = HashMap::new();
        self.table_with(&layouts::TASK, rows.chain(extra_tasks), special, |_, row, context| {
            let core = core_of_task.get(&row.task.task).copied();
            let id = type_ids.entry((row.task.name, core)).or_insert_with(|| {
                let core = core.map(|core| context.tables.opt_text(core.or(row.task.task_type)).unwrap_or_default());
                context.words.string(host_task_type(context.tables.text(row.task.name), core))
            });
            Some(SqlCell::Int(*id))
        })?;
        self.lanes = lanes;
        let has_block_num = self.carried.get("COMPUTE_TASK_INFO").is_none_or(|c| c.iter().any(|c| c == "blockNum"));
        let layout = if has_block_num { &layouts::COMPUTE_TASK_INFO } else { &layouts::COMPUTE_TASK_INFO_1_0 };
        self.table(layout, kernels.iter().copied())?;
        let metrics = self.metrics(&kernels);
        self.table_with(&layouts::TASK_PMU_INFO, metrics, &["name"], |_, (_, name), _| Some(SqlCell::Int(*name)))?;
        let copies = tables.views::<task::Row>().flat_map(|(view, rows)| {
            (0..rows).map(move |row| MemcpyRow {
                task: view.task.get(row),
                bytes: view.bytes.get(row),
                operation: view.operation.get(row),
            })
        });
        self.table(&layouts::MEMCPY_INFO, copies.filter(|row| row.bytes.is_some() || row.operation.is_some()))
    }

    /// Kernels with a task each; for kernels that no trace shows, tasks are added.
    fn kernels(&self) -> (Vec<kernel::Row>, Vec<TaskRow>) {
        let last =
            self.tables.views::<task::Row>().flat_map(|(view, rows)| (0..rows).map(move |row| view.task.get(row)));
        let mut next = last.max().map_or(0, |last| last + 1);
        let mut extra = Vec::new();
        let kernels =
            self.tables.rows::<kernel::Row>().filter(|row| !is_communication(self.tables, row)).map(|mut row| {
                if row.task.is_none() {
                    row.task = Some(next);
                    let task = task::Row {
                        task: next,
                        start: row.start,
                        duration: row.duration,
                        name: row.name,
                        task_type: row.core,
                        device: row.device.or(Some(self.device())),
                        stream: row.stream,
                        task_id: row.task_id,
                        model_id: row.model_id,
                        ..task::Row::default()
                    };
                    extra.push(TaskRow { end: row.start.plus(row.duration.ns()), pid: self.rank_row.process, task });
                    next += 1;
                }
                row
            });
        (kernels.collect(), extra)
    }

    /// The metrics of kernels as rows of `TASK_PMU_INFO`, metric by metric as the peers write them.
    fn metrics(&mut self, kernels: &[kernel::Row]) -> Vec<(PmuRow, i64)> {
        let mut rows = Vec::new();
        for name in pmu::NAMES {
            let id = self.words.string(name);
            for kernel in kernels {
                let value = pmu::place(&mut kernel.clone(), name).and_then(|place| *place);
                if let (Some(task), Some(value)) = (kernel.task, value) {
                    rows.push((PmuRow { task, name: Str::default(), value: Some(value) }, id));
                }
            }
        }
        for kernel in kernels {
            let others =
                self.tables.opt_text(kernel.metrics).and_then(|m| serde_json::from_str::<Map<String, Value>>(m).ok());
            for (name, value) in others.unwrap_or_default() {
                if let (Some(task), Some(value)) = (kernel.task, value.as_f64()) {
                    rows.push((PmuRow { task, name: Str::default(), value: Some(value) }, self.words.string(&name)));
                }
            }
        }
        rows
    }

    fn communication(&mut self) -> io::Result<()> {
        let tables = self.tables;
        let device = self.device();
        let groups = GroupNames::of(tables);
        let from_db = self.carried.contains_key("COMMUNICATION_OP");
        let mut group_ids: HashMap<i64, i64> = HashMap::new();
        let mut type_ids: HashMap<i64, i64> = HashMap::new();
        let mut op_names: HashMap<i64, Str> = HashMap::new();
        for op in tables.rows::<comm_op::Row>() {
            op_names.insert(op.op, op.name);
            group_ids.insert(op.op, self.words.string(&groups.name(tables, &op)));
            let op_type =
                tables.opt_text(op.op_type).map_or_else(|| operation_type(tables.text(op.name)), str::to_owned);
            type_ids.insert(op.op, self.words.string(&op_type));
        }
        let ops: Vec<CommOpRow> = tables
            .rows::<comm_op::Row>()
            .map(|mut op| {
                op.device = op.device.or(Some(device));
                CommOpRow { end: op.start.plus(op.duration.ns()), op }
            })
            .collect();
        self.table_with(&layouts::COMMUNICATION_OP, ops, &["groupName", "opType"], |column, row, _| match column {
            "groupName" if row.op.group_name.is_none() => group_ids.get(&row.op.op).map(|&id| SqlCell::Int(id)),
            "opType" if row.op.op_type.is_none() && !from_db => type_ids.get(&row.op.op).map(|&id| SqlCell::Int(id)),
            _ => None,
        })?;
        let pieces: Vec<CommTaskRow> = tables
            .rows::<comm_task::Row>()
            .map(|piece| {
                let op_name = piece.op.and_then(|op| op_names.get(&op).copied()).unwrap_or_default();
                CommTaskRow { op_name, bandwidth: bytes_per_second(&piece), piece }
            })
            .collect();
        self.table_with(&layouts::COMMUNICATION_TASK_INFO, pieces, &["groupName"], |column, row, _| match column {
            "groupName" if row.piece.group_name.is_none() => group_ids.get(&row.piece.op?).map(|&id| SqlCell::Int(id)),
            _ => None,
        })
    }

    /// Calls of the host below the framework: `CANN_API`, `MSTX_EVENTS`, `GC_RECORD`, `OSRT_API`.
    fn calls(&mut self) -> io::Result<()> {
        let tables = self.tables;
        let words: HashMap<Str, Option<i64>> = tables
            .rows::<host_op::Row>()
            .filter_map(|row| row.level)
            .map(|level| (level, self.words.word(Vocabulary::ApiType, tables.text(level))))
            .collect();
        let lanes = self.lanes.clone();
        let thread = |row: &host_op::Row| lanes.get(&row.lane).map_or(0, |l| l.thread);
        let call = |row: host_op::Row| ApiRow {
            end: row.start.plus(row.duration.ns()),
            thread: thread(&row),
            api_type: row.level.and_then(|level| words.get(&level).copied().flatten()),
            op: row,
            ..ApiRow::default()
        };
        let of_kind =
            |kind: Kind| tables.rows::<host_op::Row>().filter(move |row| tables.text(row.kind) == kind.name());
        // The connection id is the key of the table: calls without one, or with one that is taken, get the next.
        let mut used = hashbrown::HashSet::new();
        let mut next = of_kind(Kind::Cann).filter_map(|row| row.connection_id).max().unwrap_or_default();
        let calls = of_kind(Kind::Cann).map(|mut row| {
            let free = row.connection_id.is_some_and(|id| used.insert(id));
            if !free {
                next += 1;
                row.connection_id = Some(next);
            }
            call(row)
        });
        self.table(&layouts::CANN_API, calls)?;
        let marks = of_kind(Kind::Mstx).map(|row| mark(tables, call(row)));
        self.table(&layouts::MSTX_EVENTS, marks)?;
        self.table(&layouts::GC_RECORD, of_kind(Kind::Gc).map(call))?;
        let os = tables.rows::<lane::Row>().filter(|l| tables.opt_text(l.process) == Some("OS Runtime API"));
        let os: hashbrown::HashSet<u32> = os.map(|l| l.lane).collect();
        self.table(&layouts::OSRT_API, of_kind(Kind::Other).filter(|row| os.contains(&row.lane)).map(call))
    }

    /// `PYTORCH_API` and what hangs on it.
    fn framework(&mut self) -> io::Result<()> {
        let tables = self.tables;
        let lanes = self.lanes.clone();
        let mut connections = Connections::of(tables);
        let mut chains = CallChains::default();
        let mut rows = Vec::new();
        for row in tables.rows::<host_op::Row>() {
            let Some(kind) = Kind::from_name(tables.text(row.kind)) else { continue };
            let (api_type, ids) = match kind {
                Kind::Op => (50001, connections.of_operator(&row)),
                Kind::Enqueue | Kind::Dequeue => (50002, row.connection_id.into_iter().collect()),
                Kind::Python => (50003, Vec::new()),
                _ => continue,
            };
            rows.push(ApiRow {
                end: row.start.plus(row.duration.ns()),
                thread: lanes.get(&row.lane).map_or(0, |l| l.thread),
                api_type: Some(api_type),
                connections: connections.key(&ids),
                call_chain: row.stack.map(|stack| chains.key(stack)),
                op: row,
                ..ApiRow::default()
            });
        }
        let layout = if self.source_swaps_columns() { &layouts::PYTORCH_API_SWAPPED } else { &layouts::PYTORCH_API };
        self.table(layout, rows)?;
        self.table(&layouts::CONNECTION_IDS, connections.rows)?;
        let frames: Vec<(FrameRow, i64)> = chains
            .stacks
            .iter()
            .zip(0..)
            .flat_map(|(&stack, id)| {
                tables.text(stack).split(";\r\n").zip(0..).map(move |(frame, depth)| (frame, id, depth))
            })
            .map(|(frame, id, depth)| (FrameRow { id, frame: Str::default(), depth }, self.words.string(frame)))
            .collect();
        self.table_with(&layouts::PYTORCH_CALLCHAINS, frames, &["stack"], |_, (_, frame), _| Some(SqlCell::Int(*frame)))
    }

    /// A database that had shapes and types the wrong way round is written as it was.
    fn source_swaps_columns(&self) -> bool {
        let mut diagnostics = self.tables.rows::<diagnostic::Row>();
        diagnostics.any(|row| self.tables.text(row.code) == SWAPPED_COLUMNS)
    }

    fn steps_and_overlap(&mut self) -> io::Result<()> {
        let tables = self.tables;
        self.table(&layouts::STEP_TIME, tables.rows::<step::Row>())?;
        if !self.carried.is_empty() && !self.carried.contains_key("OVERLAP_ANALYSIS") {
            // The source is a database that left these to be computed.
            return Ok(());
        }
        let (device, lanes) = (self.device(), self.lanes.clone());
        let intervals = tables.rows::<overlap::Row>().zip(0..).map(|(mut interval, id)| {
            let kind = overlap::Kind::from_name(tables.text(interval.kind)).map_or(65535, |kind| kind as i64);
            interval.device = interval.device.or(lanes.get(&interval.lane).map(|l| l.device)).or(Some(device));
            OverlapRow { end: interval.start.plus(interval.duration.ns()), id, kind, interval }
        });
        self.table(&layouts::OVERLAP_ANALYSIS, intervals)
    }

    fn memory(&mut self) -> io::Result<()> {
        let tables = self.tables;
        let of_kind =
            |kind: &'static str| tables.rows::<mem_sample::Row>().filter(move |row| tables.text(row.kind) == kind);
        // Memory of the process has a table of its own, NPU_MEM.
        self.table(&layouts::MEMORY_RECORD, of_kind("allocator").filter(|row| tables.text(row.component) != "APP"))?;
        self.table(&layouts::NPU_MODULE_MEM, of_kind("module"))?;
        self.table(&layouts::NPU_OP_MEM, of_kind("operator"))?;
        let events = tables.rows::<mem_event::Row>().filter(|row| tables.text(row.kind) == "operator");
        let events: Vec<(mem_event::Row, i64)> = events
            .map(|row| {
                let name = tables.text(row.name);
                (row, self.words.string(name.strip_prefix("cann::").unwrap_or(name)))
            })
            .collect();
        self.table_with(&layouts::OP_MEMORY, events, &["name"], |_, (_, name), _| Some(SqlCell::Int(*name)))
    }

    fn counters(&mut self) -> io::Result<()> {
        for (table, spec) in counters::TABLES {
            let mut rows = counters::rows(self.tables, table.table, spec);
            if table.table == "NPU_MEM" && rows.is_empty() {
                rows = self.process_memory();
            }
            let rows: Vec<_> = rows.into_iter().map(|(row, word)| (row, self.words.string(&word))).collect();
            self.table_with(table, rows, &["type", "mode", "eventName"], |_, (_, word), _| Some(SqlCell::Int(*word)))?;
        }
        Ok(())
    }

    /// Samples of the process's memory where no counter has them.
    #[expect(clippy::cast_precision_loss, reason = "sizes are below 2^53")]
    fn process_memory(&self) -> Vec<(counters::SampleRow, String)> {
        let tables = self.tables;
        let samples = tables.rows::<mem_sample::Row>().filter(|row| tables.text(row.component) == "APP");
        let rows = samples.map(|row| counters::SampleRow {
            device: row.device.unwrap_or_else(|| self.device()),
            time: row.time,
            a: Some(0.0),
            b: row.reserved.map(|bytes| bytes as f64),
            ..counters::SampleRow::default()
        });
        rows.map(|row| (row, "app".to_owned())).collect()
    }

    fn meta_data(&mut self) -> io::Result<()> {
        let tables = self.tables;
        let rows_of = |file: &'static str| {
            tables.rows::<metadata::Row>().filter(move |row| tables.text(row.file) == file).map(|row| {
                let value = tables.text(row.value);
                // Plain text was kept as a JSON string, everything else as it stood.
                let value = serde_json::from_str::<String>(value).unwrap_or_else(|_| value.to_owned());
                (tables.text(row.key).to_owned(), value)
            })
        };
        let mut rows: Vec<(String, String)> = rows_of("META_DATA").collect();
        if rows.is_empty() {
            rows = SCHEMA.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
            rows.extend(rows_of("profiler_metadata"));
        }
        let columns = [("name".to_owned(), "TEXT"), ("value".to_owned(), "TEXT")];
        let rows = rows.into_iter().map(|(name, value)| vec![SqlCell::Text(name), SqlCell::Text(value)]);
        self.file.cells("META_DATA", &columns, rows)
    }

    fn kept_tables(&mut self) -> io::Result<()> {
        for table in std::mem::take(&mut self.kept) {
            let columns: Vec<(String, &str)> = table.columns.iter().map(|name| (name.clone(), "")).collect();
            self.file.cells(&table.name, &columns, table.rows)?;
        }
        Ok(())
    }

    /// `STRING_IDS` and the `ENUM_*` tables: last, when all words are known.
    fn words(&mut self) -> io::Result<()> {
        let columns = [("id".to_owned(), "INTEGER PRIMARY KEY"), ("value".to_owned(), "TEXT")];
        let rows = self.words.strings().map(|(id, text)| vec![SqlCell::Int(id), SqlCell::Text(text.to_owned())]);
        self.file.cells("STRING_IDS", &columns, rows)?;
        let columns = [("id".to_owned(), "INTEGER PRIMARY KEY"), ("name".to_owned(), "TEXT")];
        for (vocabulary, words) in self.words.vocabularies() {
            let rows = words.iter().map(|(id, word)| vec![SqlCell::Int(*id), SqlCell::Text(word.clone())]);
            self.file.cells(vocabulary.table(), &columns, rows)?;
        }
        Ok(())
    }
}

/// A row, alone or with something beside it.
trait AsRow<R> {
    fn as_row(&self) -> &R;
}

impl<R> AsRow<R> for R {
    fn as_row(&self) -> &R {
        self
    }
}

impl<R, T> AsRow<R> for (R, T) {
    fn as_row(&self) -> &R {
        &self.0
    }
}

fn is_framework(process: &str) -> bool {
    matches!(process, "Python" | "MindSpore" | "CPU OP")
}

/// The type a task had for the host, which databases name: that of its core for a kernel, else what it is called.
fn host_task_type<'a>(name: &'a str, core: Option<&'a str>) -> &'a str {
    match core {
        Some("AI_CORE") => "KERNEL_AICORE",
        Some("AI_VECTOR_CORE") => "KERNEL_AIVEC",
        Some("MIX_AIC") => "KERNEL_MIX_AIC",
        Some("MIX_AIV") => "KERNEL_MIX_AIV",
        Some("AI_CPU") => "KERNEL_AICPU",
        Some(other) => other,
        None => name,
    }
}

/// `hcom_allReduce_` of `hcom_allReduce__586_0_1`.
fn operation_type(name: &str) -> String {
    name.split_once("__").map_or_else(|| name.to_owned(), |(head, _)| format!("{head}_"))
}

/// Bandwidth in B/s: from size and duration where that is what was reported, since that is how it came about.
#[expect(clippy::cast_precision_loss, reason = "sizes are below 2^53")]
fn bytes_per_second(piece: &comm_task::Row) -> Option<f64> {
    let reported = piece.bandwidth? * 1e9;
    let computed = piece.bytes? as f64 / piece.duration.ns() as f64 * 1e9;
    Some(if (computed - reported).abs() <= reported.abs() * 1e-9 { computed } else { reported })
}

/// What an mstx row had in columns that `host_op` lacks.
fn mark(tables: &RankTables, mut row: ApiRow) -> ApiRow {
    let args = tables.opt_text(row.op.args).and_then(|args| serde_json::from_str::<Map<String, Value>>(args).ok());
    let args = args.unwrap_or_default();
    row.range = args.get("rangeId").and_then(Value::as_i64);
    row.end_thread = args.get("endGlobalTid").and_then(Value::as_i64).or(Some(row.thread));
    row
}

/// Rows of `CommAnalyzerBandwidth`: a transport that moved nothing has none, one without packets has zeros.
fn bandwidths(tables: &RankTables) -> Vec<reported_bandwidth::Row> {
    let used = tables.rows::<reported_bandwidth::Row>().filter(|row| row.transit_size != Some(0.0));
    used.map(|row| reported_bandwidth::Row {
        count: row.count.or(Some(0.0)),
        total_duration: row.total_duration.or(Some(0.0)),
        ..row
    })
    .collect()
}

/// Names of communication groups, by their hash.
struct GroupNames {
    by_hash: HashMap<String, String>,
}

impl GroupNames {
    fn of(tables: &RankTables) -> GroupNames {
        let groups = tables.rows::<metadata::Row>().filter(|row| tables.text(row.key) == "parallel_group_info");
        let names = groups
            .filter_map(|row| serde_json::from_str::<Map<String, Value>>(tables.text(row.value)).ok())
            .flat_map(|groups| groups.into_iter().map(|(name, _)| name).collect::<Vec<_>>());
        let by_hash = names.map(|name| (crate::link::group_hash(&name), name)).collect();
        GroupNames { by_hash }
    }

    /// The name of an operation's group; its hash where the name is not known.
    fn name(&self, tables: &RankTables, op: &comm_op::Row) -> String {
        if let Some(name) = tables.opt_text(op.group_name) {
            return name.to_owned();
        }
        let hash = tables.opt_text(op.group_hash).unwrap_or_default();
        self.by_hash.get(hash).cloned().unwrap_or_else(|| hash.to_owned())
    }
}

/// The rows of `CONNECTION_IDS`.
struct Connections {
    rows: Vec<ConnectionRow>,
    /// Connection ids of the device work that an operator at a place led to.
    of_place: HashMap<(u32, Ns), Vec<i64>>,
}

impl Connections {
    fn of(tables: &RankTables) -> Connections {
        let reached: hashbrown::HashSet<(u32, Ns)> = tables
            .rows::<flow::Row>()
            .filter(|row| tables.text(row.kind) == "async_npu")
            .filter_map(|row| row.dst_lane.zip(row.dst_time))
            .collect();
        let mut work: HashMap<(u32, Ns), i64> = HashMap::new();
        if !reached.is_empty() {
            let tasks = tables.rows::<task::Row>().map(|row| ((row.lane, row.start), row.connection_id));
            let operations = tables.rows::<comm_op::Row>().map(|row| ((row.lane, row.start), row.connection_id));
            let known = tasks.chain(operations).filter(|(place, _)| reached.contains(place));
            work.extend(known.filter_map(|(place, id)| Some((place, id?))));
        }
        let launches: hashbrown::HashSet<i64> = tables
            .rows::<host_op::Row>()
            .filter(|row| tables.opt_text(row.level) == Some("node"))
            .filter_map(|row| row.connection_id)
            .collect();
        let mut of_place: HashMap<(u32, Ns), Vec<i64>> = HashMap::new();
        let mut add = |place: Option<(u32, Ns)>, id: i64| {
            let ids = place.map(|place| of_place.entry(place).or_default());
            if let Some(ids) = ids
                && !ids.contains(&id)
            {
                ids.push(id);
            }
        };
        // Ids of forward and backward pairs come after all others.
        let mut pair = tables.rows::<host_op::Row>().filter_map(|row| row.connection_id).max().unwrap_or_default();
        for row in tables.rows::<flow::Row>() {
            let (src, dst) = (row.src_lane.zip(row.src_time), row.dst_lane.zip(row.dst_time));
            match tables.text(row.kind) {
                "async_npu" => {
                    if let Some(&id) = dst.and_then(|place| work.get(&place))
                        && (launches.is_empty() || launches.contains(&id))
                    {
                        add(src, id);
                    }
                }
                "fwdbwd" if src.is_some() && dst.is_some() => {
                    pair += 1;
                    add(src, pair);
                    add(dst, pair);
                }
                _ => {}
            }
        }
        Connections { rows: Vec::new(), of_place }
    }

    fn of_operator(&mut self, row: &host_op::Row) -> Vec<i64> {
        self.of_place.remove(&(row.lane, row.start)).unwrap_or_default()
    }

    /// The key under which a set of connection ids is stored; `None` for none.
    fn key(&mut self, ids: &[i64]) -> Option<i64> {
        if ids.is_empty() {
            return None;
        }
        let key = self.rows.last().map_or(0, |row| row.id + 1);
        self.rows.extend(ids.iter().map(|&connection| ConnectionRow { id: key, connection }));
        Some(key)
    }
}

/// Distinct call stacks, numbered.
#[derive(Default)]
struct CallChains {
    stacks: Vec<Str>,
    index: HashMap<Str, i64>,
}

impl CallChains {
    fn key(&mut self, stack: Str) -> i64 {
        *self.index.entry(stack).or_insert_with(|| {
            self.stacks.push(stack);
            i64::try_from(self.stacks.len() - 1).unwrap_or(i64::MAX)
        })
    }
}

/// Writes the results of cluster analyses back into `cluster_analysis_output/cluster_analysis.db`.
pub fn write_cluster(tables: &RankTables, directory: &Output) -> Result<(), OutputError> {
    let is_cluster_db = |file: &str| file.ends_with("cluster_analysis.db");
    let kept = sheet::kept(tables, is_cluster_db, |_| 0);
    if kept.is_empty() {
        return Ok(());
    }
    directory.directory("cluster_analysis_output")?.path_for("cluster_analysis.db", |path| {
        let mut file = SqliteFile::create(path)?;
        for table in kept {
            let columns: Vec<(String, &str)> = table.columns.iter().map(|name| (name.clone(), "")).collect();
            file.cells(&table.name, &columns, table.rows)?;
        }
        file.finish()
    })
}
