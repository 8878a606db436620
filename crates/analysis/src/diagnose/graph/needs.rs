//! Which communications a kernel or another communication needed, learnt from all ranks that did the same.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::items_of;
use crate::communication::Direction;
use crate::diagnose::trace::RankTrace;

/// How close two moments are that belong together, in ns: what an event takes from stream to stream.
const CLOSE_NS: i64 = 5_000;
/// Communications right before something that it may need because of their place, the nearest first. A rank of which
/// nothing but communications was recorded has thousands in a row, and pairs of all of them are too many.
const MOST_BEFORE: usize = 64;

/// What needs which communications, by shape of a step: places in the step of both.
///
/// Something needs a communication launched just before it if it never started before that had ended; it
/// needs an earlier one if it was once seen to start just when that ended, and never before.
pub fn needs(traces: &[RankTrace], shapes: &[Vec<u64>], first: &[Vec<usize>]) -> HashMap<u64, Vec<(usize, usize)>> {
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
