//! What a profiler would have recorded of one rank.

mod communication;
mod counters;
mod device;
mod host;
mod metrics;
mod names;

use std::collections::HashMap;
use std::ops::Range;

use npuscope_formats::lanes::{self, Lanes};
use npuscope_formats::trace_json::layers;
use npuscope_measures::device_time::device_time;
use npuscope_measures::intervals::{Interval, union};
use npuscope_measures::link;
use npuscope_tables::table::{kernel, overlap, rank, step};
use npuscope_tables::{ConnectionId, LaneId, Ns, OpId, RankBuilder, RankTables, Span, Str, TaskId};

use crate::blocks::{Blocks, Channel, Module};
use crate::chip;
use crate::config::{JobConfig, Level};
use crate::layout::Layout;
use crate::memory::Memory;
use crate::play::{self, CommunicationRun, KernelRun, Observer, Player, Spot};
use crate::program::{Part, Reason, Work};
use crate::settings;
use crate::simulate::Job;
use crate::windows::Profiling;
use counters::Traffic;
use names::Names;

/// Which deliverables a recording is for: at the lowest level they do not hold the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// All that was recorded.
    Whole,
    /// What the text files show of it: at level 0 neither CANN calls nor pieces of communication.
    Text,
}

/// The tables of a rank, step by step.
pub struct Recording<'a> {
    job: &'a Job,
    player: Player<'a>,
    recorder: Recorder<'a>,
    /// The steps that are recorded, by number from 0, and the next one.
    parts: Range<usize>,
    next: usize,
    /// The step that is complete but for the free time that follows it.
    last: Option<RankBuilder>,
}

impl<'a> Recording<'a> {
    /// The recording of some of the steps of a job, or parts of steps, by their numbers.
    pub(crate) fn new(job: &'a Job, rank: usize, view: View, parts: Range<usize>) -> Self {
        let player = Player::new(&job.config, &job.blocks, rank);
        let mut recording =
            Recording { job, player, recorder: Recorder::new(job, rank, view), parts, next: 0, last: None };
        // What came before is not seen, but ids, memory and operations count on.
        while recording.next < recording.parts.start && recording.record().is_some() {}
        let begin = job.steps().nth(recording.parts.start).map_or(0, |(start, _)| start);
        let end = recording.parts.end.checked_sub(1).and_then(|last| job.steps().nth(last));
        let begin = if recording.parts.start == 0 { 0 } else { begin };
        recording.recorder.begin_window(begin, end.map_or(begin, |(_, end)| end));
        recording
    }

    /// Records a step, if there is one left: its rows, and the free time before it.
    fn record(&mut self) -> Option<(RankBuilder, Option<Interval>)> {
        if self.next >= self.parts.end {
            return None;
        }
        let step = self.player.begin_step();
        self.next = step + 1;
        let (start, end) = self.job.steps().nth(step)?;
        (self.recorder.is_first, self.recorder.is_last) = (step == self.parts.start, step + 1 == self.parts.end);
        self.recorder.begin_step(step);
        // All ends are known, so the player does not stop before the step is over.
        self.player.run(self.recorder.ends, &mut self.recorder);
        let gap = self.recorder.end_step(start, end);
        Some((self.recorder.take(), gap))
    }
}

impl Iterator for Recording<'_> {
    type Item = RankBuilder;

    fn next(&mut self) -> Option<RankBuilder> {
        loop {
            let Some((step, gap)) = self.record() else { return self.last.take() };
            if let Some(mut before) = self.last.replace(step) {
                // Free time belongs to the step in which it begins.
                gap.into_iter().for_each(|gap| self.recorder.overlap(overlap::Kind::Free, gap, &mut before));
                return Some(before);
            }
        }
    }
}

/// Tables with what follows from their rows.
pub fn linked(mut tables: RankTables) -> RankTables {
    link::nest_host_ops(&mut tables);
    tables
}

/// Stream of computing; those of communication follow it, one for each channel.
const COMPUTE_STREAM: i64 = 2;
const FIRST_COMM_STREAM: i64 = 5;

/// How traces write "no model", "no sub-task".
const NONE_ID: i64 = 4_294_967_295;

