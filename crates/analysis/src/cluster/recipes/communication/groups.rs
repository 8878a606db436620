//! Communication groups: the ranks that used them, how, and under which name.

use std::collections::BTreeSet;

use npuscope_tables::Rank;

use super::names::Name;
use super::{IndexMap, Reported};
use crate::communication::GroupKey;
use crate::layout::{Group, Known};

/// A group as it was used: one that was used for both kinds of operations is two.
pub struct UsedGroup {
    pub is_point_to_point: bool,
    pub hash: Name,
    /// Ranks that used it.
    pub users: BTreeSet<Rank>,
}

/// A group that is used, by kind and hash.
pub type UsedKey = (bool, Name);

/// The groups that operations and links were in, by first use.
pub fn used_groups(reported: &Reported) -> IndexMap<UsedKey, UsedGroup> {
    let mut groups: IndexMap<UsedKey, UsedGroup> = IndexMap::default();
    for rank in &reported.ranks {
        let operations = rank.operations.list.iter().map(|op| (op.is_point_to_point, op.group));
        let links = rank.links.iter().map(|link| (link.is_point_to_point, link.group));
        let mut last = None;
        for key in operations.chain(links) {
            if last == Some(key) || reported.names.text(key.1).is_empty() {
                continue;
            }
            last = Some(key);
            let (is_point_to_point, hash) = key;
            let group =
                groups.entry(key).or_insert_with(|| UsedGroup { is_point_to_point, hash, users: BTreeSet::new() });
            group.users.insert(rank.rank);
        }
    }
    groups
}

/// What msprof-analyze calls a use of groups.
pub const fn kind(is_point_to_point: bool) -> &'static str {
    if is_point_to_point { "p2p" } else { "collective" }
}

impl UsedGroup {
    pub const fn kind(&self) -> &'static str {
        kind(self.is_point_to_point)
    }

    pub fn known<'a>(&self, reported: &'a Reported) -> Option<&'a Group> {
        reported.layout.group(reported.names.text(self.hash))
    }

    /// All its ranks, as far as they are known. msprof-analyze knows them from metadata or from use only.
    pub fn ranks(&self, reported: &Reported) -> Vec<Rank> {
        match self.known(reported) {
            Some(group) if group.known == Known::Declared || !reported.compat => group.ranks.clone(),
            _ => self.users.iter().copied().collect(),
        }
    }

    /// What the trainer calls it.
    pub fn pg_name<'a>(&self, reported: &'a Reported) -> &'a str {
        self.known(reported).and_then(|group| group.pg_name.as_deref()).unwrap_or_default()
    }

    /// The name that the hash is of, where the metadata says it.
    pub fn id<'a>(&self, reported: &'a Reported) -> &'a str {
        self.known(reported).and_then(|group| group.name.as_deref()).unwrap_or_default()
    }
}

/// A communication group, as it was used: one that was used for both kinds of operations is two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankGroup {
    /// It was used to send and receive, else for collectives.
    pub is_point_to_point: bool,
    /// Its ranks, as far as they are known; some may not be in the profile.
    pub ranks: Vec<Rank>,
    /// By which operations name it.
    pub hash: GroupKey,
    /// What the hash is of; empty where the metadata does not say it.
    pub name: String,
    /// What the trainer calls it, for example `dp`; empty where it does not say.
    pub purpose: String,
}

/// Every group with its ranks and names, by kind and hash.
pub fn rank_groups(reported: &Reported) -> Vec<RankGroup> {
    let groups = used_groups(reported);
    let mut groups: Vec<&UsedGroup> = groups.values().collect();
    groups.sort_by_key(|group| (group.is_point_to_point, reported.names.text(group.hash)));
    let group = |group: &UsedGroup| RankGroup {
        is_point_to_point: group.is_point_to_point,
        ranks: group.ranks(reported),
        hash: GroupKey(reported.names.text(group.hash).into()),
        name: group.id(reported).to_owned(),
        purpose: group.pg_name(reported).to_owned(),
    };
    groups.into_iter().map(group).collect()
}
