//! `npuscope diagnose`: who is slow, why, and what it costs.
//!
//! 1. [`trace`]: what each rank launched, and what its host was busy with in between.
//! 2. [`meetings`]: which operations of different ranks are one, by group, step, kind, size and order.
//! 3. [`clocks`]: operations end together, so the clocks of hosts can be aligned.
//! 4. [`graph`]: what had to wait for what; replayed unchanged it gives the times that were recorded.
//! 5. [`suspects`]: ranks, hosts, stages and links that differ from their like.
//! 6. Each suspect is made like the others and the job replayed: what the steps are shorter by is what it costs.
//!
//! Waiting is never blamed on who waits: a rank that waits has nothing that could be made like the others.

mod clocks;
mod graph;
mod meetings;
mod suspects;
mod trace;

use npuscope_engine::{EngineError, Ranks};
use serde::Serialize;

use crate::finding::{Finding, Severity};
pub use clocks::HostClock;
use graph::{Change, Graph};
use meetings::Meetings;
pub use suspects::Cause;
use suspects::{Case, Suspect};
pub use trace::RankTrace;

/// What a step must lose for a finding to be a warning, and to be critical, as a share of it.
const WARNING: f64 = 0.02;
const CRITICAL: f64 = 0.10;
/// What loses less is not worth a line.
const LEAST: f64 = 0.003;
/// Suspects of one cause that are looked into, those that stand out most first.
const MOST_SUSPECTS: usize = 16;

/// The verdict on a job.
#[derive(Clone, Debug, Serialize)]
pub struct Diagnosis {
    pub ranks: usize,
    pub steps: usize,
    /// Mean time of a step.
    pub step_ms: f64,
    /// What it would be without anything that is found.
    pub step_ms_without: f64,
    /// How far the replay without changes is off what was recorded, as a share of the step.
    pub replay_error: f64,
    /// Communications that no other rank was seen to take part in.
    pub unmatched_operations: usize,
    pub clocks: Vec<HostClock>,
    /// The parallel layout, in words.
    pub layout: String,
    /// What could not be read.
    pub problems: Vec<String>,
    /// Those that cost most first.
    pub findings: Vec<Finding>,
}

/// Looks into all ranks of a profile.
pub fn diagnose(ranks: &Ranks) -> Result<Diagnosis, EngineError> {
    let sources: Vec<_> = ranks.profile().ranks.iter().collect();
    let read = ranks.each(&sources, trace::SELECTION, |source, tables| {
        let sizes = tables.rows::<npuscope_tables::table::rank::Row>().next().unwrap_or_default();
        (RankTrace::of(source.rank, &tables), sizes.world_size.zip(sizes.pp_size))
    })?;
    let stages: Option<Vec<usize>> = read
        .iter()
        .map(|(trace, sizes)| {
            let (world, stages) = (*sizes)?;
            usize::try_from(trace.rank.checked_div(world.checked_div(stages)?)?).ok()
        })
        .collect();
    Ok(of_traces(read.into_iter().map(|(trace, _)| trace).collect(), &stages.unwrap_or_default()))
}

/// Looks into ranks that were read. `stages` are their pipeline stages; empty where they are not known.
pub fn of_traces(mut traces: Vec<RankTrace>, stages: &[usize]) -> Diagnosis {
    let meetings = Meetings::of(&traces);
    let clocks = clocks::align(&mut traces, &meetings);
    let graph = Graph::of(&traces, &meetings);
    let case = Case { traces: &traces, meetings: &meetings, graph: &graph, clocks: &clocks, stages };
    let base = graph.step_times();
    let step = mean(&base);
    let mut suspects = suspects::suspects(&case);
    keep_most_telling(&mut suspects);
    let costs: Vec<Vec<i64>> = suspects.iter().map(|suspect| saved(&graph, &base, &[&suspect.change])).collect();
    let all: Vec<&Change> = suspects.iter().map(|suspect| &suspect.change).collect();
    let without_all = graph.with(&all).step_times();
    let mut findings: Vec<(f64, Finding)> = Vec::new();
    for (index, suspect) in suspects.iter().enumerate() {
        let alone = &costs[index];
        // Two that are slow alike hide each other: what is gained when this one goes last.
        let last = if mean(alone) < LEAST * step && !suspect.change.is_empty() {
            let others: Vec<&Change> =
                all.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, change)| *change).collect();
            let without_others = graph.with(&others).step_times();
            Some(without_others.iter().zip(&without_all).map(|(without, all)| without - all).collect::<Vec<i64>>())
        } else {
            None
        };
        findings.extend(finding(suspect, alone, last.as_deref(), step, &traces));
    }
    findings.sort_by(|a, b| b.0.total_cmp(&a.0));
    Diagnosis {
        ranks: traces.len(),
        steps: graph.steps,
        step_ms: step / 1e6,
        step_ms_without: mean(&without_all) / 1e6,
        replay_error: replay_error(&graph, &traces),
        unmatched_operations: meetings.alone,
        clocks,
        layout: String::new(),
        problems: Vec::new(),
        findings: findings.into_iter().map(|(_, finding)| finding).collect(),
    }
}

