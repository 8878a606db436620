//! What slices of some lanes add up to in a stretch of time.

use hashbrown::HashMap;
use serde::Serialize;

use super::Timeline;
use npuscope_measures::self_time::self_time;
use npuscope_measures::statistics::{HISTOGRAM_BUCKETS, Spread};

/// Slices of one name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct NameStatistics {
    pub name: String,
    pub count: usize,
    pub total_ns: i64,
    /// Without what is open on the row below.
    pub self_ns: i64,
    pub average_ns: f64,
    pub min_ns: i64,
    pub max_ns: i64,
    pub p50_ns: i64,
    pub p95_ns: i64,
    pub p99_ns: i64,
    /// How many are in each bucket, as [`Spread::histogram`] has them.
    #[cfg_attr(test, ts(type = "number[]"))]
    pub histogram: [i64; HISTOGRAM_BUCKETS],
}

/// The lengths of the slices of a name, and the sum of what they take themselves.
#[derive(Default)]
struct Lengths {
    all: Vec<i64>,
    alone: i64,
}

/// Lanes of a timeline in a stretch of time.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    pub timeline: &'a Timeline,
    pub lanes: &'a [usize],
    pub begin: i64,
    pub end: i64,
}

/// The slices that begin in the parts, by name, the longest in sum first.
pub fn statistics<'a>(parts: impl IntoIterator<Item = Part<'a>>) -> Vec<NameStatistics> {
    let mut of_names: HashMap<&str, Lengths> = HashMap::new();
    for Part { timeline, lanes, begin, end } in parts {
        let mut by_name: Vec<Lengths> = Vec::new();
        by_name.resize_with(timeline.names.len(), Lengths::default);
        for &lane in lanes {
            add_lane(timeline, lane, begin, end, &mut by_name);
        }
        for (name, mut lengths) in timeline.names.iter().zip(by_name).filter(|(_, lengths)| !lengths.all.is_empty()) {
            let known = of_names.entry(name).or_default();
            known.all.append(&mut lengths.all);
            known.alone += lengths.alone;
        }
    }
    let mut list: Vec<NameStatistics> =
        of_names.into_iter().filter_map(|(name, lengths)| of_name(name, lengths)).collect();
    list.sort_by(|a, b| b.total_ns.cmp(&a.total_ns).then_with(|| a.name.cmp(&b.name)));
    list
}

fn add_lane(timeline: &Timeline, lane: usize, begin: i64, end: i64, by_name: &mut [Lengths]) {
    let rows = timeline.rows(lane);
    for row in rows.clone() {
        // Slices of the row below that a slice of this one may reach into, in order.
        let mut below = if row + 1 < rows.end { timeline.slices_in(row + 1, begin, i64::MAX) } else { 0..0 };
        for slice in timeline.slices_in(row, begin, end) {
            let extent = timeline.interval(slice);
            if extent.start < begin {
                continue;
            }
            while !below.is_empty() && timeline.extent(below.start).end <= extent.start {
                below.start += 1;
            }
            let inside = below.clone().map(|inner| timeline.interval(inner));
            let alone = self_time(extent, inside.take_while(|inner| inner.start < extent.end));
            let name = timeline.index.names.get(slice as usize).copied().unwrap_or_default();
            if let Some(lengths) = by_name.get_mut(name as usize) {
                lengths.all.push(extent.length());
                lengths.alone += alone;
            }
        }
    }
}

/// `None` of no slices.
fn of_name(name: &str, Lengths { all, alone }: Lengths) -> Option<NameStatistics> {
    let spread = Spread::of(all)?;
    Some(NameStatistics {
        name: name.to_owned(),
        count: spread.count,
        total_ns: spread.total,
        self_ns: alone,
        average_ns: spread.average,
        min_ns: spread.min,
        max_ns: spread.max,
        p50_ns: spread.p50,
        p95_ns: spread.p95,
        p99_ns: spread.p99,
        histogram: spread.histogram,
    })
}
