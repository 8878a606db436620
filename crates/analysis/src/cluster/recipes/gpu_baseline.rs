//! Device work of the modules of a job on GPUs, from an export of Nsight Systems or a trace of PyTorch's profiler.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use indexmap::IndexSet;
use npuscope_formats::nsight::{self, NsightProfile};
use npuscope_tables::Framework;
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::{Rank, RankTables, Selection, Str};
use serde::Serialize;

use super::module_statistic::DOMAIN;
use super::module_tree::{self, MarkedRange, ModuleOp, RowOptions};
use super::op_calls::{Calls, Names, for_each_host_op};
use crate::cluster::{Absent, Failure, Job, Options, RankData, Usage};
use crate::extract::{Analysis, Text};

/// Parts of names of ranges that msprof-analyze takes for modules.
const COMPAT_MODULES: &[&str] = &["Qwen", "Attention", "Linear", "RMSNorm", "Embedding", "Sampler", "Logits"];

/// The operator of kernels that no operator launched.
const NO_OPERATOR: &str = "None";

/// Device work of the modules of a job on GPUs in all steps, by device of an export of Nsight Systems, or by rank.
pub fn pieces(job: &Job<'_>, path: &Path) -> Result<BTreeMap<Rank, Vec<ModuleOp>>, Failure> {
    let compat = job.options.compat;
    if nsight::is_sqlite(path) || compat {
        let profile = nsight::read(path).map_err(Usage::from)?;
        return Ok(nsight_pieces(&profile, compat));
    }
    let options = Options { step: None, ..job.options.clone() };
    job.of_baseline(path, &options, |baseline| Ok(baseline.extracts(&Baseline)?.into_iter().collect()))
}

/// Device work of the modules of each rank of a baseline.
#[derive(Serialize)]
struct Baseline;

impl Analysis for Baseline {
    type Extract = Vec<ModuleOp>;
    const NAME: &'static str = "gpu_baseline";
    const VERSION: u32 = 1;

    fn needs(&self) -> Selection {
        Selection::ALL
    }

    fn map(&self, data: &RankData<'_>) -> Result<Vec<ModuleOp>, Absent> {
        Ok(pieces_of_tables(&data.tables, data.source.framework() == Framework::Kineto))
    }
}

/// Device work of the modules of a trace. Modules are mstx ranges of the domain `Module`; if there are none, the calls
/// of `nn.Module`; if there are none, ranges of the user.
fn pieces_of_tables(tables: &RankTables, is_gpu: bool) -> Vec<ModuleOp> {
    let mut names = Names::default();
    let sources: [fn(&RankTables, &mut Names) -> Vec<MarkedRange>; 3] =
        [|tables, names| module_tree::marked_ranges(tables, DOMAIN, names, false), module_frames, user_ranges];
    let ranges = sources.iter().map(|source| source(tables, &mut names)).find(|ranges| !ranges.is_empty());
    let calls = match is_gpu {
        true => Calls::read_gpu(tables, &mut names),
        false => Calls::read(tables, &mut names, false),
    };
    let options = RowOptions { compat: false, with_backward: true, distinguish: false };
    let rows = module_tree::module_rows(&calls, ranges.unwrap_or_default(), &mut names, &options);
    module_tree::module_ops(&rows, &names)
}

/// Python's calls of modules, for example `nn.Module: Linear_3`.
fn module_frames(tables: &RankTables, names: &mut Names) -> Vec<MarkedRange> {
    let mut ranges = Vec::new();
    for_each_host_op(tables, Kind::Python, |view, row| {
        if let Some(name) = tables.text(view.name.get(row)).strip_prefix("nn.Module: ") {
            let (start, name) = (view.start.get(row), names.intern(name));
            let end = start.plus(view.duration.get(row).ns());
            ranges.push(MarkedRange { start, end, name, is_backward: false });
        }
    });
    ranges
}

/// Ranges of the user on the host. Those of the profiler itself, of NCCL and of optimizers are no modules.
fn user_ranges(tables: &RankTables, names: &mut Names) -> Vec<MarkedRange> {
    const OTHERS: &[&str] = &[npuscope_measures::link::STEP_PREFIX, "nccl:", "Optimizer."];
    let mut ranges = Vec::new();
    for_each_host_op(tables, Kind::Mstx, |view, row| {
        let name = view.name.get(row);
        let is_other = OTHERS.iter().any(|prefix| tables.text(name).starts_with(prefix));
        if !is_other && tables.opt_text(view.category.get(row)) == Some("user_annotation") {
            let (start, name) = (view.start.get(row), names.of_table(tables, name));
            let end = start.plus(view.duration.get(row).ns());
            ranges.push(MarkedRange { start, end, name, is_backward: false });
        }
    });
    ranges
}

/// What a range of Nsight is.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Role {
    is_module: bool,
    is_operator: bool,
}

