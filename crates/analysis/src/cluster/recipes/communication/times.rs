//! How the time of operations divides, and what they moved: sums by step, rank and group.

use std::collections::BTreeMap;

use hashbrown::HashSet;
use npuscope_measures::communication::{bandwidth, large_packet_share, synchronization_ratio, wait_ratio};
use npuscope_tables::Rank;

use super::names::Name;
use super::operations::Transport;
use super::{IndexMap, Reported, ReportedRank, step_order};
use crate::cluster::statistics::Sum;
use crate::communication::GroupKey;
use crate::extract::Text;

/// How the time of the operations of a rank in one group and step divides, in ns: their sums.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupTime {
    /// The number of the step; its name with `--compat`.
    pub step: Option<Text>,
    pub rank: Rank,
    /// Hash of the group.
    pub group: GroupKey,
    pub elapsed: f64,
    pub transit: f64,
    pub wait: f64,
    pub synchronization: f64,
    pub idle: f64,
}

impl GroupTime {
    /// See [`wait_ratio`].
    pub fn wait_ratio(&self) -> Option<f64> {
        wait_ratio(self.wait, self.transit)
    }

    /// See [`synchronization_ratio`].
    pub fn synchronization_ratio(&self) -> Option<f64> {
        synchronization_ratio(self.synchronization, self.transit)
    }
}

/// How the time of operations divides, by step, rank and group.
pub fn group_times(reported: &Reported) -> Vec<GroupTime> {
    let names = &reported.names;
    let time = |((step, rank, group), sums): (TotalKey, [Sum; 5])| {
        let [elapsed, transit, wait, synchronization, idle] = sums.map(|sum| sum.total() * NS_PER_MS);
        let (step, group) = (names.opt_text(step).map(Text::from), GroupKey(names.text(group).into()));
        GroupTime { step, rank, group, elapsed, transit, wait, synchronization, idle }
    };
    time_totals(reported).into_iter().map(time).collect()
}

const NS_PER_MS: f64 = 1e6;
const BYTES_PER_MB: f64 = 1e6;

/// A step, a rank and a group.
pub type TotalKey = (Option<Name>, Rank, Name);

/// Sums of times in ms, by step, rank and group.
pub fn time_totals(reported: &Reported) -> Vec<(TotalKey, [Sum; 5])> {
    let mut totals: IndexMap<TotalKey, [Sum; 5]> = IndexMap::default();
    for rank in &reported.ranks {
        for op in &rank.operations.list {
            let sums = totals.entry((op.step, rank.rank, op.group)).or_default();
            for (sum, time) in sums.iter_mut().zip(op.times) {
                sum.add(time.unwrap_or_default());
            }
        }
    }
    let mut totals: Vec<(TotalKey, [Sum; 5])> = totals.into_iter().collect();
    let names = &reported.names;
    totals.sort_by_key(|((step, rank, group), _)| (step_order(names.opt_text(*step)), *rank, names.text(*group)));
    totals
}

/// Sums over the operations of a step, a group and a transport.
#[derive(Default)]
pub struct TransportTotal {
    seen: HashSet<Name>,
    /// In MB.
    pub size: Sum,
    /// In ms.
    pub time: Sum,
    packets: f64,
    large_packets: f64,
    /// Count and duration by size of packets. Sizes are not negative, so that their bits are in order.
    pub by_size: BTreeMap<u64, (Sum, Sum)>,
}

impl TransportTotal {
    /// See [`large_packet_share`].
    pub fn large_packet_share(&self) -> Option<f64> {
        large_packet_share(self.large_packets, self.packets)
    }

    fn add(&mut self, transport: &Transport) {
        if self.seen.insert(transport.name) {
            self.size.add(transport.size.unwrap_or_default());
            self.time.add(transport.time.unwrap_or_default());
        }
        let size = transport.packets.map_or(0.0, |packets| packets.mb);
        let (count, duration) = self.by_size.entry(size.max(0.0).to_bits()).or_default();
        if let Some(packets) = transport.packets {
            count.add(packets.count);
            duration.add(packets.duration);
            self.packets += packets.count;
            self.large_packets += packets.count * transport.large_packet_ratio.unwrap_or_default();
        }
    }
}

/// What the operations of a rank in one group and step moved over a transport: their sums.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupTransport {
    /// The number of the step; its name with `--compat`.
    pub step: Option<Text>,
    pub rank: Rank,
    /// Hash of the group.
    pub group: GroupKey,
    /// For example `HCCS`.
    pub transport: Text,
    pub bytes: f64,
    /// In ns.
    pub time: f64,
    /// See [`large_packet_share`].
    pub large_packet_share: Option<f64>,
    pub packets: Vec<PacketSize>,
}

impl GroupTransport {
    /// See [`bandwidth`].
    pub fn bandwidth(&self) -> Option<f64> {
        bandwidth(self.bytes, self.time)
    }
}

/// Packets of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PacketSize {
    /// Of one packet.
    pub bytes: f64,
    pub count: f64,
    /// In ns, of all of them.
    pub duration: f64,
}

/// What operations moved, by rank, step, group and transport.
pub fn group_transports(reported: &Reported) -> Vec<GroupTransport> {
    let names = &reported.names;
    let of_rank = |rank: &ReportedRank| {
        let number = rank.rank;
        let packets = |(size, (count, duration)): (&u64, &(Sum, Sum))| PacketSize {
            bytes: f64::from_bits(*size) * BYTES_PER_MB,
            count: count.total(),
            duration: duration.total() * NS_PER_MS,
        };
        let row = move |((step, group, transport), total): (TransportKey, TransportTotal)| GroupTransport {
            step: names.opt_text(step).map(Text::from),
            rank: number,
            group: GroupKey(names.text(group).into()),
            transport: names.text(transport).into(),
            bytes: total.size.total() * BYTES_PER_MB,
            time: total.time.total() * NS_PER_MS,
            large_packet_share: total.large_packet_share(),
            packets: total.by_size.iter().map(packets).collect(),
        };
        transport_totals(reported, rank).into_iter().map(row).collect::<Vec<_>>()
    };
    reported.ranks.iter().flat_map(of_rank).collect()
}

/// A step, a group and a transport.
pub type TransportKey = (Option<Name>, Name, Name);

pub fn transport_totals(reported: &Reported, rank: &ReportedRank) -> IndexMap<TransportKey, TransportTotal> {
    let names = &reported.names;
    let mut totals: IndexMap<TransportKey, TransportTotal> = IndexMap::default();
    for transport in &rank.operations.transports {
        totals.entry((transport.step, transport.group, transport.transport)).or_default().add(transport);
    }
    totals.sort_by_cached_key(|(step, group, transport), _| {
        let (number, text) = step_order(names.opt_text(*step));
        (number, text.to_owned(), names.text(*group).to_owned(), names.text(*transport).to_owned())
    });
    totals
}
