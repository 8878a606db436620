//! Which operations of different ranks are one.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use npuscope_tables::Rank;

use super::trace::RankTrace;
use crate::communication::GroupKey;
use crate::layout::Layout;
use crate::meetings::{Key, Keys};

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

impl Meetings {
    pub fn of(traces: &[RankTrace]) -> Meetings {
        let mut found: BTreeMap<Key<'_>, Vec<(usize, usize)>> = BTreeMap::new();
        for (rank, trace) in traces.iter().enumerate() {
            let mut keys = Keys::default();
            for (index, item) in trace.items.iter().enumerate() {
                let Some(operation) = trace.operation(item) else { continue };
                let step = i64::try_from(item.step).unwrap_or(i64::MAX);
                found.entry(keys.next(operation, step)).or_default().push((rank, index));
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
pub fn members_of_groups(traces: &[RankTrace], layout: &Layout) -> HashMap<GroupKey, Vec<Option<usize>>> {
    let mut groups: HashMap<GroupKey, Vec<Option<usize>>> = HashMap::new();
    for group in &layout.groups {
        let index = |rank: &Rank| traces.iter().position(|trace| trace.rank == *rank);
        let members: Vec<Option<usize>> = group.ranks.iter().map(index).collect();
        groups.extend(group.name.iter().map(|name| (GroupKey(name.as_str().into()), members.clone())));
        groups.insert(group.hash.clone(), members);
    }
    // A group that the layout does not know has the members that were seen.
    let mut seen: BTreeMap<&GroupKey, BTreeSet<usize>> = BTreeMap::new();
    for (rank, trace) in traces.iter().enumerate() {
        for operation in trace.operations.iter().filter(|operation| !groups.contains_key(&operation.group)) {
            seen.entry(&operation.group).or_default().insert(rank);
        }
    }
    groups.extend(seen.into_iter().map(|(group, ranks)| (group.clone(), ranks.into_iter().map(Some).collect())));
    groups
}
