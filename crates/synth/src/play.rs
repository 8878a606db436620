//! One rank in time: the host launches, the queue passes on, streams execute in order.
//!
//! The same player runs a rank when the job is simulated, where a communication may not have ended yet,
//! and when the rank is recorded, where all ends are known.

use crate::blocks::{Block, Blocks, Channel, Communication, Item, Module};
use crate::chip::whole_ns;
use crate::config::JobConfig;
use crate::fault::FaultKind;
use crate::kernels::{Core, Dtype, KernelSpec};
use crate::network::Network;
use crate::noise::uniform;
use crate::program::{self, Call, Part, Reason, Work};

/// The meeting of each channel of a rank, by its number in the job.
pub type MeetingsOfRank = [Option<usize>; Channel::ALL.len()];

/// When the communications of a rank ended, in ns from the start of the job. All who meet end together, so
/// ends are kept once for each meeting.
#[derive(Clone, Copy)]
pub struct Ends<'a> {
    pub meetings: &'a [Vec<u64>],
    pub of_rank: &'a MeetingsOfRank,
}

impl<'a> Ends<'a> {
    pub fn of(&self, channel: Channel) -> &'a [u64] {
        let meeting = self.of_rank.get(channel as usize).copied().flatten();
        meeting.and_then(|meeting| self.meetings.get(meeting)).map(Vec::as_slice).unwrap_or_default()
    }
}

/// The host side of a launch, in ns from the start of the job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// The framework's call.
    pub start: u64,
    pub end: u64,
    /// The queue's thread.
    pub dequeue: u64,
    pub launched: u64,
}

/// Where in the model something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    pub block: Block,
    pub layer: usize,
    pub micro_batch: usize,
    /// Number of the item in its block.
    pub item: usize,
}

/// A kernel that has run.
#[derive(Clone, Copy, Debug)]
pub struct KernelRun<'a> {
    pub spec: &'a KernelSpec,
    pub number: usize,
    pub node: usize,
    pub spot: Spot,
    pub launch: Launch,
    pub start: u64,
    pub end: u64,
    /// How many times its share of tokens it worked on.
    pub expert_factor: f64,
}

/// A communication that has been started.
#[derive(Clone, Copy, Debug)]
pub struct CommunicationRun<'a> {
    pub communication: &'a Communication,
    pub spot: Spot,
    pub launch: Launch,
    /// When the computing stream had its data ready.
    pub computed: u64,
    /// When its own stream could have begun with it, had it nothing else to do.
    pub ready: u64,
}

/// Sees what a rank does. Times are ns from the start of the job.
pub trait Observer {
    fn kernel(&mut self, _: KernelRun<'_>) {}
    fn communicate(&mut self, _: CommunicationRun<'_>) {}
    /// The computing stream waited for a communication.
    fn wait(&mut self, _from: u64, _until: u64) {}
    fn host(&mut self, _work: Work, _from: u64, _until: u64) {}
    /// The batch went to the device.
    fn copy_batch(&mut self, _bytes: u64, _from: u64, _until: u64) {}
    /// The host waited for the device, and was busy for so many ns then.
    fn synchronise(&mut self, _reason: Reason, _busy: u64, _from: u64, _until: u64) {}
    fn begin(&mut self, _part: Part, _at: u64, _on_device: u64) {}
    fn end(&mut self, _part: Part, _at: u64, _on_device: u64) {}
    fn enter(&mut self, _module: Module, _spot: Spot, _at: u64) {}
    fn leave(&mut self, _spot: Spot, _at: u64) {}
}

/// Why a player stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The step is over.
    Done,
    /// It has to know when the last communication of a channel ends.
    Blocked(Channel),
}

/// What the faults of a rank and step do to times.
#[derive(Clone, Copy, Debug)]
struct Effects {
    kernels: f64,
    cube: f64,
    host: f64,
    experts: f64,
    aicpu_ns: u64,
}

impl Effects {
    fn of(config: &JobConfig, rank: usize, step: i64) -> Effects {
        let host = rank / config.devices_per_host;
        let mut effects = Effects {
            kernels: 1.0,
            cube: config.chip.frequency_mhz / frequency(config, rank, step),
            host: 1.0,
            experts: Network { config, step }.expert_factor(rank),
            aicpu_ns: 0,
        };
        for fault in config.faults.iter().filter(|fault| fault.is_in(step)) {
            match fault.kind {
                FaultKind::SlowRank if fault.place == rank => effects.kernels *= fault.strength,
                FaultKind::SlowHost if fault.place == host => effects.host *= fault.strength,
                FaultKind::Aicpu if fault.place == rank => effects.aicpu_ns += whole_ns(fault.strength * 1e6),
                _ => {}
            }
        }
        effects
    }
}

/// The lowest frequency of the AI Core that a fault sets for a rank and step.
pub fn frequency(config: &JobConfig, rank: usize, step: i64) -> f64 {
    let faults = config.faults.iter().filter(|f| f.kind == FaultKind::Frequency && f.place == rank && f.is_in(step));
    faults.map(|fault| fault.strength).fold(config.chip.frequency_mhz, f64::min)
}

/// Host time to start waiting for the device and to read a number.
const SYNCHRONISE_NS: u64 = 20_000;
/// Host time between two steps, and to begin or end one or a part of it.
pub const MARK_NS: u64 = 1_000;

/// A rank on its way through the job.
pub struct Player<'a> {
    config: &'a JobConfig,
    blocks: &'a Blocks,
    rank: usize,
    /// Steps begun.
    step: usize,
    effects: Effects,
    calls: Vec<Call>,
    /// The next call, and the next item of its block.
    at: (usize, usize),
    host: u64,
    queue: u64,
    computing: u64,
    /// Communications started, by channel.
    issued: [usize; Channel::ALL.len()],
}

