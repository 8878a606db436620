//! Arrows as flow ids at the slices they join.

use super::ids::FileIds;
use crate::timeline::{Arrow, Slice};

/// One end of an arrow.
#[derive(Clone, Copy, Debug)]
pub struct Anchor {
    /// Index of the slice.
    pub slice: usize,
    pub flow: u64,
    /// Whether the arrow arrives here.
    pub is_target: bool,
}

/// The ends of arrows, in order of slices.
pub fn anchors(arrows: &[Arrow], slices: &[Slice], ids: &mut FileIds) -> Vec<Anchor> {
    let mut anchors = Vec::with_capacity(2 * arrows.len());
    for arrow in arrows {
        let flow = ids.flow();
        let (first, last) = in_order(slices, arrow.source, arrow.target);
        anchors.push(Anchor { slice: first, flow, is_target: false });
        anchors.push(Anchor { slice: last, flow, is_target: true });
    }
    anchors.sort_by_key(|anchor| (anchor.slice, anchor.is_target));
    anchors
}

/// An arrow of Perfetto runs from the earlier to the later slice. Those that do not (host and device have clocks
/// of their own) are turned: a viewer would drop them.
fn in_order(slices: &[Slice], source: usize, target: usize) -> (usize, usize) {
    let place = |index: usize| (slices.get(index).map(|slice| slice.begin), index);
    if place(source) <= place(target) { (source, target) } else { (target, source) }
}
