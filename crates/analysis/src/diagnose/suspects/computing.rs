//! Ranks whose kernels take longer than those of ranks that do the same: because they are slow, because the AI Core
//! runs at a lower frequency, because their experts get more tokens, or because an operator runs on the AI CPU.

use std::collections::{BTreeMap, HashMap};

use npuscope_measures::communication::OpClass;
use npuscope_measures::statistics::median;
use npuscope_messages::Decimal;

use super::{Case, Cause, MAX_EVIDENCE, Suspect, median_of_others};
use crate::diagnose::graph::{Change, items_of};
use crate::diagnose::trace::{Item, KernelName, RankTrace};
use crate::finding::{Evidence, Number};
use crate::messages;

/// A rank is a suspect if its kernels take longer in total by this factor: a choice, low because the replay computes
/// the cost.
const LEAST_RATIO: f64 = 1.01;
/// A frequency below this share of the others' is low: a choice. Devices that are not held back run at the same.
const LOW_FREQUENCY: f64 = 0.98;
/// The share of the time lost that must be in kernels with other shapes for it to be the experts': most of it.
const EXPERT_SHARE: f64 = 0.5;

/// What a kernel of a rank should take, by how many others, and whether those have other shapes.
struct Expected {
    node: usize,
    ns: f64,
    compared: usize,
    other_shapes: bool,
}

pub fn suspects(case: &Case<'_>) -> Vec<Suspect> {
    let by_rank = expected(case);
    let frequencies: Vec<f64> = case.traces.iter().map(mean_frequency).collect();
    let mut suspects = Vec::new();
    for (rank, expected) in by_rank.iter().enumerate() {
        suspects.extend(slow(case, rank, expected, &frequencies));
    }
    suspects.extend(ai_cpu(case));
    suspects
}

fn slow(case: &Case<'_>, rank: usize, expected: &[Expected], frequencies: &[f64]) -> Option<Suspect> {
    let trace = &case.traces[rank];
    let (mut took, mut should, mut by_shape) = (0.0, 0.0, 0.0);
    let mut change = Change::default();
    for kernel in expected {
        let ns = duration(&trace.items[kernel.node]);
        took += ns;
        should += kernel.ns;
        by_shape += if kernel.other_shapes { ns - kernel.ns } else { 0.0 };
        change.durations.push((rank, kernel.node, kernel.ns.round() as i64));
    }
    let ratio = took / should;
    if ratio.is_nan() || ratio < LEAST_RATIO {
        return None;
    }
    let others = median_of_others(frequencies, rank).unwrap_or(f64::NAN);
    let mut numbers = vec![Number::new(messages::number_ratio(), ratio, "")];
    let (cause, what) = if frequencies[rank] < others * LOW_FREQUENCY {
        numbers.push(Number::new(messages::number_frequency(), frequencies[rank], "MHz"));
        numbers.push(Number::new(messages::number_frequency_of_others(), others, "MHz"));
        (Cause::Frequency, messages::what_frequency(Decimal(frequencies[rank]), Decimal(others)))
    } else if by_shape > EXPERT_SHARE * (took - should) {
        change.transits = exchanges(case, rank);
        (Cause::ExpertImbalance, messages::what_expert_imbalance())
    } else {
        (Cause::Compute, messages::what_compute(Decimal(ratio)))
    };
    Some(Suspect {
        cause,
        weight: took - should,
        compared: usually_compared(expected),
        ranks: vec![trace.rank],
        what,
        numbers,
        evidence: evidence(trace, expected),
        change,
    })
}

/// By how many others most kernels are judged.
fn usually_compared(expected: &[Expected]) -> usize {
    let mut compared: Vec<usize> = expected.iter().map(|kernel| kernel.compared).collect();
    compared.sort_unstable();
    compared.get(compared.len() / 2).copied().unwrap_or_default()
}

