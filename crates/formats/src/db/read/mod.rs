//! Reading a database: its tables into ours.

use std::ops::ControlFlow;
use std::path::Path;

use hashbrown::{HashMap, HashSet};
use npuscope_measures::device_time::device_time;
use npuscope_measures::intervals::{Interval, union};
use npuscope_measures::link::group_hash;
use npuscope_sqlite::{Database, Scan};
use npuscope_tables::Memo;
use npuscope_tables::table::{comm_op, comm_task, host_op, kernel, mem_event, mem_sample, metadata, overlap};
use npuscope_tables::table::{reported_comm, source};
use npuscope_tables::{Interner, Ns, RankBuilder, Selection, Span, Str, TableId};
use serde_json::{Map, Value};

use super::cell::ReadContext;
use super::counters::{self, RankParts};
use super::flows::Flows;
use super::host_counters::{HostSampleRow, NPUSCOPE_COUNTER};
use super::idle_transports::IdleTransports;
use super::kernels::Kernels;
use super::layout::{self, Layout, Only, Outcome};
use super::layouts::{self, ApiRow, CommTaskRow, KernelName};
use super::lists::ListsById;
use super::names::{Vocabulary, Words};
use super::needed::{self, Needed};
use super::sheet;
use crate::lanes::{self, Lanes};
use crate::problem::{Problem, Severity};
use crate::source::SourceFile;
use crate::trace_json::layers;

/// The diagnostic of a table that has shapes and types in each other's columns.
pub const SWAPPED_COLUMNS: &str = "swapped-columns";

/// Tables that hold nothing of a run: SQLite's own.
const NOT_OURS: &[&str] = &["sqlite_sequence", "sqlite_stat1", "sqlite_stat4"];

/// Tables that are kept cell by cell and tell of the rank itself: they are read whatever is wanted.
const OF_THE_RANK: &[&str] = &["RANK_DEVICE_MAP", "HOST_INFO", "NPU_INFO"];

/// The tables of host slices.
const HOST_TABLES: &[&str] = &["PYTORCH_API", "CANN_API", "MSTX_EVENTS", "GC_RECORD", "OSRT_API"];

/// What a database holds, wanted or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// Any row at all.
    pub rows: bool,
    /// Tasks or host slices: what a trace tells.
    pub timeline: bool,
    /// What `communication.json` tells.
    pub communication: bool,
}

/// Reads what is wanted of the database at `path`.
pub fn read_file(path: &Path, file: &SourceFile, selection: Selection, rank: &mut RankBuilder) -> Content {
    if path.with_extension("db-wal").metadata().is_ok_and(|m| m.len() > 0) {
        let message = "a program has left changes to this database in a -wal file; they are not read";
        Problem::new(Severity::Warning, "wal-not-read", &file.name, message).record(rank);
    }
    let bytes = match crate::map::map(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            let message = format!("cannot be read: {error}");
            Problem::new(Severity::Error, "unreadable", &file.name, message).record(rank);
            return Content::default();
        }
    };
    read_some(bytes.as_deref().unwrap_or_default(), path, file, selection, rank)
}

/// Reads a database whose bytes are at hand. Whether any row could be read.
pub fn read_bytes(bytes: &[u8], path: &Path, file: &SourceFile, rank: &mut RankBuilder) -> bool {
    read_some(bytes, path, file, Selection::ALL, rank).rows
}

fn read_some(bytes: &[u8], path: &Path, file: &SourceFile, selection: Selection, rank: &mut RankBuilder) -> Content {
    let problem = |code, message: &str| Problem::new(Severity::Error, code, &file.name, message).at(0);
    if bytes.is_empty() {
        problem("empty-file", "the file is empty").record(rank);
        return Content::default();
    }
    if !bytes.starts_with(b"SQLite format 3\0") {
        let message = "the file is no SQLite database: it does not begin with `SQLite format 3`";
        problem("not-a-database", message).record(rank);
        return Content::default();
    }
    match Database::open(bytes, path) {
        Ok(database) if database.tables().is_empty() => {
            problem("damaged-database", "the database has no table that can be read").record(rank);
            Content::default()
        }
        Ok(database) => {
            let words = Words::read(&database, &mut rank.strings);
            DbReader::new(&database, file, &words, selection).read(rank)
        }
        Err(error) => {
            problem("damaged-database", &format!("the database is cut or damaged: {error}")).record(rank);
            Content::default()
        }
    }
}

