//! How much data there will be: a rule of thumb.
//!
//! The numbers are those of four captures of one small training step on two ranks of an Ascend 910B (torch_npu, January
//! 2025, 191 kernels a step and rank, with stacks, modules, shapes, memory and L2 cache). The bytes of each kind of event
//! in `trace_view.json` and of each csv file were added up and divided by the kernels: kernels are what a user can guess,
//! and operators, launches and call stacks grow with them. Only deliverables are in it: raw data comes on top, and
//! the captures have none to measure.

use serde::Serialize;

use crate::config::{CollectConfig, Export, Level};
use crate::dialect::Run;

/// Kernels per step if the user gives no number: a model of 7 billion parameters and 32 layers, with a few micro-batches.
pub const ASSUMED_KERNELS_PER_STEP: u64 = 10_000;

/// Slices and flows of a kernel in the trace, its overlap, and its row of `kernel_details.csv` at level 0.
const DEVICE: u64 = 1_460;
/// Four to five operators of the host for each kernel, their flows, queues and rows of `operator_details.csv`.
const HOST: u64 = 1_970;
/// Call stacks of those operators, in the trace and in `operator_details.csv`.
const STACK: u64 = 4_210;
/// Python's functions in the trace: both stacks and modules bring them.
const PYTHON: u64 = 1_480;
const SHAPES: u64 = 290;
/// Allocations, and counters of HBM, LLC and QoS: the counters grow with time, here 0.6 ms for each kernel.
const MEMORY: u64 = 3_140;
const L2_CACHE: u64 = 50;
/// CANN calls, pieces of communications, wider rows of kernels, statistics.
const LEVEL1: u64 = 2_020;
/// Runtime calls. No capture of level 2 was there to measure: taken as one more slice for each CANN call of level 1.
const LEVEL2: u64 = 980;
/// Marks. Not measured: one of 400 bytes for twenty kernels, as communications have them.
const MARKS: u64 = 20;
/// A database has 29 % of the bytes of the same step as text (28.96 % at level 0, 29.4 % at level 1).
const DB_PER_CENT: u64 = 29;

/// An estimate, for orders of magnitude.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Estimate {
    pub kernels_per_step: u64,
    /// Whether the user gave that number; otherwise it is assumed.
    pub kernels_are_given: bool,
    pub bytes_per_rank_and_step: u64,
    /// Of all recorded steps, where their number is known.
    pub bytes_per_rank: Option<u64>,
    /// Of all ranks, where their number is known, too.
    pub bytes_in_all: Option<u64>,
}

/// Bytes of deliverables for each kernel: the sum of what is switched on, as text; 29 % of it as a database; both
/// where both are exported.
pub fn bytes_per_kernel(config: &CollectConfig) -> u64 {
    let device = config.npu && config.level > Level::None;
    let parts = [
        (device, DEVICE),
        (device && config.level >= Level::Level1, LEVEL1),
        (device && config.level >= Level::Level2, LEVEL2),
        (device && config.l2_cache, L2_CACHE),
        (config.cpu, HOST),
        (config.cpu && config.stack, STACK),
        (config.cpu && (config.stack || config.modules), PYTHON),
        (config.cpu && config.shapes, SHAPES),
        (config.memory, MEMORY),
        (config.mstx, MARKS),
    ];
    let text: u64 = parts.iter().filter(|(is_on, _)| *is_on).map(|(_, bytes)| bytes).sum();
    let share = |export: Export, per_cent: u64| if config.export.contains(&export) { text * per_cent / 100 } else { 0 };
    share(Export::Text, 100) + share(Export::Db, DB_PER_CENT)
}

pub(super) fn estimate(config: &CollectConfig, run: &Run, steps: Option<u64>, ranks: Option<u64>) -> Estimate {
    let kernels = run.kernels_per_step.unwrap_or(ASSUMED_KERNELS_PER_STEP);
    let per_step = if config.enabled { bytes_per_kernel(config).saturating_mul(kernels) } else { 0 };
    let per_rank = steps.map(|steps| per_step.saturating_mul(steps));
    Estimate {
        kernels_per_step: kernels,
        kernels_are_given: run.kernels_per_step.is_some(),
        bytes_per_rank_and_step: per_step,
        bytes_per_rank: per_rank,
        bytes_in_all: per_rank.zip(ranks).map(|(bytes, ranks)| bytes.saturating_mul(ranks)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The captures that the constants are from: bytes of two ranks, one step each.
    #[test]
    fn the_rule_gives_the_captures_it_is_from() {
        for (level, export, bytes) in [
            (Level::Level0, Export::Text, 4_845_245),
            (Level::Level1, Export::Text, 5_797_483),
            (Level::Level0, Export::Db, 1_403_270),
            (Level::Level1, Export::Db, 1_706_398),
        ] {
            let config = CollectConfig {
                level,
                export: vec![export],
                stack: true,
                modules: true,
                shapes: true,
                memory: true,
                l2_cache: true,
                ..CollectConfig::default()
            };
            let run = Run { kernels_per_step: Some(191), ..Run::default() };
            let estimated = estimate(&config, &run, Some(1), Some(2)).bytes_in_all.unwrap();
            assert!(estimated.abs_diff(bytes) * 10 < bytes, "{level:?} {export:?}: {estimated} for {bytes}");
        }
    }
}
