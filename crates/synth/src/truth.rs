//! What is true of a job, written beside its profile.

use npuscope_measures::statistics::mean;
use serde::Serialize;

use crate::config::JobConfig;
use crate::fault::{Fault, Place};
use crate::layout::Layout;
use crate::play::number;
use crate::settings::Clock;
use crate::simulate::{Job, simulate};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroundTruth {
    /// The job as it was simulated.
    pub job: JobConfig,
    pub ranks: usize,
    /// Mean over the steps.
    pub step_ms: f64,
    /// Each step.
    pub steps_ms: Vec<f64>,
    pub faults: Vec<FaultTruth>,
    pub clocks: Vec<Clock>,
}

/// A fault, where it strikes and what it costs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FaultTruth {
    /// As it was given.
    pub fault: Fault,
    pub kind: &'static str,
    /// The class of causes that a diagnosis should name.
    pub cause: &'static str,
    /// The ranks it is at: one, both ends of a link, all of a host or of a stage.
    pub ranks: Vec<usize>,
    pub strength: f64,
    /// What the strength counts.
    pub unit: &'static str,
    pub first_step: i64,
    pub last_step: i64,
    /// What it costs: the same job without it is this much shorter per step in which it strikes.
    pub cost_ms_per_step: f64,
    /// The same for each step of the job.
    pub cost_ms: Vec<f64>,
}

pub fn truth(job: &Job) -> GroundTruth {
    let config = &job.config;
    let steps_ms = steps_ms(job);
    let faults = config.faults.iter().enumerate().map(|(index, fault)| fault_truth(job, index, fault, &steps_ms));
    GroundTruth {
        job: config.clone(),
        ranks: config.ranks(),
        step_ms: mean(steps_ms.iter().copied()),
        faults: faults.collect(),
        clocks: (0..config.hosts()).map(|host| Clock::of_host(config, host)).collect(),
        steps_ms,
    }
}

fn fault_truth(job: &Job, index: usize, fault: &Fault, steps_ms: &[f64]) -> FaultTruth {
    let config = &job.config;
    // A config that was simulated is still right without a fault.
    let healthy = simulate(&config.without(index)).map_or(Vec::new(), |job| self::steps_ms(&job));
    let cost_ms: Vec<f64> = steps_ms.iter().zip(&healthy).map(|(with, without)| with - without).collect();
    let last = number(config, config.steps * config.parts_of_step() - 1);
    let (first_step, last_step) = fault.steps.unwrap_or((config.first_step, last));
    let (first_step, last_step) = (first_step.max(config.first_step), last_step.min(last));
    let numbered = (config.first_step..).zip(&cost_ms);
    let struck: Vec<f64> = numbered.filter(|(step, _)| fault.is_in(*step)).map(|(_, &cost)| cost).collect();
    let layout = Layout::of(config);
    let ranks = (0..config.ranks()).filter(|&rank| match fault.kind.place() {
        Place::Rank => rank == fault.place,
        Place::Host => rank / config.devices_per_host == fault.place,
        Place::Stage => layout.stage(rank) == fault.place,
        Place::Link => rank == fault.place || Some(rank) == fault.other,
    });
    FaultTruth {
        fault: *fault,
        kind: fault.kind.name(),
        cause: fault.kind.cause(),
        ranks: ranks.collect(),
        strength: fault.strength,
        unit: fault.kind.unit(),
        first_step,
        last_step,
        cost_ms_per_step: mean(struck),
        cost_ms,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a duration in ns")]
fn steps_ms(job: &Job) -> Vec<f64> {
    let parts: Vec<f64> = job.steps().map(|(start, end)| (end - start) as f64 / 1e6).collect();
    parts.chunks(job.config.parts_of_step()).map(|parts| parts.iter().sum()).collect()
}
