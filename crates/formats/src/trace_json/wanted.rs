//! What of a trace becomes rows, when not all of it is wanted.

use hashbrown::HashSet;
use npuscope_tables::table::host_op::Kind;
use npuscope_tables::table::lane::Layer;
use npuscope_tables::{LaneId, Selection, TableId};

use super::event::{Events, Phase};
use super::lanes::Lanes;
use super::layers;

/// What is wanted, known before any argument is looked at.
pub struct Wanted {
    pub steps: bool,
    pub counters: bool,
    /// The parts of operations too, and not just the operations.
    pub pieces: bool,
    /// By lane of the file: whether its slices become rows.
    lanes: Vec<bool>,
}

impl Wanted {
    pub fn of(selection: Selection, lanes: &Lanes, stretches: &[Events], lane_maps: &[Vec<LaneId>]) -> Wanted {
        let is_wanted = |layer| match layer {
            Layer::Hardware | Layer::Counter => selection.has(TableId::Task),
            Layer::Communication => selection.has_any(&[TableId::CommOp, TableId::CommTask]),
            Layer::Overlap => selection.has(TableId::Overlap),
            Layer::Cann => selection.has_host_op(Kind::Cann),
            _ => false,
        };
        let mut wanted = Wanted {
            steps: selection.has(TableId::Step),
            counters: selection.has(TableId::Counter),
            pieces: selection.has(TableId::CommTask),
            lanes: lanes.lanes.iter().map(|lane| is_wanted(lane.layer)).collect(),
        };
        if selection.has_any(&[TableId::HostOp, TableId::Lane]) {
            for (events, lane_map) in stretches.iter().zip(lane_maps) {
                wanted.add_host_lanes(selection, lanes, events, lane_map);
            }
        }
        wanted
    }

    /// Whether slices of a lane become rows. Marks of steps do on every lane, if steps are wanted.
    pub fn lane(&self, lane: LaneId) -> bool {
        self.lanes.get(lane.index()).copied().unwrap_or_default()
    }

    /// Adds lanes that have host slices of a wanted kind; all of their slices, since these show how deep it nests.
    fn add_host_lanes(&mut self, selection: Selection, lanes: &Lanes, events: &Events, lane_map: &[LaneId]) {
        let is_wanted = |kind| match kind {
            // May turn out to be a range of the user, which makes its lane one of such ranges.
            Kind::Other => selection.has(TableId::Lane) || selection.has_any_host_op(&[Kind::Other, Kind::Mstx]),
            kind => selection.has_host_op(kind),
        };
        let slices = events.blocks.iter().flatten().filter(|event| event.phase == Phase::Slice);
        let found: HashSet<(u32, u16)> = slices.map(|event| (event.lane, event.category)).collect();
        for (lane, category) in found {
            let lane = lane_map.get(lane as usize).copied().unwrap_or_default();
            let category = events.categories.get(usize::from(category)).copied().unwrap_or_default();
            let layer = lanes.layer(lane);
            let is_host = !matches!(
                layer,
                Layer::Hardware | Layer::Counter | Layer::Communication | Layer::Overlap | Layer::Cann
            );
            if let Some(place) = self.lanes.get_mut(lane.index()).filter(|_| is_host) {
                *place |= is_wanted(layers::host_kind(layer, events.strings.get(category)));
            }
        }
    }
}
