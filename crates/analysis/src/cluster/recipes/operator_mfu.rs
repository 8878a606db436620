//! `operator_mfu`: Compute the model FLOPs utilization (MFU) of kernels and operators.
//!
//! Reads mstx ranges of the domain `mfu_flops`, which are named `{operations}-{name}`, the operators that start in
//! them, and the kernels that these operators launched. An operator is counted if it starts in the selected step. An
//! operator inside several ranges belongs to the innermost one. The operations of a range are distributed among its
//! kernels in proportion to their durations. The MFU of a kernel is operations / duration / peak:
//!
//! - operations = operations of the range x duration of the kernel / duration of all kernels of the range;
//! - peak = number of AI Cores x frequency x operations per cycle for the data type of the first input of the longest
//!   kernel of the range.
//!
//! The number of AI Cores and the frequency are read from `device_N/info.json.N` of the raw data. Without raw data,
//! they are those of the chip that the profile names.
//!
//! `OperatorMFU` has one row per kernel. If modules are marked (see `module_statistic`), `ModuleMFU` has one row per
//! operator of each module, with the MFU of each of its kernels over all calls in percent, separated by commas:
//! operations of all calls / (duration of all calls x peak). The value is empty for kernels outside all ranges.
//!
//! Text results are workbooks for each rank, `operator_mfu_kernel_{rank}.xlsx` and `operator_mfu_module_{rank}.xlsx`.
//!
//! With `--compat`: each kernel has all operations of its range, as in msprof-analyze; kernels without shapes are not
//! counted; the data type is that of the first kernel of the range; modules have no backward pass.

use std::collections::BTreeSet;
use std::ops::Range;

use npuscope_formats::device_info::{self, DeviceInfo};
use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_formats::source::RankSource;
use npuscope_tables::column::CellView;
use npuscope_tables::number::{float, round};
use npuscope_tables::table::{kernel, rank};
use npuscope_tables::{Ns, Rank, RankTables, Selection, Str};
use serde::{Deserialize, Serialize};

use super::module_tree::{self, MarkedRange, ModuleOp, ModuleRow, RowOptions};
use super::op_calls::{self, Calls, Names, Work};
use super::sheets::{SheetColumn, db_columns, sheet_columns, workbook};
use super::{module_statistic, peak};
use crate::cluster::{Absent, Answer, Export, Failure, Job, Mode, RankData};
use crate::extract::{Analysis, Text};
use crate::messages::cluster as messages;
use crate::messages::collection;

pub const MODE: Mode = Mode {
    name: "operator_mfu",
    folder: "OperatorMfu",
    about: "Compute the model FLOPs utilization (MFU) of kernels and operators",
    run,
};

const DOMAIN: &str = "mfu_flops";

/// The kernels of a rank whose operations are known, and its modules.
#[derive(Serialize, Deserialize)]
struct Mfu {
    kernels: Vec<KernelMfu>,
    modules: Vec<ModuleOp>,
    /// Of each row of `modules`.
    averages: Vec<String>,
    /// Types that have no known peak.
    unknown_types: BTreeSet<String>,
}

/// The MFU of a kernel.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct KernelMfu {
    op: Text,
    kernel: Text,
    start: Ns,
    end: Ns,
    mfu: f64,
    /// Achieved TFLOPS, and the peak of the chip.
    tflops: f64,
    peak_tflops: f64,
    operations: f64,
    /// The name in the range around.
    range: Text,
    input_shapes: Option<Text>,
    output_shapes: Option<Text>,
}

impl KernelMfu {
    /// The cells of a row of `OperatorMFU` but the rank.
    fn cells(&self) -> [Cell; 12] {
        let text = |text: &Option<Text>| text.as_ref().map_or(Cell::Null, Cell::from);
        [
            (&self.op).into(),
            (&self.kernel).into(),
            self.start.0.into(),
            self.end.0.into(),
            (self.end.since(self.start) as f64).into(),
            self.mfu.into(),
            self.tflops.into(),
            self.peak_tflops.into(),
            self.operations.into(),
            (&self.range).into(),
            text(&self.input_shapes),
            text(&self.output_shapes),
        ]
    }
}

