//! What had to wait for what, and the job run again with something changed.
//!
//! A rank is a list of nodes in the order in which its host launched them. A launch follows the one before
//! by what the host needed in between, and what the host waited for. A kernel starts when it is launched,
//! when its stream is free, and when the communications it needs have ended; a communication is ready when
//! it is launched and the kernel before it has ended, and ends when all members are ready and the data has
//! moved. What none of this explains stays as a delay of the node. So a replay without changes gives the
//! times that were recorded, and a replay with a change those that would have been.
//!
//! [`build`] makes the graph of what was recorded, [`needs`] finds what needed which communications, and
//! [`replay`] runs it.

mod build;
mod needs;
mod replay;

use super::trace::RankTrace;
use replay::Replay;

pub use build::{first_of_steps, items_of, shapes};

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
    /// Time before each step that is part of none: see [`time_between`].
    pub between: Vec<i64>,
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

    /// From the end of each step to that of the next, the first from the start of the first host, without the time
    /// between steps. A step in which no rank ran anything takes no time.
    fn times_between(&self, ends: &[i64]) -> Vec<i64> {
        let mut last = self.ranks.iter().map(|rank| rank.start).min().unwrap_or_default();
        let time = |(step, end): (usize, &i64)| {
            let before = last;
            last = last.max(*end);
            (last - before - self.between.get(step).copied().unwrap_or_default()).max(0)
        };
        ends.iter().enumerate().map(time).collect()
    }
}
