//! Counters of a timeline: their samples in order of time, and how high and low they were in a stretch of it.
//!
//! A tile of counters covers the time that a tile of slices does. All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | number of counters |
//! | 8 per counter | counter, number of points |
//! | 16 per point | time in 65536ths of the tile (2), 0 (2), least, greatest and last value (4 each, as reals) |
//!
//! The first point is the value that the counter has when the tile begins, where there is one.

use std::ops::Range;
use std::sync::OnceLock;

use npuscope_formats::timeline::{Counter, Lanes};
use npuscope_tables::table::counter;
use npuscope_tables::{RankTables, TableView};

use super::index::{Index, Place};
use super::tile::{INTERVALS, TileTime};
use super::{first_where, range};
use crate::answers;

/// The counters of a rank.
pub struct ShownCounters {
    list: Vec<Counter>,
    views: Vec<(counter::View, usize)>,
    index: Index,
    extremes: Vec<OnceLock<Extremes>>,
}

/// Samples that one node of the first level of [`Extremes`] stands for, and nodes that one of the next does.
const FAN: u32 = 16;

/// Least and greatest values of runs of samples, of runs of runs, and so on.
struct Extremes(Vec<Vec<(f64, f64)>>);

impl ShownCounters {
    pub fn new(tables: &RankTables, index: &Index, lanes: &Lanes) -> ShownCounters {
        let views: Vec<(counter::View, usize)> = tables.views::<counter::Row>().collect();
        let mut counters = ShownCounters { list: Vec::new(), views, index: index.clone(), extremes: Vec::new() };
        for counter in 0..index.counters_first.len().saturating_sub(1) {
            let first = range(&index.counters_first, counter).start;
            counters.list.push(Counter::of(&counters.sample(first), lanes));
            counters.extremes.push(OnceLock::new());
        }
        counters
    }

    fn sample(&self, sample: u32) -> counter::Row {
        let place = Place(self.index.samples.get(sample as usize).copied().unwrap_or_default());
        let view = self.views.get(place.batch()).filter(|(_, rows)| place.row() < *rows);
        view.map(|(view, _)| view.row(place.row())).unwrap_or_default()
    }

    fn time(&self, sample: u32) -> i64 {
        self.sample(sample).time.0.max(0)
    }

    fn samples(&self, counter: usize) -> Range<u32> {
        let samples = range(&self.index.counters_first, counter);
        samples.start..samples.end.min(self.index.samples.len() as u32)
    }

    /// The times from the first to the last sample of each counter.
    pub fn spans(&self) -> impl Iterator<Item = (i64, i64)> {
        let samples = (0..self.list.len()).map(|counter| self.samples(counter)).filter(|samples| !samples.is_empty());
        samples.map(|samples| (self.time(samples.start), self.time(samples.end - 1)))
    }

    pub fn describe(&self, tables: &RankTables, lanes: &Lanes) -> Vec<answers::Counter> {
        let of_counter = |(id, counter): (usize, &Counter)| {
            let samples = self.samples(id);
            let process = lanes.list.get(counter.lane).map(|lane| lane.process);
            let (min, max) = self.extremes(id, samples.clone()).unwrap_or_default();
            answers::Counter {
                id,
                process,
                name: counter.text(tables).to_string(),
                unit: tables.opt_text(counter.unit).map(str::to_owned),
                samples: samples.len(),
                min,
                max,
            }
        };
        self.list.iter().enumerate().map(of_counter).collect()
    }

    /// The least and greatest value of some samples of a counter.
    fn extremes(&self, counter: usize, samples: Range<u32>) -> Option<(f64, f64)> {
        let of_counter = self.samples(counter);
        let value = |at: u32| {
            let value = self.sample(of_counter.start + at).value;
            (value, value)
        };
        let tree = self.extremes.get(counter)?.get_or_init(|| Extremes::of(of_counter.len() as u32, value));
        tree.within(samples.start - of_counter.start..samples.end - of_counter.start, value)
    }

