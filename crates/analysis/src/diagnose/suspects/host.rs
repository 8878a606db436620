//! Hosts that launch late: slow ones, garbage collection, waiting for data, waiting for the device.

use std::collections::BTreeMap;

use npuscope_measures::statistics::median;
use npuscope_messages::{Decimal, Message};

use super::{Case, Cause, MAX_EVIDENCE, Suspect, host_time, median_of_others};
use crate::diagnose::graph::{Change, Node, Sync};
use crate::diagnose::trace::{HostWork, RankTrace, Work};
use crate::finding::{Evidence, Number};
use crate::messages;

/// A host is slow if its time from launch to launch, or its activity in between, takes longer than on others by this
/// factor: a choice.
pub(super) const SLOW: f64 = 1.1;

pub fn suspects(case: &Case<'_>) -> Vec<Suspect> {
    let work: Vec<Vec<WorkOfNode>> = case.traces.iter().map(work_of_nodes).collect();
    let mut suspects = slow_hosts(case, &work);
    suspects.extend(host_time::suspects(case, &work));
    for (kind, cause) in [(Work::GarbageCollection, Cause::Gc), (Work::DataLoader, Cause::DataLoader)] {
        suspects.extend(busy(case, &work, kind, cause));
    }
    suspects.extend(synchronising(case, &work));
    suspects
}

/// What the host was busy with before a launch, in ns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WorkOfNode {
    garbage_collection: i64,
    data_loader: i64,
    allocation: i64,
}

impl WorkOfNode {
    fn of(&self, kind: Work) -> i64 {
        match kind {
            Work::GarbageCollection => self.garbage_collection,
            Work::DataLoader => self.data_loader,
            Work::Allocation => self.allocation,
            Work::Synchronise => 0,
        }
    }

    /// All of it.
    pub(super) fn ns(&self) -> i64 {
        self.garbage_collection + self.data_loader + self.allocation
    }

    fn is_none(&self) -> bool {
        self.ns() == 0
    }
}

/// Work belongs to the first launch after its end.
fn work_of_nodes(trace: &RankTrace) -> Vec<WorkOfNode> {
    let mut nodes = vec![WorkOfNode::default(); trace.items.len()];
    for work in &trace.host_work {
        let next = trace.items.partition_point(|item| item.launch.unwrap_or(item.start) < work.end);
        let Some(node) = nodes.get_mut(next) else { continue };
        let ns = work.end - work.start;
        match work.kind {
            Work::GarbageCollection => node.garbage_collection += ns,
            Work::DataLoader => node.data_loader += ns,
            Work::Allocation => node.allocation += ns,
            Work::Synchronise => {}
        }
    }
    nodes
}

/// Nodes before which the host did nothing but launch.
fn plain<'a>(case: &'a Case<'_>, work: &'a [Vec<WorkOfNode>], rank: usize) -> impl Iterator<Item = usize> + 'a {
    let graph = &case.graph.ranks[rank];
    let is_plain = move |&node: &usize| {
        let Node { sync, host, .. } = graph.nodes[node];
        sync.is_none() && host > 0 && !graph.is_first(node) && work[rank][node].is_none()
    };
    (0..graph.nodes.len()).filter(is_plain)
}

/// Median time from launch to launch, rank by rank; not a number where launches were not recorded.
fn launch_gaps(case: &Case<'_>, work: &[Vec<WorkOfNode>]) -> Vec<f64> {
    let gap = |rank: usize| {
        // Where the host does all the work, launches are few and far between: see `host_time`.
        let launches = plain(case, work, rank).filter(|_| !case.traces[rank].on_host);
        let hosts = launches.map(|node| case.graph.ranks[rank].nodes[node].host as f64);
        median(&hosts.collect::<Vec<_>>())
    };
    (0..case.traces.len()).map(gap).collect()
}

/// What hosts of other ranks need to begin a step, in the median.
fn first_gap(case: &Case<'_>, rank: usize, step: usize) -> f64 {
    let first = |other: usize| case.graph.ranks[other].first_of(step).map(|node| node.host as f64);
    let others = (0..case.traces.len()).filter(|&other| other != rank);
    median(&others.filter_map(first).collect::<Vec<_>>())
}

