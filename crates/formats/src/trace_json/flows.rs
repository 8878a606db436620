//! Arrows: starts and ends that share a kind and an id, wherever in the file they stand.

use npuscope_tables::table::flow;
use npuscope_tables::{Interner, LaneId, Ns, RankBuilder, Str};

use super::event::{Event, Events, Flags, Phase};
use super::layers;
use super::split::Release;
use super::text::unescape;

/// The rows of `flow`: ends in the order of the file, then starts that no end has come to.
pub fn read_flows(bytes: &[u8], stretches: &[Events], lane_maps: &[Vec<LaneId>], release: Release<'_>) -> RankBuilder {
    let count = stretches.iter().map(|events| of_phase(events, Phase::FlowStart).count()).sum();
    let mut flows = Flows { starts: Vec::with_capacity(count), ..Flows::default() };
    for (events, lane_map) in stretches.iter().zip(lane_maps) {
        flows.note_starts(bytes, events, lane_map);
        release();
    }
    // Not a map: that takes twice the memory at the moment when most is in use.
    flows.starts.sort_by_key(|(key, _)| *key);
    for (events, lane_map) in stretches.iter().zip(lane_maps) {
        flows.join_ends(bytes, events, lane_map);
        release();
    }
    flows.finish()
}

#[derive(Default)]
struct Flows {
    strings: Interner,
    /// By key, and in the order of the file within one: further starts of a flow have no ends.
    starts: Vec<(FlowKey, Start)>,
    builder: flow::Builder,
}

/// Kind and id of a flow; an id that is no number is interned, and marked by the flag.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct FlowKey {
    id: i64,
    kind: Str,
    is_text: bool,
}

#[derive(Clone, Copy)]
struct Start {
    time: Ns,
    lane: LaneId,
    /// Name, where it is not implied by kind and id.
    name: Option<Str>,
    binding: Option<bool>,
    has_end: bool,
}

impl Flows {
    fn note_starts(&mut self, bytes: &[u8], events: &Events, lane_map: &[LaneId]) {
        for event in of_phase(events, Phase::FlowStart) {
            let Half { key, name, lane } = self.half(bytes, event, events, lane_map);
            let binds = event.flags.has(Flags::BINDING);
            let binding = (binds != layers::binds_start(self.strings.get(key.kind))).then_some(binds);
            self.starts.push((key, Start { time: event.time, lane, name, binding, has_end: false }));
        }
    }

    fn join_ends(&mut self, bytes: &[u8], events: &Events, lane_map: &[LaneId]) {
        for event in of_phase(events, Phase::FlowEnd) {
            let Half { key, name, lane } = self.half(bytes, event, events, lane_map);
            let mut row = flow::Row { name, dst_lane: Some(lane), dst_time: Some(event.time), ..row_of(key) };
            let first = self.starts.partition_point(|(other, _)| *other < key);
            if let Some((_, start)) = self.starts.get_mut(first).filter(|(other, _)| *other == key) {
                (row.src_lane, row.src_time) = (Some(start.lane), Some(start.time));
                if std::mem::replace(&mut start.has_end, true) {
                    row.branch = Some(true);
                } else {
                    (row.src_binding, row.name) = (start.binding, row.name.or(start.name));
                }
            }
            self.builder.push(row);
        }
    }

    fn half(&mut self, bytes: &[u8], event: &Event, events: &Events, lane_map: &[LaneId]) -> Half {
        let id = usize::try_from(event.text_start)
            .ok()
            .and_then(|start| bytes.get(start..start.checked_add(event.text_len as usize)?))
            .unwrap_or_default();
        let kind_name = events.strings.get(events.category(event));
        let kind = self.strings.intern(kind_name);
        let key = match plain_number(id) {
            Some(id) => FlowKey { id, kind, is_text: false },
            None => FlowKey { id: i64::from(self.strings.intern_bytes(&unescape(id)).0), kind, is_text: true },
        };
        let name = events.strings.get(event.name);
        let name = (!layers::is_flow_name(name, kind_name, id)).then(|| self.strings.intern(name));
        Half { key, name, lane: lane_map.get(event.lane as usize).copied().unwrap_or_default() }
    }

    /// Adds the starts that no end has come to.
    fn finish(mut self) -> RankBuilder {
        let mut lonely = self.starts;
        lonely.retain(|(_, start)| !start.has_end);
        lonely.sort_by_key(|(key, start)| (start.time, start.lane, key.kind, key.id));
        for (key, start) in lonely {
            let Start { time, lane, name, binding, .. } = start;
            let (src_lane, src_time) = (Some(lane), Some(time));
            self.builder.push(flow::Row { name, src_lane, src_time, src_binding: binding, ..row_of(key) });
        }
        RankBuilder { strings: self.strings, flow: self.builder, ..RankBuilder::default() }
    }
}

/// One end of an arrow.
struct Half {
    key: FlowKey,
    name: Option<Str>,
    lane: LaneId,
}

fn of_phase(events: &Events, phase: Phase) -> impl Iterator<Item = &Event> {
    events.blocks.iter().flatten().filter(move |event| event.phase == phase)
}

fn row_of(key: FlowKey) -> flow::Row {
    let id_text = key.is_text.then(|| Str(u32::try_from(key.id).unwrap_or_default()));
    flow::Row { kind: key.kind, id: (!key.is_text).then_some(key.id), id_text, ..flow::Row::default() }
}

/// A number that prints as the text it was read from.
fn plain_number(text: &[u8]) -> Option<i64> {
    let is_plain = match text {
        [b'0'] => true,
        [b'1'..=b'9', rest @ ..] | [b'-', b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    is_plain.then(|| std::str::from_utf8(text).ok()?.parse().ok())?
}