struct DbReader<'a> {
    database: &'a Database<'a>,
    file: &'a SourceFile,
    words: &'a Words<'a>,
    selection: Selection,
    needed: Needed,
    lanes: Lanes,
    /// Tables that have a reader, whether or not they were needed.
    known: Vec<&'static str>,
    /// What was read of each table, in order.
    outcomes: Vec<(String, Outcome)>,
    dangling: u64,
    /// Rows that add to rows which are not there: table, the table that lacks them, how many.
    orphans: Vec<(&'static str, &'static str, usize)>,
    /// Whether shapes and types stood in each other's columns.
    swapped: bool,
    computing: Vec<Interval>,
    communication: Vec<Interval>,
}

impl<'a> DbReader<'a> {
    fn new(database: &'a Database<'a>, file: &'a SourceFile, words: &'a Words<'a>, selection: Selection) -> Self {
        let mut reader = DbReader {
            database,
            file,
            words,
            selection,
            needed: Needed::of(selection, database),
            lanes: Lanes::new(0),
            known: Vec::new(),
            outcomes: Vec::new(),
            dangling: 0,
            orphans: Vec::new(),
            swapped: false,
            computing: Vec::new(),
            communication: Vec::new(),
        };
        reader.lanes = Lanes::new(reader.process());
        reader
    }

    /// The id of the training process: layers of the device are numbered by it.
    fn process(&self) -> i64 {
        self.first("TASK", "globalPid")
            .or_else(|| self.first("CANN_API", "globalTid").map(|thread| thread >> 32))
            .or_else(|| self.first("PYTORCH_API", "globalTid").map(|thread| thread >> 32))
            .unwrap_or_default()
    }

    /// The device of a rank whose database names just one; schema 1.0 does not say it of operations.
    fn only_device(&self) -> i64 {
        self.first("RANK_DEVICE_MAP", "deviceId").or_else(|| self.first("TASK", "deviceId")).unwrap_or_default()
    }

    /// The integer in a column of the first row of a table.
    fn first(&self, table: &str, column: &str) -> Option<i64> {
        let table = self.database.table(table)?;
        let index = table.columns.iter().position(|name| name == column)?;
        let mut first = None;
        self.database.scan(table, |row| {
            first = row.integer(index);
            ControlFlow::Break(())
        });
        first
    }

    fn has_column(&self, table: &str, column: &str) -> bool {
        self.database.table(table).is_some_and(|table| table.columns.iter().any(|name| name == column))
    }