/// Hosts all of whose ranks launch slowly, and single ranks that do.
fn slow_hosts(case: &Case<'_>, work: &[Vec<WorkOfNode>]) -> Vec<Suspect> {
    let gaps = launch_gaps(case, work);
    let mut hosts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (rank, trace) in case.traces.iter().enumerate().filter(|(rank, _)| gaps[*rank].is_finite()) {
        hosts.entry(&trace.host).or_default().push(rank);
    }
    let gap_of = |ranks: &[usize]| median(&ranks.iter().map(|&rank| gaps[rank]).collect::<Vec<_>>());
    let mut suspects = Vec::new();
    for (host, ranks) in &hosts {
        let others: Vec<usize> =
            hosts.iter().filter(|(other, _)| *other != host).flat_map(|(_, r)| r.clone()).collect();
        let ratio = gap_of(ranks) / gap_of(&others);
        if ratio >= SLOW && !host.is_empty() {
            let what = messages::what_host(host, Decimal(ratio));
            suspects.push(slow_host(case, work, ranks, (ratio, hosts.len() - 1), what));
            continue;
        }
        for &rank in ranks {
            let others: Vec<usize> =
                (0..gaps.len()).filter(|&other| other != rank && gaps[other].is_finite()).collect();
            let ratio = gaps[rank] / gap_of(&others);
            if ratio >= SLOW && gap_of(&others) > 0.0 {
                let what = messages::what_host_of_rank(Decimal(ratio));
                suspects.push(slow_host(case, work, &[rank], (ratio, others.len()), what));
            }
        }
    }
    suspects
}

fn slow_host(
    case: &Case<'_>,
    work: &[Vec<WorkOfNode>],
    ranks: &[usize],
    (ratio, compared): (f64, usize),
    what: Message,
) -> Suspect {
    let mut change = Change::default();
    for &rank in ranks {
        for node in plain(case, work, rank) {
            let Node { host, delay, .. } = case.graph.ranks[rank].nodes[node];
            let shorter = |ns: i64| (ns as f64 / ratio).round() as i64;
            change.hosts.push((rank, node, shorter(host)));
            // Most of what passes between the call and the start is launching, too.
            change.delays.push((rank, node, shorter(delay)));
        }
    }
    Suspect {
        cause: Cause::Host,
        weight: ratio,
        compared,
        ranks: ranks.iter().map(|&rank| case.traces[rank].rank).collect(),
        what,
        numbers: vec![Number::new(messages::number_ratio(), ratio, "")],
        evidence: Vec::new(),
        change,
    }
}

/// Ranks whose hosts are busy longer with `kind` than those of others in the same step.
fn busy(case: &Case<'_>, work: &[Vec<WorkOfNode>], kind: Work, cause: Cause) -> Vec<Suspect> {
    let per_step = |rank: usize| {
        let mut sums = vec![0.0; case.graph.steps.len()];
        for (item, work) in case.traces[rank].items.iter().zip(&work[rank]) {
            sums[item.step] += work.of(kind) as f64;
        }
        sums
    };
    let sums: Vec<Vec<f64>> = (0..case.traces.len()).map(per_step).collect();
    let mut suspects = Vec::new();
    for (rank, trace) in case.traces.iter().enumerate() {
        let mut change = Change::default();
        let (mut own, mut usual) = (0.0, 0.0);
        for (node, work) in work[rank].iter().enumerate().filter(|(_, work)| work.of(kind) > 0) {
            let in_step: Vec<f64> = sums.iter().map(|sums| sums[trace.items[node].step]).collect();
            // Alone, a rank has nothing to be compared with; but collecting garbage is never needed.
            let others = match median_of_others(&in_step, rank) {
                Some(others) => others,
                None if kind == Work::GarbageCollection => 0.0,
                None => continue,
            };
            let ns = work.of(kind) as f64;
            let too_much = ns * (1.0 - others / in_step[rank]).max(0.0);
            let host = case.graph.ranks[rank].nodes[node].host;
            change.hosts.push((rank, node, (host - too_much.round() as i64).max(0)));
            own += ns;
            usual += ns - too_much;
        }
        if own > usual * SLOW {
            let steps = trace.steps.len().max(1) as f64;
            let (own, usual) = (own / 1e6 / steps, usual / 1e6 / steps);
            let (what, work) = match kind {
                Work::GarbageCollection => (messages::what_gc(Decimal(own), case.per()), messages::work_gc()),
                _ => (messages::what_dataloader(Decimal(own), case.per(), Decimal(usual)), messages::work_dataloader()),
            };
            let numbers = [
                Number::new(messages::number_per_step(work, case.per()), own, case.unit()),
                Number::new(messages::number_of_others(), usual, case.unit()),
            ];
            suspects.push(suspect(case, rank, (cause, kind), what, numbers, change));
        }
    }
    suspects
}