/// The MFU of the kernels of each rank; or whether ranges or the chip are missing.
#[derive(Serialize)]
struct Usages {
    compat: bool,
}

impl Analysis for Usages {
    type Extract = Result<Mfu, Absent>;
    const NAME: &'static str = "operator_mfu";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        op_calls::selection(self.compat)
    }

    fn map(&self, data: &RankData<'_>) -> Result<Result<Mfu, Absent>, Absent> {
        Ok(part(data, self.compat))
    }

    /// The files that describe the chip are raw data, which is not part of the rank's tables.
    fn reads_besides(&self, source: &RankSource) -> Option<String> {
        Some(format!("{:?}", device_info::find_all(&source.first.directory)))
    }
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    job.require_export(&MODE, &[Export::Db, Export::Text])?;
    let parts = job.extracts(&Usages { compat: job.options.compat })?;
    if parts.iter().all(|(_, part)| matches!(part, Err(Absent::Ranges(_)))) {
        let code = "torch_npu.npu.mstx.range_start(\"{operations}-{name}\", domain=\"mfu_flops\")";
        let (what, hint) = (collection::data_ranges_of_domain(DOMAIN), collection::collect_mfu_ranges(code));
        return Err(Failure::missing(MODE.name, what, hint));
    }
    let mut found = Vec::new();
    for (rank, part) in parts {
        match part {
            Ok(mfu) => found.push((rank, mfu)),
            Err(why) => job.leave_out(rank, why.message()),
        }
    }
    if found.is_empty() {
        return Err(Failure::missing(MODE.name, collection::data_chip(), collection::collect_raw_data()));
    }
    let mut answer = Answer::default();
    let unknown: BTreeSet<&str> = found.iter().flat_map(|(_, mfu)| &mfu.unknown_types).map(String::as_str).collect();
    if !unknown.is_empty() {
        let types: Vec<&str> = unknown.into_iter().collect();
        answer = answer.note(messages::note_unknown_peak(types));
    }
    if found.iter().all(|(_, mfu)| mfu.kernels.is_empty()) {
        return Ok(answer.note(messages::note_no_kernel_in_range()));
    }
    match job.export() {
        Export::Db => answer.tables = tables(&found),
        _ => answer.files = found.iter().flat_map(|(rank, mfu)| workbooks(*rank, mfu)).collect(),
    }
    Ok(answer)
}

fn tables(found: &[(Rank, Mfu)]) -> Vec<ResultTable> {
    let mut kernels = ResultTable::new("OperatorMFU", "operator_mfu", &db_columns(KERNEL_COLUMNS));
    let mut modules = ResultTable::new("ModuleMFU", "module_mfu", &db_columns(MODULE_COLUMNS));
    for (rank, mfu) in found {
        fill(*rank, mfu, &mut kernels, &mut modules);
    }
    vec![kernels, modules]
}

fn workbooks(rank: Rank, mfu: &Mfu) -> Vec<crate::cluster::ResultFile> {
    let mut kernels =
        ResultTable::new("Sheet1", &format!("operator_mfu_kernel_{rank}"), &sheet_columns(KERNEL_COLUMNS));
    let mut modules =
        ResultTable::new("Sheet1", &format!("operator_mfu_module_{rank}"), &sheet_columns(MODULE_COLUMNS));
    fill(rank, mfu, &mut kernels, &mut modules);
    let books = [(kernels, [].as_slice()), (modules, [1, 2].as_slice())].into_iter();
    books.filter(|(table, _)| !table.is_empty()).map(|(table, merged)| workbook(MODE.folder, table, merged)).collect()
}