impl<'a> Player<'a> {
    pub fn new(config: &'a JobConfig, blocks: &'a Blocks, rank: usize) -> Self {
        Player {
            config,
            blocks,
            rank,
            step: 0,
            effects: Effects::of(config, rank, config.first_step),
            calls: Vec::new(),
            at: (0, 0),
            host: 0,
            queue: 0,
            computing: 0,
            issued: [0; Channel::ALL.len()],
        }
    }

    /// The host's time.
    pub fn time(&self) -> u64 {
        self.host
    }

    /// Begins the next step, or part of one; its number counted from 0.
    pub fn begin_step(&mut self) -> usize {
        let step = self.step;
        self.step += 1;
        self.host += 2 * MARK_NS;
        self.effects = Effects::of(self.config, self.rank, number(self.config, step));
        let checkpoint = 2 * self.blocks.weights_of(self.config, self.rank);
        self.calls = program::calls(self.config, self.rank, step, checkpoint);
        self.at = (0, 0);
        step
    }

    /// Runs until the step is over or something is not known yet.
    pub fn run(&mut self, ends: Ends<'_>, observer: &mut impl Observer) -> Stop {
        while let Some(&call) = self.calls.get(self.at.0) {
            match call {
                Call::Block { block, layer, micro_batch } => {
                    let blocks = self.blocks;
                    while let Some(&item) = blocks.items(block).get(self.at.1) {
                        let spot = Spot { block, layer, micro_batch, item: self.at.1 };
                        if let Some(channel) = self.item(item, spot, ends, observer) {
                            return Stop::Blocked(channel);
                        }
                        self.at.1 += 1;
                    }
                }
                Call::Host(work, ns) => {
                    let from = self.host;
                    self.host += ns;
                    observer.host(work, from, self.host);
                    if work == Work::DataLoader {
                        let (from, bytes) = (self.computing.max(self.host), batch_bytes(self.config));
                        self.computing = from + self.config.chip.copy_ns(bytes);
                        observer.copy_batch(bytes, from, self.computing);
                    }
                }
                Call::Synchronise(reason, ns) => {
                    // In the middle of a step only the computing stream is waited for: a rank that waited for
                    // a send might keep the receiver from getting there.
                    let is_over = matches!(reason, Reason::Loss | Reason::Checkpoint);
                    if let Some(channel) = self.unknown(ends).filter(|_| is_over) {
                        return Stop::Blocked(channel);
                    }
                    let from = self.host;
                    let device = Channel::ALL.iter().filter(|_| is_over).filter_map(|&c| self.last_end(c, ends)).max();
                    let until = self.host.max(self.queue).max(self.computing).max(device.unwrap_or_default());
                    self.host = until + if self.config.chip.host_us > 0.0 { SYNCHRONISE_NS } else { 0 } + ns;
                    observer.synchronise(reason, ns, from, self.host);
                }
                Call::Begin(part) => {
                    observer.begin(part, self.host, self.computing);
                    self.host += MARK_NS;
                }
                Call::End(part) => {
                    observer.end(part, self.host, self.computing);
                    self.host += MARK_NS;
                }
            }
            self.at = (self.at.0 + 1, 0);
        }
        Stop::Done
    }