/// The kernels that lose most.
fn evidence(trace: &RankTrace, expected: &[Expected]) -> Vec<Evidence> {
    let mut worst: Vec<(f64, &Expected)> =
        expected.iter().map(|e| (duration(&trace.items[e.node]) - e.ns, e)).collect();
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    let rows = worst.iter().take(MAX_EVIDENCE).map(|(_, expected)| {
        let item = &trace.items[expected.node];
        let name = trace.kernel(item).map(|kernel| kernel.name.as_str()).unwrap_or_default();
        let ms = duration(item) / 1e6;
        let usual = expected.ns / 1e6;
        trace.evidence(item, messages::seen_kernel(name, Decimal(ms), Decimal(usual)))
    });
    rows.collect()
}

fn duration(item: &Item) -> f64 {
    (item.end - item.start) as f64
}

/// What each kernel should take: the median of the kernels at the same place of the step on ranks that did the same;
/// where no other rank did, the median of kernels of the same name and shapes.
fn expected(case: &Case<'_>) -> Vec<Vec<Expected>> {
    let traces = case.traces;
    let mut expected: Vec<Vec<Expected>> = traces.iter().map(|_| Vec::new()).collect();
    let mut alike: BTreeMap<(usize, u64), Vec<(usize, usize)>> = BTreeMap::new();
    for (rank, graph) in case.graph.ranks.iter().enumerate() {
        for (step, shape) in graph.shapes.iter().enumerate() {
            alike.entry((step, *shape)).or_default().push((rank, step));
        }
    }
    let usual = usual_by_name(traces);
    for members in alike.values() {
        let ranges: Vec<_> =
            members.iter().map(|&(rank, step)| items_of(&traces[rank], &case.graph.ranks[rank].first, step)).collect();
        let Some(length) = ranges.iter().map(ExactSizeIterator::len).min() else { continue };
        for place in 0..length {
            let items: Vec<&Item> = members
                .iter()
                .zip(&ranges)
                .map(|(&(rank, _), range)| &traces[rank].items[range.start + place])
                .collect();
            let kernel = |member: usize| traces[members[member].0].kernel(items[member]);
            if kernel(0).is_none_or(|kernel| kernel.is_aicpu) {
                continue;
            }
            let durations: Vec<f64> = items.iter().map(|item| duration(item)).collect();
            let middle = median(&durations);
            let shapes = |member: usize| kernel(member).map(|kernel| kernel.shapes.as_str());
            let mut with_shapes: HashMap<Option<&str>, usize> = HashMap::new();
            for member in 0..members.len() {
                *with_shapes.entry(shapes(member)).or_default() += 1;
            }
            for (member, &(rank, _)) in members.iter().enumerate() {
                let node = ranges[member].start + place;
                let others = members.len() - 1;
                let of_others = match others {
                    0 => kernel(member).and_then(|kernel| usual.get(kernel)).and_then(|list| {
                        let others: Vec<f64> = list.iter().filter(|(r, _)| *r != rank).map(|(_, ns)| *ns).collect();
                        (!others.is_empty()).then(|| (median(&others), others.len()))
                    }),
                    1 | 2 => median_of_others(&durations, member).map(|ns| (ns, others)),
                    _ => Some((middle, others)),
                };
                let Some((ns, compared)) = of_others else { continue };
                let differ = members.len() - with_shapes[&shapes(member)];
                expected[rank].push(Expected { node, ns, compared, other_shapes: 2 * differ >= members.len() });
            }
        }
    }
    expected
}

/// Median duration of kernels by name and shapes, rank by rank.
fn usual_by_name(traces: &[RankTrace]) -> HashMap<&KernelName, Vec<(usize, f64)>> {
    let mut usual: HashMap<&KernelName, Vec<(usize, f64)>> = HashMap::new();
    for (rank, trace) in traces.iter().enumerate() {
        let mut durations: HashMap<&KernelName, Vec<f64>> = HashMap::new();
        for item in &trace.items {
            if let Some(kernel) = trace.kernel(item) {
                durations.entry(kernel).or_default().push(duration(item));
            }
        }
        for (kernel, list) in durations {
            usual.entry(kernel).or_default().push((rank, median(&list)));
        }
    }
    usual
}

