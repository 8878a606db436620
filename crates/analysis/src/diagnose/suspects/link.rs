//! Links that are slow, and transfers that were sent again.

use std::collections::{BTreeMap, HashMap};

use super::{Case, Cause, MAX_EVIDENCE, Suspect};
use crate::cluster::statistics::median;
use crate::diagnose::graph::Change;
use crate::diagnose::meetings::members_of_groups;
use crate::diagnose::trace::{Piece, What};

/// A link is slow if its transfers take so much longer than those of its like.
const SLOW: f64 = 1.15;
/// A transfer was sent again if it takes so many times as long as usual, and so many ns more.
const AGAIN: f64 = 10.0;
const AGAIN_NS: f64 = 1e6;

/// A piece of a meeting over a link between two ranks (indices).
struct Use {
    meeting: usize,
    source: usize,
    target: usize,
    ns: f64,
    /// What pieces of this size over this kind of link take.
    usual: f64,
    piece: Piece,
}

pub fn suspects(case: &Case<'_>) -> Vec<Suspect> {
    let uses = uses(case);
    let mut by_meeting: BTreeMap<usize, Vec<&Use>> = BTreeMap::new();
    for piece in &uses {
        by_meeting.entry(piece.meeting).or_default().push(piece);
    }
    let mut suspects = sent_again(case, &uses);
    suspects.extend(slow_links(case, &uses, &by_meeting));
    suspects
}

fn uses(case: &Case<'_>) -> Vec<Use> {
    let groups = members_of_groups(case.traces, case.layout);
    let mut by_size: HashMap<(bool, i64), Vec<f64>> = HashMap::new();
    for piece in case.traces.iter().flat_map(|trace| &trace.pieces) {
        by_size.entry((piece.is_rdma, piece.bytes)).or_default().push(piece.ns as f64);
    }
    let usual: HashMap<(bool, i64), f64> = by_size.into_iter().map(|(size, list)| (size, median(&list))).collect();
    let mut uses = Vec::new();
    for (rank, trace) in case.traces.iter().enumerate() {
        let mut items = vec![None; trace.operations.len()];
        for (index, item) in trace.items.iter().enumerate() {
            if let What::Communication(operation) = item.what {
                items[operation] = Some(index);
            }
        }
        for piece in &trace.pieces {
            let Some(members) = groups.get(&trace.operations[piece.operation].group) else { continue };
            let member =
                |local: i64| usize::try_from(local).ok().and_then(|local| members.get(local).copied().flatten());
            let (Some(source), Some(target)) = (member(piece.source), member(piece.target)) else { continue };
            let meeting = items[piece.operation].and_then(|item| case.meetings.of[rank].get(&item).copied());
            let Some(meeting) = meeting else { continue };
            let usual = usual[&(piece.is_rdma, piece.bytes)];
            uses.push(Use { meeting, source, target, ns: piece.ns as f64, usual, piece: *piece });
        }
    }
    uses
}

fn is_again(piece: &Use) -> bool {
    piece.ns > AGAIN * piece.usual && piece.ns - piece.usual > AGAIN_NS && piece.piece.is_rdma
}

/// Ranks whose transfers over the network took far longer than usual, now and then.
fn sent_again(case: &Case<'_>, uses: &[Use]) -> Vec<Suspect> {
    let mut by_sender: BTreeMap<usize, Vec<&Use>> = BTreeMap::new();
    for piece in uses.iter().filter(|piece| is_again(piece)) {
        by_sender.entry(piece.source).or_default().push(piece);
    }
    let mut suspects = Vec::new();
    for (sender, pieces) in by_sender {
        let mut lost: BTreeMap<usize, &Use> = BTreeMap::new();
        for &piece in &pieces {
            let worst = lost.entry(piece.meeting).or_insert(piece);
            if piece.ns > worst.ns {
                *worst = piece;
            }
        }
        let transits = lost.iter().map(|(&meeting, piece)| {
            (meeting, (case.graph.transit[meeting] - (piece.ns - piece.usual).round() as i64).max(0))
        });
        let longest = lost.values().map(|piece| piece.ns).fold(0.0, f64::max) / 1e6;
        let trace = &case.traces[sender];
        let evidence = lost.values().take(MAX_EVIDENCE).map(|piece| {
            let &(rank, item) = &case.graph.members[piece.meeting][0];
            let to = case.traces[piece.target].rank;
            let (ms, usual) = (piece.ns / 1e6, piece.usual / 1e6);
            let what = format!(
                "{} bytes from rank {} to rank {to}: {ms:.3} ms, usually {usual:.3} ms",
                piece.piece.bytes, trace.rank
            );
            case.traces[rank].evidence(&case.traces[rank].items[item], what)
        });
        suspects.push(Suspect {
            cause: Cause::Retransmission,
            ranks: vec![trace.rank],
            what: format!("{} of its transfers were sent again, the longest took {longest:.0} ms", lost.len()),
            numbers: vec![("transfers", lost.len() as f64, ""), ("longest", longest, "ms")],
            evidence: evidence.collect(),
            change: Change { transits: transits.collect(), ..Change::default() },
        });
    }
    suspects
}