struct Recorder<'a> {
    config: &'a JobConfig,
    blocks: &'a Blocks,
    ends: play::Ends<'a>,
    layout: Layout,
    rank: usize,
    view: View,
    device: i64,
    process: i64,
    /// What the clock of the host shows at the start of the job, and how fast it runs.
    clock: settings::Clock,
    /// Number of the step that is going on, and whether it is the first or the last that is recorded.
    step: i64,
    is_first: bool,
    is_last: bool,
    tables: RankBuilder,
    names: Names,
    lanes: Lanes,
    memory: Memory,
    traffic: Traffic,
    /// Kernels of the step, to be put in order of start.
    kernels: Vec<kernel::Row>,
    /// Communications started so far: on each channel, and transfers between stages in all.
    issued: [usize; Channel::ALL.len()],
    transfers: usize,
    /// On each channel, before the step that is going on.
    issued_before: [usize; Channel::ALL.len()],
    /// Channels in the order in which they were first used.
    group_lanes: Vec<usize>,
    next_operation: OpId,
    next_correlation: ConnectionId,
    next_connection: ConnectionId,
    next_sequence: i64,
    next_task: TaskId,
    next_python: i64,
    next_range: i64,
    /// First sequence number of each forward block that no backward block has answered.
    forward: HashMap<(crate::blocks::Block, usize, usize), Vec<host::Forward>>,
    /// The call around the backward kernels of one node.
    open_node: Option<host::OpenNode>,
    modules: Vec<(Module, usize, u64)>,
    /// Ids of the Python calls that are going on: the step, its parts, modules.
    frames: Vec<i64>,
    parts: Vec<(Part, u64, u64)>,
    computing: Vec<Interval>,
    communication: Vec<Interval>,
    /// When the device was last busy, before this step.
    last_busy: Option<i64>,
    last_kernel_end: Option<Ns>,
}

impl<'a> Recorder<'a> {
    fn new(job: &'a Job, rank: usize, view: View) -> Self {
        let config = &job.config;
        let slot = i64::try_from(rank % config.devices_per_host).unwrap_or_default();
        let process = settings::process(config, rank);
        let layout = Layout::of(config);
        Recorder {
            config,
            blocks: &job.blocks,
            ends: job.ends(rank),
            layout,
            rank,
            view,
            device: slot,
            process,
            clock: settings::Clock::of_rank(config, rank),
            step: config.first_step,
            is_first: false,
            is_last: false,
            tables: RankBuilder::default(),
            names: Names::default(),
            lanes: Lanes::new(process),
            memory: Memory::new(config, &job.blocks, rank),
            traffic: Traffic::default(),
            kernels: Vec::new(),
            issued: [0; Channel::ALL.len()],
            transfers: 0,
            issued_before: [0; Channel::ALL.len()],
            group_lanes: Vec::new(),
            next_operation: OpId(0),
            next_correlation: ConnectionId(1),
            next_connection: ConnectionId(1),
            next_sequence: 0,
            next_task: TaskId(0),
            next_python: 1,
            next_range: 0,
            forward: HashMap::new(),
            open_node: None,
            modules: Vec::new(),
            frames: Vec::new(),
            parts: Vec::new(),
            computing: Vec::new(),
            communication: Vec::new(),
            last_busy: None,
            last_kernel_end: None,
        }
    }

    /// Begins a recording: what was known of the run is said again.
    fn begin_window(&mut self, begin: u64, end: u64) {
        self.tables = RankBuilder::default();
        self.names = Names::default();
        self.lanes = Lanes::new(self.process);
        self.group_lanes.clear();
        (self.last_busy, self.last_kernel_end) = (None, None);
        let groups = self.layout.groups(self.rank, self.config);
        settings::record(&mut self.tables, self.config, self.rank, &groups);
        self.rank_row(begin, end);
    }

    /// The time that the profile shows.
    fn time(&self, ns: u64) -> Ns {
        self.clock.time(ns)
    }

    /// When something starts and how long it takes by the clock of the host.
    fn slice(&self, from: u64, until: u64) -> (Ns, Span) {
        let start = self.time(from);
        (start, Span::from_ns(self.time(until).since(start)))
    }

    fn intern(&mut self, text: &str) -> Str {
        self.tables.strings.intern(text)
    }

    /// Whether the device is recorded at all.
    fn sees_device(&self) -> bool {
        self.config.level > Level::None
    }

    /// Whether CANN calls and the pieces of communications are there.
    fn sees_details(&self) -> bool {
        self.config.level > Level::Level0 || self.config.level == Level::Level0 && self.view == View::Whole
    }

    fn begin_step(&mut self, step: usize) {
        self.step = play::number(self.config, step);
        self.forward.clear();
        self.issued_before = self.issued;
        self.memory.begin_step(self.step);
        self.begin_frame();
    }

    /// Ends a step; the free time between the last thing that the device did before it and the first in it.
    fn end_step(&mut self, start: u64, end: u64) -> Option<Interval> {
        let number = self.marked_number();
        self.step_marker(number, (start, end));
        let row = step::Row { id: Some(number), start: self.time(start), end: self.time(end) };
        self.tables.step.push(row);
        self.frames.clear();
        self.memory.end_step(self.time(end));
        let mut gap = None;
        if self.sees_device() {
            self.record_kernels();
            gap = self.record_overlap();
            self.record_counters(start, end);
        }
        if self.config.profile_memory {
            self.memory.record(&mut self.tables, self.device);
        } else {
            self.memory.forget();
        }
        self.lanes.record(&mut self.tables);
        gap
    }

    /// The number of the step as the trainer marks it: MindSpeed-RL counts in each recording of a stage from 0.
    fn marked_number(&self) -> i64 {
        if self.config.profiling == Profiling::Stages { 0 } else { self.step }
    }

    /// The rows of the step that has ended.
    fn take(&mut self) -> RankBuilder {
        self.names = Names::default();
        std::mem::take(&mut self.tables)
    }