    /// The tile of some counters.
    pub fn tile(&self, counters: &[usize], time: TileTime) -> Vec<u8> {
        let mut heads = Vec::new();
        let mut points = Vec::new();
        heads.extend((counters.len() as u32).to_le_bytes());
        for &counter in counters {
            let before = points.len();
            self.add_points(counter, time, &mut points);
            heads.extend((counter as u32).to_le_bytes());
            heads.extend((((points.len() - before) / POINT) as u32).to_le_bytes());
        }
        heads.extend(points);
        heads
    }

    fn add_points(&self, counter: usize, time: TileTime, points: &mut Vec<u8>) {
        let mut add = |share: u16, min: f64, max: f64, last: f64| {
            points.extend(share.to_le_bytes());
            points.extend([0, 0]);
            points.extend([min, max, last].into_iter().flat_map(|value| (value as f32).to_le_bytes()));
        };
        let samples = self.samples(counter);
        let first = first_where(samples.clone(), |sample| self.time(sample) >= time.begin);
        let end = first_where(first..samples.end, |sample| self.time(sample) >= time.end);
        if first > samples.start {
            let value = self.sample(first - 1).value;
            add(0, value, value, value);
        }
        if end - first <= INTERVALS as u32 {
            for sample in first..end {
                let counter::Row { time: at, value, .. } = self.sample(sample);
                add(time.share(at.0), value, value, value);
            }
            return;
        }
        let length = 1i64 << time.level;
        let mut from = first;
        for interval in 0..INTERVALS {
            let begin = time.begin + interval * length;
            let to = first_where(from..end, |sample| self.time(sample) >= begin + length);
            if let Some((min, max)) = self.extremes(counter, from..to) {
                add(time.share(begin), min, max, self.sample(to - 1).value);
            }
            from = to;
        }
    }
}

/// Bytes of a point.
pub const POINT: usize = 16;

impl Extremes {
    fn of(count: u32, value: impl Fn(u32) -> (f64, f64)) -> Extremes {
        let mut levels: Vec<Vec<(f64, f64)>> = Vec::new();
        let mut below = count;
        while below > FAN {
            let nodes = below.div_ceil(FAN);
            let node = |node: u32| {
                let range = node * FAN..((node + 1) * FAN).min(below);
                let of = |at: u32| levels.last().map_or_else(|| value(at), |level| level[at as usize]);
                range.map(of).reduce(both).unwrap_or_default()
            };
            let level = (0..nodes).map(node).collect();
            levels.push(level);
            below = nodes;
        }
        Extremes(levels)
    }

    fn within(&self, mut range: Range<u32>, value: impl Fn(u32) -> (f64, f64)) -> Option<(f64, f64)> {
        let mut found: Option<(f64, f64)> = None;
        let mut add = |extremes: (f64, f64)| found = Some(found.map_or(extremes, |found| both(found, extremes)));
        for level in 0..=self.0.len() {
            let of = |at: u32| match level {
                0 => value(at),
                _ => self.0[level - 1].get(at as usize).copied().unwrap_or_default(),
            };
            if level == self.0.len() {
                range.clone().for_each(|at| add(of(at)));
                break;
            }
            while range.start < range.end && !range.start.is_multiple_of(FAN) {
                add(of(range.start));
                range.start += 1;
            }
            while range.start < range.end && !range.end.is_multiple_of(FAN) {
                range.end -= 1;
                add(of(range.end));
            }
            range = range.start / FAN..range.end / FAN;
        }
        found
    }
}

fn both(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0.min(b.0), a.1.max(b.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(npuscope_testing::cases(256))]

        #[test]
        fn extremes_are_those_of_the_samples(values in prop::collection::vec(-100i32..100, 1..900), a in 0u32..900, b in 0u32..900) {
            let count = values.len() as u32;
            let value = |at: u32| (f64::from(values[at as usize]), f64::from(values[at as usize]));
            let (from, to) = (a.min(b).min(count), a.max(b).min(count));
            let expected = (from..to).map(value).reduce(both);
            prop_assert_eq!(Extremes::of(count, value).within(from..to, value), expected);
        }
    }
}