    /// Does one item; the channel that it has to know more of, if it cannot.
    fn item(&mut self, item: Item, spot: Spot, ends: Ends<'_>, observer: &mut impl Observer) -> Option<Channel> {
        match item {
            Item::Kernel { kernel, node } => {
                let spec = self.blocks.kernel(kernel)?;
                let launch = self.launch(spot);
                let start = self.computing.max(launch.launched);
                let end = start + self.kernel_ns(spec, spot);
                self.computing = end;
                let expert_factor = if spec.is_expert { self.effects.experts } else { 1.0 };
                observer.kernel(KernelRun { spec, number: kernel, node, spot, launch, start, end, expert_factor });
            }
            Item::Communicate(number) => {
                let communication = self.blocks.communication(number)?;
                let launch = self.launch(spot);
                let computed = self.computing.max(launch.launched);
                let ready = computed + self.config.chip.event_ns(communication.channel as usize);
                if let Some(issued) = self.issued.get_mut(communication.channel as usize) {
                    *issued += 1;
                }
                observer.communicate(CommunicationRun { communication, spot, launch, computed, ready });
            }
            Item::Wait(channel) => {
                if self.is_unknown(channel, ends) {
                    return Some(channel);
                }
                if let Some(end) = self.last_end(channel, ends).filter(|&end| end > self.computing) {
                    observer.wait(self.computing, end);
                    self.computing = end;
                }
            }
            Item::Enter(module) => observer.enter(module, spot, self.host),
            Item::Leave => observer.leave(spot, self.host),
        }
        None
    }

    fn launch(&mut self, spot: Spot) -> Launch {
        let noise = self.noise(spot, 1);
        let start = self.host;
        self.host += whole_ns(self.config.chip.host_us * 1e3 * self.effects.host * noise);
        let dequeue = self.queue.max(self.host);
        self.queue = dequeue + whole_ns(self.config.chip.launch_us * 1e3 * self.effects.host * noise);
        Launch { start, end: self.host, dequeue, launched: self.queue }
    }

    fn kernel_ns(&self, spec: &KernelSpec, spot: Spot) -> u64 {
        if spec.operator.core == Core::AiCpu {
            return self.effects.aicpu_ns;
        }
        let experts = if spec.is_expert { self.effects.experts } else { 1.0 };
        let work = (spec.cube_ns * self.effects.cube).max(spec.memory_ns) * experts;
        let ns = self.config.chip.kernel_us * 1e3 + work;
        whole_ns(ns * self.noise(spot, 0) * self.effects.kernels)
    }

    /// A factor around 1, the same every time for the same place in the job, whatever else goes on.
    fn noise(&self, spot: Spot, what: u64) -> f64 {
        if self.config.noise == 0.0 {
            return 1.0;
        }
        let place = (spot.block as u64) << 48 | (spot.layer as u64) << 32 | (spot.micro_batch as u64) << 16;
        let time = (self.rank as u64) << 32 | self.step as u64;
        1.0 + self.config.noise * (uniform([self.config.seed, time, place | spot.item as u64, what]) - 0.5)
    }

    fn is_unknown(&self, channel: Channel, ends: Ends<'_>) -> bool {
        let known = ends.of(channel).len();
        self.issued.get(channel as usize).is_some_and(|&issued| known < issued)
    }

    /// A channel whose last end is not known.
    fn unknown(&self, ends: Ends<'_>) -> Option<Channel> {
        Channel::ALL.into_iter().find(|&channel| self.is_unknown(channel, ends))
    }

    /// When the communication that was started last ended.
    fn last_end(&self, channel: Channel, ends: Ends<'_>) -> Option<u64> {
        let last = self.issued.get(channel as usize)?.checked_sub(1)?;
        ends.of(channel).get(last).copied()
    }
}

/// Bytes of the tokens of a step.
fn batch_bytes(config: &JobConfig) -> u64 {
    config.sequence / config.cp as u64 * config.micro_batches as u64 * Dtype::I64.bytes()
}

/// Number of a step that is counted from 0.
pub fn number(config: &JobConfig, step: usize) -> i64 {
    config.first_step + i64::try_from(step / config.parts_of_step()).unwrap_or_default()
}