/// A rank whose host does more of `kind` than those of all others. Of `numbers` the first is its own, the second
/// theirs.
fn suspect(
    case: &Case<'_>,
    rank: usize,
    (cause, kind): (Cause, Work),
    what: Message,
    numbers: [Number; 2],
    change: Change,
) -> Suspect {
    let trace = &case.traces[rank];
    let [own, usual] = [&numbers[0], &numbers[1]].map(|number| number.value);
    Suspect {
        cause,
        weight: own - usual,
        compared: case.traces.len() - 1,
        ranks: vec![trace.rank],
        what,
        numbers: numbers.to_vec(),
        evidence: evidence(trace, kind),
        change,
    }
}

/// The longest pieces of work of a kind.
fn evidence(trace: &RankTrace, kind: Work) -> Vec<Evidence> {
    let mut works: Vec<&HostWork> = trace.host_work.iter().filter(|work| work.kind == kind).collect();
    works.sort_by_key(|work| work.start - work.end);
    let seen: fn(Decimal<3>) -> Message = match kind {
        Work::GarbageCollection => messages::seen_gc,
        Work::DataLoader => messages::seen_dataloader,
        Work::Synchronise => messages::seen_synchronisation,
        Work::Allocation => messages::seen_allocation,
    };
    let rows = works.iter().take(MAX_EVIDENCE).map(|work| {
        let ms = (work.end - work.start) as f64 / 1e6;
        trace.evidence_at((work.start, work.end), seen(Decimal(ms)))
    });
    rows.collect()
}

/// Ranks whose hosts wait for the device more often than others within a step: to read a number, or because memory
/// has run out and is sought again.
fn synchronising(case: &Case<'_>, work: &[Vec<WorkOfNode>]) -> Vec<Suspect> {
    let gaps = launch_gaps(case, work);
    let mut suspects = Vec::new();
    for (is_allocation, cause) in [(false, Cause::Synchronisation), (true, Cause::Memory)] {
        let nodes_of = |rank: usize| -> Vec<usize> {
            let graph = &case.graph.ranks[rank];
            let sync = |node: usize| graph.nodes[node].sync.map(|sync| &graph.syncs[sync as usize]);
            let nodes = 0..graph.nodes.len();
            // What the host communicated itself it waits for on every rank.
            if case.traces[rank].on_host {
                return Vec::new();
            }
            let counts = |s: &Sync| s.is_allocation == is_allocation && (is_allocation || !s.is_last);
            nodes.filter(|&n| sync(n).is_some_and(counts)).collect()
        };
        let nodes: Vec<Vec<usize>> = (0..case.traces.len()).map(nodes_of).collect();
        let counts: Vec<f64> = nodes.iter().map(|nodes| nodes.len() as f64).collect();
        for (rank, trace) in case.traces.iter().enumerate() {
            let Some(usual) = median_of_others(&counts, rank).filter(|usual| counts[rank] > *usual) else { continue };
            let mut change = Change::default();
            for &node in &nodes[rank] {
                let host = case.graph.ranks[rank].nodes[node].host;
                // The wait at the end of a step stays; what follows it should be what it is for others.
                let usual = if case.graph.ranks[rank].is_first(node) {
                    first_gap(case, rank, trace.items[node].step)
                } else {
                    change.syncs.push((rank, node));
                    gaps[rank]
                };
                let usual = if usual.is_finite() { usual.round() as i64 } else { 0 };
                change.hosts.push((rank, node, host.min(usual)));
            }
            let steps = trace.steps.len().max(1) as f64;
            let (own, usual) = (counts[rank] / steps, usual / steps);
            let (what, kind) = if is_allocation {
                (messages::what_memory(Decimal(own), case.per()), Work::Allocation)
            } else {
                (messages::what_synchronisation(Decimal(own), case.per(), Decimal(usual)), Work::Synchronise)
            };
            let numbers = [
                Number::new(messages::number_waits_per_step(case.per()), own, ""),
                Number::new(messages::number_of_others(), usual, ""),
            ];
            suspects.push(suspect(case, rank, (cause, kind), what, numbers, change));
        }
    }
    suspects
}