    /// Reads a table if it is needed and there, and notes what that told.
    fn table<R: Default>(
        &mut self,
        is_needed: bool,
        layout: &Layout<R>,
        strings: &mut Interner,
        take: impl FnMut(&mut R, &mut ReadContext<'_>),
    ) {
        self.rows(is_needed, layout, strings, None, take);
    }

    /// [`DbReader::table`], some of its rows.
    fn rows<R: Default>(
        &mut self,
        is_needed: bool,
        layout: &Layout<R>,
        strings: &mut Interner,
        only: Option<Only<'_>>,
        take: impl FnMut(&mut R, &mut ReadContext<'_>),
    ) {
        self.known.push(layout.table);
        if !is_needed {
            return;
        }
        let mut context = ReadContext::new(strings, self.words);
        if let Some(outcome) = layout::read(self.database, layout, &mut context, only, take) {
            self.dangling += context.dangling;
            self.outcomes.push((layout.table.to_owned(), outcome));
        }
    }

    fn read(&mut self, rank: &mut RankBuilder) -> Content {
        let mut flows = Flows::new(self.selection.has(TableId::Flow));
        let frames = self.call_chains(rank);
        let connections = self.connections(rank);
        self.host_calls(rank, &frames, &connections, &mut flows);
        let ops = self.communication_ops(rank, &mut flows);
        self.tasks(rank, ops, &mut flows);
        flows.record(rank);
        self.steps_and_overlap(rank);
        self.memory(rank);
        self.counters(rank);
        self.summaries(rank);
        self.metadata(rank);
        self.other_tables(rank);
        std::mem::replace(&mut self.lanes, Lanes::new(0)).record(rank);
        self.record(rank)
    }

    /// Call chains by id, frames joined as a trace has them.
    fn call_chains(&mut self, rank: &mut RankBuilder) -> HashMap<i64, Str> {
        let mut chains: HashMap<i64, Vec<(i64, Str)>> = HashMap::new();
        self.table(self.needed.operators, &layouts::PYTORCH_CALLCHAINS, &mut rank.strings, |row, _| {
            chains.entry(row.id).or_default().push((row.depth, row.frame));
        });
        let joined = chains.into_iter().map(|(id, mut frames)| {
            frames.sort_by_key(|(depth, _)| *depth);
            let text: Vec<&str> = frames.iter().map(|(_, frame)| rank.strings.get(*frame)).collect();
            let text = text.join(";\r\n");
            (id, rank.strings.intern(&text))
        });
        joined.collect()
    }

    fn connections(&mut self, rank: &mut RankBuilder) -> ListsById<i64> {
        let mut connections = ListsById::default();
        self.table(self.needed.connections, &layouts::CONNECTION_IDS, &mut rank.strings, |row, _| {
            connections.push(row.id, row.connection);
        });
        connections
    }

    fn host_calls(
        &mut self,
        rank: &mut RankBuilder,
        frames: &HashMap<i64, Str>,
        connections: &ListsById<i64>,
        flows: &mut Flows,
    ) {
        let mut lanes = std::mem::replace(&mut self.lanes, Lanes::new(0));
        let (words, needed) = (self.words, self.needed);
        let RankBuilder { strings, host_op: host_ops, .. } = rank;
        self.swapped = needed.operators && self.shapes_and_types_are_swapped(strings);
        let layout = if self.swapped { &layouts::PYTORCH_API_SWAPPED } else { &layouts::PYTORCH_API };
        let is_wanted = |api_type| needed.framework.has(api_type);
        let only = (!needed.framework.has_all()).then_some(Only { column: "type", keeps: &is_wanted });
        let mut ids = Vec::new();
        self.rows(needed.operators, layout, strings, only, |row: &mut ApiRow, context| {
            row.op.lane = lanes.framework(row.thread);
            row.op.stack = row.call_chain.and_then(|id| frames.get(&id).copied());
            ids.clear();
            ids.extend(row.connections.into_iter().flat_map(|id| connections.get(id)));
            let kind = framework_kind(row, context.strings);
            match kind {
                host_op::Kind::Enqueue | host_op::Kind::Dequeue => {
                    row.op.connection_id = ids.first().copied();
                    flows.queue(kind, &row.op);
                }
                host_op::Kind::Op => flows.operator(&row.op, &ids),
                _ => {}
            }
            row.op.kind = context.strings.intern(kind.name());
            host_ops.push(row.op);
        });
        self.table(needed.calls, &layouts::CANN_API, strings, |row: &mut ApiRow, context| {
            row.op.lane = lanes.host_layer(lanes::CANN, row.thread);
            row.op.kind = context.strings.intern(host_op::Kind::Cann.name());
            row.op.level = row.api_type.and_then(|id| words.word(Vocabulary::ApiType, id));
            flows.call(&row.op);
            host_ops.push(row.op);
        });
        self.table(needed.marks, &layouts::MSTX_EVENTS, strings, |row: &mut ApiRow, context| {
            row.op.lane = lanes.host_layer(lanes::MSTX, row.thread);
            row.op.kind = context.strings.intern(host_op::Kind::Mstx.name());
            row.op.args = mstx_args(row, context.strings);
            flows.mark(&row.op);
            host_ops.push(row.op);
        });
        self.table(needed.collections, &layouts::GC_RECORD, strings, |row: &mut ApiRow, context| {
            row.op.lane = lanes.garbage_collection(row.thread);
            row.op.kind = context.strings.intern(host_op::Kind::Gc.name());
            row.op.name = context.strings.intern("GC");
            host_ops.push(row.op);
        });
        self.table(needed.os_calls, &layouts::OSRT_API, strings, |row: &mut ApiRow, context| {
            row.op.lane = lanes.host_layer(lanes::OS_RUNTIME, row.thread);
            row.op.kind = context.strings.intern(host_op::Kind::Other.name());
            host_ops.push(row.op);
        });
        self.lanes = lanes;
    }

    /// Whether `inputDtypes` holds shapes and `inputShapes` types, as some writers had it: types have
    /// letters in them and shapes do not.
    fn shapes_and_types_are_swapped(&self, strings: &mut Interner) -> bool {
        const ROWS_TO_TELL: usize = 2000;
        let Some(table) = self.database.table("PYTORCH_API") else { return false };
        let find = |column: &str| table.columns.iter().position(|name| name == column);
        let (Some(types), Some(shapes)) = (find("inputDtypes"), find("inputShapes")) else { return false };
        let mut has_letters = |id: Option<i64>| {
            let text = id.and_then(|id| self.words.string(id, strings)).map(|s| strings.get(s)).unwrap_or_default();
            text.bytes().any(|b| b.is_ascii_alphabetic())
        };
        let (mut straight, mut swapped) = (0, 0);
        self.database.scan(table, |row| {
            match (has_letters(row.integer(types)), has_letters(row.integer(shapes))) {
                (true, false) => straight += 1,
                (false, true) => swapped += 1,
                _ => {}
            }
            if straight + swapped < ROWS_TO_TELL { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        swapped > straight
    }

    fn communication_ops(&mut self, rank: &mut RankBuilder, flows: &mut Flows) -> CommLanes {
        let mut pieces: Vec<CommTaskRow> = Vec::new();
        let needed = self.needed;
        self.table(needed.pieces, &layouts::COMMUNICATION_TASK_INFO, &mut rank.strings, |row, _| pieces.push(*row));
        let mut ops: Vec<comm_op::Row> = Vec::new();
        self.table(
            needed.operations,
            &layouts::COMMUNICATION_OP,
            &mut rank.strings,
            |row: &mut layouts::CommOpRow, _| ops.push(row.op),
        );
        let device = self.only_device();
        let lanes = CommLanes::number(&ops, pieces, device, &mut self.lanes, &rank.strings);
        let wants_kernels = self.selection.has(TableId::Kernel);
        let mut groups = Memo::default();
        for mut op in ops {
            op.lane = lanes.of_op.get(&op.op).copied().unwrap_or_default();
            let name = op.group_name.unwrap_or_default();
            (op.group_name, op.group_hash) = groups.get(name, || group_of(name, &mut rank.strings));
            flows.operation(&op);
            self.communication.push(Interval::new(op.start.0, op.start.plus(op.duration.ns()).0));
            rank.comm_op.push(op);
            if wants_kernels {
                rank.kernel.push(kernel_of_operation(&op, &mut rank.strings));
            }
        }
        lanes
    }

    fn tasks(&mut self, rank: &mut RankBuilder, comm: CommLanes, flows: &mut Flows) {
        let mut kernels = self.kernels(rank);
        let mut copies: HashMap<i64, (Option<i64>, Option<Str>)> = HashMap::new();
        let wants_tasks = self.selection.has(TableId::Task);
        self.table(wants_tasks, &layouts::MEMCPY_INFO, &mut rank.strings, |row: &mut layouts::MemcpyRow, _| {
            copies.insert(row.task, (row.bytes, row.operation));
        });
        let CommLanes { mut pieces, of_plane, .. } = comm;
        let mut pieces_of_tasks = ListsById::default();
        for (index, piece) in pieces.iter().enumerate() {
            pieces_of_tasks.push(piece.piece.task.unwrap_or(-1), index);
        }
        let mut has_task = vec![false; pieces.len()];
        let mut lanes = std::mem::replace(&mut self.lanes, Lanes::new(0));
        let RankBuilder { strings, task: tasks, kernel: kernel_rows, .. } = rank;
        let mut computing = Vec::new();
        let needs_all = self.needed.all_tasks;
        let tasks_of_kernels = if needs_all { HashSet::default() } else { kernels.tasks() };
        let is_part =
            |task: Option<i64>| task.is_none_or(|task| tasks_of_kernels.contains(&task) || pieces_of_tasks.has(task));
        let only = (!needs_all).then_some(Only { column: "globalTaskId", keeps: &is_part });
        self.rows(self.needed.tasks, &layouts::TASK, strings, only, |row: &mut layouts::TaskRow, _| {
            let task = &mut row.task;
            let stream = task.stream.unwrap_or_default();
            task.lane = lanes.stream(task.device.unwrap_or_default(), stream);
            task.name = task.task_type.unwrap_or_default();
            if let Some((bytes, operation)) = copies.remove(&task.task) {
                (task.bytes, task.operation) = (bytes, operation);
            }
            for index in pieces_of_tasks.get(task.task) {
                if let Some((piece, has_task)) = pieces.get_mut(index).zip(has_task.get_mut(index)) {
                    let piece = &mut piece.piece;
                    *has_task = true;
                    (piece.start, piece.duration) = (task.start, task.duration);
                    (piece.stream, piece.task_id) = (task.stream, task.task_id);
                    (piece.context_id, piece.model_id) = (task.subtask_id, task.model_id);
                }
            }
            if let Some((name, kernel)) = kernels.take(task.task) {
                task.name = name;
                computing.push(Interval::new(task.start.0, task.start.plus(task.duration.ns()).0));
                if let Some(kernel) = kernel {
                    (kernel.start, kernel.duration, kernel.device) = (task.start, task.duration, task.device);
                    (kernel.stream, kernel.task_id, kernel.model_id) = (task.stream, task.task_id, task.model_id);
                    kernel.context_id = task.subtask_id.filter(|&id| id != 4_294_967_295);
                    kernel_rows.push(kernel);
                }
            }
            flows.task(task);
            if wants_tasks {
                tasks.push(task);
            }
        });
        self.lanes = lanes;
        self.computing = computing;
        self.orphans.push(("COMPUTE_TASK_INFO", "TASK", kernels.left()));
        self.orphans.push(("MEMCPY_INFO", "TASK", copies.len()));
        let lost = has_task.iter().filter(|has_task| !**has_task).count();
        self.orphans.push(("COMMUNICATION_TASK_INFO", "TASK", lost));
        let mut groups = Memo::default();
        for (mut row, _) in pieces.into_iter().zip(has_task).filter(|(_, has_task)| *has_task) {
            let name = row.piece.group_name.unwrap_or_default();
            let (group, _) = groups.get(name, || group_of(name, &mut rank.strings));
            row.piece.lane = of_plane.get(&(row.piece.group_name, row.piece.plane)).copied();
            row.piece.bandwidth = row.bandwidth.map(|bytes_per_second| bytes_per_second / 1e9);
            row.piece.group_name = group;
            rank.comm_task.push(row.piece);
        }
    }

    /// Kernels by task, metrics included.
    fn kernels(&mut self, rank: &mut RankBuilder) -> Kernels {
        let mut kernels = Kernels::default();
        if !self.selection.has(TableId::Kernel) {
            self.table(self.needed.kernels, &layouts::KERNEL_NAMES, &mut rank.strings, |row: &mut KernelName, _| {
                kernels.insert_name(row.task.unwrap_or(-1), row.name);
            });
            self.known.push(layouts::TASK_PMU_INFO.table);
            return kernels;
        }
        let has_block_num = self.has_column("COMPUTE_TASK_INFO", "blockNum");
        let layout = if has_block_num { &layouts::COMPUTE_TASK_INFO } else { &layouts::COMPUTE_TASK_INFO_1_0 };
        self.table(true, layout, &mut rank.strings, |row: &mut kernel::Row, _| kernels.insert(*row));
        let mut orphans = 0;
        self.table(
            self.needed.metrics,
            &layouts::TASK_PMU_INFO,
            &mut rank.strings,
            |row: &mut layouts::PmuRow, context| {
                orphans += usize::from(!kernels.add_metric(row, context.strings));
            },
        );
        self.orphans.push(("TASK_PMU_INFO", "COMPUTE_TASK_INFO", orphans));
        kernels.finish_metrics(&mut rank.strings);
        kernels
    }

    fn steps_and_overlap(&mut self, rank: &mut RankBuilder) {
        let RankBuilder { strings, step, overlap: overlaps, .. } = rank;
        self.table(self.selection.has(TableId::Step), &layouts::STEP_TIME, strings, |row, _| step.push(*row));
        let mut lanes = std::mem::replace(&mut self.lanes, Lanes::new(0));
        self.table(
            self.needed.overlap,
            &layouts::OVERLAP_ANALYSIS,
            strings,
            |row: &mut layouts::OverlapRow, context| {
                let kind = usize::try_from(row.kind).ok().and_then(|kind| overlap::Kind::ALL.get(kind).copied());
                row.interval.lane = overlap_lane(&mut lanes, row.interval.device.unwrap_or_default(), row.kind);
                row.interval.kind = context.strings.intern(kind.map_or("other", overlap::Kind::name));
                overlaps.push(row.interval);
            },
        );
        if self.needed.overlap && self.database.table("OVERLAP_ANALYSIS").is_none() {
            let device = self.only_device();
            let computing = union(std::mem::take(&mut self.computing));
            let communication = union(std::mem::take(&mut self.communication));
            for (kind, interval) in device_time(&computing, &communication) {
                overlaps.push(overlap::Row {
                    lane: overlap_lane(&mut lanes, device, kind as i64),
                    kind: strings.intern(kind.name()),
                    device: Some(device),
                    start: Ns(interval.start),
                    duration: Span::from_ns(interval.end - interval.start),
                    args: None,
                });
            }
        }
        self.lanes = lanes;
    }

    fn memory(&mut self, rank: &mut RankBuilder) {
        let RankBuilder { strings, mem_event: events, mem_sample: samples, .. } = rank;
        let (wants_events, wants_samples) =
            (self.selection.has(TableId::MemEvent), self.selection.has(TableId::MemSample));
        self.table(wants_samples, &layouts::MEMORY_RECORD, strings, |row: &mut mem_sample::Row, context| {
            row.kind = context.strings.intern("allocator");
            samples.push(*row);
        });
        self.table(wants_samples, &layouts::NPU_MODULE_MEM, strings, |row: &mut mem_sample::Row, context| {
            row.kind = context.strings.intern("module");
            samples.push(*row);
        });
        self.table(wants_samples, &layouts::NPU_OP_MEM, strings, |row: &mut mem_sample::Row, context| {
            row.kind = context.strings.intern("operator");
            samples.push(*row);
        });
        self.table(wants_events, &layouts::OP_MEMORY, strings, |row: &mut mem_event::Row, context| {
            row.kind = context.strings.intern("operator");
            if row.stream_ptr.is_none() && row.start_active.is_none() {
                // Text calls what CANN allocated for itself by this prefix.
                let name = format!("cann::{}", context.strings.get(row.name));
                row.name = context.strings.intern(&name);
            }
            events.push(*row);
        });
    }

    fn counters(&mut self, rank: &mut RankBuilder) {
        for (table, spec) in counters::TABLES {
            self.known.push(table.table);
            // The memory of the process is sampled together with counters.
            let has_memory = table.table == counters::NPU_MEM.table && self.selection.has(TableId::MemSample);
            if !self.needed.counters && !has_memory {
                continue;
            }
            let mut context = ReadContext::new(&mut rank.strings, self.words);
            let mut parts = RankParts { counter: &mut rank.counter, mem_sample: &mut rank.mem_sample };
            let read = counters::read(self.database, table, spec, &mut self.lanes, &mut context, &mut parts);
            self.dangling += context.dangling;
            self.outcomes.extend(read.map(|outcome| (table.table.to_owned(), outcome)));
        }
        let mut lanes = std::mem::replace(&mut self.lanes, Lanes::new(0));
        let RankBuilder { strings, counter, .. } = &mut *rank;
        self.table(self.needed.counters, &NPUSCOPE_COUNTER, strings, |row: &mut HostSampleRow, _| {
            row.counter(lanes.host_counters(row.process)).into_iter().for_each(|row| counter.push(row));
        });
        self.lanes = lanes;
        if !self.needed.counters {
            return;
        }
        for table in counters::PLAIN.iter().filter_map(|name| self.database.table(name)) {
            counters::read_plain(self.database, table, &mut self.lanes, rank);
        }
    }

    /// The tables of `analysis.db`.
    fn summaries(&mut self, rank: &mut RankBuilder) {
        let RankBuilder {
            strings,
            reported_step,
            reported_comm: times,
            reported_bandwidth: transports,
            reported_link,
            ..
        } = rank;
        let selection = self.selection;
        self.table(selection.has(TableId::ReportedStep), &layouts::STEP_TRACE_TIME, strings, |row, _| {
            reported_step.push(*row)
        });
        let wants_times = selection.has(TableId::ReportedComm);
        self.table(wants_times, &layouts::COMM_ANALYZER_TIME, strings, |row: &mut reported_comm::Row, _| {
            let share =
                |part: Option<f64>| part.zip(row.transit).map(|(p, t)| npuscope_measures::deliverable::ratio(p, p + t));
            (row.wait_ratio, row.synchronization_ratio) = (share(row.wait), share(row.synchronization));
            times.push(*row);
        });
        let wants_bandwidths = selection.has(TableId::ReportedBandwidth);
        let mut idle = IdleTransports::new(selection.has_idle_transports(), strings);
        self.table(wants_bandwidths, &layouts::COMM_ANALYZER_BANDWIDTH, strings, |row, _| {
            idle.take(*row, |row| transports.push(row));
        });
        idle.finish(|row| transports.push(row));
        let wants_links = selection.has(TableId::ReportedLink);
        self.table(wants_links, &layouts::COMM_ANALYZER_MATRIX, strings, |row, _| reported_link.push(*row));
    }

    fn metadata(&mut self, rank: &mut RankBuilder) {
        let RankBuilder { strings, metadata: rows, .. } = rank;
        self.table(true, &layouts::META_DATA, strings, |row: &mut metadata::Row, context| {
            row.file = context.strings.intern("META_DATA");
            let value = context.strings.get(row.value);
            let is_object = serde_json::from_str::<Value>(value).is_ok_and(|v| v.is_object() || v.is_array());
            if !is_object {
                // Plain text becomes a JSON string; what is JSON stays as it stands.
                let value = Value::String(value.to_owned()).to_string();
                row.value = context.strings.intern(&value);
            }
            rows.push(*row);
        });
    }

    /// Tables that no reader above has are kept cell by cell.
    fn other_tables(&mut self, rank: &mut RankBuilder) {
        let is_wanted = |name: &str| self.selection.has(TableId::Sheet) || OF_THE_RANK.contains(&name);
        let is_other = |name: &str| is_of_the_run(name) && !self.known.contains(&name) && is_wanted(name);
        let others = self.database.tables().iter().filter(|table| is_other(&table.name));
        let kept: Vec<_> = others
            .map(|table| (table.name.clone(), sheet::read(self.database, &self.file.name, table, self.words, rank)))
            .collect();
        self.outcomes.extend(kept);
    }

    /// Writes the rows of `source` and `diagnostic`; what the database holds.
    fn record(&mut self, rank: &mut RankBuilder) -> Content {
        let file = &self.file.name;
        let mut total = 0;
        for (table, outcome) in std::mem::take(&mut self.outcomes) {
            total += outcome.rows;
            let json = |list: &[String]| serde_json::to_string(list).unwrap_or_default();
            let unread = (!outcome.unread.is_empty()).then(|| json(&outcome.unread));
            let row = source::Row {
                file: rank.strings.intern(&format!("{file}#{table}")),
                kind: rank.strings.intern("db_table"),
                bytes: None,
                rows: i64::try_from(outcome.rows).ok(),
                columns: Some(rank.strings.intern(&json(&outcome.columns))),
                unread: unread.map(|u| rank.strings.intern(&u)),
            };
            rank.source.push(row);
            damages_of(&table, outcome.rows, &outcome.scan, file).iter().for_each(|problem| problem.record(rank));
            if outcome.bad_cells > 0 {
                let message = format!(
                    "{} cells of table {table} are not of their column's kind and read as empty",
                    outcome.bad_cells
                );
                Problem::new(Severity::Warning, "bad-cell", file, message).record(rank);
            }
        }
        for (table, rows, scan) in self.words.scans() {
            damages_of(table, *rows, scan, file).iter().for_each(|problem| problem.record(rank));
        }
        for damage in &self.database.damages {
            let message = format!("the list of tables has {}; tables named there are lost", damage.what);
            Problem::new(Severity::Warning, "damaged-database", file, message).at(damage.offset).record(rank);
        }
        if self.swapped {
            let message =
                "PYTORCH_API has shapes in inputDtypes and types in inputShapes; they were read the right way round";
            Problem::new(Severity::Info, SWAPPED_COLUMNS, file, message).record(rank);
        }
        if self.dangling > 0 {
            let message = format!("{} ids stand for no string of STRING_IDS", self.dangling);
            Problem::new(Severity::Warning, "dangling-id", file, message).record(rank);
        }
        for (table, lacking, rows) in self.orphans.iter().filter(|(_, _, rows)| *rows > 0) {
            let message =
                format!("{rows} rows of {table} are of tasks that {lacking} does not have; they are left out");
            Problem::new(Severity::Warning, "orphan-rows", file, message).record(rank);
        }
        let row = source::Row {
            file: rank.strings.intern(file),
            kind: rank.strings.intern(self.file.kind.name()),
            bytes: i64::try_from(self.file.bytes).ok(),
            rows: i64::try_from(total).ok(),
            columns: None,
            unread: None,
        };
        rank.source.push(row);
        let content = self.content(total > 0);
        if !content.rows {
            Problem::new(Severity::Info, "empty-database", file, "no table of the database has rows").record(rank);
        }
        content
    }

    fn content(&self, has_read_rows: bool) -> Content {
        let database = self.database;
        let names = database.tables().iter().map(|table| table.name.as_str());
        Content {
            rows: has_read_rows || names.filter(|name| is_of_the_run(name)).any(|name| database.has_rows(name)),
            timeline: database.has_rows(layouts::TASK.table) || HOST_TABLES.iter().any(|name| database.has_rows(name)),
            communication: database.has_rows(layouts::COMM_ANALYZER_TIME.table),
        }
    }
}

/// Whether a table holds something of a run, and not just the words for it.
fn is_of_the_run(table: &str) -> bool {
    !NOT_OURS.contains(&table) && table != "STRING_IDS"
}

/// What could not be read of a table.
fn damages_of(table: &str, rows: u64, scan: &Scan, file: &str) -> Vec<Problem> {
    let problem = |message: String| Problem::new(Severity::Warning, "damaged-table", file, message);
    let kept = format!("{rows} rows of the table are kept");
    let mut problems: Vec<Problem> = scan
        .damages
        .iter()
        .map(|damage| problem(format!("table {table} has {}; {kept}", damage.what)).at(damage.offset))
        .collect();
    if scan.more_damages > 0 {
        problems.push(problem(format!("table {table} has {} more damaged places", scan.more_damages)));
    }
    if let Some(error) = &scan.error {
        problems.push(problem(format!("table {table} could not be read to its end: {error}; {kept}")));
    }
    problems
}

/// The lane of one kind of a device's time; kinds are numbered as the database does.
fn overlap_lane(lanes: &mut Lanes, device: i64, kind: i64) -> u32 {
    let known = usize::try_from(kind).ok().and_then(|kind| overlap::Kind::ALL.get(kind).copied());
    let name = known.map(|kind| layers::overlap_name(kind).to_owned());
    lanes.device_layer(lanes::OVERLAP, device, kind, || name)
}

/// The kind of a row of `PYTORCH_API`.
fn framework_kind(row: &ApiRow, strings: &Interner) -> host_op::Kind {
    match row.api_type {
        Some(needed::QUEUE) if strings.get(row.op.name).starts_with("Dequeue") => host_op::Kind::Dequeue,
        Some(needed::QUEUE) => host_op::Kind::Enqueue,
        Some(needed::PYTHON) => host_op::Kind::Python,
        Some(needed::MSTX) => host_op::Kind::Mstx,
        _ => host_op::Kind::Op,
    }
}

/// What an mstx row says beyond the columns of `host_op`.
fn mstx_args(row: &ApiRow, strings: &mut Interner) -> Option<Str> {
    let mut args = Map::new();
    if let Some(range) = row.range {
        args.insert("rangeId".to_owned(), range.into());
    }
    if let Some(category) = row.category {
        args.insert("category".to_owned(), strings.get(category).into());
    }
    if let Some(end) = row.end_thread.filter(|&end| end != row.thread) {
        args.insert("endGlobalTid".to_owned(), end.into());
    }
    (!args.is_empty()).then(|| strings.intern(&Value::Object(args).to_string()))
}

/// Name and hash of a group. A writer that knew only the hash has put it in place of the name.
fn group_of(name: Str, strings: &mut Interner) -> (Option<Str>, Option<Str>) {
    let text = strings.get(name);
    if text.is_empty() {
        return (None, None);
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return (None, Some(name));
    }
    let hash = group_hash(text);
    (Some(name), Some(strings.intern(&hash)))
}

/// An operation as the scheduler sees it: one long task. `kernel_details.csv` lists it among kernels.
fn kernel_of_operation(op: &comm_op::Row, strings: &mut Interner) -> kernel::Row {
    kernel::Row {
        device: op.device,
        start: op.start,
        duration: op.duration,
        name: op.name,
        op_type: op.op_type,
        core: Some(strings.intern("COMMUNICATION")),
        model_id: op.model_id,
        ..kernel::Row::default()
    }
}

/// The lanes of communication: a group's own, then its planes, group after group.
#[derive(Default)]
struct CommLanes {
    pieces: Vec<CommTaskRow>,
    of_op: HashMap<i64, u32>,
    of_plane: HashMap<(Option<Str>, Option<i64>), u32>,
}

impl CommLanes {
    fn number(
        ops: &[comm_op::Row],
        pieces: Vec<CommTaskRow>,
        device: i64,
        lanes: &mut Lanes,
        strings: &Interner,
    ) -> CommLanes {
        let mut groups: Vec<(Option<Str>, Vec<i64>)> = Vec::new();
        for op in ops {
            if !groups.iter().any(|(name, _)| *name == op.group_name) {
                groups.push((op.group_name, Vec::new()));
            }
        }
        for comm_task::Row { group_name, plane, .. } in pieces.iter().map(|p| p.piece) {
            let Some(plane) = plane else { continue };
            let index = groups.iter().position(|(name, _)| *name == group_name).unwrap_or_else(|| {
                groups.push((group_name, Vec::new()));
                groups.len() - 1
            });
            if let Some((_, planes)) = groups.get_mut(index)
                && !planes.contains(&plane)
            {
                planes.push(plane);
            }
        }
        let mut numbered = CommLanes { pieces, ..CommLanes::default() };
        let mut tid = 0;
        for (name, mut planes) in groups {
            let shown = name.map(|n| strings.get(n)).unwrap_or_default();
            let group =
                lanes.device_layer(lanes::COMMUNICATION, device, tid, || Some(format!("Group {shown} Communication")));
            tid += 1;
            for op in ops.iter().filter(|op| op.group_name == name) {
                numbered.of_op.insert(op.op, group);
            }
            planes.sort_unstable();
            for plane in planes {
                let lane = lanes.device_layer(lanes::COMMUNICATION, device, tid, || Some(format!("Plane {plane}")));
                numbered.of_plane.insert((name, Some(plane)), lane);
                tid += 1;
            }
        }
        numbered
    }
}