/// Of each cause, those that take most away.
fn keep_most_telling(suspects: &mut Vec<Suspect>) {
    let weight = |suspect: &Suspect| suspect.numbers.first().map_or(0.0, |(_, value, _)| *value);
    suspects.sort_by(|a, b| a.cause.cmp(&b.cause).then(weight(b).total_cmp(&weight(a))));
    let mut kept = 0;
    let mut last = None;
    suspects.retain(|suspect| {
        kept = if last.replace(suspect.cause) == Some(suspect.cause) { kept + 1 } else { 0 };
        kept < MOST_SUSPECTS
    });
}

/// How much shorter each step is with changes, in ns.
fn saved(graph: &Graph, base: &[i64], changes: &[&Change]) -> Vec<i64> {
    if changes.iter().all(|change| change.is_empty()) {
        return vec![0; base.len()];
    }
    graph.with(changes).step_times().iter().zip(base).map(|(with, without)| without - with).collect()
}

/// How far the replay's end of the last step is off the recorded one, as a share of the job.
fn replay_error(graph: &Graph, traces: &[RankTrace]) -> f64 {
    let start = graph.ranks.iter().map(|rank| rank.start).min().unwrap_or_default();
    let replayed = graph.replay().last().copied().unwrap_or_default();
    let recorded = traces.iter().flat_map(|trace| &trace.items).map(|item| item.end).max().unwrap_or_default();
    (replayed - recorded).abs() as f64 / ((recorded - start) as f64).max(1.0)
}

fn mean(values: &[i64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().map(|value| *value as f64).sum::<f64>() / values.len() as f64 }
}