fn fill(rank: Rank, mfu: &Mfu, kernels: &mut ResultTable, modules: &mut ResultTable) {
    for kernel in &mfu.kernels {
        kernels.push([Cell::from(rank)].into_iter().chain(kernel.cells()));
    }
    for (row, average) in mfu.modules.iter().zip(&mfu.averages) {
        let cells = module_statistic::cells(row).into_iter();
        modules.push([Cell::from(rank)].into_iter().chain(cells).chain([Cell::from(average.as_str())]));
    }
}

fn part(data: &RankData<'_>, compat: bool) -> Result<Mfu, Absent> {
    let tables = &data.tables;
    let mut names = Names::default();
    let ranges = module_tree::marked_ranges(tables, DOMAIN, &mut names, compat);
    if ranges.is_empty() {
        return Err(Absent::Ranges(DOMAIN.into()));
    }
    let chip = chip(data, compat).ok_or(Absent::Chip)?;
    let mut calls = Calls::read(tables, &mut names, compat);
    if !compat {
        calls.keep_chosen(data);
    }
    let groups = match compat {
        true => groups_of_ranges(&ranges, &calls),
        false => groups_of_innermost_ranges(&ranges, &calls, &mut names),
    };
    let reading = Reading { tables, names: &names, calls: &calls, facts: kernel_facts(tables), chip, compat };
    let mut used = Used { usages: vec![None; calls.all_work().len()], ..Used::default() };
    groups.into_iter().for_each(|(name, work)| reading.add(name, work, &mut used));
    let Used { kernels, usages, unknown_types } = used;
    let modules = module_tree::marked_ranges(tables, module_statistic::DOMAIN, &mut names, compat);
    let options = RowOptions { compat, with_backward: !compat, distinguish: true };
    let modules = module_tree::module_rows(&calls, modules, &mut names, &options);
    let averages = modules.iter().map(|row| averages(row, &calls, &usages, compat)).collect();
    Ok(Mfu { kernels, modules: module_tree::module_ops(&modules, &names), averages, unknown_types })
}

/// The figures of the rank's chip: of its raw data or, but not for msprof-analyze, by its name.
fn chip(data: &RankData<'_>, compat: bool) -> Option<DeviceInfo> {
    let rank = data.tables.rows::<rank::Row>().next();
    let device = rank.as_ref().and_then(|rank| rank.device);
    let by_name = || peak::known_chip(data.tables.opt_text(rank.as_ref()?.chip)?);
    device_info::find(&data.source.first.directory, device).or_else(|| by_name().filter(|_| !compat))
}

/// `1073741824-torch.mm`: operations and name.
fn operations_and_name(text: &str) -> Option<(f64, &str)> {
    let (operations, name) = text.split_once('-')?;
    Some((operations.trim().parse().ok().filter(|n: &f64| *n > 0.0 && n.is_finite())?, name))
}

/// The work that the operators launched which start in a range: by number of the call and of the work.
type Launched = Vec<(usize, usize)>;

/// For each range, the work of operators that start in it, with the range's name.
fn groups_of_ranges(ranges: &[MarkedRange], calls: &Calls) -> Vec<(Str, Launched)> {
    let groups = ranges.iter().map(|range| {
        let first = calls.calls.partition_point(|call| call.start < range.start);
        let after = calls.calls.partition_point(|call| call.start <= range.end).max(first);
        (range.name, launched(first..after, calls))
    });
    groups.collect()
}

/// For each range, the work of operators that start in it and in no range within it.
fn groups_of_innermost_ranges(ranges: &[MarkedRange], calls: &Calls, names: &mut Names) -> Vec<(Str, Launched)> {
    let nodes = module_tree::nest(ranges.to_vec(), names);
    let starts = calls.calls.iter().map(|call| (call.start, call.start));
    let mut groups: Vec<(Str, Launched)> = nodes.iter().map(|node| (node.range.name, Vec::new())).collect();
    for (call, node) in module_tree::innermost(&nodes, starts).into_iter().enumerate() {
        if let Some(node) = node {
            groups[node].1.extend(launched(call..call + 1, calls));
        }
    }
    groups
}

