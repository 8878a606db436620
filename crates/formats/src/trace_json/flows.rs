//! Arrows: starts and ends that share a kind and an id, wherever in the file they stand.

use hashbrown::HashMap;
use npuscope_tables::table::flow;
use npuscope_tables::{Interner, RankBuilder, Str};

use super::event::{Event, Events, Phase};
use super::layers;

/// The arrows of a file, in the order in which it first names them.
#[derive(Default)]
pub struct Flows {
    strings: Interner,
    rows: Vec<flow::Row>,
    index: HashMap<FlowKey, Ends, foldhash::fast::FixedState>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct FlowKey {
    kind: Str,
    id: Option<i64>,
    id_text: Option<Str>,
}

/// The rows that a flow's first start and first end are in.
#[derive(Clone, Copy, Default)]
struct Ends {
    start: Option<usize>,
    end: Option<usize>,
}

impl Flows {
    pub fn absorb(&mut self, bytes: &[u8], events: &Events, lane_map: &[u32]) {
        let mut ids = events.ids.iter();
        for event in events.blocks.iter().flatten() {
            let id = if event.has_id { ids.next() } else { None };
            if !matches!(event.phase, Phase::FlowStart | Phase::FlowEnd) {
                continue;
            }
            let id = id.and_then(|&(start, len)| {
                let start = usize::try_from(start).ok()?;
                std::str::from_utf8(bytes.get(start..start.checked_add(len as usize)?)?).ok()
            });
            let lane = lane_map.get(event.lane as usize).copied().unwrap_or_default();
            self.half(event, id.unwrap_or_default(), lane, &events.strings);
        }
    }

    fn half(&mut self, event: &Event, id: &str, lane: u32, strings: &Interner) {
        let kind_name = strings.get(event.category);
        let kind = self.strings.intern(kind_name);
        let number = id.parse::<i64>().ok().filter(|n| n.to_string() == id);
        let id_text = if number.is_none() { Some(self.strings.intern(id)) } else { None };
        let key = FlowKey { kind, id: number, id_text };
        let name = strings.get(event.name);
        let name = (name != layers::flow_name(kind_name, id)).then(|| self.strings.intern(name));
        let ends = self.index.entry(key).or_default();
        let mut row = flow::Row { kind, id: number, id_text, name, ..flow::Row::default() };
        if event.phase == Phase::FlowStart {
            let binding = (event.has_binding != layers::binds_start(kind_name)).then_some(event.has_binding);
            match (ends.start, ends.end) {
                (None, Some(end)) => {
                    if let Some(row) = self.rows.get_mut(end) {
                        (row.src_lane, row.src_time, row.src_binding) = (Some(lane), Some(event.time), binding);
                    }
                    ends.start = Some(end);
                    return;
                }
                (None, None) => ends.start = Some(self.rows.len()),
                _ => {}
            }
            (row.src_lane, row.src_time, row.src_binding) = (Some(lane), Some(event.time), binding);
        } else {
            match (ends.start, ends.end) {
                (Some(start), None) => {
                    if let Some(row) = self.rows.get_mut(start) {
                        (row.dst_lane, row.dst_time) = (Some(lane), Some(event.time));
                    }
                    ends.end = Some(start);
                    return;
                }
                (None, None) => ends.end = Some(self.rows.len()),
                (start, Some(_)) => {
                    if let Some(first) = start.and_then(|s| self.rows.get(s)) {
                        (row.src_lane, row.src_time) = (first.src_lane, first.src_time);
                    }
                    row.branch = Some(true);
                }
            }
            (row.dst_lane, row.dst_time) = (Some(lane), Some(event.time));
        }
        self.rows.push(row);
    }

    pub fn finish(self) -> RankBuilder {
        let mut rank = RankBuilder { strings: self.strings, ..RankBuilder::default() };
        for row in self.rows {
            rank.flow.push(row);
        }
        rank
    }
}
