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
    /// Arrows of which the profile has but one end.
    pub halves: u64,
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
    let (mut sources, mut targets) = (Vec::new(), Vec::new());
    for row in tables.rows::<flow::Row>() {
        let source = row.src_lane.and_then(|lane| lanes.known(lane)).zip(row.src_time);
        let target = row.dst_lane.and_then(|lane| lanes.known(lane)).zip(row.dst_time);
        if is_outside(row.src_time) || is_outside(row.dst_time) {
            continue;
        }
        if row.src_lane.is_none() || row.src_time.is_none() || row.dst_lane.is_none() || row.dst_time.is_none() {
            flows.halves += 1;
            continue;
        }
        sources.push(source);
        targets.push(target);
    }
    for slices_of_flow in slices_at(&sources, slices).into_iter().zip(slices_at(&targets, slices)) {
        let (Some(source), Some(target)) = slices_of_flow else {
            flows.loose += 1;
            continue;
        };
        let flow = ids.flow();
        flows.count += 1;
        let (first, last) = in_order(slices, source, target);
        flows.anchors.push(Anchor { slice: first, flow, is_target: false });
        flows.anchors.push(Anchor { slice: last, flow, is_target: true });
    }
    flows.anchors.sort_by_key(|anchor| (anchor.slice, anchor.is_target));
    flows
}

/// An arrow of Perfetto runs from the earlier to the later slice. Those that do not (host and device have clocks
/// of their own) are turned: a viewer would drop them.
fn in_order(slices: &[Slice], source: usize, target: usize) -> (usize, usize) {
    let place = |index: usize| (slices.get(index).map(|slice| slice.begin), index);
    if place(source) <= place(target) { (source, target) } else { (target, source) }
}

/// The slice at each end of an arrow, given as lane and time: of those that are open then the one that began
/// last, which is the innermost.
fn slices_at(ends: &[Option<(usize, Ns)>], slices: &[Slice]) -> Vec<Option<usize>> {
    let ends_with_slice =
        ends.iter().enumerate().filter_map(|(flow, end)| end.map(|(lane, time)| (lane, time.0, flow)));
    let mut order: Vec<(usize, i64, usize)> = ends_with_slice.collect();
    order.sort_unstable();
    let mut found = vec![None; ends.len()];
    let mut open: Vec<(usize, Slice)> = Vec::new();
    let mut coming = slices.iter().copied().enumerate().peekable();
    for (lane, time, flow) in order {
        let begun = || coming.next_if(|(_, slice)| (slice.lane, slice.begin) <= (lane, time));
        open.extend(std::iter::from_fn(begun));
        // One below the top that is over by now is found so when it gets to the top.
        let is_over = |slice: &Slice| slice.lane != lane || slice.end <= time && slice.begin < time;
        while open.pop_if(|(_, slice)| is_over(slice)).is_some() {}
        if let (Some(slot), Some((index, _))) = (found.get_mut(flow), open.last()) {
            *slot = Some(*index);
        }
    }
    found
}
