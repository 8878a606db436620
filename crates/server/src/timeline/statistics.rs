//! What slices of some lanes add up to in a stretch of time.

use hashbrown::HashMap;
use serde::Serialize;

use super::Timeline;

/// Slices of one name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NameStatistics {
    pub name: String,
    pub count: usize,
    pub total_ns: i64,
    pub average_ns: f64,
    pub min_ns: i64,
    pub max_ns: i64,
    pub p50_ns: i64,
    pub p95_ns: i64,
    pub p99_ns: i64,
}

/// The slices of the lanes that begin in `begin..end`, by name, the longest in sum first.
pub fn statistics(timelines: &[(&Timeline, &[usize])], begin: i64, end: i64) -> Vec<NameStatistics> {
    let mut lengths: HashMap<&str, Vec<i64>> = HashMap::new();
    for (timeline, lanes) in timelines {
        let mut by_name: HashMap<u32, Vec<i64>> = HashMap::new();
        for slices in lanes.iter().map(|lane| timeline.of_lane(*lane)) {
            let first = slices.partition_point(|slice| slice.begin < begin);
            for slice in slices.iter().skip(first).take_while(|slice| slice.begin < end) {
                by_name.entry(slice.name).or_default().push(slice.length());
            }
        }
        for (name, of_name) in by_name {
            let name = timeline.names.get(name as usize).map(String::as_str).unwrap_or_default();
            lengths.entry(name).or_default().extend(of_name);
        }
    }
    let mut list: Vec<NameStatistics> = lengths.into_iter().map(|(name, lengths)| of_name(name, lengths)).collect();
    list.sort_by(|a, b| b.total_ns.cmp(&a.total_ns).then_with(|| a.name.cmp(&b.name)));
    list
}

fn of_name(name: &str, mut lengths: Vec<i64>) -> NameStatistics {
    lengths.sort_unstable();
    let total: i64 = lengths.iter().sum();
    let count = lengths.len();
    // The smallest length that so many hundredths of all do not exceed.
    let percentile = |hundredths: usize| {
        let place = (count * hundredths).div_ceil(100).saturating_sub(1);
        lengths.get(place).copied().unwrap_or_default()
    };
    NameStatistics {
        name: name.to_owned(),
        count,
        total_ns: total,
        average_ns: total as f64 / count.max(1) as f64,
        min_ns: lengths.first().copied().unwrap_or_default(),
        max_ns: lengths.last().copied().unwrap_or_default(),
        p50_ns: percentile(50),
        p95_ns: percentile(95),
        p99_ns: percentile(99),
    }
}
