//! The job run again: when everything ends, by what it had to wait for.

use std::collections::VecDeque;

use super::Graph;

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

pub struct Replay<'a> {
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
    pub fn new(graph: &'a Graph) -> Self {
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
    pub fn run(mut self) -> Vec<i64> {
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
