//! Builds the graph of the recorded work.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::needs::needs;
use super::{Graph, Node, RankGraph, Sync};
use crate::diagnose::meetings::Meetings;
use crate::diagnose::on_host;
use crate::diagnose::trace::{RankTrace, Work, time_between};

/// A wait of the host is a wait for memory if memory is requested within this time after it, in ns: the allocator
/// requests again at once, so this only has to be longer than one call to the driver.
const ALLOCATION_NS: i64 = 1_000_000;

impl Graph {
    /// From traces whose clocks are aligned, and the ids of the steps of the job.
    pub fn of(traces: &[RankTrace], meetings: &Meetings, steps: Vec<i64>) -> Graph {
        let shapes: Vec<Vec<u64>> = traces.iter().map(|trace| shapes(trace, steps.len())).collect();
        let first: Vec<Vec<usize>> = traces.iter().map(|trace| first_of_steps(trace, steps.len())).collect();
        let needs = needs(traces, &shapes, &first);
        let waits = on_host::waits(traces, &shapes, &first);
        let ranks = traces.iter().enumerate().map(|(index, trace)| {
            let learnt = Learnt { needs: &needs, waits: &waits };
            let mut rank = rank_graph(trace, &meetings.of[index], learnt, &shapes[index], &first[index]);
            rank.shapes.clone_from(&shapes[index]);
            rank.first.clone_from(&first[index]);
            rank
        });
        let mut graph =
            Graph { ranks: ranks.collect(), between: time_between(traces, &steps), steps, ..Graph::default() };
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
}

/// The first item of each step, or where it would be.
pub fn first_of_steps(trace: &RankTrace, steps: usize) -> Vec<usize> {
    (0..steps).map(|step| trace.items.partition_point(|item| item.step < step)).collect()
}

/// Items of a step.
pub fn items_of(trace: &RankTrace, first: &[usize], step: usize) -> std::ops::Range<usize> {
    let end = first.get(step + 1).copied().unwrap_or(trace.items.len());
    first.get(step).copied().unwrap_or(end)..end
}

/// A hash of the work of a rank in each step: names of kernels, types and sizes of communications.
pub fn shapes(trace: &RankTrace, steps: usize) -> Vec<u64> {
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

/// What needs what, by shape of a step, as learnt from all ranks.
#[derive(Clone, Copy)]
struct Learnt<'a> {
    /// See [`needs`].
    needs: &'a HashMap<u64, Vec<(usize, usize)>>,
    /// See [`on_host::waits`].
    waits: &'a HashMap<u64, Vec<(usize, usize)>>,
}

impl Learnt<'_> {
    /// The communications that the host waited for before the launch of an item, of ranks without a device.
    fn waited(&self, trace: &RankTrace, index: usize, (shape, base): (u64, usize)) -> Vec<usize> {
        let list = self.waits.get(&shape).filter(|_| trace.on_host).map(Vec::as_slice).unwrap_or_default();
        let from = list.partition_point(|(launch, _)| base + launch < index);
        let waits = list.iter().skip(from).take_while(|(launch, _)| base + launch == index);
        waits.map(|(_, communication)| base + communication).collect()
    }
}

fn rank_graph(
    trace: &RankTrace,
    meetings: &HashMap<usize, usize>,
    learnt: Learnt<'_>,
    shapes: &[u64],
    first: &[usize],
) -> RankGraph {
    let start = trace.steps.first().map_or(0, |step| step.start);
    let mut graph = RankGraph { start, ..RankGraph::default() };
    for (step, shape) in shapes.iter().enumerate() {
        let base = first[step];
        let list = learnt.needs.get(shape).map(Vec::as_slice).unwrap_or_default();
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
            let place = (shapes.get(item.step).copied().unwrap_or_default(), first[item.step]);
            let waited = learnt.waited(trace, index, place);
            if !waited.is_empty() {
                base = waited.iter().map(|&c| trace.items[c].end).fold(base, i64::max);
                node.sync = Some(number(graph.syncs.len()));
                let communications = waited.into_iter().map(number).collect();
                graph.syncs.push(Sync { communications, ..Sync::default() });
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
