//! Links that are slow, and transfers that were sent again.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use npuscope_measures::statistics::{median, quantile_of};
use npuscope_messages::Decimal;

use super::{Case, Cause, MAX_EVIDENCE, Suspect};
use crate::diagnose::MOST_SUSPECTS;
use crate::diagnose::graph::Change;
use crate::diagnose::meetings::members_of_groups;
use crate::diagnose::trace::{Piece, RDMA, What};
use crate::finding::Number;
use crate::messages;

/// A link is slow if its transfers take longer than those of comparable links by this factor: a choice.
const SLOW: f64 = 1.15;
/// A link is no slower than this quantile of its transfers: fewer than one in ten that take long are not its fault.
const FEW_TRANSFERS: f64 = 0.9;
/// A transfer was retransmitted if it takes this many times as long as usual, and this many ns longer: a choice.
/// Network adapters wait for milliseconds or longer before they retransmit.
const AGAIN: f64 = 10.0;
const AGAIN_NS: f64 = 1e6;

/// A piece of a meeting over a link between two ranks (indices).
struct Use<'a> {
    meeting: usize,
    source: usize,
    target: usize,
    ns: f64,
    /// What pieces of this size over this kind of link take.
    usual: f64,
    /// Other transfers that define the usual time.
    compared: usize,
    piece: &'a Piece,
}

/// Two ranks (indices, the smaller first) and what connects them.
type Link<'a> = (usize, usize, &'a str);

impl Use<'_> {
    fn link(&self) -> Link<'_> {
        (self.source.min(self.target), self.source.max(self.target), &self.piece.transport)
    }

    fn is_again(&self) -> bool {
        self.ns > AGAIN * self.usual && self.ns - self.usual > AGAIN_NS && *self.piece.transport == *RDMA
    }
}

pub fn suspects(case: &Case<'_>) -> Vec<Suspect> {
    let uses = uses(case);
    let mut by_meeting: BTreeMap<usize, Vec<&Use<'_>>> = BTreeMap::new();
    for piece in &uses {
        by_meeting.entry(piece.meeting).or_default().push(piece);
    }
    let mut suspects = sent_again(case, &uses);
    suspects.extend(slow_links(case, &uses, &by_meeting));
    suspects
}

fn uses<'a>(case: &Case<'a>) -> Vec<Use<'a>> {
    let groups = members_of_groups(case.traces, case.layout);
    let mut by_size: HashMap<(&str, i64), Vec<f64>> = HashMap::new();
    for piece in case.traces.iter().flat_map(|trace| &trace.pieces) {
        by_size.entry((&*piece.transport, piece.bytes)).or_default().push(piece.ns as f64);
    }
    let usual: HashMap<(&str, i64), (f64, usize)> =
        by_size.into_iter().map(|(size, list)| (size, (median(&list), list.len() - 1))).collect();
    let mut uses = Vec::new();
    for (rank, trace) in case.traces.iter().enumerate() {
        let mut items = vec![None; trace.operations.len()];
        for (index, item) in trace.items.iter().enumerate() {
            if let What::Communication(operation) = item.what {
                items[operation] = Some(index);
            }
        }
        for piece in &trace.pieces {
            let Some(members) = groups.get(&trace.operations[piece.operation].group_key) else { continue };
            let member =
                |local: i64| usize::try_from(local).ok().and_then(|local| members.get(local).copied().flatten());
            let (Some(source), Some(target)) = (member(piece.source), member(piece.target)) else { continue };
            let meeting = items[piece.operation].and_then(|item| case.meetings.of[rank].get(&item).copied());
            let Some(meeting) = meeting else { continue };
            let (usual, compared) = usual[&(&*piece.transport, piece.bytes)];
            uses.push(Use { meeting, source, target, ns: piece.ns as f64, usual, compared, piece });
        }
    }
    uses
}

fn size_of(piece: &Piece) -> String {
    npuscope_messages::size(u64::try_from(piece.bytes).unwrap_or_default())
}

/// Ranks whose transfers over the network took far longer than usual, now and then.
fn sent_again(case: &Case<'_>, uses: &[Use<'_>]) -> Vec<Suspect> {
    let mut by_sender: BTreeMap<usize, Vec<&Use<'_>>> = BTreeMap::new();
    for piece in uses.iter().filter(|piece| piece.is_again()) {
        by_sender.entry(piece.source).or_default().push(piece);
    }
    let mut suspects = Vec::new();
    for (sender, pieces) in by_sender {
        let mut lost: BTreeMap<usize, &Use<'_>> = BTreeMap::new();
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
            let what = messages::seen_retransmission(size_of(piece.piece), trace.rank, to, Decimal(ms), Decimal(usual));
            case.traces[rank].evidence(&case.traces[rank].items[item], what)
        });
        suspects.push(Suspect {
            cause: Cause::Retransmission,
            weight: lost.values().map(|piece| piece.ns - piece.usual).sum(),
            compared: lost.values().map(|piece| piece.compared).min().unwrap_or_default(),
            ranks: vec![trace.rank],
            what: messages::what_retransmission(lost.len(), Decimal(longest)),
            numbers: vec![
                Number::new(messages::number_transfers(), lost.len() as f64, ""),
                Number::new(messages::number_longest(), longest, "ms"),
            ],
            evidence: evidence.collect(),
            change: Change { transits: transits.collect(), ..Change::default() },
        });
    }
    suspects
}

