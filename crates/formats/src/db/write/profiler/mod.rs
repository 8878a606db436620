//! `ascend_pytorch_profiler_{rank}.db` and MindSpore's: everything that happened.

use std::io;
use std::path::Path;

use arrow::array::{Array, AsArray};
use arrow::datatypes::Float64Type;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use npuscope_measures::deliverable::is_communication;
use npuscope_sqlite::SqlCell;
use npuscope_tables::Flavour;
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::{
    comm_op, comm_task, diagnostic, host_op, kernel, lane, mem_event, mem_sample, metadata, overlap, rank, step, task,
};
use npuscope_tables::{Ns, RankTables, Str, TableId, TableView};
use serde_json::{Map, Value};

use super::names::WordIds;
use super::tables::OpenTables;
use crate::db::connections::{CallChains, Connection, ConnectionIds, OperatorConnections};
use crate::db::counters;
use crate::db::host_counters::{self, NPUSCOPE_COUNTER};
use crate::db::id_set::IdSet;
use crate::db::layouts::{self, ApiRow, CommOpRow, CommTaskRow, FrameRow, MemcpyRow, OverlapRow, PmuRow, TaskRow};
use crate::db::names::Vocabulary;
use crate::db::pmu;
use crate::db::read::SWAPPED_COLUMNS;
use crate::db::sheet::{self, KeptTable};
use crate::info_json::Settings;
use crate::lanes::HOST_COUNTERS;
use crate::rows::rows_where;

/// The schema this module writes.
const SCHEMA: [(&str, &str); 4] = [
    ("SCHEMA_VERSION_MICRO", "0"),
    ("SCHEMA_VERSION_MINOR", "2"),
    ("SCHEMA_VERSION_MAJOR", "1"),
    ("SCHEMA_VERSION", "1.2.0"),
];

pub struct Profiler {
    database: OpenTables,
    rank: i64,
    /// It has a place for operators of the framework. MindSpore's own databases have none, but what our recorder
    /// wrote has nowhere else to go.
    has_framework: bool,
    /// A database that had shapes and types the wrong way round is written as it was.
    swaps_columns: bool,
    facts: RankFacts,
    lanes: Lanes,
    groups: GroupNames,
    kept: Vec<KeptTable>,
    /// Above all numbers of tasks so far.
    next_task: i64,
    calls: IdSet,
    connections: ConnectionIds,
    chains: CallChains,
    /// Counters have the memory of the process.
    has_process_memory: bool,
}

type Lanes = HashMap<u32, LaneIds, FixedState>;

#[derive(Clone, Copy)]
struct LaneIds {
    /// Process id << 32 | thread id.
    thread: i64,
    process: i64,
    device: i64,
    is_os_runtime: bool,
    /// Where its counters go.
    counters: Option<&'static str>,
    has_host_counters: bool,
}

/// What the row of `rank` says.
#[derive(Default)]
struct RankFacts {
    device: Option<i64>,
    process: Option<i64>,
    host: Option<String>,
    host_uid: Option<String>,
    chip: Option<String>,
    session: Option<(Ns, Ns)>,
}

impl RankFacts {
    fn of(row: &rank::Row, tables: &RankTables) -> RankFacts {
        let text = |id: Option<Str>| tables.opt_text(id).map(str::to_owned);
        RankFacts {
            device: row.device,
            process: row.process,
            host: text(row.host),
            host_uid: text(row.host_uid),
            chip: text(row.chip),
            session: row.session_start.or(row.start).zip(row.session_end.or(row.end)),
        }
    }
}

/// Databases whose kept tables go into the profiler database.
fn is_profiler_db(file: &str) -> bool {
    file.contains("profiler") && file.ends_with(".db")
        || file.rsplit('/').next().is_some_and(|f| f.starts_with("msprof_"))
}

