//! Summary of a profile: step times, their parts, and ranks that stand out.

mod host;

use npuscope_formats::source::{JOB, RankSource};
use npuscope_measures::memory;
use npuscope_measures::statistics::{self, mean, median};
use npuscope_measures::step::{self, Clock, DeviceTime, Step};
use npuscope_messages::Decimal;
use npuscope_store::{Store, StoreError};
use npuscope_tables::table::{diagnostic, rank};
use npuscope_tables::{Rank, RankTables, Selection, TableId};
use serde::{Deserialize, Serialize};

use crate::extract::{self, Absent, Analysis, RankData, Scope};
use crate::finding::{self, Finding, Label, Number, Severity};
use crate::job_step::{job_step_time, job_steps};
use crate::messages;

pub use host::HostTime;

/// How the time of one rank divides, mean over its steps, in milliseconds: see [`npuscope_measures::step`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RankTime {
    pub rank: Rank,
    /// Pipeline stage, if the profile contains the number of stages.
    pub stage: Option<i64>,
    pub steps: usize,
    /// Whose clock gave the step time: `host` where markers do, else `device`.
    #[serde(deserialize_with = "finding::label")]
    pub clock: Label,
    /// Whether device work was recorded: without it, computing and communication are unknown.
    pub has_device: bool,
    /// Step time.
    #[serde(rename = "step_ms")]
    pub step: f64,
    /// Device time: computing, exposed communication and free time together.
    #[serde(rename = "device_ms")]
    pub device: f64,
    #[serde(rename = "computing_ms")]
    pub computing: f64,
    /// Communication that no computing covers.
    #[serde(rename = "exposed_communication_ms")]
    pub exposed_communication: f64,
    #[serde(rename = "free_ms")]
    pub free: f64,
    /// Memory peak, in bytes: [`memory::peak`].
    #[serde(rename = "memory_peak_bytes")]
    pub memory_peak: Option<i64>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Overview {
    pub ranks: Vec<RankTime>,
    /// Ranks without step times.
    pub ranks_without_steps: Vec<Rank>,
    /// Steps of the job: see [`job_steps`].
    pub steps: usize,
    /// Step time of the job: see [`job_step_time`].
    pub step_ms: f64,
    pub findings: Vec<Finding>,
    /// Where the host's time went, of ranks whose device was not recorded.
    pub host: Vec<HostTime>,
    /// Diagnostics of reading: how many of severity warning or error, and how many of severity info.
    #[serde(skip)]
    pub losses: usize,
    #[serde(skip)]
    pub infos: usize,
}

/// The extract of a rank.
#[derive(Serialize, Deserialize)]
struct RankSteps {
    /// Nothing without step times.
    time: Option<RankTime>,
    /// Number and time of each step, in ns.
    steps: Vec<(Option<i64>, i64)>,
    /// Where the host's time went, if the device was not recorded.
    host: host::Spent,
    losses: usize,
    infos: usize,
}

/// The parts of the time of each rank. Reads all tables of ranks, so that their columns are cached for later analyses.
#[derive(Serialize)]
struct Times;

impl Analysis for Times {
    type Extract = RankSteps;
    const NAME: &'static str = "overview";
    const VERSION: u32 = 3;

    fn needs(&self) -> Selection {
        Selection::ALL
    }

    fn map(&self, data: &RankData<'_>) -> Result<RankSteps, Absent> {
        let tables = &data.tables;
        let mut steps = step::whole(step::steps(tables));
        steps.retain(|step| data.has_step(step.id));
        let time = rank_time(data.rank, &steps, tables);
        let host = match time {
            Some(time) if !time.has_device => host::spent(tables, data.step()),
            _ => host::Spent::new(),
        };
        let rows = tables.rows::<diagnostic::Row>();
        let infos = rows.filter(|row| !row.is_loss(tables)).count();
        let losses = tables.len(TableId::Diagnostic) - infos;
        let steps = steps.iter().map(|step| (step.id, step.time())).collect();
        Ok(RankSteps { time, steps, host, losses, infos })
    }
}

/// A rank whose computing takes this much longer than the median is worth a word.
const SLOW: f64 = 1.05;

