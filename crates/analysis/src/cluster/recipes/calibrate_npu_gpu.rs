//! `calibrate_npu_gpu`: the modules of a model on NPUs beside the same on GPUs.
//!
//! Reads what `module_statistic` does, and a baseline (`--baseline_profiling_path`): an export of Nsight Systems as
//! SQLite, whose NVTX ranges are modules unless PyTorch marked operators with them, or traces of PyTorch's profiler,
//! whose calls of `nn.Module` are modules or, if there are none, ranges of the user. A rank is compared with the GPU
//! of the same number.
//!
//! A module is one path of names; `Ascend` in it is overlooked. Modules of the same path belong together (`rule`).
//! Of the others, those belong together that are most alike and at least `--fuzzy_threshold` (0.8), each with one
//! other at most (`fuzzy`). Being alike is measured as Python's `difflib` does.
//!
//! `CompareProfileReportRank{rank}` has a row for each operator of each module. Operators of the same name stand
//! beside each other, the rest by duration. Times are those of kernels and communications that the operator
//! launched, per call or in all; the share is that of all modules; ratio and difference are those of the whole
//! module. `--dump_intermediate_results` adds what was compared: `NPUProfileRank{rank}` and `GPUProfileRank{rank}`.
//!
//! As text, the same as workbooks: `compare_profile_report_{rank}.xlsx`, `npu_report_{rank}.xlsx`,
//! `gpu_report_{rank}.xlsx`.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_tables::Rank;

use super::gpu_baseline;
use super::module_statistic;
use super::module_tree::{ModuleOp, RowOptions};
use super::sheets::workbook;
use super::similarity::{Similarity, closest};
use crate::cluster::{Answer, Export, Failure, Job, Mode, Usage};
use crate::extract::Text;

pub const MODE: Mode = Mode {
    name: "calibrate_npu_gpu",
    folder: "CalibrateNpuGpu",
    about: "The modules of a model on NPUs beside the same on GPUs",
    run,
};

const DEFAULT_THRESHOLD: f64 = 0.8;

/// What msprof-analyze uses, whatever the user says.
const COMPAT_THRESHOLD: f64 = 0.6;

/// What an operator of a module launched.
#[derive(Clone, Debug)]
struct OpUse {
    parent: Text,
    module: Text,
    op: Text,
    kernels: String,
    total_us: f64,
    /// Per call.
    average_us: f64,
    calls: usize,
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    job.require_export(&MODE, &[Export::Db, Export::Text])?;
    let options = job.options;
    let Some(path) = &options.baseline_profile else {
        return Err(Usage::NoBaselineProfile { mode: MODE.name }.into());
    };
    let mut baseline = gpu_baseline::pieces(job, path)?;
    let rows = RowOptions { compat: options.compat, with_backward: true, distinguish: options.compat };
    let mut answer = Answer::default();
    for (rank, part) in module_statistic::modules(job, MODE.name, rows)? {
        job.check_stop()?;
        let npu = merge(part.into_iter(), options.compat);
        let gpu = merge(baseline.remove(&rank).unwrap_or_default().into_iter(), options.compat);
        if npu.is_empty() || gpu.is_empty() {
            let why = if npu.is_empty() { "none of its modules launched anything" } else { "the baseline lacks it" };
            job.leave_out(rank, why);
            continue;
        }
        let reports = reports(rank, npu, gpu, job);
        match job.export() {
            Export::Db => answer.tables.extend(reports.into_iter().map(|(table, _)| table)),
            _ => answer.files.extend(reports.into_iter().map(|(table, merged)| workbook(MODE.folder, table, merged))),
        }
    }
    if answer.tables.is_empty() && answer.files.is_empty() {
        let note = "nothing to compare: no rank has modules both in the profile and in the baseline";
        return Ok(answer.note(note));
    }
    Ok(answer)
}