    fn record_kernels(&mut self) {
        let mut kernels = std::mem::take(&mut self.kernels);
        kernels.sort_by_key(|row| row.start);
        for mut row in kernels.drain(..) {
            let wait = self.last_kernel_end.map_or(0, |end| row.start.since(end).max(0));
            row.wait = Some(Span::from_ns(wait));
            self.last_kernel_end = Some(row.start.plus(row.duration.ns()));
            self.tables.kernel.push(row);
        }
        self.kernels = kernels;
    }

    fn record_overlap(&mut self) -> Option<Interval> {
        let computing = union(std::mem::take(&mut self.computing));
        let communication = union(std::mem::take(&mut self.communication));
        let mut tables = std::mem::take(&mut self.tables);
        for (kind, interval) in device_time(&computing, &communication) {
            self.overlap(kind, interval, &mut tables);
        }
        self.overlap_lane(overlap::Kind::Free);
        self.tables = tables;
        let lists = [&computing, &communication];
        let first = lists.iter().filter_map(|list| Some(list.first()?.start)).min();
        let last = lists.iter().filter_map(|list| Some(list.last()?.end)).max();
        let before = self.last_busy;
        self.last_busy = last.or(before);
        before.zip(first).map(|(before, first)| Interval::new(before, first))
    }

    fn overlap(&mut self, kind: overlap::Kind, interval: Interval, tables: &mut RankBuilder) {
        tables.overlap.push(overlap::Row {
            lane: self.overlap_lane(kind),
            kind: tables.strings.intern(kind.name()),
            device: Some(self.device),
            start: Ns(interval.start),
            duration: Span::from_ns(interval.end - interval.start),
            args: None,
        });
    }

    fn overlap_lane(&mut self, kind: overlap::Kind) -> LaneId {
        let name = || Some(layers::overlap_name(kind).to_owned());
        self.lanes.device_layer(lanes::OVERLAP, self.device, kind as i64, name)
    }

    fn rank_row(&mut self, begin: u64, end: u64) {
        let Layout { tp, cp, dp, pp, ep } = self.layout;
        let size = |n: usize| i64::try_from(n).ok();
        let config = self.config;
        let row = rank::Row {
            device: Some(self.device),
            host: Some(self.intern(&settings::host(config, self.rank))),
            host_uid: Some(self.intern(&settings::host_uid(config, self.rank))),
            chip: Some(self.intern(chip::NAME)),
            process: Some(self.process),
            framework: Some(self.intern(config.framework.name())),
            level: Some(self.intern(&config.level.name().to_lowercase())),
            format: self.intern("text"),
            start: Some(self.time(begin)),
            end: Some(self.time(end)),
            session_start: Some(self.time(begin)),
            session_end: Some(self.time(end + 50_000_000)),
            world_size: size(config.ranks()),
            tp_size: size(tp),
            pp_size: size(pp),
            dp_size: size(dp),
            cp_size: size(cp),
            ep_size: size(ep),
            ..rank::Row::default()
        };
        self.tables.rank.push(row);
    }
}

impl Observer for Recorder<'_> {
    fn kernel(&mut self, run: KernelRun<'_>) {
        let launch = self.launch_kernel(&run);
        if self.sees_device() {
            self.run_kernel(&run, &launch);
            self.traffic.add(run.start, run.end, run.spec);
        }
        self.memory.kernel(&run, self.clock.time(run.launch.start));
    }

    fn communicate(&mut self, run: CommunicationRun<'_>) {
        self.record_communication(&run);
    }

    fn wait(&mut self, from: u64, until: u64) {
        if self.sees_device() {
            self.event_wait(from, until);
        }
    }

    fn host(&mut self, work: Work, from: u64, until: u64) {
        self.host_work(work, from, until);
    }

    fn copy_batch(&mut self, bytes: u64, from: u64, until: u64) {
        if self.sees_device() {
            self.copy_to_device(bytes, (from, until));
        }
    }

    fn synchronise(&mut self, reason: Reason, busy: u64, from: u64, until: u64) {
        self.synchronisation(reason, busy, from, until);
        if reason == Reason::Allocation {
            self.memory.allocation_failed(self.clock.time(until));
        }
    }

    fn begin(&mut self, part: Part, at: u64, device: u64) {
        self.begin_frame();
        self.parts.push((part, at, device));
    }

    fn end(&mut self, part: Part, at: u64, device: u64) {
        self.close_node();
        if let Some((_, from, on_device)) = self.parts.pop() {
            self.part(part, (from, at), (on_device, device));
        }
        self.frames.pop();
    }

    fn enter(&mut self, module: Module, spot: Spot, at: u64) {
        self.close_node();
        self.begin_frame();
        self.modules.push((module, spot.layer, at));
    }

    fn leave(&mut self, spot: Spot, at: u64) {
        self.close_node();
        if let Some((module, layer, from)) = self.modules.pop() {
            self.module(module, layer, spot, from, at);
        }
        self.frames.pop();
    }
}