/// The summary of all steps, or of one.
pub fn overview(store: &Store, step: Option<i64>) -> Result<Overview, StoreError> {
    // What belongs to no rank has a source of its own, with a negative number.
    let sources: Vec<&RankSource> = store.profile().sources().collect();
    let extracts = extract::extracts(store, &sources, &Times, Scope { step, ..Scope::default() })?;
    let (mut losses, mut infos) = (0, 0);
    let mut ranks = Vec::new();
    let mut ranks_without_steps = Vec::new();
    let mut hosts = Vec::new();
    let mut times = Vec::new();
    for (source, kept) in sources.iter().zip(extracts) {
        let Ok(rank) = kept.extract else { continue };
        (losses, infos) = (losses + rank.losses, infos + rank.infos);
        match rank.time {
            _ if source.rank == JOB => {}
            Some(time) => {
                times.push(rank.steps);
                if !time.has_device {
                    hosts.push((source.rank, rank.host));
                }
                ranks.push(time);
            }
            None => ranks_without_steps.push(source.rank),
        }
    }
    let steps = job_steps(times.iter().map(Vec::as_slice));
    let findings = slow_ranks(&ranks, has_steps(&ranks, steps));
    let step_ms = job_step_time(times.iter().map(Vec::as_slice)).unwrap_or_default() / 1e6;
    Ok(Overview { ranks, ranks_without_steps, steps, step_ms, findings, host: host::longest(&hosts), losses, infos })
}

impl Overview {
    /// Whether something divides the time into steps; else all that was recorded counts as one.
    pub fn has_steps(&self) -> bool {
        has_steps(&self.ranks, self.steps)
    }
}

fn has_steps(ranks: &[RankTime], steps: usize) -> bool {
    steps > 1 || ranks.iter().any(|rank| rank.clock == Clock::Host.name())
}

fn rank_time(rank: Rank, steps: &[Step], tables: &RankTables) -> Option<RankTime> {
    let first = steps.first()?;
    let devices: Vec<&DeviceTime> = steps.iter().filter_map(|step| step.device.as_ref()).collect();
    let device_mean = |part: fn(&DeviceTime) -> i64| mean_ms(devices.iter().map(|device| part(device)));
    Some(RankTime {
        rank,
        stage: stage(rank, tables),
        steps: steps.len(),
        clock: first.clock.name(),
        has_device: !devices.is_empty(),
        step: mean_ms(steps.iter().map(Step::time)),
        device: device_mean(DeviceTime::time),
        computing: device_mean(|device| device.computing),
        exposed_communication: device_mean(|device| device.exposed),
        free: device_mean(|device| device.free),
        memory_peak: memory::peak(tables).map(|peak| peak.bytes),
    })
}

/// The mean of times in ns, in ms; 0 of none.
#[expect(clippy::cast_precision_loss, reason = "times of steps are far below 2^53 ns")]
fn mean_ms(times: impl Iterator<Item = i64>) -> f64 {
    mean(times.map(|time| time as f64)) / 1e6
}

/// Ranks that compute longer than the others of their pipeline stage: those wait for them in every
/// collective. Stages are not compared with each other, since they hold different layers.
fn slow_ranks(ranks: &[RankTime], has_steps: bool) -> Vec<Finding> {
    let mut slow: Vec<(&RankTime, f64, Vec<&RankTime>)> = ranks
        .iter()
        .filter_map(|rank| {
            let is_peer = |r: &&RankTime| r.has_device && r.stage == rank.stage && r.rank != rank.rank;
            let peers: Vec<&RankTime> = ranks.iter().filter(is_peer).collect();
            let median = median(&peers.iter().map(|r| r.computing).collect::<Vec<_>>());
            (median > 0.0 && rank.computing > SLOW * median).then_some((rank, median, peers))
        })
        .collect();
    slow.sort_by(|(a, _, _), (b, _, _)| b.computing.total_cmp(&a.computing));
    slow.into_iter().map(|(rank, median, peers)| slow_rank(rank, median, &peers, has_steps)).collect()
}

/// The share of the time lost that the others must have more exposed communication for, to say that they wait: a choice.
const WAITED: f64 = 0.5;

