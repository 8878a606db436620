//! What slices of some lanes add up to in a stretch of time.

use hashbrown::HashMap;
use serde::Serialize;

use super::Timeline;
use npuscope_measures::statistics::{HISTOGRAM_BUCKETS, histogram, percentile};

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
    /// How many are in each bucket, as [`histogram`] has them.
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
    let mut list: Vec<NameStatistics> = of_names.into_iter().map(|(name, lengths)| of_name(name, lengths)).collect();
    list.sort_by(|a, b| b.total_ns.cmp(&a.total_ns).then_with(|| a.name.cmp(&b.name)));
    list
}

fn add_lane(timeline: &Timeline, lane: usize, begin: i64, end: i64, by_name: &mut [Lengths]) {
    let rows = timeline.rows(lane);
    for row in rows.clone() {
        // Slices of the row below that a slice of this one may reach into, in order.
        let mut below = if row + 1 < rows.end { timeline.slices_in(row + 1, begin, i64::MAX) } else { 0..0 };
        for slice in timeline.slices_in(row, begin, end) {
            let extent = timeline.extent(slice);
            if extent.begin < begin {
                continue;
            }
            let mut alone = extent.end - extent.begin;
            while let Some(inner) = below.clone().next().map(|inner| timeline.extent(inner)) {
                if inner.begin >= extent.end {
                    break;
                }
                alone -= (inner.end.min(extent.end) - inner.begin.max(extent.begin)).max(0);
                if inner.end > extent.end {
                    // The next slice of the row may be in it, too.
                    break;
                }
                below.next();
            }
            let name = timeline.index.names.get(slice as usize).copied().unwrap_or_default();
            if let Some(lengths) = by_name.get_mut(name as usize) {
                lengths.all.push(extent.end - extent.begin);
                lengths.alone += alone;
            }
        }
    }
}

fn of_name(name: &str, Lengths { mut all, alone }: Lengths) -> NameStatistics {
    let total: i64 = all.iter().sum();
    let count = all.len();
    let (min, max) = all.iter().fold((i64::MAX, i64::MIN), |(min, max), length| (min.min(*length), max.max(*length)));
    let histogram = histogram(&all);
    all.sort_unstable();
    let [p50_ns, p95_ns, p99_ns] = [50, 95, 99].map(|hundredths| percentile(&all, hundredths).unwrap_or_default());
    NameStatistics {
        name: name.to_owned(),
        count,
        total_ns: total,
        self_ns: alone,
        average_ns: total as f64 / count.max(1) as f64,
        min_ns: min,
        max_ns: max,
        p50_ns,
        p95_ns,
        p99_ns,
        histogram,
    }
}