fn launched(numbers: Range<usize>, calls: &Calls) -> Launched {
    numbers.flat_map(|call| calls.calls[call].work.clone().map(move |work| (call, work))).collect()
}

/// Operations and time of a kernel, and the peak operations per second.
#[derive(Clone, Copy, Debug)]
struct Usage {
    operations: f64,
    seconds: f64,
    peak: f64,
}

impl Usage {
    fn mfu(&self) -> f64 {
        self.operations / self.seconds / self.peak
    }
}

/// Results for the kernels of a rank.
#[derive(Default)]
struct Used {
    kernels: Vec<KernelMfu>,
    /// By number of the work.
    usages: Vec<Option<Usage>>,
    /// Types that have no known peak.
    unknown_types: BTreeSet<String>,
}

/// The data of a rank that is needed for its kernels.
struct Reading<'a> {
    tables: &'a RankTables,
    names: &'a Names,
    calls: &'a Calls,
    /// By row of `kernel`.
    facts: Vec<KernelFact>,
    chip: DeviceInfo,
    compat: bool,
}

impl Reading<'_> {
    /// Adds the kernels of a range.
    fn add(&self, range: Str, mut launched: Launched, used: &mut Used) {
        let Some((all_operations, range_name)) = operations_and_name(self.names.get(range)) else { return };
        launched.retain(|&(_, work)| self.counts(work));
        let peak = match self.per_cycle(&launched) {
            Ok(per_cycle) => peak::peak(self.chip, per_cycle),
            Err(dtype) => return used.unknown_types.extend([dtype.to_owned()]),
        };
        let all_ns: i64 = launched.iter().map(|&(_, work)| self.work(work).ns).sum();
        for (call, number) in launched {
            let work = self.work(number);
            let Some(fact) = self.fact(number).filter(|_| work.ns > 0) else { continue };
            let ns = work.ns as f64;
            let operations = if self.compat { all_operations } else { all_operations * ns / all_ns as f64 };
            let usage = Usage { operations, seconds: ns * 1e-9, peak };
            used.usages[number] = Some(usage);
            let rounded = |value: f64, digits: usize| if self.compat { round(value, digits) } else { value };
            let shapes = |shapes| self.tables.opt_text(shapes).map(|text| Text::from(text.trim_matches(['"', '\''])));
            used.kernels.push(KernelMfu {
                op: self.names.get(self.calls.calls[call].name).into(),
                kernel: self.names.get(work.name).into(),
                start: work.start,
                end: work.start.plus(work.ns),
                mfu: rounded(usage.mfu(), 4),
                tflops: rounded(operations / usage.seconds / 1e12, 2),
                peak_tflops: rounded(peak / 1e12, 2),
                operations,
                range: range_name.into(),
                input_shapes: shapes(fact.input_shapes),
                output_shapes: shapes(fact.output_shapes),
            });
        }
    }

    /// Operations a cycle for the type that kernels work on; the type, if they are not known. Kernels without types
    /// are taken to work in half precision.
    fn per_cycle(&self, launched: &Launched) -> Result<f64, &str> {
        let main = match self.compat {
            true => launched.first(),
            // The first of the longest.
            false => launched.iter().rev().max_by_key(|(_, work)| self.work(*work).ns),
        };
        let types = main.and_then(|(_, work)| self.tables.opt_text(self.fact(*work)?.input_dtypes));
        let dtype = types.unwrap_or_default().split(';').map(str::trim).find(|dtype| !dtype.is_empty());
        let Some(dtype) = dtype else { return Ok(peak::HALF) };
        let known = if self.compat { peak::compat_per_cycle(dtype) } else { peak::per_cycle(dtype) };
        known.ok_or(dtype)
    }

    /// Whether work counts: communication does not, nor, for msprof-analyze, do kernels without shapes.
    fn counts(&self, work: usize) -> bool {
        let has_shapes = |fact: &KernelFact| fact.input_shapes.is_some() && fact.output_shapes.is_some();
        self.fact(work).is_some_and(|fact| !self.compat || has_shapes(fact))
    }

    fn work(&self, number: usize) -> &Work {
        &self.calls.all_work()[number]
    }

    fn fact(&self, work: usize) -> Option<&KernelFact> {
        self.facts.get(self.work(work).kernel()?)
    }
}