impl Profiler {
    pub fn create(path: &Path, first: &RankTables, rank: i64, flavour: Flavour) -> io::Result<Profiler> {
        let enums = sheet::kept(first, is_profiler_db, |_| 0);
        let is_raw = first.rows::<rank::Row>().any(|row| first.text(row.format) == "raw");
        Ok(Profiler {
            database: OpenTables::create(path, WordIds::new(first, &enums), first)?,
            rank,
            has_framework: flavour != Flavour::MindSpore || is_raw,
            swaps_columns: first.rows::<diagnostic::Row>().any(|row| first.text(row.code) == SWAPPED_COLUMNS),
            facts: RankFacts::default(),
            lanes: Lanes::default(),
            groups: GroupNames::default(),
            kept: Vec::new(),
            next_task: 0,
            calls: IdSet::default(),
            connections: ConnectionIds::default(),
            chains: CallChains::default(),
            has_process_memory: false,
        })
    }

    pub fn append(&mut self, tables: &RankTables) -> io::Result<()> {
        self.begin_chunk(tables);
        self.tasks(tables)?;
        self.communication(tables)?;
        self.calls(tables)?;
        if self.has_framework {
            self.framework(tables)?;
        }
        self.steps_and_overlap(tables)?;
        self.memory(tables)?;
        self.counters(tables)
    }

