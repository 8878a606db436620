//! Ranks without a device, whose hosts compute and communicate themselves, as with gloo.
//!
//! The replay knows of such a rank what it communicated, and when each step was over. The time of the host between two
//! of those is its work; what it waited for in between is learnt from all ranks and steps: no file says it.

use std::collections::{BTreeMap, HashMap};

use npuscope_measures::communication::runs_on_host;
use npuscope_tables::table::comm_op;
use npuscope_tables::{RankTables, TableId};

use super::graph::items_of;
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
    let ends = trace.steps.iter().map(|step| Item {
        called: Some(step.end),
        launch: Some(step.end),
        start: step.end,
        end: step.end,
        what: What::Kernel(trace.kernels.len()),
        lane: ENDS,
        step: 0,
    });
    trace.items.extend(ends.collect::<Vec<_>>());
    trace.kernels.push(KernelName::default());
}

/// By shape of a step, places in the step of a launch and of a communication before it that the host waited for: the
/// launch never came before the end, on any rank, in any step.
///
/// A communication is in the list of the first launch that waited for it only.
pub fn waits(traces: &[RankTrace], shapes: &[Vec<u64>], first: &[Vec<usize>]) -> HashMap<u64, Vec<(usize, usize)>> {
    let mut held: BTreeMap<(u64, usize, usize), bool> = BTreeMap::new();
    for (rank, trace) in traces.iter().enumerate().filter(|(_, trace)| trace.on_host) {
        for (step, &shape) in shapes[rank].iter().enumerate() {
            let range = items_of(trace, &first[rank], step);
            let mut open: Vec<usize> = Vec::new();
            for index in range.clone() {
                let item = &trace.items[index];
                let launch = item.launch.unwrap_or(item.start);
                for &communication in &open {
                    let key = (shape, index - range.start, communication - range.start);
                    *held.entry(key).or_insert(true) &= trace.items[communication].end <= launch;
                }
                if trace.operation(item).is_some() {
                    open.push(index);
                }
            }
        }
    }
    let mut waits: HashMap<u64, Vec<(usize, usize)>> = HashMap::new();
    let mut waited: HashMap<(u64, usize), usize> = HashMap::new();
    for (&(shape, launch, communication), _) in held.iter().filter(|(_, held)| **held) {
        // In the order of launches: the first has it.
        if *waited.entry((shape, communication)).or_insert(launch) == launch {
            waits.entry(shape).or_default().push((launch, communication));
        }
    }
    waits
}