/// Facts about a kernel that the MFU depends on.
struct KernelFact {
    input_shapes: Option<Str>,
    output_shapes: Option<Str>,
    input_dtypes: Option<Str>,
}

fn kernel_facts(tables: &RankTables) -> Vec<KernelFact> {
    let mut facts = Vec::new();
    for (view, rows) in tables.views::<kernel::Row>() {
        facts.extend((0..rows).map(|row| KernelFact {
            input_shapes: view.input_shapes.get(row),
            output_shapes: view.output_shapes.get(row),
            input_dtypes: view.input_dtypes.get(row),
        }));
    }
    facts
}

/// The MFU of each kernel of an operator over its calls, in per cent.
///
/// msprof-analyze takes the mean of the calls' MFUs and leaves kernels without one out.
fn averages(row: &ModuleRow, calls: &Calls, usages: &[Option<Usage>], compat: bool) -> String {
    let of_kernel = |place: usize| -> Vec<Usage> {
        let works = row.calls.iter().map(|call| calls.calls[*call].work.start + place);
        works.filter_map(|work| usages[work]).collect()
    };
    let average = |usages: Vec<Usage>| {
        let mfu = match compat {
            true => usages.iter().map(Usage::mfu).sum::<f64>() / usages.len() as f64,
            false => {
                let could: f64 = usages.iter().map(|usage| usage.seconds * usage.peak).sum();
                usages.iter().map(|usage| usage.operations).sum::<f64>() / could
            }
        };
        if usages.is_empty() { String::new() } else { float(round(mfu * 100.0, 2)) + "%" }
    };
    let mut averages: Vec<String> = (0..row.kernels.len()).map(|place| average(of_kernel(place))).collect();
    if compat || averages.iter().all(String::is_empty) {
        averages.retain(|average| !average.is_empty());
    }
    averages.join(",")
}

const KERNEL_COLUMNS: &[SheetColumn] = &[
    ("rank_id", "Rank ID", ColumnKind::Int),
    ("op_name", "Op Name", ColumnKind::Text),
    ("kernel_name", "Kernel Name", ColumnKind::Text),
    ("kernel_start(ns)", "Kernel Start(ns)", ColumnKind::Int),
    ("kernel_end(ns)", "Kernel End(ns)", ColumnKind::Int),
    ("kernel_duration(ns)", "Kernel Duration(ns)", ColumnKind::Real),
    ("mfu", "MFU", ColumnKind::Real),
    ("actual_tflops", "actual_tflops", ColumnKind::Real),
    ("chip_peak_tflops", "chip_peak_tflops", ColumnKind::Real),
    ("flops", "flops", ColumnKind::Real),
    ("flops_op_name", "flops_op_name", ColumnKind::Text),
    ("input_shapes", "input_shapes", ColumnKind::Text),
    ("output_shapes", "output_shapes", ColumnKind::Text),
];

const MODULE_COLUMNS: &[SheetColumn] = &[
    ("rank_id", "Rank ID", ColumnKind::Int),
    ("parent_module", "Parent Module", ColumnKind::Text),
    ("module", "Module", ColumnKind::Text),
    ("op_name", "Op Name", ColumnKind::Text),
    ("kernel_list", "Kernel List", ColumnKind::Text),
    ("total_kernel_duration(ns)", "Total Kernel Duration(ns)", ColumnKind::Real),
    ("avg_kernel_duration(ns)", "Avg Kernel Duration(ns)", ColumnKind::Real),
    ("op_count", "Op Count", ColumnKind::Int),
    ("avg_mfu", "Avg MFU", ColumnKind::Text),
];
