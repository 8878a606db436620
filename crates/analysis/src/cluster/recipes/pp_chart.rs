//! `pp_chart`: List the forward and backward passes of a pipeline, for a chart of its stages.
//!
//! Reads the mstx ranges with which the trainer marks passes, and the tasks that show these ranges on the device. A
//! range whose message contains `forward` is a forward pass; a range whose message contains `backward` or
//! `WeightGradStore_pop` is a backward pass. `StepTaskInfo` lists the passes with their times on the device: forward
//! passes have name `FP` and type 0, backward passes have name `BP` and type 1. A range is counted if it starts in
//! the selected step.
//!
//! If `pp_info` in the metadata says that the pipeline is a DualPipeV, passes get the names of its schedule, and
//! their type is the phase (0 to 6). Passes that overlap an earlier pass of the step are skipped for this. If the
//! number of passes in a step differs from the schedule, they stay `FP` and `BP`.
//!
//! For each rank that was saved as a database, the mode also writes a copy of the database for viewers. The copy
//! contains this table, the connection ids of `p2p_pairing` and, if the rank has no communication operations, the
//! operations found by `mstx2commop`.
//!
//! With `--compat`: only the copies are written, all steps are counted, and passes that do not match the schedule
//! have no names.

use std::path::Path;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use npuscope_formats::db::AmendedDb;
use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::{metadata, rank, task};
use npuscope_tables::{ConnectionId, Ns, Rank, RankTables, Selection, Str, TableId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::dualpipe::schedule;
use super::mstx2commop::{self, MarkedOp, marked_ops};
use super::p2p_pairing;
use super::rank_files::{path_of, profiler_db};
use crate::cluster::{Absent, Answer, Export, Failure, Job, Mode, RankData, ResultFile};
use crate::extract::{Analysis, Text};
use crate::messages::collection;

pub const MODE: Mode = Mode {
    name: "pp_chart",
    folder: "PPChart",
    about: "List forward and backward passes for a chart of pipeline stages",
    run,
};

const COLUMNS: &[(&str, ColumnKind)] = &[
    ("rank", ColumnKind::Int),
    ("name", ColumnKind::Text),
    ("startNs", ColumnKind::Int),
    ("endNs", ColumnKind::Int),
    ("type", ColumnKind::Int),
];

/// A pass on the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pass {
    /// `FP` or `BP`; in a DualPipeV its name in the schedule, such as `3F+5B`.
    pub name: Text,
    /// 0 forward, 1 backward; in a DualPipeV its phase, 0 to 6.
    pub kind: i64,
    pub start: Ns,
    pub end: Ns,
    pub step: Option<i64>,
}

impl Pass {
    fn cells(&self) -> [Cell; 4] {
        [(&self.name).into(), self.start.0.into(), self.end.0.into(), self.kind.into()]
    }
}

/// The extract of a rank.
#[derive(Serialize, Deserialize)]
struct Part {
    passes: Vec<Pass>,
    /// Operations that the rank has no other record of.
    marked: Vec<MarkedOp>,
}

fn missing() -> Failure {
    Failure::missing(MODE.name, collection::data_passes(), collection::collect_passes())
}

/// The forward and backward passes of each rank, by start.
pub fn rows(job: &Job<'_>) -> Result<Vec<(Rank, Vec<Pass>)>, Failure> {
    let parts = job.extracts(&Passes { compat: job.options.compat })?;
    let passes: Vec<(Rank, Vec<Pass>)> = parts.into_iter().map(|(rank, part)| (rank, part.passes)).collect();
    match passes.iter().all(|(_, passes)| passes.is_empty()) {
        true => Err(missing()),
        false => Ok(passes),
    }
}

/// The passes of each rank.
#[derive(Serialize)]
struct Passes {
    compat: bool,
}

impl Analysis for Passes {
    type Extract = Part;
    const NAME: &'static str = "pp_chart";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        mstx2commop::NEEDED.and(Selection::of(&[TableId::Step]))
    }

    fn map(&self, data: &RankData<'_>) -> Result<Part, Absent> {
        let has_operations = !data.tables.is_empty(TableId::CommOp);
        let marked = if has_operations { Vec::new() } else { marked_ops(data, self.compat) };
        Ok(Part { passes: passes(data, self.compat), marked })
    }
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    job.require_export(&MODE, &[Export::Db])?;
    let compat = job.options.compat;
    let parts = job.extracts(&Passes { compat })?;
    let mut ids = p2p_pairing::pair(job)?.ids;
    let has_passes = parts.iter().any(|(_, part)| !part.passes.is_empty());
    let mut answer = Answer::of_tables([table(if compat { &[] } else { &parts })]);
    for (rank, Part { passes, marked }) in parts {
        let ids = ids.remove(&rank).unwrap_or_default();
        let Some((source, db)) = job.source(rank).and_then(|source| Some((source, profiler_db(source, job)?))) else {
            continue;
        };
        if passes.is_empty() && marked.is_empty() && ids.is_empty() {
            continue;
        }
        let path = path_of(&MODE, job, source, &db.name);
        let write = move |path: &Path| {
            let mut copy = AmendedDb::copy(&db.path, path)?;
            if !marked.is_empty() {
                mstx2commop::add_operations(&mut copy, &marked)?;
            }
            if !ids.is_empty() {
                p2p_pairing::add_ids(&copy, &ids)?;
            }
            if !passes.is_empty() {
                let mut table = ResultTable::new("StepTaskInfo", "", &COLUMNS[1..]);
                passes.iter().for_each(|pass| table.push(pass.cells()));
                copy.replace_table(&table)?;
            }
            copy.finish()
        };
        answer.files.push(ResultFile::new(path, write).of_rank(rank).copied());
    }
    match has_passes || (compat && !answer.files.is_empty()) {
        true => Ok(answer),
        false => Err(missing()),
    }
}

