//! What had to wait for what, and the job run again with something changed.
//!
//! A rank is a list of nodes in the order in which its host launched them. A launch follows the one before
//! by what the host needed in between, and what the host waited for. A kernel starts when it is launched,
//! when its stream is free, and when the communications it needs have ended; a communication is ready when
//! it is launched and the kernel before it has ended, and ends when all members are ready and the data has
//! moved. What none of this explains stays as a delay of the node. So a replay without changes gives the
//! times that were recorded, and a replay with a change those that would have been.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::meetings::Meetings;
use super::trace::{RankTrace, Work};
use crate::communication::Direction;

/// How close two moments are that belong together, in ns: what an event takes from stream to stream.
const CLOSE_NS: i64 = 5_000;
/// Communications right before something that it may need because of their place, the nearest first. A rank of which
/// nothing but communications was recorded has thousands in a row, and pairs of all of them are too many.
const MOST_BEFORE: usize = 64;
/// A wait of the host is about memory if memory is asked for so soon after it, in ns: the allocator asks again at
/// once, so this need only be longer than one call to the driver.
const ALLOCATION_NS: i64 = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Host time to this launch, from the launch before or from the end of what the host waited for.
    pub host: i64,
    /// What the host waited for before it, as an index of [`RankGraph::syncs`].
    pub sync: Option<u32>,
    /// How long a kernel takes, or a communication whose other members were not seen.
    pub duration: i64,
    /// Between being ready and starting.
    pub delay: i64,
    pub meeting: Option<u32>,
    /// Index of its stream, or lane of communication, among those of the rank.
    pub lane: u32,
    pub step: u32,
    pub is_kernel: bool,
}

/// A wait of the host for the device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sync {
    /// Whether kernels were waited for.
    pub kernels: bool,
    /// Nodes of the communications that were waited for.
    pub communications: Vec<u32>,
    /// Whether memory was asked for or given back then.
    pub is_allocation: bool,
    /// It is the last of its step.
    pub is_last: bool,
}

#[derive(Clone, Debug, Default)]
pub struct RankGraph {
    pub nodes: Vec<Node>,
    pub syncs: Vec<Sync>,
    /// Node, and node of a communication that must have ended before it starts; by node.
    pub needs: Vec<(u32, u32)>,
    pub lanes: usize,
    /// When the host began.
    pub start: i64,
    /// The shape of each step: ranks that did the same have the same.
    pub shapes: Vec<u64>,
    /// First node of each step of the job; that of the next one where the rank has nothing of a step.
    pub first: Vec<usize>,
}

impl RankGraph {
    /// Whether a step begins with a node.
    pub fn is_first(&self, node: usize) -> bool {
        self.nodes.get(node).and_then(|of| self.first.get(of.step as usize)) == Some(&node)
    }

    /// The node that a step begins with, if the rank has anything of it.
    pub fn first_of(&self, step: usize) -> Option<&Node> {
        self.first.get(step).and_then(|&node| self.nodes.get(node)).filter(|node| node.step as usize == step)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub ranks: Vec<RankGraph>,
    /// By meeting: from when all were ready to the end.
    pub transit: Vec<i64>,
    /// By meeting: rank index and node.
    pub members: Vec<Vec<(usize, usize)>>,
    /// Ids of the steps of the job.
    pub steps: Vec<i64>,
}

/// Something that is different in a replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// Rank index, node and its new duration.
    pub durations: Vec<(usize, usize, i64)>,
    /// Rank index, node and its new host time.
    pub hosts: Vec<(usize, usize, i64)>,
    /// Rank index, node and its new delay.
    pub delays: Vec<(usize, usize, i64)>,
    /// Rank index and node before which the host does not wait any more.
    pub syncs: Vec<(usize, usize)>,
    /// Meeting and its new transit.
    pub transits: Vec<(usize, i64)>,
}

impl Change {
    pub fn is_empty(&self) -> bool {
        *self == Change::default()
    }
}