/// The tables of a rank, and which columns are merged in a workbook.
fn reports(rank: Rank, npu: Vec<OpUse>, gpu: Vec<OpUse>, job: &Job<'_>) -> Vec<(ResultTable, &'static [usize])> {
    let mut reports: Vec<(ResultTable, &'static [usize])> = Vec::new();
    if job.options.dump_intermediate_results {
        reports.push((profile(&format!("NPUProfileRank{rank}"), &format!("npu_report_{rank}"), &npu), &[0, 1]));
        reports.push((profile(&format!("GPUProfileRank{rank}"), &format!("gpu_report_{rank}"), &gpu), &[0, 1]));
    }
    let name = format!("CompareProfileReportRank{rank}");
    let mut table = ResultTable::new(&name, &format!("compare_profile_report_{rank}"), COMPARE_COLUMNS);
    let modules = match job.options.compat {
        true => compat_matches(npu, gpu),
        false => matches(npu, gpu, job.options.fuzzy_threshold.unwrap_or(DEFAULT_THRESHOLD)),
    };
    compare(modules, job.options.compat).into_iter().for_each(|row| table.push(row));
    reports.push((table, &[0, 1, 2, 3, 17, 18]));
    reports
}

fn profile(name: &str, file: &str, uses: &[OpUse]) -> ResultTable {
    let mut table = ResultTable::new(name, file, PROFILE_COLUMNS);
    for one in uses {
        let [parent, module, op] = [&one.parent, &one.module, &one.op].map(|text| Cell::from(text.as_str()));
        let kernels = Cell::from(one.kernels.as_str());
        table.push([parent, module, op, one.calls.into(), kernels, one.total_us.into(), one.average_us.into()]);
    }
    table
}

/// The pieces of each operator of each module put together, in order of their names.
///
/// The average is the time of all calls by their number. msprof-analyze takes the mean of the pieces' averages, and
/// repeats the names of kernels.
fn merge(pieces: impl Iterator<Item = ModuleOp>, compat: bool) -> Vec<OpUse> {
    let mut by_op: BTreeMap<(Text, Text, Text), Vec<ModuleOp>> = BTreeMap::new();
    for piece in pieces {
        let key = (piece.parent.clone(), piece.module.clone(), piece.op.clone());
        by_op.entry(key).or_default().push(piece);
    }
    let merged = by_op.into_iter().map(|((parent, module, op), pieces)| {
        let total: i64 = pieces.iter().map(|piece| piece.total).sum();
        let calls: usize = pieces.iter().map(|piece| piece.calls).sum();
        let average = match compat {
            true => {
                let averages = pieces.iter().map(ModuleOp::average);
                averages.sum::<f64>() / pieces.len() as f64
            }
            false => total as f64 / calls as f64,
        };
        let mut kernels: Vec<&str> = pieces.iter().flat_map(|piece| &piece.kernels).map(Text::as_str).collect();
        if !compat {
            let mut seen = HashSet::new();
            kernels.retain(|name| seen.insert(*name));
        }
        let (total_us, average_us) = (total as f64 / 1e3, average / 1e3);
        OpUse { kernels: kernels.join(", "), parent, module, op, total_us, average_us, calls }
    });
    merged.collect()
}

/// How two modules came together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Match {
    Rule,
    Fuzzy,
}

impl Match {
    const fn name(self) -> &'static str {
        match self {
            Match::Rule => "rule",
            Match::Fuzzy => "fuzzy",
        }
    }
}

/// A module of either side, or of both.
#[derive(Default)]
struct Pair {
    /// What stands for a side that is not there, in msprof-analyze.
    path: String,
    npu: Vec<(OpUse, Option<Match>)>,
    gpu: Vec<OpUse>,
}

impl Pair {
    /// Time of the whole module on either side.
    fn npu_us(&self) -> Option<f64> {
        (!self.npu.is_empty()).then(|| self.npu.iter().map(|(one, _)| one.total_us).sum())
    }

    fn gpu_us(&self) -> Option<f64> {
        (!self.gpu.is_empty()).then(|| self.gpu.iter().map(|one| one.total_us).sum())
    }
}

/// The path of a module.
fn path(one: &OpUse) -> String {
    if one.parent.is_empty() { one.module.to_string() } else { format!("{}/{}", one.parent, one.module) }
}

