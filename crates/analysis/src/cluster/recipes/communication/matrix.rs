//! Traffic of links between ranks, by global rank.
//!
//! Ranks report links by their numbers within a group. A number is mapped to a rank if the metadata lists the
//! group's ranks, if a rank reported a link with that number to itself, or if two ranks did and the others follow at
//! equal distances. Links to ranks that are not in the profile are therefore kept. msprof-analyze uses the first two
//! ways for databases, the second for text, and drops other links.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

use hashbrown::{HashMap, HashSet};
use npuscope_tables::Rank;

use super::links::{Link, LinkKey};
use super::names::Name;
use super::{IndexMap, Reported};
use crate::cluster::recipes::communication_matrix_sum::LinkTraffic;
use crate::communication::GroupKey;
use crate::layout::Known;
use crate::messages::cluster as messages;
use npuscope_messages::Message;

/// The links of operations by first mention, and then the sums over operations of each step and group.
pub fn global_links(reported: &Reported) -> (Vec<Link<Rank>>, Vec<Link<Rank>>) {
    let ranks = Ranks::of(reported);
    let local = merged(reported.ranks.iter().flat_map(|rank| rank.links.iter().copied()), reported);
    let links: Vec<Link<Rank>> = local
        .into_iter()
        .filter_map(|link| {
            let (src, dst) = (ranks.get(link.group, link.src)?, ranks.get(link.group, link.dst)?);
            Some(link.between(src, dst))
        })
        .collect();
    let summed = links.iter().filter(|link| is_summed(reported, link)).map(|link| Link {
        name: None,
        op_name: link.op_name.filter(|_| reported.compat),
        // One table per group: msprof-analyze does not distinguish kinds of operations in databases.
        is_point_to_point: link.is_point_to_point && (reported.is_text || !reported.compat),
        ..*link
    });
    let totals = merged(summed, reported);
    (links, totals)
}

/// Whether an operation counts in sums: places in the order of operations are part of `total`.
fn is_summed(reported: &Reported, link: &Link<Rank>) -> bool {
    let name = reported.names.opt_text(link.name).unwrap_or_default();
    match reported.compat && !reported.is_text {
        true => name.contains("total"),
        false => !["middle", "top", "bottom"].iter().any(|place| name.contains(place)),
    }
}

/// Links with the same key as one. Transport and operation are those of the first; of the last for text in
/// msprof-analyze.
fn merged<End: Copy + Eq + Hash>(links: impl Iterator<Item = Link<End>>, reported: &Reported) -> Vec<Link<End>> {
    let takes_last = reported.compat && reported.is_text;
    let mut merged: IndexMap<LinkKey<End>, Link<End>> = IndexMap::default();
    for link in links {
        let entry = merged.entry(link.key());
        let sum = entry.or_insert(Link { size: 0.0, time: 0.0, ..link });
        sum.size += link.size;
        sum.time += link.time;
        if takes_last {
            (sum.transport, sum.op_name) = (link.transport, link.op_name);
        }
    }
    merged.into_values().collect()
}

/// Ranks by group and number within it.
struct Ranks(HashMap<(Name, i64), Rank>);

impl Ranks {
    fn of(reported: &Reported) -> Ranks {
        let mut ranks = Ranks(HashMap::new());
        let links = || reported.ranks.iter().flat_map(|rank| rank.links.iter().map(move |link| (rank.rank, link)));
        let groups: HashSet<Name> = links().map(|(_, link)| link.group).collect();
        if !reported.compat || !reported.is_text {
            groups.iter().for_each(|group| ranks.add_members(*group, Known::Declared, reported));
        }
        for (rank, link) in links().filter(|(_, link)| link.src == link.dst) {
            ranks.0.entry((link.group, link.src)).or_insert(rank);
        }
        if !reported.compat {
            groups.iter().for_each(|group| ranks.add_members(*group, Known::Reckoned, reported));
        }
        ranks
    }

    fn add_members(&mut self, group: Name, known: Known, reported: &Reported) {
        let members = reported.layout.group(reported.names.text(group)).filter(|group| group.known == known);
        for (number, rank) in (0..).zip(members.into_iter().flat_map(|group| &group.ranks)) {
            self.0.entry((group, number)).or_insert(*rank);
        }
    }

    fn get(&self, group: Name, number: i64) -> Option<Rank> {
        self.0.get(&(group, number)).copied()
    }
}

/// The note about links whose ends are unknown.
pub fn unknown_ends(reported: &Reported) -> Option<Message> {
    let ranks = Ranks::of(reported);
    let mut unknown: BTreeSet<(&str, i64)> = BTreeSet::new();
    let mut links = 0;
    for link in reported.ranks.iter().flat_map(|rank| &rank.links) {
        let is_unknown = |number: &i64| ranks.get(link.group, *number).is_none();
        let ends: Vec<i64> = [link.src, link.dst].into_iter().filter(is_unknown).collect();
        links += usize::from(!ends.is_empty());
        unknown.extend(ends.into_iter().map(|number| (reported.names.text(link.group), number)));
    }
    let (group, number) = unknown.first()?;
    Some(match unknown.len() - 1 {
        0 => messages::note_unknown_link_ends(links, *number, group),
        more => messages::note_unknown_link_ends_more(links, *number, group, more),
    })
}

/// Group, class of operation, ends and transport.
type Route<'a> = (&'a str, &'a str, Rank, Rank, &'a str);

/// Traffic of links, summed over all steps, by group, class of operation, ends and transport. Rows that are part of
/// another, places in the order of bandwidth, and sums over classes do not count.
pub fn traffic(reported: &Reported) -> Vec<LinkTraffic> {
    let names = &reported.names;
    let mut moved: BTreeMap<Route<'_>, (f64, f64)> = BTreeMap::new();
    for link in global_links(reported).0 {
        let Some(kind) = names.opt_text(link.name).and_then(summed_kind) else { continue };
        let transport = names.opt_text(link.transport).unwrap_or_default();
        let sum = moved.entry((names.text(link.group), kind, link.src, link.dst, transport)).or_default();
        (sum.0, sum.1) = (sum.0 + link.size, sum.1 + link.time);
    }
    let traffic = moved.into_iter().map(|((group, kind, src, dst, transport), (mb, ms))| LinkTraffic {
        group: GroupKey(group.into()),
        kind: kind.into(),
        src,
        dst,
        transport: transport.into(),
        bytes: mb * 1e6,
        time: ms * 1e6,
    });
    traffic.collect()
}

/// The class of operations that a row sums up; none for places in the order of bandwidth, which are part of a sum.
fn summed_kind(name: &str) -> Option<&str> {
    match name.rsplit_once('-') {
        Some((kind, "total")) => Some(kind),
        Some((_, place)) if ["top", "middle", "bottom"].iter().any(|word| place.starts_with(word)) => None,
        _ => Some(name),
    }
}