impl Graph {
    /// From traces whose clocks are aligned, and the ids of the steps of the job.
    pub fn of(traces: &[RankTrace], meetings: &Meetings, steps: Vec<i64>) -> Graph {
        let shapes: Vec<Vec<u64>> = traces.iter().map(|trace| shapes(trace, steps.len())).collect();
        let first: Vec<Vec<usize>> = traces.iter().map(|trace| first_of_steps(trace, steps.len())).collect();
        let needs = needs(traces, &shapes, &first);
        let ranks = traces.iter().enumerate().map(|(index, trace)| {
            let mut rank = rank_graph(trace, &meetings.of[index], &needs, &shapes[index], &first[index]);
            rank.shapes.clone_from(&shapes[index]);
            rank.first.clone_from(&first[index]);
            rank
        });
        let mut graph = Graph { ranks: ranks.collect(), steps, ..Graph::default() };
        graph.members = meetings.list.iter().map(|meeting| meeting.members.clone()).collect();
        graph.transit = meetings
            .list
            .iter()
            .map(|meeting| {
                let items = meeting.members.iter().map(|&(rank, item)| &traces[rank].items[item]);
                let ready = items.clone().map(|item| item.start).max().unwrap_or_default();
                let end = items.map(|item| item.end).max().unwrap_or_default();
                (end - ready).max(0)
            })
            .collect();
        graph
    }

    /// The same with changes.
    #[must_use]
    pub fn with(&self, changes: &[&Change]) -> Graph {
        let mut graph = self.clone();
        for change in changes {
            for &(rank, node, ns) in &change.durations {
                graph.ranks[rank].nodes[node].duration = ns;
            }
            for &(rank, node, ns) in &change.hosts {
                graph.ranks[rank].nodes[node].host = ns;
            }
            for &(rank, node, ns) in &change.delays {
                graph.ranks[rank].nodes[node].delay = ns;
            }
            for &(rank, node) in &change.syncs {
                graph.ranks[rank].nodes[node].sync = None;
            }
            for &(meeting, ns) in &change.transits {
                graph.transit[meeting] = ns;
            }
        }
        graph
    }

    /// How long each step takes in a replay.
    pub fn step_times(&self) -> Vec<i64> {
        self.times_between(&Replay::new(self).run())
    }

    /// How long each step took by the times that were recorded.
    pub fn recorded_step_times(&self, traces: &[RankTrace]) -> Vec<i64> {
        let mut ends = vec![i64::MIN; self.steps.len()];
        for item in traces.iter().flat_map(|trace| &trace.items) {
            ends[item.step] = ends[item.step].max(item.end);
        }
        self.times_between(&ends)
    }

    /// From the end of each step to that of the next, the first from the start of the first host. A step in which no
    /// rank ran anything takes no time.
    fn times_between(&self, ends: &[i64]) -> Vec<i64> {
        let mut last = self.ranks.iter().map(|rank| rank.start).min().unwrap_or_default();
        let time = |end: &i64| {
            let before = last;
            last = last.max(*end);
            last - before
        };
        ends.iter().map(time).collect()
    }
}

fn first_of_steps(trace: &RankTrace, steps: usize) -> Vec<usize> {
    (0..steps).map(|step| trace.items.partition_point(|item| item.step < step)).collect()
}

/// Items of a step.
pub fn items_of(trace: &RankTrace, first: &[usize], step: usize) -> std::ops::Range<usize> {
    let end = first.get(step + 1).copied().unwrap_or(trace.items.len());
    first.get(step).copied().unwrap_or(end)..end
}

/// What a rank did in each step, as a number: names of kernels, types and sizes of communications.
fn shapes(trace: &RankTrace, steps: usize) -> Vec<u64> {
    let mut hashers = vec![DefaultHasher::new(); steps];
    for item in &trace.items {
        let Some(hasher) = hashers.get_mut(item.step) else { continue };
        match (trace.kernel(item), trace.operation(item)) {
            (Some(kernel), _) => kernel.name.hash(hasher),
            // Sizes differ between ranks where tokens are spread unevenly.
            (_, Some(operation)) => (&operation.kind, operation.direction).hash(hasher),
            _ => {}
        }
    }
    hashers.into_iter().map(|hasher| hasher.finish()).collect()
}