/// Pairs of modules: those of the same path, then those that are most alike.
fn matches(npu: Vec<OpUse>, gpu: Vec<OpUse>, threshold: f64) -> Vec<Pair> {
    let npu_path = |one: &OpUse| path(one).replace("Ascend", "");
    let npu_paths: BTreeSet<String> = npu.iter().map(npu_path).collect();
    let gpu_paths: BTreeSet<String> = gpu.iter().map(path).collect();
    let mut alike: Vec<(f64, &String, &String)> = Vec::new();
    for npu_path in npu_paths.difference(&gpu_paths) {
        let similarity = Similarity::to(npu_path, false);
        let found = gpu_paths.difference(&npu_paths).filter_map(|gpu_path| {
            let ratio = similarity.ratio(gpu_path, threshold)?;
            Some((ratio, npu_path, gpu_path))
        });
        alike.extend(found);
    }
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let mut partners: HashMap<&String, &String> = HashMap::new();
    let mut taken: HashSet<&String> = HashSet::new();
    for (_, npu_path, gpu_path) in alike {
        if !partners.contains_key(npu_path) && taken.insert(gpu_path) {
            partners.insert(npu_path, gpu_path);
        }
    }
    let mut pairs: BTreeMap<String, Pair> = BTreeMap::new();
    for one in npu {
        let own = npu_path(&one);
        let (path, kind) = match partners.get(&own) {
            Some(partner) => ((*partner).clone(), Some(Match::Fuzzy)),
            None if gpu_paths.contains(&own) => (own, Some(Match::Rule)),
            None => (own, None),
        };
        pairs.entry(path).or_default().npu.push((one, kind));
    }
    for one in gpu {
        pairs.entry(path(&one)).or_default().gpu.push(one);
    }
    pairs.into_values().collect()
}

/// Pairs as msprof-analyze makes them: paths of GPUs begin with `/`, so that nested modules are never the same;
/// several modules may be like one; modules without a partner are called `rule`, too.
fn compat_matches(npu: Vec<OpUse>, gpu: Vec<OpUse>) -> Vec<Pair> {
    let path = |one: &OpUse| format!("{}/{}", one.parent, one.module);
    let gpu_paths: BTreeSet<String> = gpu.iter().map(path).collect();
    let mut partners: HashMap<String, Option<&str>> = HashMap::new();
    let mut pairs: BTreeMap<String, Pair> = BTreeMap::new();
    for one in npu {
        let own = path(&one).replace("Ascend", "");
        let partner = *partners.entry(own.clone()).or_insert_with(|| match gpu_paths.contains(&own) {
            true => None,
            false => closest(&own, gpu_paths.iter().map(String::as_str), COMPAT_THRESHOLD),
        });
        let kind = if partner.is_some() { Match::Fuzzy } else { Match::Rule };
        let path = partner.map_or(own, str::to_owned);
        pairs.entry(path).or_default().npu.push((one, Some(kind)));
    }
    for one in gpu {
        pairs.entry(path(&one)).or_default().gpu.push(one);
    }
    let with_path = pairs.into_iter().map(|(path, pair)| Pair { path, ..pair });
    with_path.collect()
}

/// The rows of the report: by the module around, the greatest difference first.
fn compare(mut pairs: Vec<Pair>, compat: bool) -> Vec<Vec<Cell>> {
    let npu_us: f64 = pairs.iter().filter_map(Pair::npu_us).sum();
    let gpu_us: f64 = pairs.iter().filter_map(Pair::gpu_us).sum();
    let mut rows: Vec<(SortKey, Vec<Cell>)> = Vec::new();
    for pair in &mut pairs {
        pair.npu.sort_by(|a, b| b.0.total_us.total_cmp(&a.0.total_us));
        pair.gpu.sort_by(|a, b| b.total_us.total_cmp(&a.total_us));
        let both = pair.npu_us().zip(pair.gpu_us());
        let ratio = both.filter(|(_, gpu)| *gpu != 0.0).map(|(npu, gpu)| format!("{:.2}", npu / gpu));
        let difference = both.map(|(npu, gpu)| npu - gpu);
        for (npu, gpu) in side_by_side(pair, compat) {
            let cells = Row { pair, npu, gpu, npu_us, gpu_us, compat }.cells(ratio.as_deref(), difference);
            let parent = match (gpu, npu) {
                (Some(gpu), _) => gpu.parent.to_string(),
                (None, Some((npu, _))) if !compat => npu.parent.to_string(),
                _ => pair.path.rsplit_once('/').unwrap_or_default().0.to_owned(),
            };
            rows.push((SortKey { parent, difference, gpu_us: gpu.map(|gpu| gpu.total_us) }, cells));
        }
    }
    rows.sort_by(|a, b| a.0.order(&b.0, compat));
    rows.into_iter().map(|(_, cells)| cells).collect()
}

/// What rows of the report are sorted by.
struct SortKey {
    parent: String,
    difference: Option<f64>,
    gpu_us: Option<f64>,
}

