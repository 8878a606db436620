//! Memory that grows from step to step.

use npuscope_messages::Decimal;

use super::{Case, Cause, Suspect, median_of_others};
use crate::diagnose::graph::Change;
use crate::diagnose::trace::RankTrace;
use crate::finding::Number;
use crate::messages;

/// Growth below this may be chance, in bytes per step: a choice. It would take 8000 steps to fill 64 GB.
const LEAST_BYTES: f64 = 8.0 * 1024.0 * 1024.0;
/// Steps that it takes to distinguish growth from the first allocations.
const LEAST_STEPS: usize = 3;
/// Growth below this many times that of the other ranks belongs to the job, not to the rank: a choice.
const LEAST_RATIO: f64 = 2.0;

/// Ranks that hold more memory at the end of each step than at the end of the one before, and more so than others.
pub fn suspects(case: &Case<'_>) -> Vec<Suspect> {
    let growth: Vec<f64> = case.traces.iter().map(growth).collect();
    let mut suspects = Vec::new();
    for (rank, trace) in case.traces.iter().enumerate() {
        let others = median_of_others(&growth, rank).unwrap_or_default().max(0.0);
        if growth[rank] < LEAST_BYTES || growth[rank] < LEAST_RATIO * others {
            continue;
        }
        let mib = growth[rank] / (1024.0 * 1024.0);
        suspects.push(Suspect {
            cause: Cause::MemoryLeak,
            weight: growth[rank] - others,
            compared: case.traces.len() - 1,
            ranks: vec![trace.rank],
            what: messages::what_memory_leak(Decimal(mib)),
            numbers: vec![Number::new(messages::number_growth(), mib, "MiB")],
            evidence: Vec::new(),
            change: Change::default(),
        });
    }
    suspects
}

/// The least that memory grew from the end of one step to the end of the next, in bytes.
fn growth(trace: &RankTrace) -> f64 {
    let mut samples = trace.allocated.clone();
    samples.sort_unstable();
    let at_end = |end: i64| {
        let before = samples.partition_point(|(time, _)| *time <= end);
        samples.get(before.checked_sub(1)?).map(|(_, bytes)| *bytes as f64)
    };
    let held: Vec<f64> = trace.steps.iter().filter_map(|step| at_end(step.end)).collect();
    if held.len() < LEAST_STEPS {
        return 0.0;
    }
    held.windows(2).map(|two| two[1] - two[0]).fold(f64::INFINITY, f64::min)
}