fn table(parts: &[(Rank, Part)]) -> ResultTable {
    let mut table = ResultTable::new("StepTaskInfo", "step_task_info", COLUMNS);
    for (rank, part) in parts {
        part.passes.iter().for_each(|pass| table.push([Cell::from(*rank)].into_iter().chain(pass.cells())));
    }
    table
}

/// What a range marks: a pass, and the step it is in.
#[derive(Clone, Copy)]
struct Mark {
    name: &'static str,
    kind: i64,
    step: Option<i64>,
}

/// The passes of a rank, by start.
fn passes(data: &RankData<'_>, compat: bool) -> Vec<Pass> {
    let (tables, steps) = (&data.tables, data.steps());
    let mut marks: HashMap<ConnectionId, Mark, FixedState> = HashMap::default();
    let (mut kinds, mut messages) = (Memo::default(), Memo::default());
    for (view, rows) in tables.views::<host_op::Row>() {
        for row in 0..rows {
            let (kind, message): (Str, Str) = (view.kind.get(row), view.name.get(row));
            if !kinds.get(kind, || tables.text(kind) == Kind::Mstx.name()) {
                continue;
            }
            let start = view.start.get(row);
            let is_chosen = compat || data.has_moment(start);
            let pass = messages.get(message, || pass_of(tables.text(message)));
            if let Some((connection, (name, kind))) = view.connection_id.get(row).zip(pass).filter(|_| is_chosen) {
                marks.insert(connection, Mark { name, kind, step: steps.at(start) });
            }
        }
    }
    let mut passes = on_device(tables, &marks);
    passes.sort_by_key(|pass| pass.start);
    match dualpipe_of(data, passes.len()) {
        Some(schedule) => named(&passes, &schedule, compat),
        None => passes,
    }
}

/// The schedule of the rank's stage, if its pipeline is a DualPipeV; empty if it has more than `most` passes. Stages
/// are made of ranks that follow each other.
fn dualpipe_of(data: &RankData<'_>, most: usize) -> Option<Vec<(String, i64)>> {
    let tables = &data.tables;
    let mut rows = tables.rows::<metadata::Row>().filter(|row| tables.text(row.key) == "pp_info");
    let info: Value = rows.find_map(|row| serde_json::from_str(tables.text(row.value)).ok())?;
    if info["pp_type"].as_str()? != "dualpipev" {
        return None;
    }
    let micro_batches = usize::try_from(info["microbatch_num"].as_u64()?).ok()?;
    let rank = tables.rows::<rank::Row>().next()?;
    let (stages, world) = (rank.pp_size.filter(|&size| size > 0)?, rank.world_size?);
    let stage = data.rank.0 / (world / stages).max(1);
    Some(schedule(usize::try_from(stages).ok()?, micro_batches, usize::try_from(stage).ok()?, most))
}

/// The passes of each step under their names in the schedule.
fn named(passes: &[Pass], schedule: &[(String, i64)], compat: bool) -> Vec<Pass> {
    let mut named = Vec::with_capacity(passes.len());
    let mut by_step: Vec<&Pass> = passes.iter().collect();
    by_step.sort_by_key(|pass| (pass.step, pass.start));
    for of_step in by_step.chunk_by(|a, b| a.step == b.step) {
        let mut apart: Vec<Pass> = Vec::new();
        for pass in of_step {
            if apart.last().is_none_or(|last| pass.start >= last.end) {
                apart.push((*pass).clone());
            }
        }
        if apart.len() == schedule.len() {
            for (pass, (name, kind)) in apart.iter_mut().zip(schedule) {
                (pass.name, pass.kind) = (name.as_str().into(), *kind);
            }
        } else if compat {
            apart.iter_mut().for_each(|pass| (pass.name, pass.kind) = (Text::default(), 0));
        } else {
            apart = of_step.iter().copied().cloned().collect();
        }
        named.extend(apart);
    }
    named
}

/// Name and type of the pass that a range marks.
fn pass_of(message: &str) -> Option<(&'static str, i64)> {
    let message = message.to_ascii_lowercase();
    if message.contains("forward") {
        Some(("FP", 0))
    } else if message.contains("backward") || message.contains("weightgradstore_pop") {
        Some(("BP", 1))
    } else {
        None
    }
}

/// The tasks that show marks.
fn on_device(tables: &RankTables, marks: &HashMap<ConnectionId, Mark, FixedState>) -> Vec<Pass> {
    let mut passes = Vec::new();
    for (view, rows) in tables.views::<task::Row>() {
        for row in 0..rows {
            if let Some(mark) = view.connection_id.get(row).and_then(|connection| marks.get(&connection)) {
                let start = view.start.get(row);
                let end = start.plus(view.duration.get(row).ns());
                passes.push(Pass { name: mark.name.into(), kind: mark.kind, start, end, step: mark.step });
            }
        }
    }
    passes
}
