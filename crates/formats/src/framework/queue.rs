//! What went into the queue between the framework and the device, and what came out: from marks to slices.

use hashbrown::HashMap;
use npuscope_tables::table::flow;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::{ConnectionId, LaneId, Ns, RankBuilder, Span, Str};

use super::records::OpMark;
use crate::trace_json::host_ops::HostOps;

/// A record of [`OpMark`], with its name among the rank's strings.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub time: Ns,
    pub category: u64,
    pub correlation: ConnectionId,
    pub lane: LaneId,
    pub name: Str,
}

/// Makes slices of marks; how many belong to none.
///
/// In order of time, each end belongs to the last start of the same thread, name and side that is open, and closes
/// those before it too: they were lost.
pub fn pair(mut marks: Vec<Mark>, host_ops: &mut HostOps, rank: &mut RankBuilder) -> u64 {
    marks.sort_by_key(|mark| mark.time);
    let mut open: HashMap<(LaneId, Str, bool), Vec<Mark>> = HashMap::new();
    let mut unmatched = 0u64;
    let mut entries: HashMap<ConnectionId, (LaneId, Ns)> = HashMap::new();
    let arrow = rank.strings.intern("async_task_queue");
    for mark in marks {
        let is_entry = matches!(mark.category, OpMark::ENQUEUE_START | OpMark::ENQUEUE_END);
        let starts = open.entry((mark.lane, mark.name, is_entry)).or_default();
        match mark.category {
            OpMark::ENQUEUE_START | OpMark::DEQUEUE_START => starts.push(mark),
            OpMark::ENQUEUE_END | OpMark::DEQUEUE_END => {
                let Some(start) = starts.pop() else {
                    unmatched += 1;
                    continue;
                };
                unmatched += starts.len() as u64;
                starts.clear();
                let (kind, word) = if is_entry { (Kind::Enqueue, "Enqueue") } else { (Kind::Dequeue, "Dequeue") };
                let name = match rank.strings.get(mark.name) {
                    "" => word.to_owned(),
                    of => format!("{word}@{of}"),
                };
                let row = host_op::Row {
                    lane: mark.lane,
                    kind: rank.strings.intern(kind.name()),
                    start: start.time,
                    duration: Span::from_ns(mark.time.since(start.time).max(0)),
                    name: rank.strings.intern(&name),
                    connection_id: Some(start.correlation),
                    ..host_op::Row::default()
                };
                host_ops.push(kind, row);
                if is_entry {
                    entries.insert(start.correlation, (row.lane, row.start));
                } else if let Some((src_lane, src_time)) = entries.remove(&start.correlation) {
                    rank.flow.push(flow::Row {
                        kind: arrow,
                        id: Some(start.correlation.0),
                        src_lane: Some(src_lane),
                        src_time: Some(src_time),
                        dst_lane: Some(row.lane),
                        dst_time: Some(row.start),
                        ..flow::Row::default()
                    });
                }
            }
            _ => unmatched += 1,
        }
    }
    unmatched + open.values().map(|starts| starts.len() as u64).sum::<u64>()
}