    pub fn finish(mut self, settings: &Settings) -> io::Result<()> {
        self.identity()?;
        if self.has_framework {
            let none = npuscope_tables::RankBuilder::default().finish();
            self.database.table(&none, &layouts::CONNECTION_IDS, self.connections.rows())?;
        }
        self.database.finish()?;
        self.meta_data(settings)?;
        for table in std::mem::take(&mut self.kept) {
            let columns: Vec<(String, &'static str)> = table.columns.iter().map(|name| (name.clone(), "")).collect();
            self.database.file.cells(&table.name, &columns, table.rows)?;
        }
        self.words()?;
        self.database.file.finish()
    }

    pub fn device(&self) -> i64 {
        self.facts.device.unwrap_or_default()
    }

    /// Takes note of what later rows refer to.
    fn begin_chunk(&mut self, tables: &RankTables) {
        self.database.words.begin_chunk();
        self.chains.begin_chunk();
        if let Some(row) = tables.rows::<rank::Row>().next() {
            self.facts = RankFacts::of(&row, tables);
        }
        self.groups.append(tables);
        self.lanes.extend(tables.rows::<lane::Row>().map(|row| {
            let name = tables.opt_text(row.process);
            let process = if name.is_some_and(is_framework) { row.pid } else { row.pid >> 10 };
            let ids = LaneIds {
                thread: process << 32 | row.tid,
                process,
                device: row.pid & 31,
                is_os_runtime: name == Some("OS Runtime API"),
                counters: name.and_then(counters::table_of),
                has_host_counters: name == Some(HOST_COUNTERS.process),
            };
            (row.lane, ids)
        }));
        let words = &mut self.database.words;
        for table in sheet::kept(tables, is_profiler_db, |name| words.string(name)) {
            match self.kept.iter_mut().find(|kept| kept.name == table.name) {
                Some(kept) => kept.append(table),
                None => self.kept.push(table),
            }
        }
    }

    /// Who and where: small tables that a database always has.
    fn identity(&mut self) -> io::Result<()> {
        let device = self.device();
        let RankFacts { host, host_uid, chip, session, .. } = std::mem::take(&mut self.facts);
        let (file, kept) = (&mut self.database.file, &self.kept);
        let is_kept = |table: &str| kept.iter().any(|kept| kept.name == table);
        let column = |name: &str, sql: &'static str| (name.to_owned(), sql);
        let text = |text: String| SqlCell::Text(text.into());
        if !is_kept("RANK_DEVICE_MAP") {
            let columns = [column("rankId", "INTEGER"), column("deviceId", "INTEGER")];
            let row = vec![SqlCell::Int(self.rank), SqlCell::Int(device)];
            file.cells("RANK_DEVICE_MAP", &columns, [row])?;
        }
        if let Some(host) = host.filter(|_| !is_kept("HOST_INFO")) {
            let columns = [column("hostUid", "TEXT"), column("hostName", "TEXT")];
            let uid = host_uid.unwrap_or(host.clone());
            file.cells("HOST_INFO", &columns, [vec![text(uid), text(host)]])?;
        }
        if let Some(chip) = chip.filter(|_| !is_kept("NPU_INFO")) {
            let columns = [column("id", "INTEGER"), column("name", "TEXT")];
            file.cells("NPU_INFO", &columns, [vec![SqlCell::Int(device), text(chip)]])?;
        }
        if let Some((start, end)) = session.filter(|_| !is_kept("SESSION_TIME_INFO")) {
            let columns = [column("startTimeNs", "INTEGER"), column("endTimeNs", "INTEGER")];
            file.cells("SESSION_TIME_INFO", &columns, [vec![SqlCell::Int(start.0), SqlCell::Int(end.0)]])?;
        }
        Ok(())
    }

    /// `TASK`, `COMPUTE_TASK_INFO`, `TASK_PMU_INFO`, `MEMCPY_INFO`.
    fn tasks(&mut self, tables: &RankTables) -> io::Result<()> {
        let (tasks_of_kernels, extra_tasks) = self.kernels(tables);
        let mut core_of_task: HashMap<i64, Option<Str>, FixedState> = HashMap::default();
        let cores = tables.views::<kernel::Row>().flat_map(|(view, rows)| (0..rows).map(move |row| view.core.get(row)));
        core_of_task.extend(tasks_of_kernels.iter().zip(cores).filter_map(|(&task, core)| Some((task?, core))));
        let (device, process, lanes) = (self.device(), self.facts.process, &self.lanes);
        let rows = tables.rows::<task::Row>().map(|mut row| {
            let ids = lanes.get(&row.lane);
            row.device = row.device.or(ids.map(|l| l.device)).or(Some(device));
            TaskRow { end: row.start.plus(row.duration.ns()), pid: process.or(ids.map(|l| l.process)), task: row }
        });
        // A trace gives tasks the device's types; databases have the host's.
        let special: &[&str] = if self.database.carried("TASK").is_some() { &[] } else { &["taskType"] };
        let mut type_ids: HashMap<(Str, Option<Option<Str>>), i64, FixedState> = HashMap::default();
        let rows = rows.chain(extra_tasks);
        self.database.table_with(tables, &layouts::TASK, rows, special, |_, row, context| {
            let core = core_of_task.get(&row.task.task).copied();
            let id = type_ids.entry((row.task.name, core)).or_insert_with(|| {
                let core = core.map(|core| tables.opt_text(core.or(row.task.task_type)).unwrap_or_default());
                context.words.string(host_task_type(tables.text(row.task.name), core))
            });
            Some(SqlCell::Int(*id))
        })?;
        let block_num = self.database.carried("COMPUTE_TASK_INFO").is_none_or(|c| c.iter().any(|c| c == "blockNum"));
        let layout = if block_num { &layouts::COMPUTE_TASK_INFO } else { &layouts::COMPUTE_TASK_INFO_1_0 };
        let kernels = tables.rows::<kernel::Row>().zip(&tasks_of_kernels);
        let kernels = kernels.filter_map(|(row, task)| Some(kernel::Row { task: Some((*task)?), ..row }));
        self.database.table(tables, layout, kernels)?;
        self.metrics(tables, &tasks_of_kernels)?;
        let copies = tables.views::<task::Row>().flat_map(|(view, rows)| {
            (0..rows).map(move |row| MemcpyRow {
                task: view.task.get(row),
                bytes: view.bytes.get(row),
                operation: view.operation.get(row),
            })
        });
        let copies = copies.filter(|row| row.bytes.is_some() || row.operation.is_some());
        self.database.table(tables, &layouts::MEMCPY_INFO, copies)
    }

    /// The task of each kernel, `None` for communication; for kernels that no trace shows, tasks are added.
    fn kernels(&mut self, tables: &RankTables) -> (Vec<Option<i64>>, Vec<TaskRow>) {
        let numbers = tables.views::<task::Row>().flat_map(|(view, rows)| (0..rows).map(move |row| view.task.get(row)));
        self.next_task = numbers.max().map_or(self.next_task, |last| self.next_task.max(last.saturating_add(1)));
        let mut extra = Vec::new();
        let mut tasks = Vec::with_capacity(tables.len(TableId::Kernel));
        for (view, rows) in tables.views::<kernel::Row>() {
            for number in 0..rows {
                let known = view.task.get(number);
                let core = kernel::Row { core: view.core.get(number), ..kernel::Row::default() };
                if is_communication(tables, &core) {
                    tasks.push(None);
                } else if known.is_some() {
                    tasks.push(known);
                } else {
                    tasks.push(Some(self.next_task));
                    let row = view.row(number);
                    let task = task::Row {
                        task: self.next_task,
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
                    extra.push(TaskRow { end: row.start.plus(row.duration.ns()), pid: self.facts.process, task });
                    self.next_task += 1;
                }
            }
        }
        (tasks, extra)
    }

    /// The metrics of kernels as rows of `TASK_PMU_INFO`, metric by metric as the peers write them.
    fn metrics(&mut self, tables: &RankTables, tasks: &[Option<i64>]) -> io::Result<()> {
        let words = &mut self.database.words;
        let row = |task: i64, value: f64| PmuRow { task, name: Str::default(), value: Some(value) };
        let ids: Vec<i64> = pmu::NAMES.iter().map(|name| words.string(name)).collect();
        let columns = pmu::NAMES.iter().zip(&ids).flat_map(|(name, &id)| {
            let values = real_column(tables, TableId::Kernel, name).zip(tasks);
            values.filter_map(move |(value, task)| Some((row((*task)?, value?), id)))
        });
        let mut others = Vec::new();
        let texts = tables.views::<kernel::Row>().flat_map(|(view, n)| (0..n).map(move |row| view.metrics.get(row)));
        for (text, task) in texts.zip(tasks) {
            let Some((text, task)) = tables.opt_text(text).zip(*task) else { continue };
            for (name, value) in serde_json::from_str::<Map<String, Value>>(text).unwrap_or_default() {
                others.extend(value.as_f64().map(|value| (row(task, value), words.string(&name))));
            }
        }
        let rows = columns.chain(others);
        self.database
            .table_with(tables, &layouts::TASK_PMU_INFO, rows, &["name"], |_, (_, name), _| Some(SqlCell::Int(*name)))
    }

    fn communication(&mut self, tables: &RankTables) -> io::Result<()> {
        /// What the pieces of an operation have of it.
        struct OpWords {
            name: Str,
            group: i64,
            op_type: i64,
        }
        let device = self.device();
        let from_db = self.database.carried("COMMUNICATION_OP").is_some();
        let mut words: HashMap<i64, OpWords, FixedState> = HashMap::default();
        let mut group_ids: HashMap<(Option<Str>, Option<Str>), i64, FixedState> = HashMap::default();
        for (view, rows) in tables.views::<comm_op::Row>() {
            for row in 0..rows {
                let (name, group) = (view.name.get(row), (view.group_name.get(row), view.group_hash.get(row)));
                let ids = &mut self.database.words;
                let group = *group_ids.entry(group).or_insert_with(|| ids.string(self.groups.name(tables, group)));
                let op_type = match view.op_type.get(row) {
                    Some(op_type) => ids.string_of(op_type, tables),
                    None => ids.string(&operation_type(tables.text(name))),
                };
                words.insert(view.op.get(row), OpWords { name, group, op_type });
            }
        }
        let ops = tables.rows::<comm_op::Row>().map(|mut op| {
            op.device = op.device.or(Some(device));
            CommOpRow { end: op.start.plus(op.duration.ns()), op }
        });
        let special = &["groupName", "opType"];
        self.database.table_with(tables, &layouts::COMMUNICATION_OP, ops, special, |column, row, _| match column {
            "groupName" if row.op.group_name.is_none() => words.get(&row.op.op).map(|op| SqlCell::Int(op.group)),
            "opType" if row.op.op_type.is_none() && !from_db => {
                words.get(&row.op.op).map(|op| SqlCell::Int(op.op_type))
            }
            _ => None,
        })?;
        let pieces = tables.rows::<comm_task::Row>().map(|piece| {
            let op_name = piece.op.and_then(|op| words.get(&op)).map(|op| op.name).unwrap_or_default();
            CommTaskRow { op_name, bandwidth: bytes_per_second(&piece), piece }
        });
        let special = &["groupName"];
        self.database.table_with(tables, &layouts::COMMUNICATION_TASK_INFO, pieces, special, |_, row, _| {
            let group = words.get(&row.piece.op?).filter(|_| row.piece.group_name.is_none());
            group.map(|op| SqlCell::Int(op.group))
        })
    }

    /// Calls of the host below the framework: `CANN_API`, `MSTX_EVENTS`, `GC_RECORD`, `OSRT_API`.
    fn calls(&mut self, tables: &RankTables) -> io::Result<()> {
        let Profiler { database, lanes, calls: taken, .. } = self;
        let mut levels: HashMap<Str, Option<i64>, FixedState> = HashMap::default();
        for (view, rows) in tables.views::<host_op::Row>() {
            for level in (0..rows).filter_map(|row| view.level.get(row)) {
                let words = &mut database.words;
                levels.entry(level).or_insert_with(|| words.word(Vocabulary::ApiType, tables.text(level)));
            }
        }
        let call = |row: host_op::Row| ApiRow {
            end: row.start.plus(row.duration.ns()),
            thread: lanes.get(&row.lane).map_or(0, |l| l.thread),
            api_type: row.level.and_then(|level| levels.get(&level).copied().flatten()),
            op: row,
            ..ApiRow::default()
        };
        // The connection id is the key of the table: calls without one, or with one that is taken, get one in the end.
        let calls = host_ops(tables, Kind::Cann).map(|mut row| {
            row.connection_id = row.connection_id.filter(|id| taken.insert(*id));
            call(row)
        });
        database.table(tables, &layouts::CANN_API, calls)?;
        let marks = host_ops(tables, Kind::Mstx).map(|row| mark(tables, call(row)));
        database.table(tables, &layouts::MSTX_EVENTS, marks)?;
        database.table(tables, &layouts::GC_RECORD, host_ops(tables, Kind::Gc).map(call))?;
        let is_os_runtime = |row: &host_op::Row| lanes.get(&row.lane).is_some_and(|lane| lane.is_os_runtime);
        database.table(tables, &layouts::OSRT_API, host_ops(tables, Kind::Other).filter(is_os_runtime).map(call))
    }

    /// `PYTORCH_API` and what hangs on it.
    fn framework(&mut self, tables: &RankTables) -> io::Result<()> {
        let Profiler { database, lanes, connections, chains, .. } = self;
        let mut of_operators = OperatorConnections::of(tables, connections);
        let mut kinds = Memo::default();
        let rows = tables.views::<host_op::Row>().flat_map(|(view, rows)| {
            let wanted: Vec<(usize, Kind)> = (0..rows)
                .filter_map(|row| {
                    let kind = view.kind.get(row);
                    let kind = kinds.get(kind, || Kind::from_name(tables.text(kind)))?;
                    matches!(kind, Kind::Op | Kind::Enqueue | Kind::Dequeue | Kind::Python).then_some((row, kind))
                })
                .collect();
            wanted.into_iter().map(move |(row, kind)| (view.row(row), kind))
        });
        let rows = rows.map(|(row, kind)| {
            let (api_type, connections) = match kind {
                Kind::Op => (50001, connections.key(of_operators.take((row.lane, row.start)).iter().copied())),
                Kind::Enqueue | Kind::Dequeue => (50002, connections.key(row.connection_id.map(Connection::Id))),
                _ => (50003, None),
            };
            ApiRow {
                end: row.start.plus(row.duration.ns()),
                thread: lanes.get(&row.lane).map_or(0, |l| l.thread),
                api_type: Some(api_type),
                connections,
                call_chain: row.stack.map(|stack| chains.key(stack, tables)),
                op: row,
                ..ApiRow::default()
            }
        });
        let layout = if self.swaps_columns { &layouts::PYTORCH_API_SWAPPED } else { &layouts::PYTORCH_API };
        database.table(tables, layout, rows)?;
        // Its rows come in the end; its place in the list is here.
        database.table(tables, &layouts::CONNECTION_IDS, [])?;
        let words = &mut database.words;
        let frames: Vec<(FrameRow, i64)> = chains
            .take_new()
            .flat_map(|(id, frames)| frames.zip(0..).map(move |(frame, depth)| (frame, id, depth)))
            .map(|(frame, id, depth)| (FrameRow { id, frame: Str::default(), depth }, words.string(frame)))
            .collect();
        database.table_with(tables, &layouts::PYTORCH_CALLCHAINS, frames, &["stack"], |_, (_, frame), _| {
            Some(SqlCell::Int(*frame))
        })
    }

    fn steps_and_overlap(&mut self, tables: &RankTables) -> io::Result<()> {
        let (device, lanes, database) = (self.device(), &self.lanes, &mut self.database);
        database.table(tables, &layouts::STEP_TIME, tables.rows::<step::Row>())?;
        if database.has_source() && database.carried("OVERLAP_ANALYSIS").is_none() {
            // The source is a database that left these to be computed.
            return Ok(());
        }
        let next = database.len("OVERLAP_ANALYSIS");
        let intervals = tables.rows::<overlap::Row>().zip(next..).map(|(mut interval, id)| {
            let kind = overlap::Kind::from_name(tables.text(interval.kind)).map_or(65535, |kind| kind as i64);
            interval.device = interval.device.or(lanes.get(&interval.lane).map(|l| l.device)).or(Some(device));
            OverlapRow { end: interval.start.plus(interval.duration.ns()), id, kind, interval }
        });
        database.table(tables, &layouts::OVERLAP_ANALYSIS, intervals)
    }

    fn memory(&mut self, tables: &RankTables) -> io::Result<()> {
        let database = &mut self.database;
        let of_kind = |kind: &'static str| {
            rows_where::<mem_sample::Row>(tables, move |view, row| tables.text(view.kind.get(row)) == kind)
        };
        // Memory of the process has a table of its own, NPU_MEM.
        let records = of_kind("allocator").filter(|row| tables.text(row.component) != "APP");
        database.table(tables, &layouts::MEMORY_RECORD, records)?;
        database.table(tables, &layouts::NPU_MODULE_MEM, of_kind("module"))?;
        database.table(tables, &layouts::NPU_OP_MEM, of_kind("operator"))?;
        let events = tables.rows::<mem_event::Row>().filter(|row| tables.text(row.kind) == "operator");
        let mut names = Memo::default();
        database.table_with(tables, &layouts::OP_MEMORY, events, &["name"], |_, row: &mem_event::Row, context| {
            let id = names.get(row.name, || {
                let name = tables.text(row.name);
                context.words.string(name.strip_prefix("cann::").unwrap_or(name))
            });
            Some(SqlCell::Int(id))
        })
    }

    fn counters(&mut self, tables: &RankTables) -> io::Result<()> {
        for (table, _) in counters::TABLES {
            let device_of = |lane: u32| {
                let lane = self.lanes.get(&lane).filter(|lane| lane.counters == Some(table.table))?;
                Some(lane.device)
            };
            let mut rows = counters::rows(tables, table.table, device_of);
            if table.table == "NPU_MEM" {
                self.has_process_memory |= !rows.is_empty();
                if !self.has_process_memory {
                    rows = self.process_memory(tables);
                }
            }
            let words = &mut self.database.words;
            let rows: Vec<_> = rows.into_iter().map(|(row, word)| (row, words.string(&word))).collect();
            let special = &["type", "mode", "eventName"];
            self.database.table_with(tables, table, rows, special, |_, (_, word), _| Some(SqlCell::Int(*word)))?;
        }
        let lanes = &self.lanes;
        let process_of = |lane: u32| lanes.get(&lane).filter(|lane| lane.has_host_counters).map(|lane| lane.process);
        self.database.table(tables, &NPUSCOPE_COUNTER, host_counters::rows(tables, process_of))
    }

    /// Samples of the process's memory where no counter has them.
    #[expect(clippy::cast_precision_loss, reason = "sizes are below 2^53")]
    fn process_memory(&self, tables: &RankTables) -> Vec<(counters::SampleRow, String)> {
        let is_process = |row: &mem_sample::Row| tables.text(row.component) == "APP";
        let samples =
            tables.rows::<mem_sample::Row>().filter(|row| is_process(row) && tables.text(row.kind) == "allocator");
        let rows = samples.map(|row| counters::SampleRow {
            device: row.device.unwrap_or_else(|| self.device()),
            time: row.time,
            a: Some(0.0),
            b: row.reserved.map(|bytes| bytes as f64),
            ..counters::SampleRow::default()
        });
        rows.map(|row| (row, "app".to_owned())).collect()
    }

    fn meta_data(&mut self, settings: &Settings) -> io::Result<()> {
        let rows_of = |file: &'static str| {
            settings.of(file).map(|(key, value)| {
                // Plain text was kept as a JSON string, everything else as it stood.
                let value = serde_json::from_str::<String>(value).unwrap_or_else(|_| value.to_owned());
                (key.to_owned(), value)
            })
        };
        let mut rows: Vec<(String, String)> = rows_of("META_DATA").collect();
        if rows.is_empty() {
            rows = SCHEMA.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
            rows.extend(rows_of("profiler_metadata"));
        }
        let columns = [("name".to_owned(), "TEXT"), ("value".to_owned(), "TEXT")];
        let rows = rows.into_iter().map(|(name, value)| vec![SqlCell::Text(name.into()), SqlCell::Text(value.into())]);
        self.database.file.cells("META_DATA", &columns, rows)
    }

