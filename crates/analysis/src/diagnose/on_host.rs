//! Ranks without a device, whose hosts compute and communicate themselves, as with gloo.
//!
//! The replay knows of such a rank what it communicated, and when each step was over. The time of the host between two
//! of those is its work; what it waited for in between is learnt from all ranks and steps: no file says it.

use std::collections::{BTreeMap, HashMap};

use npuscope_measures::communication::runs_on_host;
use npuscope_tables::table::comm_op;
use npuscope_tables::{RankTables, TableId};

use super::graph::{first_of_steps, items_of, shapes};
use super::meetings::Meetings;
use super::trace::{Item, KernelName, RankTrace, What, Work};

/// The lane of ends of steps, which stand for no kernel.
const ENDS: i64 = -1;

/// Whether a rank has no device and communicates nonetheless.
pub fn is_on_host(tables: &RankTables) -> bool {
    let has_device = !tables.is_empty(TableId::Task) || !tables.is_empty(TableId::Kernel);
    let mut operations = tables.rows::<comm_op::Row>().map(|op| runs_on_host(tables.text(op.name))).peekable();
    !has_device && operations.peek().is_some() && operations.all(|on_host| on_host)
}

/// Adds the ends of steps as items without length, and spreads operations that overlapped over lanes: several threads
/// run them.
pub fn complete(trace: &mut RankTrace) {
    let mut by_start: Vec<&mut Item> = trace.items.iter_mut().collect();
    by_start.sort_by_key(|item| item.start);
    let mut free: Vec<i64> = Vec::new();
    for item in by_start {
        let lane = free.iter().position(|&end| end <= item.start).unwrap_or(free.len());
        match free.get_mut(lane) {
            Some(end) => *end = item.end,
            None => free.push(item.end),
        }
        item.lane = i64::try_from(lane).unwrap_or_default();
    }
    // A range of the user may be around that of the framework.
    let mut loaded = i64::MIN;
    trace.host_work.sort_by_key(|work| (work.start, -work.end));
    trace.host_work.retain(|work| {
        let is_new = work.kind != Work::DataLoader || work.start >= loaded;
        loaded = if work.kind == Work::DataLoader { loaded.max(work.end) } else { loaded };
        is_new
    });
    trace.host_work.sort_by_key(|work| work.end);
    // The last moment within the step: where two steps meet, what begins there is of the later one.
    let ends = trace.steps.iter().map(|step| (step.end - 1).max(step.start)).map(|end| Item {
        called: Some(end),
        launch: Some(end),
        start: end,
        end,
        what: What::Kernel(trace.kernels.len()),
        lane: ENDS,
        step: 0,
    });
    trace.items.extend(ends.collect::<Vec<_>>());
    trace.kernels.push(KernelName::default());
}

/// Which part of the launches after a communication must have come after its end for hosts to have waited for it: a
/// choice. Not all need to: on a busy host, the thread that communicates may note the end long after it has woken the one
/// that waits. Where hosts do not wait, a rank that is late makes all others launch before the end.
const MOST: f64 = 0.6;

/// Takes the moment at which a host went on for the end of the communications that it waited for, where their ends were
/// noted later.
pub fn settle(traces: &mut [RankTrace], steps: usize) {
    if !traces.iter().any(|trace| trace.on_host) {
        return;
    }
    let shapes: Vec<Vec<u64>> = traces.iter().map(|trace| shapes(trace, steps)).collect();
    let first: Vec<Vec<usize>> = traces.iter().map(|trace| first_of_steps(trace, steps)).collect();
    let waits = waits(traces, &shapes, &first);
    for ((trace, shapes), first) in traces.iter_mut().zip(&shapes).zip(&first).filter(|((trace, _), _)| trace.on_host) {
        for (shape, &base) in shapes.iter().zip(first) {
            for (launch, communication) in waits.get(shape).into_iter().flatten() {
                let went_on = trace.items[base + launch].launch.unwrap_or(i64::MAX);
                let item = &mut trace.items[base + communication];
                item.end = item.end.min(went_on.max(item.start));
            }
        }
    }
}

/// Ends an operation at one moment for all its ranks: when the first of them was done, but not before the last came. What a
/// rank needs from then on, to be woken and to go on, is work of its host. Clocks must be aligned before.
pub fn end_together(traces: &mut [RankTrace], meetings: &Meetings) {
    for meeting in &meetings.list {
        let members = || meeting.members.iter().filter(|(rank, _)| traces[*rank].on_host);
        let last_start = members().map(|&(rank, item)| traces[rank].items[item].start).max();
        let first_end = members().map(|&(rank, item)| traces[rank].items[item].end).min();
        let Some((start, end)) = last_start.zip(first_end) else { continue };
        let members: Vec<(usize, usize)> = members().copied().collect();
        for (rank, item) in members {
            traces[rank].items[item].end = end.max(start);
        }
    }
}

/// By shape of a step, places in the step of a launch and of a communication before it that the host waited for:
/// [`MOST`] launches at that place, on all ranks and in all steps, came after the end.
///
/// A communication is in the list of the first launch that waited for it only.
pub fn waits(traces: &[RankTrace], shapes: &[Vec<u64>], first: &[Vec<usize>]) -> HashMap<u64, Vec<(usize, usize)>> {
    let mut held: BTreeMap<(u64, usize, usize), (f64, f64)> = BTreeMap::new();
    for (rank, trace) in traces.iter().enumerate().filter(|(_, trace)| trace.on_host) {
        for (step, &shape) in shapes[rank].iter().enumerate() {
            let range = items_of(trace, &first[rank], step);
            let mut open: Vec<usize> = Vec::new();
            for index in range.clone() {
                let item = &trace.items[index];
                let launch = item.launch.unwrap_or(item.start);
                for &communication in &open {
                    let key = (shape, index - range.start, communication - range.start);
                    let (after, all) = held.entry(key).or_default();
                    *after += if trace.items[communication].end <= launch { 1.0 } else { 0.0 };
                    *all += 1.0;
                }
                if trace.operation(item).is_some() {
                    open.push(index);
                }
            }
        }
    }
    let mut waits: HashMap<u64, Vec<(usize, usize)>> = HashMap::new();
    let mut waited: HashMap<(u64, usize), usize> = HashMap::new();
    for (&(shape, launch, communication), _) in held.iter().filter(|(_, (after, all))| *after >= MOST * all) {
        // In the order of launches: the first has it.
        if *waited.entry((shape, communication)).or_insert(launch) == launch {
            waits.entry(shape).or_default().push((launch, communication));
        }
    }
    waits
}
