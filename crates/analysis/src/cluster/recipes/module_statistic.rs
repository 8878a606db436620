//! `module_statistic`: what the modules of the model did on the device.
//!
//! Reads mstx ranges of the domain `Module`, the operators of the framework and the kernels and communications that
//! they launched; an operator counts if it starts in the chosen step. `ModuleStatistic` has a row for each operator
//! of each module, in order of time: the modules around, the module, the operator, what it launched, how long that
//! took in all and per call, the number of calls, the rank. An operator is in the innermost range around it;
//! modules of the backward pass are found from the arrows between operators and their backward operators, and shown as
//! `[Backward]` and the module's name.
//!
//! As text, each rank has a workbook of its own, `module_statistic_{rank}.xlsx`.

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};

use super::module_tree::{self, ModuleRow, RowOptions};
use super::op_calls::{self, Calls, Names};
use super::sheets::{SheetColumn, db_columns, sheet_columns, workbook};
use crate::cluster::{Answer, Export, Failure, Job, Mode, RankData};

pub const MODE: Mode = Mode {
    name: "module_statistic",
    folder: "ModuleStatistic",
    about: "What the modules of the model did on the device",
    run,
};

/// How modules get into a profile.
pub const HINT: &str = "collect with mstx=True and mark modules with torch_npu.npu.mstx.range_start(name, domain=\"Module\"), \
                        which a forward hook can do";

/// The domain of the ranges that are modules.
pub const DOMAIN: &str = "Module";

/// What the modules of a rank did.
pub struct Part {
    pub names: Names,
    pub rows: Vec<ModuleRow>,
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    job.require_export(&MODE, &[Export::Db, Export::Text])?;
    let options = RowOptions { compat: job.options.compat, with_backward: true, distinguish: true };
    let parts = modules(job, MODE.name, options)?;
    let mut answer = Answer::default();
    if parts.iter().all(|(_, part)| part.rows.is_empty()) {
        return Ok(answer.note("no operator that launched anything ran inside a module"));
    }
    if job.export() == Export::Db {
        let mut table = ResultTable::new("ModuleStatistic", "module_statistic", &db_columns(COLUMNS));
        for (rank, part) in &parts {
            for row in &part.rows {
                table.push(cells(row, &part.names).into_iter().chain([Cell::from(*rank)]));
            }
        }
        answer.tables.push(table);
        return Ok(answer);
    }
    for (rank, part) in parts.iter().filter(|(_, part)| !part.rows.is_empty()) {
        let file = format!("module_statistic_{rank}");
        let mut table = ResultTable::new("Sheet1", &file, &sheet_columns(COLUMNS));
        part.rows.iter().for_each(|row| table.push(cells(row, &part.names)));
        answer.files.push(workbook(MODE.folder, table, &[0, 1]));
    }
    Ok(answer)
}

/// What the modules of each rank did; fails if no rank has modules.
pub fn modules(job: &Job<'_>, mode: &'static str, options: RowOptions) -> Result<Vec<(i64, Part)>, Failure> {
    const WHAT: &str = "mstx ranges of the domain Module";
    let selection = op_calls::selection(options.compat);
    let parts = job.each(selection, |data| part(data, options).ok_or_else(|| format!("it has no {WHAT}")))?;
    match parts.is_empty() {
        true => Err(Failure::missing(mode, WHAT, HINT)),
        false => Ok(parts),
    }
}

/// What the modules of a rank did; nothing if it has none.
fn part(data: &RankData<'_>, options: RowOptions) -> Option<Part> {
    let mut names = Names::default();
    let ranges = module_tree::marked_ranges(&data.tables, DOMAIN, &mut names, options.compat);
    if ranges.is_empty() {
        return None;
    }
    let mut calls = Calls::read(&data.tables, &mut names, options.compat);
    if !options.compat {
        calls.keep_within(data.window);
    }
    let rows = module_tree::module_rows(&calls, ranges, &mut names, &options);
    Some(Part { names, rows })
}

/// The cells of a row but the rank.
pub fn cells(row: &ModuleRow, names: &Names) -> [Cell; 7] {
    let text = |id| Cell::from(names.get(id));
    let (total, calls) = (row.total_ns as f64, row.calls.len());
    let kernels = Cell::from(names.list(&row.kernels));
    let average = Cell::from(total / calls as f64);
    [text(row.parent), text(row.module), text(row.op), kernels, total.into(), average, calls.into()]
}

const COLUMNS: &[SheetColumn] = &[
    ("parentModule", "Parent Module", ColumnKind::Text),
    ("module", "Module", ColumnKind::Text),
    ("opName", "Op Name", ColumnKind::Text),
    ("kernelList", "Kernel List", ColumnKind::Text),
    ("totalKernelDuration(ns)", "Total Kernel Duration(ns)", ColumnKind::Real),
    ("avgKernelDuration(ns)", "Avg Kernel Duration(ns)", ColumnKind::Real),
    ("opCount", "Op Count", ColumnKind::Int),
    ("rankID", "", ColumnKind::Int),
];