/// Links whose transfers take longer than those of the same size over the same kind of link.
fn slow_links(case: &Case<'_>, uses: &[Use<'_>], by_meeting: &BTreeMap<usize, Vec<&Use<'_>>>) -> Vec<Suspect> {
    let mut links: BTreeMap<Link<'_>, Vec<&Use<'_>>> = BTreeMap::new();
    for piece in uses.iter().filter(|piece| !piece.is_again() && piece.usual > 0.0) {
        links.entry(piece.link()).or_default().push(piece);
    }
    let mut with_transport: HashMap<&str, usize> = HashMap::new();
    for (_, _, transport) in links.keys() {
        *with_transport.entry(transport).or_default() += 1;
    }
    let mut slow: Vec<SlowLink<'_>> = links.iter().filter_map(|(&link, pieces)| SlowLink::of(link, pieces)).collect();
    // What they would be without is work: it is not done for more than are looked into.
    slow.sort_by(|a, b| b.lost().total_cmp(&a.lost()));
    slow.truncate(MOST_SUSPECTS);
    slow.iter().map(|slow| slow.suspect(case, by_meeting, with_transport[slow.link.2] - 1)).collect()
}

struct SlowLink<'a> {
    link: Link<'a>,
    pieces: &'a [&'a Use<'a>],
    /// What its pieces took, and what others of their sizes take, in ns.
    took: f64,
    usual: f64,
    /// Times as long.
    ratio: f64,
}

impl<'a> SlowLink<'a> {
    fn of(link: Link<'a>, pieces: &'a [&'a Use<'a>]) -> Option<Self> {
        // Of all times together: short messages say little about a link.
        let (took, usual) = pieces.iter().fold((0.0, 0.0), |(took, usual), p| (took + p.ns, usual + p.usual));
        let ratios: Vec<f64> = pieces.iter().map(|piece| piece.ns / piece.usual).collect();
        let ratio = (took / usual).min(quantile_of(&ratios, FEW_TRANSFERS));
        (ratio >= SLOW).then_some(SlowLink { link, pieces, took, usual, ratio })
    }

    fn lost(&self) -> f64 {
        self.took - self.usual
    }

    fn suspect(&self, case: &Case<'_>, by_meeting: &BTreeMap<usize, Vec<&Use<'_>>>, compared: usize) -> Suspect {
        let SlowLink { link, pieces, took, ratio, .. } = *self;
        let mut change = Change::default();
        for meeting in pieces.iter().map(|piece| piece.meeting).collect::<BTreeSet<usize>>() {
            let pieces = &by_meeting[&meeting];
            let mended = |piece: &&Use<'_>| if piece.link() == link { piece.usual.min(piece.ns) } else { piece.ns };
            let slowest = pieces.iter().map(|piece| piece.ns).fold(0.0, f64::max);
            let share = pieces.iter().map(mended).fold(0.0, f64::max) / slowest;
            change.transits.push((meeting, (case.graph.transit[meeting] as f64 * share).round() as i64));
        }
        let bandwidth = pieces.iter().map(|piece| piece.piece.bytes as f64).sum::<f64>() / took;
        let mut worst = pieces.to_vec();
        worst.sort_by(|a, b| (b.ns - b.usual).total_cmp(&(a.ns - a.usual)));
        let evidence = worst.iter().take(MAX_EVIDENCE).map(|piece| {
            let &(rank, item) = &case.graph.members[piece.meeting][0];
            let (ms, usual) = (piece.ns / 1e6, piece.usual / 1e6);
            let what = messages::seen_link(size_of(piece.piece), Decimal(ms), Decimal(usual));
            case.traces[rank].evidence(&case.traces[rank].items[item], what)
        });
        let (a, b, transport) = link;
        Suspect {
            cause: Cause::Link,
            weight: self.lost(),
            compared,
            ranks: vec![case.traces[a].rank, case.traces[b].rank],
            what: messages::what_link(transport, Decimal(ratio), Decimal(bandwidth)),
            numbers: vec![
                Number::new(messages::number_ratio(), ratio, ""),
                Number::new(messages::number_bandwidth(), bandwidth, "GB/s"),
            ],
            evidence: evidence.collect(),
            change,
        }
    }
}