impl Role {
    /// Operators are what PyTorch marks: they have `::` in their names, or a number of the backward graph behind
    /// them. Other ranges are modules.
    fn of(name: &str, compat: bool) -> Role {
        if compat {
            let is_module = COMPAT_MODULES.iter().any(|word| name.contains(word));
            return Role { is_module, is_operator: name.contains("::") };
        }
        let is_operator = name.contains("::") || name.contains(", seq = ");
        Role { is_module: !is_operator, is_operator }
    }
}

/// A kernel, and where it was launched.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Launched {
    device: i64,
    /// Names of the modules around, by number of their list.
    modules: usize,
    operator: Str,
    kernel: Str,
    ns: i64,
    /// The call of the operator: its number among the ranges.
    call: Option<usize>,
}

/// Device work of modules, by device. A kernel belongs to the ranges that were open on the thread that launched it.
fn nsight_pieces(profile: &NsightProfile, compat: bool) -> BTreeMap<Rank, Vec<ModuleOp>> {
    let mut names = Names::default();
    let roles: Vec<(Role, Str)> = profile
        .ranges
        .iter()
        .map(|range| {
            let name = profile.strings.get(range.name);
            let role = Role::of(name, compat);
            let name = if role.is_operator { name.split(',').next().unwrap_or(name) } else { name };
            (role, names.intern(name))
        })
        .collect();
    let mut order: Vec<usize> = (0..profile.ranges.len()).collect();
    order.sort_by_key(|&at| (profile.ranges[at].thread, profile.ranges[at].start, Reverse(profile.ranges[at].end)));
    let mut kernels = profile.kernels.clone();
    kernels.sort_by_key(|kernel| (kernel.thread, kernel.launch));
    let none = names.intern(NO_OPERATOR);
    let mut lists: IndexSet<Vec<Str>> = IndexSet::new();
    let mut launched = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut ranges = order.into_iter().peekable();
    for kernel in kernels {
        let is_begun = |at: &usize| {
            let range = &profile.ranges[*at];
            (range.thread, range.start) <= (kernel.thread, kernel.launch)
        };
        while let Some(at) = ranges.next_if(is_begun) {
            let begun = &profile.ranges[at];
            open.retain(|&outer| {
                let outer = &profile.ranges[outer];
                outer.thread == begun.thread && outer.end > begun.start
            });
            open.push(at);
        }
        let around = |at: &&usize| {
            let range = &profile.ranges[**at];
            range.thread == kernel.thread && range.end > kernel.launch
        };
        let modules: Vec<Str> =
            open.iter().filter(around).filter(|at| roles[**at].0.is_module).map(|at| roles[*at].1).collect();
        if modules.is_empty() {
            continue;
        }
        let call = open.iter().rev().filter(around).find(|at| roles[**at].0.is_operator).copied();
        let (list, _) = lists.insert_full(modules);
        let operator = call.map_or(none, |at| roles[at].1);
        let kernel_name = names.intern(profile.strings.get(kernel.name));
        let (device, ns) = (kernel.device, kernel.ns);
        launched.push(Launched { device, modules: list, operator, kernel: kernel_name, ns, call });
    }
    group(launched, &lists, &names, compat)
}

/// Sums the launched work. msprof-analyze has a piece per kernel, the longest first, and counts kernels; else a
/// piece is an operator, and its calls are counted.
fn group(
    mut launched: Vec<Launched>,
    lists: &IndexSet<Vec<Str>>,
    names: &Names,
    compat: bool,
) -> BTreeMap<Rank, Vec<ModuleOp>> {
    let key =
        |one: &Launched| (one.device, one.modules, one.operator, if compat { one.kernel } else { Str::default() });
    launched.sort_by_key(key);
    let mut pieces: BTreeMap<Rank, Vec<ModuleOp>> = BTreeMap::new();
    for same in launched.chunk_by(|a, b| key(a) == key(b)) {
        let first = &same[0];
        let modules: Vec<&str> = lists[first.modules].iter().map(|name| names.get(*name)).collect();
        let Some((module, around)) = modules.split_last() else { continue };
        let mut parent = around.join("/");
        if compat && !parent.is_empty() {
            parent.insert(0, '/');
        }
        let mut kernels: Vec<&str> = Vec::new();
        for one in same {
            let name = names.get(one.kernel);
            if !kernels.contains(&name) {
                kernels.push(name);
            }
        }
        let calls: HashSet<Option<usize>> = same.iter().map(|one| one.call).collect();
        pieces.entry(Rank(first.device)).or_default().push(ModuleOp {
            parent: parent.into(),
            module: (*module).into(),
            op: names.get(first.operator).into(),
            kernels: kernels.into_iter().map(Text::from).collect(),
            total: same.iter().map(|one| one.ns).sum(),
            calls: if compat { same.len() } else { calls.len() },
        });
    }
    pieces.values_mut().for_each(|pieces| pieces.sort_by_key(|piece| Reverse(piece.total)));
    pieces
}
