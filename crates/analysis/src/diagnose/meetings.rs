//! Which operations of different ranks are one.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::trace::RankTrace;
use crate::layout::Layout;

/// An operation as all ranks that took part in it saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// Rank (as an index of the traces) and its item.
    pub members: Vec<(usize, usize)>,
}

/// All meetings, and which one an item is.
#[derive(Clone, Debug, Default)]
pub struct Meetings {
    pub list: Vec<Meeting>,
    /// By rank index and item.
    pub of: Vec<HashMap<usize, usize>>,
    /// Operations that no other rank was seen to take part in.
    pub alone: usize,
}

/// What operations are alike in: group, step, what they do, how much of it, for transfers who sends to whom.
type Like<'a> = (&'a str, usize, &'a str, i64, Option<(i64, i64)>);

/// What operations of different ranks must share to be one: what they are alike in, and their place among their like.
type Key<'a> = (Like<'a>, usize);

impl Meetings {
    pub fn of(traces: &[RankTrace]) -> Meetings {
        let mut found: BTreeMap<Key<'_>, Vec<(usize, usize)>> = BTreeMap::new();
        for (rank, trace) in traces.iter().enumerate() {
            let mut seen: HashMap<Like<'_>, usize> = HashMap::new();
            for (index, item) in trace.items.iter().enumerate() {
                let Some(operation) = trace.operation(item) else { continue };
                // A send and a receive are one transfer.
                let kind = if operation.direction.is_some() { "transfer" } else { operation.kind.as_str() };
                // What each rank has to give of an exchange may differ.
                let bytes = if operation.kind.contains("alltoall") { 0 } else { operation.bytes };
                let like = (operation.group.as_str(), item.step, kind, bytes, operation.pair);
                let order = seen.entry(like).or_default();
                found.entry((like, *order)).or_default().push((rank, index));
                *order += 1;
            }
        }
        let mut meetings = Meetings { of: vec![HashMap::new(); traces.len()], ..Meetings::default() };
        for members in found.into_values() {
            if members.len() < 2 {
                meetings.alone += 1;
                continue;
            }
            for &(rank, item) in &members {
                meetings.of[rank].insert(item, meetings.list.len());
            }
            meetings.list.push(Meeting { members });
        }
        meetings
    }
}

/// The ranks of each group, as indices of the traces; none for a rank that was not profiled. By name and by hash.
///
/// They ascend, which is how trainers have groups number them: it is taken for the order of the group.
pub fn members_of_groups(traces: &[RankTrace], layout: &Layout) -> HashMap<String, Vec<Option<usize>>> {
    let mut groups: HashMap<String, Vec<Option<usize>>> = HashMap::new();
    for group in &layout.groups {
        let index = |rank: &i64| traces.iter().position(|trace| trace.rank == *rank);
        let members: Vec<Option<usize>> = group.ranks.iter().map(index).collect();
        groups.extend(group.name.iter().map(|name| (name.clone(), members.clone())));
        groups.insert(group.hash.clone(), members);
    }
    // A group that the layout does not know has the members that were seen.
    let mut seen: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (rank, trace) in traces.iter().enumerate() {
        for operation in trace.operations.iter().filter(|operation| !groups.contains_key(operation.group.as_str())) {
            seen.entry(&operation.group).or_default().insert(rank);
        }
    }
    groups.extend(seen.into_iter().map(|(name, ranks)| (name.to_owned(), ranks.into_iter().map(Some).collect())));
    groups
}
