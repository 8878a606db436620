//! Aligns the clocks of hosts with operations that end at the same time on all participating ranks.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use npuscope_measures::statistics::median;
use npuscope_tables::Rank;
use serde::{Deserialize, Serialize};

use super::meetings::Meetings;
use super::trace::RankTrace;

/// How the clock of a host differs from that of the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct HostClock {
    pub host: String,
    #[cfg_attr(feature = "ts", ts(as = "Vec<i64>"))]
    pub ranks: Vec<Rank>,
    /// How far it is ahead at the first moment, in ns; none where nothing ties it to the first host.
    pub offset_ns: Option<f64>,
    /// How much faster it runs, in parts per million.
    pub drift_ppm: f64,
    /// What is left of the differences, in ns: the median of their sizes.
    pub residual_ns: f64,
    /// Operations that it rests on.
    pub operations: usize,
}

impl HostClock {
    /// Whether the profile names the host; else the clock is that of one rank, and `host` names the rank.
    pub fn knows_host(&self) -> bool {
        self.ranks.first().is_none_or(|rank| self.host != unknown_host(*rank))
    }
}

/// What stands for the name of the host of a rank where the profile does not say it.
fn unknown_host(rank: Rank) -> String {
    format!("rank {rank}")
}

/// Two ends of one operation by two clocks: when by the first, and how much later by the second.
#[derive(Clone, Copy)]
struct Pair {
    time: f64,
    difference: f64,
}

/// A clock against another: `difference = offset + drift * time`.
#[derive(Clone, Copy, Default)]
struct Line {
    offset: f64,
    drift: f64,
}

/// Fits the clock of each host to the first one's and corrects all times of `traces` by it.
///
/// The hosts are tied to the first along a tree of the pairs of hosts that share the most operations.
pub fn align(traces: &mut [RankTrace], meetings: &Meetings) -> Vec<HostClock> {
    let (hosts, host_of) = hosts(traces);
    let origin = traces.iter().flat_map(|trace| trace.steps.first()).map(|step| step.start).min().unwrap_or_default();
    let mut pairs: BTreeMap<(usize, usize), Vec<Pair>> = BTreeMap::new();
    for meeting in &meetings.list {
        let mut ends: BTreeMap<usize, i64> = BTreeMap::new();
        for &(rank, item) in &meeting.members {
            ends.entry(host_of[rank]).or_insert(traces[rank].items[item].end);
        }
        let ends: Vec<(usize, i64)> = ends.into_iter().collect();
        for two in ends.windows(2) {
            let [(a, end_a), (b, end_b)] = [two[0], two[1]];
            let pair = Pair { time: (end_a - origin) as f64, difference: (end_b - end_a) as f64 };
            pairs.entry((a, b)).or_default().push(pair);
        }
    }
    let mut lines: BTreeMap<usize, (Line, f64, usize)> = BTreeMap::from([(0, (Line::default(), 0.0, 0))]);
    loop {
        let next = pairs
            .iter()
            .filter(|((a, b), _)| lines.contains_key(a) != lines.contains_key(b))
            .max_by_key(|(_, list)| list.len());
        let Some((&(a, b), list)) = next else { break };
        let (fit, residual) = fit(list);
        let (known, new, sign) = if lines.contains_key(&a) { (a, b, 1.0) } else { (b, a, -1.0) };
        let from = lines[&known].0;
        let line = Line { offset: from.offset + sign * fit.offset, drift: from.drift + sign * fit.drift };
        lines.insert(new, (line, residual, list.len()));
    }
    for (rank, trace) in traces.iter_mut().enumerate() {
        if let Some((line, _, _)) =
            lines.get(&host_of[rank]).filter(|(line, _, _)| line.offset != 0.0 || line.drift != 0.0)
        {
            trace.correct_times(|time| {
                let ahead = line.offset + line.drift * (time - origin) as f64;
                time - ahead.round() as i64
            });
        }
    }
    let clock = |(index, name): (usize, &String)| {
        let line = lines.get(&index);
        HostClock {
            host: name.clone(),
            ranks: traces
                .iter()
                .zip(&host_of)
                .filter(|(_, host)| **host == index)
                .map(|(trace, _)| trace.rank)
                .collect(),
            offset_ns: line.map(|(line, _, _)| line.offset),
            drift_ppm: line.map_or(0.0, |(line, _, _)| line.drift * 1e6),
            residual_ns: line.map_or(0.0, |(_, residual, _)| *residual),
            operations: line.map_or(0, |(_, _, operations)| *operations),
        }
    };
    hosts.iter().enumerate().map(clock).collect()
}

/// The names of the hosts, and which of them each rank is on. A rank whose host is not known has a clock of its own.
fn hosts(traces: &[RankTrace]) -> (Vec<String>, Vec<usize>) {
    let mut hosts: IndexSet<String> = IndexSet::new();
    let name = |trace: &RankTrace| match trace.host.as_str() {
        "" => unknown_host(trace.rank),
        host => host.to_owned(),
    };
    let host_of = traces.iter().map(|trace| hosts.insert_full(name(trace)).0).collect();
    (hosts.into_iter().collect(), host_of)
}

/// The line through the medians of the first and of the last third, and the median of what is left.
///
/// Medians, because an operation whose members did not end together is far off.
fn fit(pairs: &[Pair]) -> (Line, f64) {
    let mut sorted = pairs.to_vec();
    sorted.sort_by(|a, b| a.time.total_cmp(&b.time));
    let third = sorted.len().div_ceil(3);
    let middle = |part: &[Pair]| {
        let of = |value: fn(&Pair) -> f64| median(&part.iter().map(value).collect::<Vec<_>>());
        (of(|pair| pair.time), of(|pair| pair.difference))
    };
    let (first, last) = (middle(&sorted[..third]), middle(&sorted[sorted.len() - third..]));
    let drift = if last.0 > first.0 { (last.1 - first.1) / (last.0 - first.0) } else { 0.0 };
    // No clock of a computer runs off by more; a slope beyond it is scatter.
    const MOST_DRIFT: f64 = 1e-3;
    let drift = if drift.abs() < MOST_DRIFT { drift } else { 0.0 };
    let offset = median(&sorted.iter().map(|pair| pair.difference - drift * pair.time).collect::<Vec<_>>());
    let line = Line { offset, drift };
    let left: Vec<f64> = sorted.iter().map(|pair| (pair.difference - offset - drift * pair.time).abs()).collect();
    (line, median(&left))
}