/// What needs which communications, by shape of a step: places in the step of both.
///
/// Something needs a communication launched just before it if it never started before that had ended; it
/// needs an earlier one if it was once seen to start just when that ended, and never before.
fn needs(traces: &[RankTrace], shapes: &[Vec<u64>], first: &[Vec<usize>]) -> HashMap<u64, Vec<(usize, usize)>> {
    let mut held: HashMap<(u64, usize, usize), bool> = HashMap::new();
    let mut seen: HashSet<(u64, usize, usize)> = HashSet::new();
    let steps = || (0..traces.len()).flat_map(|rank| (0..first[rank].len()).map(move |step| (rank, step)));
    for (rank, step) in steps() {
        let (trace, shape) = (&traces[rank], shapes[rank][step]);
        let range = items_of(trace, &first[rank], step);
        // Communications before the item, by when they ended.
        let mut recent: BTreeSet<(i64, usize)> = BTreeSet::new();
        let mut last_end: HashMap<(bool, i64), i64> = HashMap::new();
        let mut kernel_end = i64::MIN;
        for index in range.clone() {
            let item = &trace.items[index];
            let place = index - range.start;
            let is_kernel = trace.operation(item).is_none();
            if let Some(before) = index.checked_sub(1).filter(|before| *before >= range.start && !recent.is_empty()) {
                // All communications since the last kernel; those of its own lane a communication follows anyway.
                let between = (range.start..=before).rev().take_while(|&i| trace.operation(&trace.items[i]).is_some());
                let between = between.take(MOST_BEFORE);
                for communication in between.filter(|&i| is_kernel || trace.items[i].lane != item.lane) {
                    let is_send = trace
                        .operation(&trace.items[communication])
                        .is_some_and(|op| op.direction == Some(Direction::Send));
                    let holds = item.start >= trace.items[communication].end - CLOSE_NS / 2;
                    let key = (shape, place, communication - range.start);
                    *held.entry(key).or_insert(true) &= holds;
                    if !is_send {
                        seen.insert(key);
                    }
                }
            }
            let free = last_end.get(&(is_kernel, item.lane)).copied().unwrap_or(i64::MIN);
            let free = free.max(item.launch.unwrap_or(i64::MIN)).max(if is_kernel { i64::MIN } else { kernel_end });
            if item.start.saturating_sub(free) > CLOSE_NS / 2 {
                let close = recent.range((item.start - CLOSE_NS, 0)..=(item.start, usize::MAX));
                seen.extend(close.map(|&(_, c)| (shape, place, c - range.start)));
            }
            last_end.insert((is_kernel, item.lane), item.end);
            if is_kernel {
                kernel_end = item.end;
            } else {
                recent.insert((item.end, index));
            }
        }
    }
    // What was seen to hold once must hold everywhere.
    let mut needs: HashMap<u64, Vec<(usize, usize)>> = HashMap::new();
    for &(shape, kernel, communication) in &seen {
        needs.entry(shape).or_default().push((kernel, communication));
    }
    for (rank, step) in steps() {
        let (trace, shape) = (&traces[rank], shapes[rank][step]);
        let range = items_of(trace, &first[rank], step);
        if let Some(list) = needs.get_mut(&shape) {
            list.retain(|&(kernel, communication)| {
                let item = |place: usize| &trace.items[range.start + place];
                held.get(&(shape, kernel, communication)).copied().unwrap_or(true)
                    && item(kernel).start >= item(communication).end - CLOSE_NS / 2
            });
        }
    }
    needs.values_mut().for_each(|list| list.sort_unstable());
    needs
}