/// A finding, and what it weighs: what it loses over all steps in ns. `alone` is what each step would be shorter by
/// without it, `last` the same with all other causes gone, where others hide it.
fn finding(
    suspect: &Suspect,
    alone: &[i64],
    last: Option<&[i64]>,
    step: f64,
    traces: &[RankTrace],
) -> Option<(f64, Finding)> {
    let lost = mean(alone);
    let weight = last.map_or(lost, |last| (mean(last) + lost) / 2.0);
    let share = weight / step;
    let costs_nothing = matches!(suspect.cause, Cause::Clock | Cause::MemoryLeak);
    if share < LEAST && !costs_nothing {
        return None;
    }
    let cost = alone;
    // A cause that is there in some steps costs something in those.
    let most = cost.iter().copied().max().unwrap_or_default();
    let struck: Vec<usize> = (0..cost.len()).filter(|&index| most > 0 && cost[index] * 5 >= most).collect();
    let lost_there = mean(&struck.iter().map(|&index| cost[index]).collect::<Vec<_>>());
    let severity = match () {
        () if suspect.cause == Cause::MemoryLeak => Severity::Warning,
        () if share >= CRITICAL => Severity::Critical,
        () if share >= WARNING => Severity::Warning,
        () => Severity::Info,
    };
    let id = |index: &usize| traces.first().and_then(|trace| trace.steps.get(*index)).map(|step| step.id);
    let when = match struck.as_slice() {
        list if list.len() == cost.len() || list.is_empty() => String::new(),
        [only] => id(only).map(|id| format!(" in step {id}")).unwrap_or_default(),
        [first, .., last] => match (id(first), id(last)) {
            (Some(first), Some(last)) => format!(" in {} steps from {first} to {last}", struck.len()),
            _ => String::new(),
        },
        [] => String::new(),
    };
    let who = match (suspect.cause, suspect.ranks.as_slice()) {
        (_, [rank]) => format!("rank {rank}"),
        (Cause::Link, [a, b]) => format!("ranks {a} and {b}"),
        (_, ranks) => format!("ranks {}", ranges(ranks)),
    };
    let mut numbers = vec![("lost", lost_there / 1e6, "ms per step"), ("step", step / 1e6, "ms")];
    numbers.push(("step without it", (step - lost) / 1e6, "ms"));
    numbers.extend(last.map(|last| ("lost if the others were gone", mean(last) / 1e6, "ms per step")));
    numbers.extend(suspect.numbers.iter().copied());
    let costs = match last {
        _ if costs_nothing => String::new(),
        None => format!(": {:.1} ms of a step lost{when}", lost_there / 1e6),
        Some(last) => {
            let (lost, last) = (lost / 1e6, mean(last) / 1e6);
            format!(": {lost:.1} ms of a step lost, {last:.1} ms once the other causes are gone")
        }
    };
    let finding = Finding {
        id: suspect.cause.id(),
        severity,
        claim: format!("{who}: {}{costs}", suspect.what),
        numbers,
        share_of_step: (!costs_nothing).then_some(share),
        confidence: 1.0,
        ranks: suspect.ranks.clone(),
        evidence: suspect.evidence.clone(),
        suggestion: suggestion(suspect.cause).to_owned(),
        next: None,
    };
    Some((weight, finding))
}

/// Ranks as numbers and ranges.
fn ranges(ranks: &[i64]) -> String {
    let mut text = String::new();
    let mut rest = ranks;
    while let [first, ..] = rest {
        let run = rest.iter().zip(*first..).take_while(|(rank, expected)| *rank == expected).count();
        let last = rest[run - 1];
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&if run > 1 { format!("{first} to {last}") } else { first.to_string() });
        rest = &rest[run..];
    }
    text
}

fn suggestion(cause: Cause) -> &'static str {
    match cause {
        Cause::Compute => {
            "look at the device: other processes on it, its memory bandwidth, faults in its logs; swap it and run again"
        }
        Cause::Frequency => "look at power and cooling of the device: npu-smi info -t power and -t temp",
        Cause::ExpertImbalance => {
            "balance tokens over experts: auxiliary loss, capacity factor, or move the busy experts"
        }
        Cause::AiCpu => "avoid the operator or its data type, so that it runs on the AI Core",
        Cause::StageImbalance => "move layers to other stages: --num-layer-list, or an uneven split",
        Cause::Host => "look at the host: load of its CPUs, binding of processes to cores, frequency governor",
        Cause::Gc => "collect garbage at set steps only: gc.disable() and gc.collect() between steps, or gc.freeze()",
        Cause::DataLoader => "give the loader more workers and prefetch, or move its storage",
        Cause::Synchronisation => "take .item(), .cpu() and print of tensors out of the loop, or do them once per step",
        Cause::Memory => "set PYTORCH_NPU_ALLOC_CONF=expandable_segments:True, or leave more memory free",
        Cause::MemoryLeak => "look for tensors that are kept from step to step, such as losses in a list",
        Cause::Link => "test the link with hccl_test; look at its cable, port and error counters",
        Cause::Retransmission => "look at the network: hccn_tool -stat, dropped packets, flow control, cables",
        Cause::Clock => "let a time server set the clocks of all hosts; npuscope corrects for it",
    }
}