    /// `STRING_IDS` and the `ENUM_*` tables: last, when all words are known.
    fn words(&mut self) -> io::Result<()> {
        let OpenTables { file, words, .. } = &mut self.database;
        let row = |id: i64, word: &str| vec![SqlCell::Int(id), SqlCell::Text(word.to_owned().into())];
        let columns = [("id".to_owned(), "INTEGER PRIMARY KEY"), ("value".to_owned(), "TEXT")];
        file.cells("STRING_IDS", &columns, words.strings().map(|(id, text)| row(id, text)))?;
        let columns = [("id".to_owned(), "INTEGER PRIMARY KEY"), ("name".to_owned(), "TEXT")];
        for (vocabulary, words) in words.vocabularies() {
            file.cells(vocabulary.table(), &columns, words.iter().map(|(id, word)| row(*id, word)))?;
        }
        Ok(())
    }
}

/// The values of a column of numbers, batch after batch.
fn real_column(tables: &RankTables, table: TableId, name: &str) -> impl Iterator<Item = Option<f64>> {
    tables.batches(table).iter().flat_map(move |batch| {
        let column = batch.column_by_name(name).and_then(|column| column.as_primitive_opt::<Float64Type>());
        (0..batch.num_rows()).map(move |row| {
            let column = column.filter(|column| column.is_valid(row))?;
            column.values().get(row).copied()
        })
    })
}