fn rank_graph(
    trace: &RankTrace,
    meetings: &HashMap<usize, usize>,
    needs: &HashMap<u64, Vec<(usize, usize)>>,
    shapes: &[u64],
    first: &[usize],
) -> RankGraph {
    let start = trace.steps.first().map_or(0, |step| step.start);
    let mut graph = RankGraph { start, ..RankGraph::default() };
    for (step, shape) in shapes.iter().enumerate() {
        let base = first[step];
        let list = needs.get(shape).map(Vec::as_slice).unwrap_or_default();
        graph.needs.extend(list.iter().map(|&(k, c)| (number(base + k), number(base + c))));
    }
    let syncs: Vec<(i64, bool)> = waits(trace);
    let mut next_sync = 0;
    let mut lanes: HashMap<(bool, i64), (u32, i64)> = HashMap::new();
    let mut launched = start;
    // Ends of the kernel launched last, and of the last of all.
    let (mut kernel_end, mut kernels_end) = (i64::MIN, i64::MIN);
    let mut open: Vec<usize> = Vec::new();
    let mut next_need = 0;
    for (index, item) in trace.items.iter().enumerate() {
        let is_kernel = trace.operation(item).is_none();
        let mut node = Node {
            host: 0,
            sync: None,
            duration: item.end - item.start,
            delay: 0,
            meeting: meetings.get(&index).map(|&meeting| number(meeting)),
            lane: 0,
            step: number(item.step),
            is_kernel,
        };
        let mut base = launched;
        if let Some(launch) = item.launch {
            let until = syncs.partition_point(|(end, _)| *end <= launch);
            if let Some(&(end, _)) = until.checked_sub(1).filter(|_| until > next_sync).and_then(|i| syncs.get(i)) {
                let ended: Vec<usize> = open.extract_if(.., |c| trace.items[*c].end <= end).collect();
                let kernels = kernels_end <= end;
                let device = ended.iter().map(|&c| trace.items[c].end).chain(kernels.then_some(kernels_end)).max();
                base = base.max(device.unwrap_or(i64::MIN));
                node.sync = Some(number(graph.syncs.len()));
                graph.syncs.push(Sync {
                    kernels,
                    communications: ended.into_iter().map(number).collect(),
                    is_allocation: syncs[next_sync..until].iter().any(|(_, is_allocation)| *is_allocation),
                    is_last: index == first[item.step],
                });
                next_sync = until;
            }
            node.host = (launch - base).max(0);
            launched = launch.max(base);
        }
        let lane_count = number(lanes.len());
        let (lane, lane_end) = lanes.entry((is_kernel, item.lane)).or_insert((lane_count, i64::MIN));
        node.lane = *lane;
        let mut ready = launched.max(if is_kernel { *lane_end } else { kernel_end });
        while let Some(&(_, c)) = graph.needs.get(next_need).filter(|(k, _)| *k as usize == index) {
            ready = ready.max(trace.items[c as usize].end);
            next_need += 1;
        }
        node.delay = (item.start - ready.max(*lane_end)).max(0);
        *lane_end = (*lane_end).max(item.end);
        if is_kernel {
            kernel_end = item.end;
            kernels_end = kernels_end.max(item.end);
        } else {
            open.push(index);
        }
        graph.nodes.push(node);
    }
    graph.lanes = lanes.len();
    graph
}

/// When waits of the host for the device ended, and whether memory was asked for or given back just after or before.
fn waits(trace: &RankTrace) -> Vec<(i64, bool)> {
    let allocations: Vec<i64> =
        trace.host_work.iter().filter(|w| w.kind == Work::Allocation).map(|work| work.start).collect();
    let syncs = trace.host_work.iter().filter(|work| work.kind == Work::Synchronise);
    let mut waits: Vec<(i64, bool)> = syncs
        .map(|sync| {
            let next = allocations.partition_point(|start| *start < sync.start);
            let is_close = |start: &&i64| **start - sync.end < ALLOCATION_NS;
            (sync.end, allocations.get(next).as_ref().is_some_and(is_close))
        })
        .collect();
    waits.sort_unstable();
    waits
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// A rank on its way through a replay.
struct Walker {
    next: usize,
    next_need: usize,
    launched: i64,
    kernel_end: i64,
    kernels_end: i64,
    /// By lane: when it is free.
    free: Vec<i64>,
    /// By lane of communication: nodes that are ready and have not begun, with when they were ready.
    queues: Vec<VecDeque<(usize, i64)>>,
    /// Ends of communications, by node; `i64::MIN` while not known.
    ends: Vec<i64>,
}

struct Replay<'a> {
    graph: &'a Graph,
    walkers: Vec<Walker>,
    /// By meeting: how many are there, and when the last came.
    arrived: Vec<(usize, i64)>,
    /// When the last work of each step ended; `i64::MIN` where there is none.
    step_ends: Vec<i64>,
    /// Ranks that may be able to go on.
    ready: Vec<usize>,
    waiting: Vec<bool>,
}

impl<'a> Replay<'a> {
    fn new(graph: &'a Graph) -> Self {
        let walkers = graph.ranks.iter().map(|rank| Walker {
            next: 0,
            next_need: 0,
            launched: rank.start,
            kernel_end: i64::MIN,
            kernels_end: i64::MIN,
            free: vec![i64::MIN; rank.lanes],
            queues: vec![VecDeque::new(); rank.lanes],
            ends: vec![i64::MIN; rank.nodes.len()],
        });
        Replay {
            graph,
            walkers: walkers.collect(),
            arrived: vec![(0, i64::MIN); graph.members.len()],
            step_ends: vec![i64::MIN; graph.steps.len()],
            ready: (0..graph.ranks.len()).rev().collect(),
            waiting: vec![false; graph.ranks.len()],
        }
    }