/// Frequency of the AI Core, mean over time; not a number where it was not sampled.
fn mean_frequency(trace: &RankTrace) -> f64 {
    let (Some(first), Some(last)) = (trace.steps.first(), trace.steps.last()) else { return f64::NAN };
    let mut samples = trace.frequency.clone();
    samples.sort_by_key(|sample| sample.0);
    let ends = samples.iter().skip(1).map(|sample| sample.0).chain([last.end.max(first.start + 1)]);
    let (mut area, mut time) = (0.0, 0.0);
    for (&(start, value), end) in samples.iter().zip(ends) {
        let ns = (end.min(last.end) - start.max(first.start)).max(0) as f64;
        area += ns * value;
        time += ns;
    }
    area / time
}

/// What exchanges of tokens would take if those to and from `rank` were like the others: as long as the median link.
fn exchanges(case: &Case<'_>, rank: usize) -> Vec<(usize, i64)> {
    let mut transits = Vec::new();
    for (meeting, members) in case.graph.members.iter().enumerate() {
        if members.len() < 2 || !members.iter().any(|(member, _)| *member == rank) {
            continue;
        }
        let is_exchange = members.iter().any(|&(member, item)| {
            let trace = &case.traces[member];
            trace.operation(&trace.items[item]).is_some_and(|op| OpClass::of(&op.kind) == OpClass::Exchange)
        });
        if !is_exchange {
            continue;
        }
        let mut per_rank = Vec::new();
        for &(member, item) in members {
            let trace = &case.traces[member];
            let crate::diagnose::trace::What::Communication(operation) = trace.items[item].what else { continue };
            let pieces = trace.pieces_of(operation);
            per_rank.extend(pieces.iter().map(|piece| piece.ns as f64));
        }
        let (Some(most), middle) = (per_rank.iter().copied().reduce(f64::max), median(&per_rank)) else { continue };
        if most > 0.0 {
            transits.push((meeting, (case.graph.transit[meeting] as f64 * middle / most).round() as i64));
        }
    }
    transits
}

/// Ranks that run more on the AI CPU than the others.
fn ai_cpu(case: &Case<'_>) -> Vec<Suspect> {
    let nodes = |trace: &RankTrace| -> Vec<usize> {
        let is_aicpu = |item: &Item| trace.kernel(item).is_some_and(|kernel| kernel.is_aicpu);
        trace.items.iter().enumerate().filter(|(_, item)| is_aicpu(item)).map(|(node, _)| node).collect()
    };
    let nodes: Vec<Vec<usize>> = case.traces.iter().map(nodes).collect();
    let total = |rank: usize| nodes[rank].iter().map(|&node| duration(&case.traces[rank].items[node])).sum::<f64>();
    let totals: Vec<f64> = (0..nodes.len()).map(total).collect();
    let mut suspects = Vec::new();
    for (rank, trace) in case.traces.iter().enumerate() {
        let Some(usual) = median_of_others(&totals, rank).filter(|usual| totals[rank] > usual * LEAST_RATIO) else {
            continue;
        };
        let share = usual / totals[rank];
        let shortened = |&node: &usize| (rank, node, (duration(&trace.items[node]) * share).round() as i64);
        let evidence = nodes[rank].iter().take(MAX_EVIDENCE).map(|&node| {
            let item = &trace.items[node];
            let name = trace.kernel(item).map(|kernel| kernel.name.as_str()).unwrap_or_default();
            trace.evidence(item, messages::seen_aicpu(name, Decimal(duration(item) / 1e6)))
        });
        suspects.push(Suspect {
            cause: Cause::AiCpu,
            weight: totals[rank] - usual,
            compared: nodes.len() - 1,
            ranks: vec![trace.rank],
            what: messages::what_aicpu(nodes[rank].len()),
            numbers: vec![
                Number::new(messages::number_aicpu(), totals[rank] / 1e6, "ms"),
                Number::new(messages::number_aicpu_of_others(), usual / 1e6, "ms"),
            ],
            evidence: evidence.collect(),
            change: Change { durations: nodes[rank].iter().map(shortened).collect(), ..Change::default() },
        });
    }
    suspects
}