fn slow_rank(rank: &RankTime, median_of_peers: f64, peers: &[&RankTime], has_steps: bool) -> Finding {
    let median = median_of_peers;
    let ratio = rank.computing / median;
    let lost = rank.computing - median;
    let share = lost / rank.device;
    let fastest = peers.iter().min_by(|a, b| a.computing.total_cmp(&b.computing));
    let others = match rank.stage {
        Some(_) => messages::claim_other_ranks_of_stage(),
        None => messages::claim_other_ranks(),
    };
    let exposed: Vec<f64> = peers.iter().map(|peer| peer.exposed_communication).collect();
    let waited = statistics::median(&exposed) - rank.exposed_communication;
    let waiting = match waited >= WAITED * lost {
        true => messages::claim_others_wait(),
        false => messages::claim_others_not_seen_waiting(),
    };
    let (per, unit) = match has_steps {
        true => (messages::per_step(), "ms/step"),
        false => (messages::of_all_recorded(), "ms"),
    };
    let numbers = (Decimal(rank.computing), Decimal(median));
    Finding {
        id: "slow-compute-rank",
        severity: if share > 0.1 { Severity::Critical } else { Severity::Warning },
        claim: messages::claim_slow_rank(rank.rank, Decimal(ratio), others, numbers.0, per, numbers.1, waiting),
        numbers: vec![
            Number::new(messages::number_computing(), rank.computing, unit),
            Number::new(messages::number_median(), median, unit),
            Number::new(messages::number_lost(), lost, unit),
        ],
        share_of_step: Some(share),
        confidence: if peers.len() > 1 { 0.8 } else { 0.4 },
        doubt: (peers.len() == 1).then(messages::doubt_few),
        ranks: vec![rank.rank],
        evidence: Vec::new(),
        suggestion: messages::try_slow_rank(),
        next: Some(format!(
            "npuscope sql DIR \"SELECT rank, op_type, sum(duration) / 1e6 AS ms FROM kernel WHERE rank IN ({}, {}) GROUP BY 1, 2 ORDER BY 3 DESC\"",
            rank.rank,
            fastest.map_or(rank.rank, |peer| peer.rank)
        )),
    }
}

/// The pipeline stage of a rank, where the profile says how many there are: ranks are numbered stage by stage.
pub(crate) fn stage(rank: Rank, tables: &RankTables) -> Option<i64> {
    let row = tables.rows::<rank::Row>().next()?;
    let ranks_of_stage = row.world_size?.checked_div(row.pp_size.filter(|&stages| stages > 1)?)?;
    rank.0.checked_div(ranks_of_stage)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(rank: i64, computing: f64) -> RankTime {
        RankTime { rank: Rank(rank), steps: 1, has_device: true, device: 100.0, computing, ..RankTime::default() }
    }

    #[test]
    fn the_rank_that_computes_longest_is_named_first() {
        let ranks = [rank(0, 50.0), rank(1, 51.0), rank(2, 70.0), rank(3, 60.0), rank(4, 50.0)];
        let named: Vec<i64> = slow_ranks(&ranks, true).iter().map(|f| f.ranks[0].0).collect();
        assert_eq!(named, [2, 3]);
    }

    #[test]
    fn ranks_are_compared_within_their_pipeline_stage() {
        let of_stage = |number, stage, computing| RankTime { stage: Some(stage), ..rank(number, computing) };
        let balanced = [of_stage(0, 0, 50.0), of_stage(1, 0, 50.0), of_stage(2, 1, 80.0), of_stage(3, 1, 80.0)];
        assert!(slow_ranks(&balanced, true).is_empty());
        let slow = [of_stage(0, 0, 50.0), of_stage(1, 0, 70.0), of_stage(2, 1, 80.0), of_stage(3, 1, 80.0)];
        assert_eq!(slow_ranks(&slow, true).iter().map(|f| f.ranks[0].0).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn a_rank_whose_device_was_not_recorded_is_no_measure_for_others() {
        let unknown = |number| RankTime { has_device: false, ..rank(number, 0.0) };
        let ranks = [rank(0, 50.0), rank(1, 50.0), rank(2, 70.0), unknown(3), unknown(4), unknown(5)];
        assert_eq!(slow_ranks(&ranks, true).iter().map(|f| f.ranks[0].0).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn ranks_are_said_to_wait_only_if_they_communicate_longer_and_per_step_only_with_steps() {
        let claim = |exposed: f64, has_steps: bool| {
            let waiting = |number| RankTime { exposed_communication: exposed, ..rank(number, 50.0) };
            let ranks = [waiting(0), waiting(1), rank(2, 70.0)];
            slow_ranks(&ranks, has_steps)[0].claim.text(npuscope_messages::Language::English)
        };
        let start = "rank 2 computes 1.40x as long as the other ranks (70.0 ms";
        assert_eq!(claim(20.0, true), format!("{start} per step, median of the others 50.0 ms); they wait for it"));
        assert_eq!(claim(0.0, true), format!("{start} per step, median of the others 50.0 ms)"));
        assert_eq!(claim(0.0, false), format!("{start}, median of the others 50.0 ms)"));
    }

    #[test]
    fn equal_ranks_and_a_single_rank_give_no_finding() {
        assert!(slow_ranks(&[rank(0, 50.0), rank(1, 50.5)], true).is_empty());
        assert!(slow_ranks(&[rank(0, 50.0)], true).is_empty());
        assert!(slow_ranks(&[], true).is_empty());
    }
}
