//! `ascend_pytorch_profiler_{rank}.db` and MindSpore's: everything that happened.

mod communication;
mod host;
mod identity;
mod samples;
mod tasks;

use std::io;
use std::path::Path;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use npuscope_tables::table::{diagnostic, lane, rank};
use npuscope_tables::{Framework, LaneId, Rank, RankTables, TaskId};

use crate::db::connections::{CallChains, ConnectionIds};
use crate::db::id_set::IdSet;
use crate::db::sheet::{self, KeptTable};
use crate::db::write::names::WordIds;
use crate::db::write::tables::OpenTables;
use crate::db::{counters, layouts};
use crate::diagnostic::Code;
use crate::info_json::Settings;
use crate::lanes::HOST_COUNTERS;
use communication::GroupNames;
use identity::RankFacts;

pub struct Profiler {
    database: OpenTables,
    rank: Rank,
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
    next_task: TaskId,
    calls: IdSet,
    connections: ConnectionIds,
    chains: CallChains,
    /// Counters have the memory of the process.
    has_process_memory: bool,
}

type Lanes = HashMap<LaneId, LaneIds, FixedState>;

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

/// Databases whose kept tables go into the profiler database.
fn is_profiler_db(file: &str) -> bool {
    file.contains("profiler") && file.ends_with(".db")
        || file.rsplit('/').next().is_some_and(|f| f.starts_with("msprof_"))
}

fn is_framework(process: &str) -> bool {
    matches!(process, "Python" | "MindSpore" | "CPU OP")
}

impl Profiler {
    pub fn create(path: &Path, first: &RankTables, rank: Rank, framework: Framework) -> io::Result<Profiler> {
        let enums = sheet::kept(first, is_profiler_db, |_| 0);
        let is_raw = first.rows::<rank::Row>().any(|row| first.text(row.format) == "raw");
        Ok(Profiler {
            database: OpenTables::create(path, WordIds::new(first, &enums), first)?,
            rank,
            has_framework: framework != Framework::MindSpore || is_raw,
            swaps_columns: first.rows::<diagnostic::Row>().any(|row| row.is(Code::SwappedColumns, first)),
            facts: RankFacts::default(),
            lanes: Lanes::default(),
            groups: GroupNames::default(),
            kept: Vec::new(),
            next_task: TaskId(0),
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
}
