//! The job in time: ranks run their programs and meet in communications.

use std::collections::VecDeque;

use npuscope_tables::{RankPieces, RankTables};

use crate::blocks::{Blocks, Channel, Communication};
use crate::config::JobConfig;
use crate::error::ConfigError;
use crate::layout::Layout;
use crate::model;
use crate::network::Network;
use crate::play::{CommunicationRun, Ends, MARK_NS, MeetingsOfRank, Observer, Player, Stop, number};
use crate::record::{Recording, View};
use crate::resend;
use crate::truth::{self, GroundTruth};
use crate::windows::Window;

/// A simulated job: when each communication ended. The rest is played again when a rank is recorded.
pub struct Job {
    pub config: JobConfig,
    pub(crate) blocks: Blocks,
    /// By meeting.
    ends: Vec<Vec<u64>>,
    /// By rank.
    meetings_of: Vec<MeetingsOfRank>,
    /// When each step, or part of one, ended, in ns from the start of the job. All ranks end a step together.
    step_ends: Vec<u64>,
}

/// Simulates a job.
pub fn simulate(config: &JobConfig) -> Result<Job, ConfigError> {
    config.check()?;
    let blocks = model::blocks(config);
    resend::check(config, &blocks)?;
    let mut simulator = Simulator::new(config, &blocks);
    let mut players: Vec<Player<'_>> = (0..config.ranks()).map(|rank| Player::new(config, &blocks, rank)).collect();
    let step_ends = (0..config.steps * config.parts_of_step())
        .map(|step| simulator.step(&mut players, step))
        .collect::<Result<_, _>>()?;
    drop(players);
    let Simulator { ends, meetings_of, .. } = simulator;
    Ok(Job { config: config.clone(), blocks, ends, meetings_of, step_ends })
}

impl Job {
    /// What a profiler would have recorded of a rank.
    pub fn rank(&self, rank: usize) -> RankTables {
        self.tables(rank, View::Whole)
    }

    /// What the deliverables of a view hold of it.
    pub fn tables(&self, rank: usize, view: View) -> RankTables {
        let mut pieces = RankPieces::default();
        for step in self.recording(rank, view) {
            pieces.append(step);
        }
        crate::record::linked(pieces.finish())
    }

    /// The same, step by step, for jobs whose ranks do not fit in memory.
    pub fn recording(&self, rank: usize, view: View) -> Recording<'_> {
        Recording::new(self, rank, view, 0..self.step_ends.len())
    }

    /// What was recorded of a rank in one of its windows, step by step.
    pub fn window(&self, rank: usize, view: View, window: &Window) -> Recording<'_> {
        Recording::new(self, rank, view, window.parts.clone())
    }

    /// When a window begins, in ns from the start of the job.
    pub fn begin(&self, window: &Window) -> u64 {
        self.steps().nth(window.parts.start).map_or(0, |(start, _)| start)
    }

    /// When the communications of a rank ended.
    pub(crate) fn ends(&self, rank: usize) -> Ends<'_> {
        const ALONE: &MeetingsOfRank = &[None; Channel::ALL.len()];
        Ends { meetings: &self.ends, of_rank: self.meetings_of.get(rank).unwrap_or(ALONE) }
    }

    /// What is true of the job, whatever an analysis may say.
    pub fn truth(&self) -> GroundTruth {
        truth::truth(self)
    }

    /// When each step, or part of one, begins and ends, in ns from the start of the job.
    pub fn steps(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let starts = std::iter::once(0).chain(self.step_ends.iter().copied()).map(|end| end + MARK_NS);
        starts.zip(self.step_ends.iter().copied())
    }

    /// Nanoseconds from the start of the job to the end of its last step.
    pub fn duration(&self) -> u64 {
        self.step_ends.last().copied().unwrap_or_default()
    }
}

/// A group that meets, or two neighbours of a pipeline in one direction.
struct Meeting {
    ranks: Vec<usize>,
    /// The channel it meets on; for neighbours that of the sender and of the receiver.
    channels: [Channel; 2],
    arrived: usize,
    last: u64,
    /// Meetings of this step.
    count: usize,
}

/// A communication that a rank has started and that has not ended.
#[derive(Clone, Copy)]
struct Pending {
    ready: u64,
    communication: Communication,
}

struct Simulator<'a> {
    config: &'a JobConfig,
    blocks: &'a Blocks,
    step: i64,
    meetings: Vec<Meeting>,
    /// By meeting: when it ended, each time.
    ends: Vec<Vec<u64>>,
    /// By rank and channel.
    meetings_of: Vec<MeetingsOfRank>,
    pending: Vec<[VecDeque<Pending>; Channel::ALL.len()]>,
    /// Ranks that wait for a channel.
    blocked: Vec<Option<Channel>>,
}