    /// When the last work of each step ends; `i64::MIN` where no rank ran anything.
    fn run(mut self) -> Vec<i64> {
        loop {
            while let Some(rank) = self.ready.pop() {
                self.waiting[rank] = !self.walk(rank);
            }
            // Operations that were matched wrongly could wait for each other for ever: the first that waits is let go.
            let Some(rank) = self.waiting.iter().position(|waiting| *waiting) else { break };
            if !self.force(rank) {
                break;
            }
        }
        self.step_ends
    }

    /// Goes on with a rank until it is done, or has to wait: whether it is done.
    fn walk(&mut self, rank: usize) -> bool {
        let graph = &self.graph.ranks[rank];
        while let Some(node) = graph.nodes.get(self.walkers[rank].next) {
            let index = self.walkers[rank].next;
            let walker = &mut self.walkers[rank];
            let mut base = walker.launched;
            if let Some(sync) = node.sync.and_then(|sync| graph.syncs.get(sync as usize)) {
                for &communication in &sync.communications {
                    match walker.ends[communication as usize] {
                        i64::MIN => return false,
                        end => base = base.max(end),
                    }
                }
                if sync.kernels {
                    base = base.max(walker.kernels_end);
                }
            }
            let launched = base + node.host;
            let lane = node.lane as usize;
            let mut ready = launched.max(if node.is_kernel { walker.free[lane] } else { walker.kernel_end });
            let mut need = walker.next_need;
            while let Some(&(_, c)) = graph.needs.get(need).filter(|(k, _)| *k as usize == index) {
                match walker.ends[c as usize] {
                    i64::MIN => return false,
                    end => ready = ready.max(end),
                }
                need += 1;
            }
            walker.next_need = need;
            walker.launched = launched;
            walker.next += 1;
            if node.is_kernel {
                let end = ready + node.delay + node.duration;
                walker.free[lane] = end;
                walker.kernel_end = end;
                walker.kernels_end = walker.kernels_end.max(end);
                self.note(node.step, end);
            } else {
                let queue = &mut walker.queues[lane];
                queue.push_back((index, ready));
                if queue.len() == 1 {
                    self.begin(rank, lane);
                }
            }
        }
        true
    }

    fn note(&mut self, step: u32, end: i64) {
        let slot = &mut self.step_ends[step as usize];
        *slot = (*slot).max(end);
    }

    /// The communication at the head of a lane begins.
    fn begin(&mut self, rank: usize, lane: usize) {
        let mut heads = vec![(rank, lane)];
        while let Some((rank, lane)) = heads.pop() {
            let Some(&(index, ready)) = self.walkers[rank].queues[lane].front() else { continue };
            let node = &self.graph.ranks[rank].nodes[index];
            let start = ready.max(self.walkers[rank].free[lane]) + node.delay;
            let Some(meeting) = node.meeting.map(|meeting| meeting as usize) else {
                self.end(rank, index, start + node.duration, &mut heads);
                continue;
            };
            let (count, last) = &mut self.arrived[meeting];
            *count += 1;
            *last = (*last).max(start);
            if *count == self.graph.members[meeting].len() {
                let end = *last + self.graph.transit[meeting];
                for &(member, item) in &self.graph.members[meeting] {
                    self.end(member, item, end, &mut heads);
                }
            }
        }
    }

    /// A communication has ended on a rank.
    fn end(&mut self, rank: usize, index: usize, end: i64, heads: &mut Vec<(usize, usize)>) {
        let node = &self.graph.ranks[rank].nodes[index];
        let walker = &mut self.walkers[rank];
        walker.ends[index] = end;
        let lane = node.lane as usize;
        walker.free[lane] = walker.free[lane].max(end);
        if walker.queues[lane].front().is_some_and(|(head, _)| *head == index) {
            walker.queues[lane].pop_front();
            heads.push((rank, lane));
        }
        if std::mem::take(&mut self.waiting[rank]) {
            self.ready.push(rank);
        }
        self.note(node.step, end);
    }

    /// Ends the first communication that a rank waits for, whoever is missing.
    fn force(&mut self, rank: usize) -> bool {
        let open = self.walkers[rank].queues.iter().filter_map(|queue| queue.front().copied()).min();
        let Some((index, ready)) = open else { return false };
        let node = self.graph.ranks[rank].nodes[index];
        let mut heads = Vec::new();
        self.end(rank, index, ready + node.duration, &mut heads);
        for (rank, lane) in heads {
            self.begin(rank, lane);
        }
        self.ready.push(rank);
        self.waiting[rank] = false;
        true
    }
}
