//! Hosts that take longer between the same two communications than those of other ranks, in jobs without a device.
//!
//! There, the host computes: a slow loop, other work on its cores, or a script that waits are all time of the host.

use std::collections::BTreeMap;

use npuscope_measures::statistics::median;
use npuscope_messages::Decimal;

use super::host::{SLOW, WorkOfNode};
use super::{Case, Cause, MAX_EVIDENCE, Suspect, median_of_others};
use crate::diagnose::graph::Change;
use crate::finding::Number;
use crate::messages;

/// How many times what other ranks are off their usual time a rank must be late by: a choice. On busy hosts, ranks that
/// do the same differ.
const ABOVE_OTHERS: f64 = 3.0;
/// How many times what it varies by from step to step a rank must be late by: a choice, so that pauses which come and
/// go are not taken for its way.
const ABOVE_SCATTER: f64 = 2.0;

/// Steps that a rank must be late in, or not, for it to be its way: a choice, the fewest that have a middle.
const LEAST_STEPS: usize = 3;

/// A launch of a rank, and how much longer its host took for it than those of others.
#[derive(Clone, Copy)]
struct Late {
    node: usize,
    own: f64,
    usual: f64,
}

pub fn suspects(case: &Case<'_>, work: &[Vec<WorkOfNode>]) -> Vec<Suspect> {
    let places = places(case, work);
    let ranks = (0..case.traces.len()).filter(|&rank| case.traces[rank].on_host);
    ranks.filter_map(|rank| suspect(case, rank, &places)).collect()
}

/// The shape of a step, and a place in it.
type Place = (u64, usize);

/// By place, what each rank's host took there, in all steps.
type Places = BTreeMap<Place, BTreeMap<usize, Vec<Late>>>;

/// Launches of ranks that did the same in the same step; data loaders and garbage collection are causes of their own.
fn places(case: &Case<'_>, work: &[Vec<WorkOfNode>]) -> Places {
    let mut places = Places::new();
    for step in 0..case.graph.steps.len() {
        let mut alike: BTreeMap<Place, Vec<(usize, usize, f64)>> = BTreeMap::new();
        for (rank, graph) in case.graph.ranks.iter().enumerate().filter(|(rank, _)| case.traces[*rank].on_host) {
            let from = graph.first[step];
            let until = graph.first.get(step + 1).copied().unwrap_or(graph.nodes.len());
            for (node, work) in work[rank].iter().enumerate().take(until).skip(from) {
                let own = (graph.nodes[node].host - work.ns()).max(0);
                alike.entry((graph.shapes[step], node - from)).or_default().push((rank, node, own as f64));
            }
        }
        for (place, members) in alike {
            let times: Vec<f64> = members.iter().map(|(_, _, own)| *own).collect();
            for (at, &(rank, node, own)) in members.iter().enumerate() {
                let Some(usual) = median_of_others(&times, at) else { continue };
                places.entry(place).or_default().entry(rank).or_default().push(Late { node, own, usual });
            }
        }
    }
    places
}

/// How late a host usually is at a place.
fn usually_late(launches: &[Late]) -> f64 {
    median(&launches.iter().map(|late| late.own - late.usual).collect::<Vec<_>>())
}

/// Whether a rank is late at a place, in most steps and beyond what ranks differ by.
fn is_late(rank: usize, at_place: &BTreeMap<usize, Vec<Late>>) -> bool {
    let Some(launches) = at_place.get(&rank) else { return false };
    if launches.len() < LEAST_STEPS {
        return false;
    }
    let late = usually_late(launches);
    let others: Vec<f64> = at_place
        .iter()
        .filter(|(other, _)| **other != rank)
        .map(|(_, launches)| usually_late(launches).abs())
        .collect();
    let scatter = median(&launches.iter().map(|one| (one.own - one.usual - late).abs()).collect::<Vec<_>>());
    let of = |value: fn(&Late) -> f64| median(&launches.iter().map(value).collect::<Vec<_>>());
    late > 0.0
        && late > ABOVE_SCATTER * scatter
        && (others.is_empty() || late > ABOVE_OTHERS * median(&others))
        && of(|one| one.own) >= SLOW * of(|one| one.usual)
}

fn suspect(case: &Case<'_>, rank: usize, places: &Places) -> Option<Suspect> {
    let trace = &case.traces[rank];
    let mut change = Change::default();
    let (mut own, mut usual) = (0.0, 0.0);
    let mut worst: Vec<Late> = Vec::new();
    let late = places.values().filter(|at_place| is_late(rank, at_place)).filter_map(|at_place| at_place.get(&rank));
    for one in late.flatten() {
        let host = case.graph.ranks[rank].nodes[one.node].host;
        let shorter = host - (one.own - one.usual).round() as i64;
        change.hosts.push((rank, one.node, shorter.max(0)));
        (own, usual) = (own + one.own, usual + one.usual);
        worst.push(*one);
    }
    if change.is_empty() {
        return None;
    }
    worst.sort_by(|a, b| (b.own - b.usual).total_cmp(&(a.own - a.usual)));
    let evidence = worst.iter().take(MAX_EVIDENCE).map(|one| {
        let item = &trace.items[one.node];
        let launch = item.launch.unwrap_or(item.start);
        let span = (launch - case.graph.ranks[rank].nodes[one.node].host, launch);
        trace.evidence_at(span, messages::seen_host_time(Decimal(one.own / 1e6), Decimal(one.usual / 1e6)))
    });
    let steps = trace.steps.len().max(1) as f64;
    let (own, usual) = (own / 1e6 / steps, usual / 1e6 / steps);
    Some(Suspect {
        cause: Cause::Host,
        weight: own / usual.max(f64::MIN_POSITIVE),
        compared: case.traces.iter().filter(|trace| trace.on_host).count() - 1,
        ranks: vec![trace.rank],
        what: messages::what_host_time(Decimal(own), case.per(), Decimal(usual)),
        numbers: vec![
            Number::new(messages::number_per_step(messages::work_host(), case.per()), own, case.unit()),
            Number::new(messages::number_of_others(), usual, case.unit()),
        ],
        evidence: evidence.collect(),
        change,
    })
}
