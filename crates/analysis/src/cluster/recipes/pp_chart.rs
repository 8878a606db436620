//! `pp_chart`: forward and backward passes of a pipeline, for a chart of its stages.
//!
//! Reads the mstx ranges that the trainer marks passes with and the tasks that show them on the device. A range
//! whose message has `forward` in it is a forward pass, one with `backward` or `WeightGradStore_pop` is a backward
//! pass. `StepTaskInfo` lists them with their times on the device: name `FP` and type 0, or `BP` and 1. A range
//! counts if it starts in the chosen step.
//!
//! A rank that was saved as a database also gets a copy of it, for viewers, with that table, with the connection ids
//! of `p2p_pairing`, and, where it has no communication operations, with those of `mstx2commop`.
//!
//! With `--compat` there are only copies, and all steps count.

use std::path::Path;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use npuscope_formats::db::AmendedDb;
use npuscope_formats::memo::Memo;
use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::task;
use npuscope_tables::{Ns, RankTables, Selection, Str, TableId};

use super::mstx2commop::{self, MarkedOp};
use super::rank_files::{path_of, profiler_db};
use super::{mstx2commop::marked_ops, p2p_pairing};
use crate::cluster::{Answer, Export, Failure, Job, Mode, RankData, ResultFile};

pub const MODE: Mode = Mode {
    name: "pp_chart",
    folder: "PPChart",
    about: "Forward and backward passes of a pipeline, for a chart of its stages",
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
struct Pass {
    name: &'static str,
    kind: i64,
    start: Ns,
    end: Ns,
}

impl Pass {
    fn cells(&self) -> [Cell; 4] {
        [self.name.into(), self.start.0.into(), self.end.0.into(), self.kind.into()]
    }
}

/// What is known of a rank.
struct Part {
    passes: Vec<Pass>,
    /// Operations that the rank has no other record of.
    marked: Vec<MarkedOp>,
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    job.require_export(&MODE, &[Export::Db])?;
    let compat = job.options.compat;
    let parts = job.each(mstx2commop::NEEDED.and(Selection::of(&[TableId::Step])), |data| {
        let has_operations = !data.tables.is_empty(TableId::CommOp);
        let marked = if has_operations { Vec::new() } else { marked_ops(data, compat) };
        Ok(Part { passes: passes(data, compat), marked })
    })?;
    let mut ids = p2p_pairing::pair(job)?.ids;
    let has_passes = parts.iter().any(|(_, part)| !part.passes.is_empty());
    let mut table = ResultTable::new("StepTaskInfo", "step_task_info", COLUMNS);
    let mut answer = Answer::default();
    for (rank, Part { passes, marked }) in parts {
        if !compat {
            passes.iter().for_each(|pass| table.push([rank.into()].into_iter().chain(pass.cells())));
        }
        let ids = ids.remove(&rank).unwrap_or_default();
        let source = job.sources().iter().find(|source| source.rank == rank);
        let Some((source, db)) = source.and_then(|source| Some((source, profiler_db(source)?))) else { continue };
        if passes.is_empty() && marked.is_empty() && ids.is_empty() {
            continue;
        }
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
        answer.files.push(ResultFile::new(path_of(&MODE, job, source, &db.name), write));
    }
    answer.tables.push(table);
    match has_passes || (compat && !answer.files.is_empty()) {
        true => Ok(answer),
        false => {
            let hint = "mark forward_step and backward_step with torch_npu.npu.mstx.range_start and collect with mstx";
            Err(Failure::missing(MODE.name, "mstx ranges of forward and backward passes", hint))
        }
    }
}

/// The passes of a rank, by start.
fn passes(data: &RankData<'_>, compat: bool) -> Vec<Pass> {
    let tables = &data.tables;
    let mut ranges: HashMap<i64, (&'static str, i64), FixedState> = HashMap::default();
    let (mut kinds, mut messages) = (Memo::default(), Memo::default());
    for (view, rows) in tables.views::<host_op::Row>() {
        for row in 0..rows {
            let (kind, message): (Str, Str) = (view.kind.get(row), view.name.get(row));
            if !kinds.get(kind, || tables.text(kind) == Kind::Mstx.name()) {
                continue;
            }
            let is_chosen = compat || data.is_in_window(view.start.get(row));
            let pass = messages.get(message, || pass_of(tables.text(message)));
            if let Some((connection, pass)) = view.connection_id.get(row).zip(pass).filter(|_| is_chosen) {
                ranges.insert(connection, pass);
            }
        }
    }
    let mut passes = on_device(tables, &ranges);
    passes.sort_by_key(|pass| pass.start);
    passes
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

/// The tasks of connections of ranges.
fn on_device(tables: &RankTables, ranges: &HashMap<i64, (&'static str, i64), FixedState>) -> Vec<Pass> {
    let mut passes = Vec::new();
    for (view, rows) in tables.views::<task::Row>() {
        for row in 0..rows {
            let pass = view.connection_id.get(row).and_then(|connection| ranges.get(&connection));
            if let Some(&(name, kind)) = pass {
                let start = view.start.get(row);
                passes.push(Pass { name, kind, start, end: start.plus(view.duration.get(row).ns()) });
            }
        }
    }
    passes
}
