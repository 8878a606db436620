//! Which operations of different ranks are one.

use std::collections::{BTreeMap, HashMap};

use super::trace::{Direction, RankTrace, What};

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

/// What operations must share to be one: the group, the step, what they do and how much of it, for
/// transfers who sends to whom, and that they are the same in order among their like.
type Key<'a> = (&'a str, i64, &'a str, i64, Option<(i64, i64)>, usize);

impl Meetings {
    pub fn of(traces: &[RankTrace]) -> Meetings {
        let mut found: BTreeMap<Key<'_>, Vec<(usize, usize)>> = BTreeMap::new();
        for (rank, trace) in traces.iter().enumerate() {
            let mut seen: HashMap<(&str, usize, &str, i64, Option<(i64, i64)>), usize> = HashMap::new();
            for (index, item) in trace.items.iter().enumerate() {
                let Some(operation) = trace.operation(item) else { continue };
                // A send and a receive are one transfer.
                let kind = match operation.direction {
                    Direction::All => operation.kind.as_str(),
                    Direction::Send | Direction::Receive => "transfer",
                };
                // What each rank has to give of an exchange may differ.
                let bytes = if operation.kind.contains("alltoall") { 0 } else { operation.bytes };
                let like = (operation.group.as_str(), item.step, kind, bytes, operation.pair);
                let order = seen.entry(like).or_default();
                let step = trace.steps.get(item.step).map_or(0, |step| step.id);
                let key = (like.0, step, kind, bytes, operation.pair, *order);
                *order += 1;
                found.entry(key).or_default().push((rank, index));
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

/// The members of each group that were seen, in order: what numbers within the group stand for when all
/// of the group were profiled.
pub fn members_of_groups(traces: &[RankTrace]) -> BTreeMap<String, Vec<usize>> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (rank, trace) in traces.iter().enumerate() {
        for item in &trace.items {
            let What::Communication(operation) = item.what else { continue };
            let Some(operation) = trace.operations.get(operation) else { continue };
            match groups.get_mut(&operation.group) {
                Some(members) if members.last() == Some(&rank) => {}
                Some(members) => members.push(rank),
                None => drop(groups.insert(operation.group.clone(), vec![rank])),
            }
        }
    }
    groups
}