impl SortKey {
    /// What is not there comes last; in msprof-analyze first.
    fn order(&self, other: &SortKey, compat: bool) -> Ordering {
        let missing = if compat { f64::INFINITY } else { f64::NEG_INFINITY };
        let falling = |a: Option<f64>, b: Option<f64>| b.unwrap_or(missing).total_cmp(&a.unwrap_or(missing));
        let by_difference = || falling(self.difference, other.difference);
        self.parent.cmp(&other.parent).then_with(by_difference).then_with(|| falling(self.gpu_us, other.gpu_us))
    }
}

type Sides<'a> = (Option<&'a (OpUse, Option<Match>)>, Option<&'a OpUse>);

/// The operators of a module beside each other: those of one name, then the rest by duration. msprof-analyze goes by
/// duration alone.
fn side_by_side(pair: &Pair, compat: bool) -> Vec<Sides<'_>> {
    let mut sides: Vec<Sides<'_>> = Vec::new();
    let mut gpu: Vec<&OpUse> = pair.gpu.iter().collect();
    let mut alone = Vec::new();
    for npu in &pair.npu {
        match gpu.iter().position(|gpu| gpu.op == npu.0.op).filter(|_| !compat) {
            Some(at) => sides.push((Some(npu), Some(gpu.remove(at)))),
            None => alone.push(npu),
        }
    }
    let count = alone.len().max(gpu.len());
    sides.extend((0..count).map(|at| (alone.get(at).copied(), gpu.get(at).copied())));
    sides
}

/// A row of the report.
struct Row<'a> {
    pair: &'a Pair,
    npu: Option<&'a (OpUse, Option<Match>)>,
    gpu: Option<&'a OpUse>,
    npu_us: f64,
    gpu_us: f64,
    compat: bool,
}

impl Row<'_> {
    fn cells(&self, ratio: Option<&str>, difference: Option<f64>) -> Vec<Cell> {
        let npu = self.npu.map(|(npu, _)| npu);
        // The module is named in each of its rows, also where it has no operator left.
        let npu_module = npu.or_else(|| self.pair.npu.first().map(|(npu, _)| npu).filter(|_| !self.compat));
        let gpu_module = self.gpu.or_else(|| self.pair.gpu.first().filter(|_| !self.compat));
        let kind = self.npu.or_else(|| self.pair.npu.first().filter(|_| !self.compat));
        let kind = kind.and_then(|(_, kind)| *kind).map(Match::name);
        let mut cells: Vec<Cell> = Vec::with_capacity(COMPARE_COLUMNS.len());
        cells.extend(self.module(gpu_module));
        cells.extend(self.module(npu_module));
        cells.push(self.or_blank(kind));
        cells.extend(self.figures(npu, self.npu_us));
        cells.extend(self.figures(self.gpu, self.gpu_us));
        cells.extend([self.or_blank(ratio), self.or_blank(difference)]);
        cells
    }

    /// Names of the modules around and of the module. msprof-analyze takes them from the path if a side is missing.
    fn module(&self, one: Option<&OpUse>) -> [Cell; 2] {
        let of_path = || self.pair.path.rsplit_once('/').filter(|_| self.compat);
        let names = one.map(|one| (one.parent.as_str(), one.module.as_str())).or_else(of_path);
        [self.or_blank(names.map(|names| names.0)), self.or_blank(names.map(|names| names.1))]
    }

    /// Operator, calls, kernels, time, share of the time of all modules, time per call.
    fn figures(&self, one: Option<&OpUse>, all_us: f64) -> [Cell; 6] {
        let share = one.filter(|_| all_us != 0.0).map(|one| format!("{:.2}%", one.total_us / all_us * 100.0));
        [
            self.or_blank(one.map(|one| one.op.as_str())),
            self.or_blank(one.map(|one| one.calls)),
            self.or_blank(one.map(|one| one.kernels.as_str())),
            self.or_blank(one.map(|one| one.total_us)),
            self.or_blank(share),
            self.or_blank(one.map(|one| one.average_us)),
        ]
    }

    /// msprof-analyze writes a space where there is nothing.
    fn or_blank(&self, value: Option<impl Into<Cell>>) -> Cell {
        match value {
            Some(value) => value.into(),
            None if self.compat => Cell::from(" "),
            None => Cell::Null,
        }
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
