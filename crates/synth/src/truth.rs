//! What is true of a job, written beside its profile.

use serde::Serialize;

use crate::config::JobConfig;
use crate::simulate::{Job, simulate};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroundTruth {
    pub seed: u64,
    pub ranks: usize,
    pub tp: usize,
    pub pp: usize,
    pub dp: usize,
    pub steps: usize,
    pub first_step: i64,
    /// Mean over the steps, ms.
    pub step_ms: f64,
    pub slow_rank: Option<SlowRankTruth>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SlowRankTruth {
    pub rank: usize,
    pub factor: f64,
    /// What it costs: the same job without it is this much shorter per step, in ms.
    pub cost_ms_per_step: f64,
}

pub fn truth(job: &Job) -> GroundTruth {
    let config = &job.config;
    let step_ms = step_ms(job);
    let slow_rank = config.slow_rank.map(|slow| {
        let healthy = JobConfig { slow_rank: None, ..config.clone() };
        // A config that was simulated is still right without a fault.
        let healthy_ms = simulate(&healthy).map_or(step_ms, |job| self::step_ms(&job));
        SlowRankTruth { rank: slow.rank, factor: slow.factor, cost_ms_per_step: step_ms - healthy_ms }
    });
    GroundTruth {
        seed: config.seed,
        ranks: config.ranks(),
        tp: config.tp,
        pp: config.pp,
        dp: config.dp,
        steps: config.steps,
        first_step: config.first_step,
        step_ms,
        slow_rank,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a duration and a count")]
fn step_ms(job: &Job) -> f64 {
    job.duration() as f64 / 1e6 / job.config.steps as f64
}
