//! Reports as msprof-analyze writes them: its columns and units.

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};

use super::super::sheets::workbook;
use super::{ComparedOp, MODE, Match, Microseconds, ModuleName, OpUse, RankReport};
use crate::cluster::{Options, ResultFile};

/// A table that is a workbook as text.
pub struct Sheet {
    pub table: ResultTable,
    /// Columns in which cells that repeat the one above are merged.
    merged: &'static [usize],
}

impl Sheet {
    pub fn into_workbook(self) -> ResultFile {
        workbook(MODE.folder, self.table, self.merged)
    }
}

/// The report of a rank, after the compared data if that was requested.
pub fn sheets(report: &RankReport, options: &Options) -> Vec<Sheet> {
    let rank = report.rank;
    let mut sheets = Vec::new();
    if options.dump_intermediate_results {
        let npu = profile(&format!("NPUProfileRank{rank}"), &format!("npu_report_{rank}"), &report.npu);
        let gpu = profile(&format!("GPUProfileRank{rank}"), &format!("gpu_report_{rank}"), &report.gpu);
        sheets.extend([npu, gpu].map(|table| Sheet { table, merged: &[0, 1] }));
    }
    let name = format!("CompareProfileReportRank{rank}");
    let mut table = ResultTable::new(&name, &format!("compare_profile_report_{rank}"), COMPARE_COLUMNS);
    let blank = Blank { compat: options.compat };
    report.operators.iter().for_each(|row| table.push(blank.cells(row)));
    sheets.push(Sheet { table, merged: &[0, 1, 2, 3, 17, 18] });
    sheets
}

fn profile(name: &str, file: &str, uses: &[OpUse]) -> ResultTable {
    let mut table = ResultTable::new(name, file, PROFILE_COLUMNS);
    for one in uses {
        let [parent, module, op] = [&one.parent, &one.module, &one.op].map(|text| Cell::from(text.as_str()));
        let [total, average] = times(one);
        table.push([parent, module, op, one.calls.into(), kernel_list(one).into(), total, average]);
    }
    table
}

fn kernel_list(one: &OpUse) -> String {
    one.kernels.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ")
}

/// In all and per call.
fn times(one: &OpUse) -> [Cell; 2] {
    [one.time(), Microseconds::of_ns(one.average)].map(Cell::from)
}

/// Fills cells that there is nothing for: msprof-analyze writes a space.
struct Blank {
    compat: bool,
}

impl Blank {
    fn cells(&self, row: &ComparedOp) -> Vec<Cell> {
        let mut cells: Vec<Cell> = Vec::with_capacity(COMPARE_COLUMNS.len());
        cells.extend(self.module(row.gpu_module.as_ref()));
        cells.extend(self.module(row.npu_module.as_ref()));
        cells.push(self.or_blank(row.matched.map(match_name)));
        cells.extend(self.figures(row.npu.as_ref(), row.npu_share));
        cells.extend(self.figures(row.gpu.as_ref(), row.gpu_share));
        cells.push(self.or_blank(row.ratio.map(|ratio| format!("{ratio:.2}"))));
        cells.push(self.or_blank(row.difference));
        cells
    }

    fn module(&self, name: Option<&ModuleName>) -> [Cell; 2] {
        let (parent, module) = name.map(|name| (name.parent.as_str(), name.module.as_str())).unzip();
        [self.or_blank(parent), self.or_blank(module)]
    }

    /// Operator, calls, kernels, time, share of the time of all modules, time per call.
    fn figures(&self, one: Option<&OpUse>, share: Option<f64>) -> [Cell; 6] {
        let (total, average) = one.map(times).map(|[total, average]| (total, average)).unzip();
        [
            self.or_blank(one.map(|one| one.op.as_str())),
            self.or_blank(one.map(|one| one.calls)),
            self.or_blank(one.map(kernel_list)),
            self.or_blank(total),
            self.or_blank(share.map(|share| format!("{:.2}%", share * 100.0))),
            self.or_blank(average),
        ]
    }

    fn or_blank(&self, value: Option<impl Into<Cell>>) -> Cell {
        match value {
            Some(value) => value.into(),
            None if self.compat => Cell::from(" "),
            None => Cell::Null,
        }
    }
}

const fn match_name(matched: Match) -> &'static str {
    match matched {
        Match::Rule => "rule",
        Match::Fuzzy => "fuzzy",
    }
}

const PROFILE_COLUMNS: &[(&str, ColumnKind)] = &[
    ("Parent Module", ColumnKind::Text),
    ("Module", ColumnKind::Text),
    ("Op Name", ColumnKind::Text),
    ("Op Count", ColumnKind::Int),
    ("Kernel List", ColumnKind::Text),
    ("Total Kernel Duration(us)", ColumnKind::Real),
    ("Avg Kernel Duration(us)", ColumnKind::Real),
];

const COMPARE_COLUMNS: &[(&str, ColumnKind)] = &[
    ("(GPU) Parent Module", ColumnKind::Text),
    ("(GPU) Module", ColumnKind::Text),
    ("(NPU) Parent Module", ColumnKind::Text),
    ("(NPU) Module", ColumnKind::Text),
    ("Match Type", ColumnKind::Text),
    ("(NPU) Op Name", ColumnKind::Text),
    ("(NPU) Op Count", ColumnKind::Numeric),
    ("(NPU) Kernel List", ColumnKind::Text),
    ("(NPU) Total Kernel Duration(us)", ColumnKind::Numeric),
    ("(NPU) Total Kernel Duration(%)", ColumnKind::Text),
    ("(NPU) Avg Kernel Duration(us)", ColumnKind::Numeric),
    ("(GPU) Op Name", ColumnKind::Text),
    ("(GPU) Op Count", ColumnKind::Numeric),
    ("(GPU) Kernel List", ColumnKind::Text),
    ("(GPU) Total Kernel Duration(us)", ColumnKind::Numeric),
    ("(GPU) Total Kernel Duration(%)", ColumnKind::Text),
    ("(GPU) Avg Kernel Duration(us)", ColumnKind::Numeric),
    ("(NPU/GPU) Module Time Ratio", ColumnKind::Text),
    ("(NPU-GPU,us) Module Time Diff", ColumnKind::Numeric),
];
