//! The job in time: ranks run their programs and wait for each other.

use std::collections::HashMap;

use npuscope_tables::RankTables;

use crate::chip;
use crate::config::{ConfigError, JobConfig};
use crate::layout::{DEVICES_PER_HOST, GroupKind, Layout};
use crate::noise::uniform;
use crate::program::{self, Action, Kernel};
use crate::record;
use crate::truth::{self, GroundTruth};

/// A simulated job: when each rank communicated. The rest is played again when a rank is recorded.
pub struct Job {
    pub config: JobConfig,
    /// By rank: its communication in order, `start..end` in ns from the start of the job.
    meetings: Vec<Vec<(u64, u64)>>,
}

/// Host time to launch a kernel, and from launch to the earliest start on the device.
pub const HOST_NS: u64 = 18_000;
pub const LAUNCH_NS: u64 = 25_000;
/// Between steps the host reads the loss and the next batch.
const BETWEEN_STEPS_NS: u64 = 900_000;

/// Simulates a job.
pub fn simulate(config: &JobConfig) -> Result<Job, ConfigError> {
    config.check()?;
    let mut ranks: Vec<Runner> = (0..config.ranks()).map(|rank| Runner::new(config, rank)).collect();
    let mut arrivals: HashMap<Meeting, Vec<(usize, u64)>> = HashMap::new();
    let mut sent: HashMap<Transfer, u64> = HashMap::new();
    // A rank runs until it has to wait; whoever ends a wait makes others ready.
    let mut ready: Vec<usize> = (0..ranks.len()).rev().collect();
    let mut waiting_for: HashMap<Transfer, usize> = HashMap::new();
    while let Some(rank) = ready.pop() {
        while let Some(runner) = ranks.get_mut(rank) {
            match runner.next() {
                Next::Done => break,
                Next::Arrived(meeting, members, transfer_ns) => {
                    let there = arrivals.entry(meeting).or_default();
                    there.push((rank, runner.time));
                    if there.len() < members {
                        break;
                    }
                    let there = arrivals.remove(&meeting).unwrap_or_default();
                    let last = there.iter().map(|(_, time)| *time).max().unwrap_or_default();
                    for (member, _) in there {
                        if let Some(runner) = ranks.get_mut(member) {
                            runner.communicated(last + transfer_ns);
                        }
                        if member != rank {
                            ready.push(member);
                        }
                    }
                }
                Next::Sent(transfer, ns) => {
                    let end = runner.time + ns;
                    runner.communicated(end);
                    sent.insert(transfer, end);
                    ready.extend(waiting_for.remove(&transfer));
                }
                Next::Receiving(transfer, ns) => match sent.remove(&transfer) {
                    Some(arrived) => {
                        let end = arrived.max(runner.time + ns);
                        runner.communicated(end);
                    }
                    None => {
                        waiting_for.insert(transfer, rank);
                        break;
                    }
                },
            }
        }
    }
    let meetings = ranks.into_iter().map(|runner| runner.meetings).collect();
    Ok(Job { config: config.clone(), meetings })
}

impl Job {
    /// What a profiler would have recorded of a rank.
    pub fn rank(&self, rank: usize) -> RankTables {
        record::record(self, rank)
    }

    /// What is true of the job, whatever an analysis may say.
    pub fn truth(&self) -> GroundTruth {
        truth::truth(self)
    }

    /// Nanoseconds from the start of the job to the end of the last communication or kernel.
    pub fn duration(&self) -> u64 {
        (0..self.config.ranks())
            .map(|rank| self.replay(rank).last().map_or(0, |timed| timed.end))
            .max()
            .unwrap_or_default()
    }