impl<'a> Simulator<'a> {
    fn new(config: &'a JobConfig, blocks: &'a Blocks) -> Self {
        let ranks = config.ranks();
        let mut simulator = Simulator {
            config,
            blocks,
            step: config.first_step,
            meetings: Vec::new(),
            ends: Vec::new(),
            meetings_of: vec![[None; Channel::ALL.len()]; ranks],
            pending: (0..ranks).map(|_| Default::default()).collect(),
            blocked: vec![None; ranks],
        };
        let layout = Layout::of(config);
        for channel in Channel::ALL {
            let others = match channel {
                Channel::SendForward => Channel::ReceiveForward,
                Channel::SendBackward => Channel::ReceiveBackward,
                Channel::ReceiveForward | Channel::ReceiveBackward => continue,
                channel => channel,
            };
            for rank in 0..ranks {
                let members = layout.members(channel, rank);
                if members.first() == Some(&rank) && members.len() > 1 {
                    simulator.meeting(members, [channel, others]);
                }
            }
        }
        simulator
    }

    fn meeting(&mut self, ranks: Vec<usize>, channels: [Channel; 2]) {
        for (index, &rank) in ranks.iter().enumerate() {
            let [first, others] = channels;
            let channel = if index == 0 { first } else { others };
            if let Some(place) = self.meetings_of.get_mut(rank).and_then(|m| m.get_mut(channel as usize)) {
                *place = Some(self.meetings.len());
            }
        }
        self.meetings.push(Meeting { ranks, channels, arrived: 0, last: 0, count: 0 });
        self.ends.push(Vec::new());
    }

    /// Runs a step of all ranks; when it ended.
    fn step(&mut self, players: &mut [Player<'_>], step: usize) -> Result<u64, ConfigError> {
        self.step = number(self.config, step);
        self.meetings.iter_mut().for_each(|meeting| meeting.count = 0);
        players.iter_mut().for_each(|player| {
            player.begin_step();
        });
        // A rank runs until it has to wait; whoever ends a wait makes others ready.
        let mut ready: Vec<usize> = (0..players.len()).rev().collect();
        let mut started = Vec::new();
        while let Some(rank) = ready.pop() {
            let (Some(player), Some(of_rank)) = (players.get_mut(rank), self.meetings_of.get(rank)) else { continue };
            let stop = player.run(Ends { meetings: &self.ends, of_rank }, &mut Started(&mut started));
            if let Some(blocked) = self.blocked.get_mut(rank) {
                *blocked = match stop {
                    Stop::Done => None,
                    Stop::Blocked(channel) => Some(channel),
                };
            }
            for pending in started.drain(..) {
                self.start(rank, pending, &mut ready);
            }
        }
        match self.blocked.iter().position(Option::is_some) {
            Some(rank) => Err(ConfigError::Stuck { rank, step: self.step }),
            None => Ok(players.iter().map(Player::time).max().unwrap_or_default()),
        }
    }

    /// A rank has started a communication; the ranks that can go on because of it are put into `ready`.
    fn start(&mut self, rank: usize, pending: Pending, ready: &mut Vec<usize>) {
        let channel = pending.communication.channel;
        let Some(queue) = self.pending.get_mut(rank).and_then(|p| p.get_mut(channel as usize)) else { return };
        queue.push_back(pending);
        let mut arrivals = if queue.len() == 1 { vec![(rank, channel)] } else { Vec::new() };
        while let Some((rank, channel)) = arrivals.pop() {
            self.arrive(rank, channel, &mut arrivals, ready);
        }
    }

    /// The communication at the head of a channel has come to its meeting; if all are there, it ends.
    fn arrive(&mut self, rank: usize, channel: Channel, arrivals: &mut Vec<(usize, Channel)>, ready: &mut Vec<usize>) {
        let index = channel as usize;
        let Some(head) = self.pending.get(rank).and_then(|p| p.get(index)?.front().copied()) else { return };
        let Some(number) = self.meetings_of.get(rank).and_then(|m| m.get(index).copied().flatten()) else { return };
        let (Some(meeting), Some(ends)) = (self.meetings.get_mut(number), self.ends.get_mut(number)) else { return };
        meeting.arrived += 1;
        // The operations of a channel follow each other.
        meeting.last = meeting.last.max(head.ready).max(ends.last().copied().unwrap_or_default());
        if meeting.arrived < meeting.ranks.len() {
            return;
        }
        let again = match meeting.count {
            0 => resend::sent_again(self.config, self.blocks, self.step, head.communication.channel, &meeting.ranks),
            _ => None,
        };
        let network = Network { config: self.config, step: self.step };
        ends.push(meeting.last + network.duration(&head.communication, &meeting.ranks, again));
        (meeting.arrived, meeting.last, meeting.count) = (0, 0, meeting.count + 1);
        let Some(meeting) = self.meetings.get(number) else { return };
        let [first, others] = meeting.channels;
        for (member_index, &member) in meeting.ranks.iter().enumerate() {
            let channel = if member_index == 0 { first } else { others };
            if let Some(queue) = self.pending.get_mut(member).and_then(|p| p.get_mut(channel as usize)) {
                queue.pop_front();
                if !queue.is_empty() {
                    arrivals.push((member, channel));
                } else if self.blocked.get(member).copied().flatten() == Some(channel) {
                    ready.push(member);
                    if let Some(blocked) = self.blocked.get_mut(member) {
                        *blocked = None;
                    }
                }
            }
        }
    }
}

/// Takes note of the communications that a rank starts.
struct Started<'a>(&'a mut Vec<Pending>);

impl Observer for Started<'_> {
    fn communicate(&mut self, run: CommunicationRun<'_>) {
        self.0.push(Pending { ready: run.ready, communication: *run.communication });
    }
}
