//! `calibrate_npu_gpu`: Compare the modules of a model on NPUs with the same modules on GPUs.
//!
//! Reads the same data as `module_statistic`, and a baseline (`--baseline_profiling_path`). The baseline is an SQLite
//! export of Nsight Systems or traces of PyTorch's profiler. In an export of Nsight Systems, modules are the NVTX
//! ranges, except those with which PyTorch marks operators. In traces of PyTorch's profiler, modules are the calls of
//! `nn.Module` or, if there are none, the ranges of the user. Each rank is compared with the GPU of the same number.
//!
//! A module is identified by its path of names; `Ascend` in names is ignored. Modules with the same path are matched
//! first (`rule`). Of the others, the most similar modules are matched if their similarity is at least
//! `--fuzzy_threshold` (0.8); each module is matched at most once (`fuzzy`). Similarity is computed like in Python's
//! `difflib`.
//!
//! `CompareProfileReportRank{rank}` has one row per operator of each module. Operators of the same name are in the
//! same row; the others are paired in order of duration. Times are those of the kernels and communication operations
//! that the operator launched, per call or in total. The share is relative to the time of all modules. Ratio and
//! difference are those of the whole module. `--dump_intermediate_results` also writes the compared data:
//! `NPUProfileRank{rank}` and `GPUProfileRank{rank}`.
//!
//! Text results are the same data as workbooks: `compare_profile_report_{rank}.xlsx`, `npu_report_{rank}.xlsx`,
//! `gpu_report_{rank}.xlsx`.

mod comparison;
mod matching;
mod tables;

use std::collections::{BTreeMap, HashSet};

use npuscope_tables::Rank;

use super::Microseconds;
use super::gpu_baseline;
use super::module_statistic;
use super::module_tree::{ModuleOp, RowOptions};
use crate::cluster::{Answer, Export, Failure, Job, Mode, Usage};
use crate::extract::Text;
use crate::messages::cluster as messages;
use matching::{compat_matches, matches};

pub use comparison::{ComparedOp, ModuleName};
pub use matching::Match;

pub const MODE: Mode = Mode {
    name: "calibrate_npu_gpu",
    folder: "CalibrateNpuGpu",
    about: "Compare the modules of a model on NPUs and on GPUs",
    run,
};

const DEFAULT_THRESHOLD: f64 = 0.8;

/// The modules of a rank beside those of the GPU of the same number.
#[derive(Clone, Debug, PartialEq)]
pub struct RankReport {
    pub rank: Rank,
    /// The compared operators, by name.
    pub npu: Vec<OpUse>,
    pub gpu: Vec<OpUse>,
    /// By the module around, the greatest difference first.
    pub operators: Vec<ComparedOp>,
}

/// The work that an operator of a module launched.
#[derive(Clone, Debug, PartialEq)]
pub struct OpUse {
    /// The modules around, outermost first, by `/`; empty if there is none.
    pub parent: Text,
    pub module: Text,
    pub op: Text,
    /// Names of what it launched, in order.
    pub kernels: Vec<Text>,
    /// Time of all that it launched, in ns.
    pub total: i64,
    /// The same per call, in ns.
    pub average: f64,
    pub calls: usize,
}

impl OpUse {
    /// [`OpUse::total`] as a part of sums.
    fn time(&self) -> Microseconds {
        Microseconds::of_ns(self.total as f64)
    }
}

/// Compares the modules of each rank with those of the GPU of the same number. Ranks that have none, or that the
/// baseline lacks, are left out.
pub fn rows(job: &Job<'_>) -> Result<Vec<RankReport>, Failure> {
    let options = job.options;
    let Some(path) = &options.baseline_profile else {
        return Err(Usage::NoBaselineProfile { mode: MODE.name }.into());
    };
    let mut baseline = gpu_baseline::pieces(job, path)?;
    let rows = RowOptions { compat: options.compat, with_backward: true, distinguish: options.compat };
    let mut reports = Vec::new();
    for (rank, part) in module_statistic::modules(job, MODE.name, rows)? {
        job.check_stop()?;
        let npu = merge(part.into_iter(), options.compat);
        let gpu = merge(baseline.remove(&rank).unwrap_or_default().into_iter(), options.compat);
        if npu.is_empty() || gpu.is_empty() {
            let why = if npu.is_empty() { messages::absent_modules() } else { messages::absent_in_baseline() };
            job.leave_out(rank, why);
            continue;
        }
        let pairs = match options.compat {
            true => compat_matches(npu.clone(), gpu.clone()),
            false => matches(npu.clone(), gpu.clone(), options.fuzzy_threshold.unwrap_or(DEFAULT_THRESHOLD)),
        };
        let operators = comparison::compare(pairs, options.compat);
        reports.push(RankReport { rank, npu, gpu, operators });
    }
    Ok(reports)
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    job.require_export(&MODE, &[Export::Db, Export::Text])?;
    let reports = rows(job)?;
    if reports.is_empty() {
        return Ok(Answer::default().note(messages::note_nothing_to_compare()));
    }
    let sheets = reports.iter().flat_map(|report| tables::sheets(report, job.options));
    Ok(match job.export() {
        Export::Db => Answer::of_tables(sheets.map(|sheet| sheet.table)),
        _ => Answer { files: sheets.map(tables::Sheet::into_workbook).collect(), ..Answer::default() },
    })
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
        let mut kernels: Vec<Text> = pieces.into_iter().flat_map(|piece| piece.kernels).collect();
        if !compat {
            let mut seen = HashSet::new();
            kernels.retain(|name| seen.insert(name.clone()));
        }
        OpUse { parent, module, op, kernels, total, average, calls }
    });
    merged.collect()
}
