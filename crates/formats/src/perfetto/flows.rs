//! Arrows, at the slices they join.

use npuscope_tables::table::flow;
use npuscope_tables::{Ns, RankTables};

use super::ids::FileIds;
use super::lanes::Lanes;
use super::slices::Slice;
use crate::intervals::Interval;

/// One end of an arrow.
#[derive(Clone, Copy, Debug)]
pub struct Anchor {
    /// Index of the slice.
    pub slice: usize,
    pub flow: u64,
    /// Whether the arrow arrives here.
    pub is_target: bool,
}

/// Arrows of a rank.
#[derive(Default)]
pub struct Flows {
    /// In order of slices.
    pub anchors: Vec<Anchor>,
    pub count: u64,
    /// Arrows that lack a slice at an end, and so cannot be drawn.
    pub loose: u64,
}

/// Finds the slices of the arrows. Of an arrow that leaves the window nothing is kept.
pub fn join(
    tables: &RankTables,
    slices: &[Slice],
    lanes: &Lanes,
    window: Option<Interval>,
    ids: &mut FileIds,
) -> Flows {
    let mut flows = Flows::default();
    let is_outside =
        |time: Option<Ns>| window.zip(time).is_some_and(|(window, time)| time.0 < window.start || time.0 >= window.end);
    for row in tables.rows::<flow::Row>() {
        let source = slice_at(slices, lanes, row.src_lane, row.src_time);
        let target = slice_at(slices, lanes, row.dst_lane, row.dst_time);
        let Some((source, target)) = source.zip(target) else {
            flows.loose += u64::from(!is_outside(row.src_time) && !is_outside(row.dst_time));
            continue;
        };
        let flow = ids.flow();
        flows.count += 1;
        flows.anchors.push(Anchor { slice: source, flow, is_target: false });
        flows.anchors.push(Anchor { slice: target, flow, is_target: true });
    }
    flows.anchors.sort_by_key(|anchor| (anchor.slice, anchor.is_target));
    flows
}

/// The slice of a lane that begins at a time; of several the shortest, which is inside the others.
fn slice_at(slices: &[Slice], lanes: &Lanes, lane: Option<u32>, time: Option<Ns>) -> Option<usize> {
    let (lane, time) = (lanes.known(lane?)?, time?.0);
    let after = slices.partition_point(|slice| (slice.lane, slice.begin) <= (lane, time));
    let found = after.checked_sub(1)?;
    slices.get(found).filter(|slice| (slice.lane, slice.begin) == (lane, time)).map(|_| found)
}