/// Links whose transfers take longer than those of the same size over the same kind of link.
fn slow_links(case: &Case<'_>, uses: &[Use], by_meeting: &BTreeMap<usize, Vec<&Use>>) -> Vec<Suspect> {
    let mut links: BTreeMap<(usize, usize), Vec<&Use>> = BTreeMap::new();
    for piece in uses.iter().filter(|piece| !is_again(piece) && piece.usual > 0.0) {
        let ends = (piece.source.min(piece.target), piece.source.max(piece.target));
        links.entry(ends).or_default().push(piece);
    }
    let mut suspects = Vec::new();
    for (&(a, b), pieces) in &links {
        // By bytes: short messages say little about a link.
        let (took, usual) = pieces.iter().fold((0.0, 0.0), |(took, usual), p| (took + p.ns, usual + p.usual));
        let ratios: Vec<f64> = pieces.iter().map(|piece| piece.ns / piece.usual).collect();
        let ratio = (took / usual).min(quantile_of(&ratios, 0.9));
        if ratio.is_nan() || ratio < SLOW {
            continue;
        }
        let is_link = |piece: &Use| (piece.source.min(piece.target), piece.source.max(piece.target)) == (a, b);
        let mut change = Change::default();
        for (&meeting, pieces) in by_meeting.iter().filter(|(_, pieces)| pieces.iter().any(|piece| is_link(piece))) {
            let slowest = pieces.iter().map(|piece| piece.ns).fold(0.0, f64::max);
            let mended = pieces.iter().map(|piece| if is_link(piece) { piece.usual.min(piece.ns) } else { piece.ns });
            let share = mended.fold(0.0, f64::max) / slowest;
            change.transits.push((meeting, (case.graph.transit[meeting] as f64 * share).round() as i64));
        }
        let bandwidth = pieces.iter().map(|piece| piece.piece.bytes as f64).sum::<f64>() / took;
        let kind = if pieces.iter().any(|piece| piece.piece.is_rdma) { "RDMA" } else { "HCCS" };
        let (one, other) = (case.traces[a].rank, case.traces[b].rank);
        let mut worst = pieces.clone();
        worst.sort_by(|a, b| (b.ns - b.usual).total_cmp(&(a.ns - a.usual)));
        let evidence = worst.iter().take(MAX_EVIDENCE).map(|piece| {
            let &(rank, item) = &case.graph.members[piece.meeting][0];
            let (ms, usual) = (piece.ns / 1e6, piece.usual / 1e6);
            let what = format!("{} bytes: {ms:.3} ms, over other links {usual:.3} ms", piece.piece.bytes);
            case.traces[rank].evidence(&case.traces[rank].items[item], what)
        });
        suspects.push(Suspect {
            cause: Cause::Link,
            ranks: vec![one, other],
            what: format!(
                "transfers over their {kind} link take {ratio:.2} times as long as over others ({bandwidth:.1} GB/s)"
            ),
            numbers: vec![("times as long", ratio, ""), ("bandwidth", bandwidth, "GB/s")],
            evidence: evidence.collect(),
            change,
        });
    }
    suspects
}

fn quantile_of(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    crate::cluster::statistics::quantile(&sorted, q)
}
