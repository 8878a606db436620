//! Arrows, at the slices they join.

use npuscope_measures::intervals::Interval;
use npuscope_tables::table::flow;
use npuscope_tables::{Ns, RankTables, Str};

use super::lanes::Lanes;
use super::slices::Slice;

/// An arrow between two slices, by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow {
    pub kind: Str,
    pub source: usize,
    pub target: usize,
}

/// Arrows of a rank.
#[derive(Default)]
pub struct Arrows {
    pub list: Vec<Arrow>,
    /// Arrows that lack a slice at an end, and so cannot be drawn.
    pub loose: u64,
    /// Arrows of which the profile has but one end.
    pub halves: u64,
}

impl Arrows {
    /// Finds the slices of the arrows. Of an arrow that leaves the window nothing is kept.
    pub fn of(tables: &RankTables, slices: &[Slice], lanes: &Lanes, window: Option<Interval>) -> Arrows {
        let mut arrows = Arrows::default();
        let is_outside = |time: Option<Ns>| {
            window.zip(time).is_some_and(|(window, time)| time.0 < window.start || time.0 >= window.end)
        };
        let (mut kinds, mut sources, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        for row in tables.rows::<flow::Row>() {
            let source = row.src_lane.and_then(|lane| lanes.known(lane)).zip(row.src_time);
            let target = row.dst_lane.and_then(|lane| lanes.known(lane)).zip(row.dst_time);
            if is_outside(row.src_time) || is_outside(row.dst_time) {
                continue;
            }
            if row.src_lane.is_none() || row.src_time.is_none() || row.dst_lane.is_none() || row.dst_time.is_none() {
                arrows.halves += 1;
                continue;
            }
            kinds.push(row.kind);
            sources.push(source);
            targets.push(target);
        }
        let ends = slices_at(&sources, slices).into_iter().zip(slices_at(&targets, slices));
        for (kind, ends) in kinds.into_iter().zip(ends) {
            match ends {
                (Some(source), Some(target)) => arrows.list.push(Arrow { kind, source, target }),
                _ => arrows.loose += 1,
            }
        }
        arrows
    }
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
