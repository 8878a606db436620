//! `module_statistic`: Summarize the device work of each module of the model.
//!
//! Reads mstx ranges of the domain `Module`, framework operators, and the kernels and communication operations that
//! they launched. An operator is counted if it starts in the selected step. `ModuleStatistic` has one row per
//! operator of each module, in order of time: the parent modules, the module, the operator, the kernels and
//! communication operations that it launched, their total duration, the duration per call, the number of calls, and
//! the rank. An operator belongs to the innermost range that contains it. Modules of the backward pass are found with
//! the flows from forward operators to their backward operators. They are named `[Backward]` followed by the module's
//! name.
//!
//! Text results are one workbook per rank, `module_statistic_{rank}.xlsx`.

use std::collections::BTreeMap;

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_measures::statistics::share;
use npuscope_tables::{Rank, Selection};
use serde::Serialize;

use super::module_tree::{self, ModuleOp, RowOptions};
use super::op_calls::{self, Calls, Names};
use super::sheets::{SheetColumn, db_columns, sheet_columns, workbook};
use crate::cluster::{Absent, Answer, Export, Failure, Job, Mode, RankData};
use crate::extract::Analysis;
use crate::messages::cluster as messages;
use crate::messages::collection;

pub const MODE: Mode = Mode {
    name: "module_statistic",
    folder: "ModuleStatistic",
    about: "Summarize the device work of each module of the model",
    run,
};

/// How modules get into a profile.
const MARKING: &str = "torch_npu.npu.mstx.range_start(name, domain=\"Module\")";

/// The domain of the ranges that are modules.
pub const DOMAIN: &str = "Module";

/// What the modules of each rank did: a row for each operator of each module, in order of time.
pub fn rows(job: &Job<'_>) -> Result<Vec<(Rank, Vec<ModuleOp>)>, Failure> {
    modules(job, MODE.name, RowOptions { compat: job.options.compat, with_backward: true, distinguish: true })
}

/// What a module did on all ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct ModuleTotal {
    /// The modules around it and its own name.
    pub path: String,
    /// Calls of its operators.
    pub calls: i64,
    /// Durations of what they launched, in ns.
    pub total: i64,
    /// Share of the totals of all modules: [`share`].
    pub share: f64,
}

impl ModuleTotal {
    /// Mean duration of a call, in ns: `total / calls`.
    pub fn average(&self) -> f64 {
        self.total as f64 / self.calls.max(1) as f64
    }
}

/// The modules of all ranks by their path, those that take longest first.
pub fn module_totals(ranks: &[(Rank, Vec<ModuleOp>)]) -> Vec<ModuleTotal> {
    let mut sums: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for row in ranks.iter().flat_map(|(_, rows)| rows) {
        let path: Vec<&str> = [&*row.parent, &*row.module].into_iter().filter(|part| !part.is_empty()).collect();
        let (calls, total) = sums.entry(path.join("/")).or_default();
        (*calls, *total) = (*calls + row.calls as i64, *total + row.total);
    }
    let all: i64 = sums.values().map(|(_, total)| total).sum();
    let of_path = |(path, (calls, total))| ModuleTotal { path, calls, total, share: share(total, all) };
    let mut totals: Vec<ModuleTotal> = sums.into_iter().map(of_path).collect();
    totals.sort_by_key(|module| std::cmp::Reverse(module.total));
    totals
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    job.require_export(&MODE, &[Export::Db, Export::Text])?;
    let ranks = rows(job)?;
    let mut answer = Answer::default();
    if ranks.iter().all(|(_, rows)| rows.is_empty()) {
        return Ok(answer.note(messages::note_no_operator_in_module()));
    }
    if job.export() == Export::Db {
        let mut table = ResultTable::new("ModuleStatistic", "module_statistic", &db_columns(COLUMNS));
        for (rank, rows) in &ranks {
            rows.iter().for_each(|row| table.push(cells(row).into_iter().chain([Cell::from(*rank)])));
        }
        answer.tables.push(table);
        return Ok(answer);
    }
    for (rank, rows) in ranks.iter().filter(|(_, rows)| !rows.is_empty()) {
        let file = format!("module_statistic_{rank}");
        let mut table = ResultTable::new("Sheet1", &file, &sheet_columns(COLUMNS));
        rows.iter().for_each(|row| table.push(cells(row)));
        answer.files.push(workbook(MODE.folder, table, &[0, 1]));
    }
    Ok(answer)
}

/// Device work of the modules of each rank.
#[derive(Serialize)]
struct Modules(RowOptions);

impl Analysis for Modules {
    type Extract = Vec<ModuleOp>;
    const NAME: &'static str = "module_statistic";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        op_calls::selection(self.0.compat)
    }

    fn map(&self, data: &RankData<'_>) -> Result<Vec<ModuleOp>, Absent> {
        part(data, self.0).ok_or_else(|| Absent::Ranges(DOMAIN.into()))
    }
}

/// Device work of the modules of each rank; fails if no rank has modules.
pub fn modules(job: &Job<'_>, mode: &'static str, options: RowOptions) -> Result<Vec<(Rank, Vec<ModuleOp>)>, Failure> {
    let parts = job.extracts(&Modules(options))?;
    match parts.is_empty() {
        true => {
            let (what, hint) = (collection::data_ranges_of_domain(DOMAIN), collection::collect_modules(MARKING));
            Err(Failure::missing(mode, what, hint))
        }
        false => Ok(parts),
    }
}

/// Device work of the modules of a rank; `None` if it has no modules.
fn part(data: &RankData<'_>, options: RowOptions) -> Option<Vec<ModuleOp>> {
    let mut names = Names::default();
    let ranges = module_tree::marked_ranges(&data.tables, DOMAIN, &mut names, options.compat);
    if ranges.is_empty() {
        return None;
    }
    let mut calls = Calls::read(&data.tables, &mut names, options.compat);
    if !options.compat {
        calls.keep_chosen(data);
    }
    let rows = module_tree::module_rows(&calls, ranges, &mut names, &options);
    Some(module_tree::module_ops(&rows, &names))
}

/// The cells of a row but the rank.
pub fn cells(row: &ModuleOp) -> [Cell; 7] {
    let total = Cell::from(row.total as f64);
    let [parent, module, op] = [&row.parent, &row.module, &row.op].map(Cell::from);
    [parent, module, op, row.kernel_list().into(), total, row.average().into(), row.calls.into()]
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