    /// The actions of a rank with their times, step by step.
    pub fn replay(&self, rank: usize) -> Vec<Timed> {
        let mut meetings = self.meetings.get(rank).into_iter().flatten();
        let mut clock = Clock::default();
        let mut timed = Vec::new();
        for step in 0..self.config.steps {
            clock.begin_step();
            for (index, action) in program::step(&self.config, rank).into_iter().enumerate() {
                let launch = clock.launch();
                let start = clock.device.max(launch);
                let end = match &action {
                    Action::Kernel(kernel) => start + kernel_ns(&self.config, rank, step, index, kernel),
                    _ => meetings.next().map_or(start, |&(_, end)| end),
                };
                clock.device = end;
                timed.push(Timed { step, index, action, launch, start, end });
            }
            clock.end_step();
        }
        timed
    }
}

/// An action with its times, in ns from the start of the job.
#[derive(Clone, Debug)]
pub struct Timed {
    pub step: usize,
    /// Number of the action in its step.
    pub index: usize,
    pub action: Action,
    /// When the host had launched it.
    pub launch: u64,
    pub start: u64,
    pub end: u64,
}

impl Timed {
    /// Whether this is a weight update, whose output nobody keeps.
    pub fn action_is_update(&self) -> bool {
        matches!(&self.action, Action::Kernel(kernel) if kernel.op_type == "ApplyAdamW")
    }
}

/// Host and device of a rank: the host launches ahead, the device runs in order.
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    host: u64,
    device: u64,
}

impl Clock {
    fn begin_step(&mut self) {
        self.host = self.host.max(self.device) + BETWEEN_STEPS_NS;
    }

    fn launch(&mut self) -> u64 {
        self.host += HOST_NS;
        self.host + LAUNCH_NS
    }

    fn end_step(&mut self) {
        // The host waits for the loss.
        self.host = self.host.max(self.device);
    }
}

/// Duration of a kernel: its own, two per cent of noise, and the slow rank's share.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a duration in ns"
)]
fn kernel_ns(config: &JobConfig, rank: usize, step: usize, index: usize, kernel: &Kernel) -> u64 {
    let noise = 1.0 + 0.02 * (uniform([config.seed, rank as u64, step as u64, index as u64]) - 0.5);
    let slow = config.slow_rank.filter(|slow| slow.rank == rank).map_or(1.0, |slow| slow.factor);
    (kernel.ns as f64 * noise * slow) as u64
}

/// A collective that all members have to reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Meeting {
    kind: GroupKind,
    /// Lowest rank of the group.
    first: usize,
    number: usize,
}

/// A transfer between two ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Transfer {
    from: usize,
    to: usize,
    step: usize,
    number: usize,
}

enum Next {
    /// At a collective of so many members, which takes so long once all are there.
    Arrived(Meeting, usize, u64),
    Sent(Transfer, u64),
    Receiving(Transfer, u64),
    Done,
}

/// A rank on its way through its program.
struct Runner<'a> {
    config: &'a JobConfig,
    rank: usize,
    groups: Vec<(GroupKind, Vec<usize>)>,
    program: Vec<Action>,
    step: usize,
    index: usize,
    clock: Clock,
    /// When the action it stands at began.
    time: u64,
    is_launched: bool,
    collectives: HashMap<GroupKind, usize>,
    meetings: Vec<(u64, u64)>,
}

impl<'a> Runner<'a> {
    fn new(config: &'a JobConfig, rank: usize) -> Self {
        let groups = Layout::of(config).groups(rank, config);
        let mut clock = Clock::default();
        clock.begin_step();
        Runner {
            config,
            rank,
            groups: groups.into_iter().map(|g| (g.kind, g.ranks)).collect(),
            program: program::step(config, rank),
            step: 0,
            index: 0,
            clock,
            time: 0,
            is_launched: false,
            collectives: HashMap::new(),
            meetings: Vec::new(),
        }
    }