/// The host slices of a kind.
fn host_ops(tables: &RankTables, wanted: Kind) -> impl Iterator<Item = host_op::Row> {
    let mut kinds = Memo::default();
    rows_where(tables, move |view: &host_op::View, row| {
        let kind = view.kind.get(row);
        kinds.get(kind, || tables.text(kind) == wanted.name())
    })
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

/// Names of communication groups, by their hash.
#[derive(Default)]
struct GroupNames {
    by_hash: HashMap<String, String>,
}

impl GroupNames {
    fn append(&mut self, tables: &RankTables) {
        let groups = tables.rows::<metadata::Row>().filter(|row| tables.text(row.key) == "parallel_group_info");
        for row in groups {
            let groups = serde_json::from_str::<Map<String, Value>>(tables.text(row.value)).unwrap_or_default();
            self.by_hash.extend(groups.into_iter().map(|(name, _)| (npuscope_measures::link::group_hash(&name), name)));
        }
    }

    /// The name of a group; its hash where the name is not known.
    fn name<'a>(&'a self, tables: &'a RankTables, (name, hash): (Option<Str>, Option<Str>)) -> &'a str {
        tables.opt_text(name).unwrap_or_else(|| {
            let hash = tables.opt_text(hash).unwrap_or_default();
            self.by_hash.get(hash).map_or(hash, String::as_str)
        })
    }
}