#[cfg(test)]
mod debug {
    use super::*;
    #[test]
    fn findings() {
        let text = std::env::var("SCEN").unwrap();
        let config = npuscope_synth::scenario(&std::fs::read_to_string(text).unwrap()).unwrap();
        let job = npuscope_synth::simulate(&config).unwrap();
        for fault in job.truth().faults {
            println!("TRUTH {} {:?} {}", fault.cause, fault.ranks, fault.cost_ms_per_step);
        }
        let traces: Vec<RankTrace> = (0..config.ranks()).map(|r| RankTrace::of(r as i64, &job.rank(r))).collect();
        let per = config.ranks() / config.pp;
        let stages: Vec<usize> = (0..config.ranks()).map(|r| r / per).collect();
        let d = of_traces(traces, &stages);
        for f in d.findings {
            println!("FOUND {:?} {} {:?} | {}", f.severity, f.id, f.ranks, f.claim);
            for e in f.evidence.iter().take(2) {
                println!("   EV {e:?}");
            }
        }
    }
    #[test]
    fn compare() {
        let text = std::env::var("SCEN").unwrap();
        let config = npuscope_synth::scenario(&std::fs::read_to_string(text).unwrap()).unwrap();
        let healthy = npuscope_synth::JobConfig { faults: vec![], ..config.clone() };
        let traces = |c: &npuscope_synth::JobConfig| -> Vec<RankTrace> {
            let job = npuscope_synth::simulate(c).unwrap();
            (0..c.ranks()).map(|r| RankTrace::of(r as i64, &job.rank(r))).collect()
        };
        let (mut a, mut b) = (traces(&config), traces(&healthy));
        let (ma, mb) = (Meetings::of(&a), Meetings::of(&b));
        clocks::align(&mut a, &ma);
        clocks::align(&mut b, &mb);
        let (ga, gb) = (Graph::of(&a, &ma), Graph::of(&b, &mb));
        println!("base {:?} healthy {:?}", ga.step_times(), gb.step_times());
        let mut g = ga.clone();
        for (r, rank) in g.ranks.iter_mut().enumerate() {
            if rank.nodes.len() == gb.ranks[r].nodes.len() {
                for (n, node) in rank.nodes.iter_mut().enumerate() {
                    node.duration = gb.ranks[r].nodes[n].duration;
                }
            } else {
                println!("rank {r} differs in nodes");
            }
        }
        println!("durations {:?}", g.step_times());
        if ga.transit.len() == gb.transit.len() {
            g.transit = gb.transit.clone();
        }
        println!("+transit {:?}", g.step_times());
        for (r, rank) in g.ranks.iter_mut().enumerate() {
            if rank.nodes.len() == gb.ranks[r].nodes.len() {
                for (n, node) in rank.nodes.iter_mut().enumerate() {
                    node.host = gb.ranks[r].nodes[n].host;
                }
            }
        }
        println!("+host {:?}", g.step_times());
        for (r, rank) in g.ranks.iter_mut().enumerate() {
            if rank.nodes.len() == gb.ranks[r].nodes.len() {
                let mut big = 0;
                for (n, node) in rank.nodes.iter_mut().enumerate() {
                    if (node.delay - gb.ranks[r].nodes[n].delay).abs() > 50_000 && big < 5 {
                        big += 1;
                        let item = &a[r].items[n];
                        println!(
                            "rank {r} node {n} delay {} vs {} kernel {:?} op {:?}",
                            node.delay,
                            gb.ranks[r].nodes[n].delay,
                            a[r].kernel(item).map(|k| &k.name),
                            a[r].operation(item).map(|k| &k.name)
                        );
                    }
                    node.delay = gb.ranks[r].nodes[n].delay;
                }
            }
        }
        println!("+delay {:?}", g.step_times());
        for (r, rank) in g.ranks.iter_mut().enumerate() {
            let x: std::collections::BTreeSet<_> = rank.needs.iter().copied().collect();
            let y: std::collections::BTreeSet<_> = gb.ranks[r].needs.iter().copied().collect();
            let name = |n: u32| {
                let item = &a[r].items[n as usize];
                format!("{n}:{:?}{:?}", a[r].kernel(item).map(|k| &k.name), a[r].operation(item).map(|k| &k.name))
            };
            println!(
                "rank {r} needs {} vs {}; only faulty {:?}; only healthy {:?}",
                x.len(),
                y.len(),
                x.difference(&y).take(3).map(|(k, c)| (name(*k), name(*c))).collect::<Vec<_>>(),
                y.difference(&x).take(3).map(|(k, c)| (name(*k), name(*c))).collect::<Vec<_>>()
            );
            rank.needs = gb.ranks[r].needs.clone();
        }
        println!("+needs {:?}", g.step_times());
    }
}
