//! Arrows between slices. They are found when they are wanted: a look through all of them takes milliseconds.

use std::collections::BTreeMap;

use npuscope_tables::table::flow;

use super::{ShownSlice, Timeline};
use crate::answers::{self, Arrow, FlowKind, Flows};

/// An end of an arrow: a lane and a time on it.
type End = (usize, i64);

/// An arrow of which both ends are known.
struct Flow<'a> {
    kind: &'a str,
    source: End,
    target: End,
}

impl Timeline {
    fn flow_ends(&self) -> impl Iterator<Item = Flow<'_>> {
        self.tables.rows::<flow::Row>().filter_map(|row| {
            let source = (self.lanes.known(row.src_lane?)?, row.src_time?.0);
            let target = (self.lanes.known(row.dst_lane?)?, row.dst_time?.0);
            Some(Flow { kind: self.tables.text(row.kind), source, target })
        })
    }

    /// The slices that arrows to a slice come from.
    pub(super) fn launches_of(&self, id: u32) -> impl Iterator<Item = u32> {
        let slice = self.slice(id);
        let flows = self.flow_ends().filter(move |flow| {
            let (lane, time) = flow.target;
            let is_near = |slice: &ShownSlice| lane == slice.lane as usize && (slice.begin..=slice.end).contains(&time);
            slice.as_ref().is_some_and(is_near) && self.slice_at(lane, time) == Some(id)
        });
        flows.filter_map(|flow| self.slice_at(flow.source.0, flow.source.1))
    }

    /// The other ends of the arrows of a slice.
    pub fn flows_of(&self, id: u32, origin: i64) -> Vec<answers::Flow> {
        let Some(slice) = self.slice(id) else { return Vec::new() };
        let is_here = |(lane, time): End| {
            let is_near = lane == slice.lane as usize && (slice.begin..=slice.end).contains(&time);
            is_near && self.slice_at(lane, time) == Some(id)
        };
        let mut found = Vec::new();
        for flow in self.flow_ends() {
            let ends = [(is_here(flow.source), flow.target, true), (is_here(flow.target), flow.source, false)];
            for (_, (lane, time), is_outgoing) in ends.into_iter().filter(|(is_here, ..)| *is_here) {
                let Some(other) = self.slice_at(lane, time).and_then(|other| self.slice(other)) else { continue };
                let end = self.listed(&other, origin);
                found.push(answers::Flow { end, kind: flow.kind.to_owned(), outgoing: is_outgoing });
            }
        }
        found
    }

    /// The arrows of some kinds, or of all, that have an end in a stretch of time; of more than `limit` so many, evenly.
    pub fn flows_in(&self, begin: i64, end: i64, kinds: Option<&[&str]>, limit: usize, origin: i64) -> Flows {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut wanted = Vec::new();
        let is_inside = |(_, time): End| (begin..end).contains(&time);
        for flow in self.flow_ends().filter(|flow| is_inside(flow.source) || is_inside(flow.target)) {
            *counts.entry(flow.kind).or_default() += 1;
            if kinds.is_none_or(|kinds| kinds.contains(&flow.kind)) {
                wanted.push(flow);
            }
        }
        let count = wanted.len();
        let each = count.div_ceil(limit.max(1)).max(1);
        let end_of = |(lane, time): End| Some(self.listed(&self.slice(self.slice_at(lane, time)?)?, origin));
        let flows = wanted.iter().step_by(each).filter_map(|flow| {
            Some(Arrow { kind: flow.kind.to_owned(), source: end_of(flow.source)?, target: end_of(flow.target)? })
        });
        let kinds = counts.iter().map(|(kind, count)| FlowKind { kind: (*kind).to_owned(), count: *count });
        Flows { count, kinds: kinds.collect(), flows: flows.collect() }
    }
}
