//! The timeline as [`npuscope_analysis::gap`] asks about it.

use std::borrow::Cow;

use npuscope_analysis::gap;
use npuscope_measures::intervals::Interval;
use npuscope_tables::table::lane::Layer;
use npuscope_tables::table::overlap;

use super::{Timeline, first_where};

impl gap::Timeline for Timeline {
    fn lanes(&self) -> usize {
        self.lanes.list.len()
    }

    fn layer(&self, lane: usize) -> Layer {
        self.lanes.list.get(lane).map_or(Layer::Other, |lane| lane.layer)
    }

    fn span(&self) -> Option<Interval> {
        Timeline::span(self)
    }

    fn extent(&self, slice: u32) -> Interval {
        self.interval(slice)
    }

    fn lane_of(&self, slice: u32) -> usize {
        self.slice(slice).map_or(0, |slice| slice.lane as usize)
    }

    fn name(&self, slice: u32) -> Cow<'_, str> {
        self.slice(slice).map_or(Cow::Borrowed(""), |slice| Cow::Borrowed(self.name_text(slice.name)))
    }

    fn is_free(&self, slice: u32) -> bool {
        self.batch_of(slice).is_some_and(|(batch, row)| {
            batch.category() == "overlap" && batch.kind_text(row, &self.tables) == Some(overlap::Kind::Free.name())
        })
    }

    fn open_at(&self, lane: usize, time: i64) -> Option<u32> {
        self.slice_at(lane, time)
    }

    fn open_in(&self, lane: usize, begin: i64, end: i64) -> Vec<(u32, u32)> {
        let rows = (0u32..).zip(self.rows(lane));
        rows.flat_map(|(depth, row)| self.slices_in(row, begin, end).map(move |slice| (depth, slice))).collect()
    }

    fn end_before(&self, lane: usize, time: i64) -> Option<i64> {
        let before = self.rows(lane).filter_map(|row| self.slices_in(row, i64::MIN, time).next_back());
        before.map(|slice| Timeline::extent(self, slice).end).max()
    }

    fn first_from(&self, lane: usize, time: i64) -> Option<u32> {
        let firsts = self.rows(lane).filter_map(|row| {
            let slices = self.slices_of_row(row);
            let first = first_where(slices.clone(), |slice| Timeline::extent(self, slice).begin >= time);
            (first < slices.end).then(|| (Timeline::extent(self, first).begin, first))
        });
        firsts.min().map(|(_, slice)| slice)
    }

    fn launch_of(&self, slice: u32) -> Option<u32> {
        self.launches_of(slice).min_by_key(|launch| Timeline::extent(self, *launch).begin)
    }
}