    /// Runs kernels up to the next communication.
    fn next(&mut self) -> Next {
        loop {
            let Some(action) = self.program.get(self.index) else {
                self.clock.end_step();
                self.step += 1;
                self.index = 0;
                if self.step >= self.config.steps {
                    return Next::Done;
                }
                self.clock.begin_step();
                continue;
            };
            if !self.is_launched {
                let launch = self.clock.launch();
                self.time = self.clock.device.max(launch);
                self.is_launched = true;
            }
            match action {
                Action::Kernel(kernel) => {
                    self.clock.device = self.time + kernel_ns(self.config, self.rank, self.step, self.index, kernel);
                    self.index += 1;
                    self.is_launched = false;
                }
                Action::Collective(collective) => {
                    let ranks = self.groups.iter().find(|(kind, _)| *kind == collective.group).map(|(_, ranks)| ranks);
                    let ranks = ranks.map(Vec::as_slice).unwrap_or_default();
                    let number = self.collectives.get(&collective.group).copied().unwrap_or_default();
                    let first = ranks.first().copied().unwrap_or_default();
                    let meeting = Meeting { kind: collective.group, first, number };
                    return Next::Arrived(meeting, ranks.len(), collective_ns(collective.bytes(), ranks));
                }
                Action::Send(transfer) => {
                    let key = Transfer { from: self.rank, to: transfer.peer, step: self.step, number: transfer.number };
                    return Next::Sent(key, chip::link_ns(transfer.bytes(), same_host(self.rank, transfer.peer)));
                }
                Action::Receive(transfer) => {
                    let key = Transfer { from: transfer.peer, to: self.rank, step: self.step, number: transfer.number };
                    return Next::Receiving(key, 1_000);
                }
            }
        }
    }

    /// The communication it stands at has ended.
    fn communicated(&mut self, end: u64) {
        if let Some(Action::Collective(collective)) = self.program.get(self.index) {
            *self.collectives.entry(collective.group).or_default() += 1;
        }
        self.meetings.push((self.time, end));
        self.clock.device = end;
        self.index += 1;
        self.is_launched = false;
    }
}

pub fn same_host(a: usize, b: usize) -> bool {
    a / DEVICES_PER_HOST == b / DEVICES_PER_HOST
}

/// A ring: every rank sends and receives its share of the data twice, over its slowest link.
pub fn collective_ns(bytes: u64, ranks: &[usize]) -> u64 {
    let count = ranks.len() as u64;
    let one_host = ranks.iter().all(|&r| same_host(r, ranks.first().copied().unwrap_or_default()));
    2 * (count - 1) * chip::link_ns(bytes / count, one_host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SlowRank;

    #[test]
    fn a_collective_ends_for_all_its_members_at_once() {
        let config = JobConfig { tp: 4, pp: 1, dp: 1, layers: 2, steps: 2, ..JobConfig::default() };
        let job = simulate(&config).unwrap();
        for meetings in job.meetings.windows(2) {
            let ends = |rank: &[(u64, u64)]| rank.iter().map(|m| m.1).collect::<Vec<_>>();
            assert_eq!(ends(&meetings[0]), ends(&meetings[1]));
            assert!(!meetings[0].is_empty());
        }
    }

    #[test]
    fn a_slow_rank_makes_the_others_wait() {
        let fast = JobConfig::default();
        let slow = JobConfig { slow_rank: Some(SlowRank { rank: 5, factor: 1.5 }), ..fast.clone() };
        let (fast, slow) = (simulate(&fast).unwrap(), simulate(&slow).unwrap());
        assert!(slow.duration() > fast.duration());
        let waited = |job: &Job, rank: usize| job.meetings[rank].iter().map(|m| m.1 - m.0).sum::<u64>();
        assert!(waited(&slow, 4) > waited(&fast, 4));
        assert!(waited(&slow, 5) <= waited(&slow, 4));
    }

    #[test]
    fn replaying_a_rank_gives_the_times_of_the_simulation() {
        let job = simulate(&JobConfig::default()).unwrap();
        for rank in 0..8 {
            let replayed: Vec<(u64, u64)> = job
                .replay(rank)
                .into_iter()
                .filter(|timed| !matches!(timed.action, Action::Kernel(_)))
                .map(|timed| (timed.start, timed.end))
                .collect();
            assert_eq!(replayed, job.meetings[rank]);
        }
    }
}
