//! Pipeline stages that have more layers than the others.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use npuscope_measures::statistics::median;
use npuscope_messages::Decimal;

use super::{Case, Cause, Suspect};
use crate::diagnose::graph::Change;
use crate::diagnose::trace::{Item, RankTrace};
use crate::finding::Number;
use crate::messages;

/// A stage is a suspect if at least this share of its time is in work that other stages run less often: a choice, below
/// one layer of forty.
const LEAST_SHARE: f64 = 0.02;

/// What an item is, whatever rank runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Sort<'a> {
    Kernel { name: &'a str, shapes: &'a str },
    Communication { kind: &'a str, bytes: i64 },
}

fn sort_of<'a>(trace: &'a RankTrace, item: &Item) -> Option<Sort<'a>> {
    if let Some(kernel) = trace.kernel(item) {
        return Some(Sort::Kernel { name: &kernel.name, shapes: &kernel.shapes });
    }
    trace.operation(item).map(|op| Sort::Communication { kind: &op.kind, bytes: op.bytes })
}

/// Stages whose kernels are those of other stages, but more of them: what they have too many of is taken away, by
/// shortening each of its kind.
pub fn suspects(case: &Case<'_>) -> Vec<Suspect> {
    let stage_of: Vec<i64> =
        case.traces.iter().map(|trace| case.layout.place(trace.rank).map_or(0, |place| place.pp)).collect();
    let stages: BTreeSet<i64> = stage_of.iter().copied().collect();
    if stages.len() < 2 {
        return Vec::new();
    }
    // Items of each sort on the rank of the stage that has most of it, in all steps: where tokens are spread unevenly,
    // shapes are not the same on all.
    let mut counts: BTreeMap<i64, HashMap<Sort<'_>, f64>> = BTreeMap::new();
    for &stage in &stages {
        let most = counts.entry(stage).or_default();
        for rank in (0..case.traces.len()).filter(|&rank| stage_of[rank] == stage) {
            let trace = &case.traces[rank];
            let mut count: HashMap<Sort<'_>, f64> = HashMap::new();
            for sort in trace.items.iter().filter_map(|item| sort_of(trace, item)) {
                *count.entry(sort).or_default() += 1.0;
            }
            for (sort, count) in count {
                let most = most.entry(sort).or_default();
                *most = most.max(count);
            }
        }
    }
    let mut suspects = Vec::new();
    for &stage in &stages {
        let share_of = |sort: &Sort<'_>| -> f64 {
            let others = counts.iter().filter(|(other, _)| **other != stage);
            let others: Vec<f64> = others.filter_map(|(_, count)| count.get(sort).copied()).collect();
            let own = counts[&stage].get(sort).copied().unwrap_or_default();
            if others.is_empty() || own <= 0.0 { 1.0 } else { (median(&others) / own).min(1.0) }
        };
        let shares: HashMap<Sort<'_>, f64> = counts[&stage].keys().map(|sort| (*sort, share_of(sort))).collect();
        suspects.extend(overloaded_stage(case, (stage, &stage_of), stages.len() - 1, &shares));
    }
    suspects
}

/// A stage that does more than the others: `shares` is how much of each sort of its work the others do.
fn overloaded_stage(
    case: &Case<'_>,
    (stage, stage_of): (i64, &[i64]),
    compared: usize,
    shares: &HashMap<Sort<'_>, f64>,
) -> Option<Suspect> {
    let mut change = Change::default();
    let (mut time, mut extra) = (0.0, 0.0);
    let mut meetings = BTreeSet::new();
    let ranks: Vec<usize> = (0..case.traces.len()).filter(|&rank| stage_of[rank] == stage).collect();
    for &rank in &ranks {
        let trace = &case.traces[rank];
        for (node, item) in trace.items.iter().enumerate() {
            let Some(share) = sort_of(trace, item).and_then(|sort| shares.get(&sort).copied()) else { continue };
            let ns = (item.end - item.start) as f64;
            let graph = &case.graph.ranks[rank].nodes[node];
            if graph.is_kernel {
                time += ns;
                extra += ns * (1.0 - share);
            }
            if share >= 1.0 {
                continue;
            }
            change.hosts.push((rank, node, (graph.host as f64 * share).round() as i64));
            match graph.meeting {
                Some(meeting) => drop(meetings.insert((meeting as usize, (share * 1e9) as i64))),
                None => change.durations.push((rank, node, (ns * share).round() as i64)),
            }
        }
    }
    for (meeting, share) in meetings {
        let is_inside = case.graph.members[meeting].iter().all(|(member, _)| stage_of[*member] == stage);
        if is_inside {
            let ns = case.graph.transit[meeting] as f64 * (share as f64 / 1e9);
            change.transits.push((meeting, ns.round() as i64));
        }
    }
    let share = extra / time;
    if share.is_nan() || share < LEAST_SHARE {
        return None;
    }
    Some(Suspect {
        cause: Cause::StageImbalance,
        weight: extra,
        compared,
        ranks: ranks.iter().map(|&rank| case.traces[rank].rank).collect(),
        what: messages::what_stage_imbalance(stage, Decimal(share * 100.0)),
        numbers: vec![
            Number::new(messages::number_stage(), stage as f64, ""),
            Number::new(messages::number_share_of_computing(), share * 100.0, "%"),
        ],
        evidence: Vec::new(),
        change,
    })
}
