//! `ClusterCommunicationTime` and `ClusterCommunicationBandwidth`.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashSet;
use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_measures::communication::{bandwidth, large_packet_share, synchronization_ratio, wait_ratio};
use npuscope_measures::deliverable::rounded;
use npuscope_tables::Rank;
use npuscope_tables::number::whole;

use super::names::Name;
use super::operations::{Operation, Transport};
use super::{IndexMap, Reported, ReportedRank, step_order};
use crate::cluster::statistics::Sum;
use crate::communication::GroupKey;
use crate::extract::Text;

/// What totals are called.
pub const TOTAL: &str = "Total Op Info";

/// How the time of operations divides: one row per operation, then sums over the operations of each step, rank and
/// group.
///
/// Ratios are wait / (wait + transit) and synchronization / (synchronization + transit), four decimals, 0 of
/// nothing. msprof-analyze leaves them 0 but in sums.
pub fn time_table(reported: &Arc<Reported>) -> ResultTable {
    let columns = [
        ("step", ColumnKind::Text),
        ("rank_id", ColumnKind::Int),
        ("hccl_op_name", ColumnKind::Text),
        ("group_name", ColumnKind::Text),
        ("start_timestamp", ColumnKind::Real),
        ("elapsed_time", ColumnKind::Real),
        ("transit_time", ColumnKind::Real),
        ("wait_time", ColumnKind::Real),
        ("synchronization_time", ColumnKind::Real),
        ("idle_time", ColumnKind::Real),
        ("synchronization_time_ratio", ColumnKind::Real),
        ("wait_time_ratio", ColumnKind::Real),
    ];
    let table = ResultTable::new("ClusterCommunicationTime", "cluster_communication_time", &columns);
    let totals = time_totals(reported);
    let operations: usize = reported.ranks.iter().map(|rank| rank.operations.list.len()).sum();
    let (reported, total) = (reported.clone(), Cell::from(TOTAL));
    table.made_by(operations + totals.len(), move |take| {
        for rank in &reported.ranks {
            rank.operations.list.iter().try_for_each(|op| take(&time_row(&reported, rank, op)))?;
        }
        totals.iter().try_for_each(|(key, sums)| take(&time_total_row(&reported, &total, *key, sums)))
    })
}

fn time_row(reported: &Reported, rank: &ReportedRank, op: &Operation) -> [Cell; 12] {
    let names = &reported.names;
    let [elapse, transit, wait, synchronization, idle] = op.times;
    let of_transit = |measure: fn(f64, f64) -> Option<f64>, time: Option<f64>| match reported.compat {
        true => 0.0,
        false => rounded(measure(time.unwrap_or_default(), transit.unwrap_or_default())),
    };
    [
        names.opt_cell(op.step),
        rank.rank.into(),
        names.cell(op.name),
        names.cell(op.group),
        op.start.into(),
        elapse.into(),
        transit.into(),
        wait.into(),
        synchronization.into(),
        idle.into(),
        of_transit(synchronization_ratio, synchronization).into(),
        of_transit(wait_ratio, wait).into(),
    ]
}

fn time_total_row(reported: &Reported, total: &Cell, key: TotalKey, sums: &[Sum; 5]) -> [Cell; 12] {
    let names = &reported.names;
    let (step, rank, group) = key;
    let [elapse, transit, wait, synchronization, idle] = sums.map(Sum::total);
    [
        names.opt_cell(step),
        rank.into(),
        total.clone(),
        names.cell(group),
        0.0.into(),
        elapse.into(),
        transit.into(),
        wait.into(),
        synchronization.into(),
        idle.into(),
        rounded(synchronization_ratio(synchronization, transit)).into(),
        rounded(wait_ratio(wait, transit)).into(),
    ]
}

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
type TotalKey = (Option<Name>, Rank, Name);

/// Sums of times, by step, rank and group.
fn time_totals(reported: &Reported) -> Vec<(TotalKey, [Sum; 5])> {
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

/// What operations moved over each transport, by size of packets: one row per operation, transport and size, then
/// sums over the operations of each step, rank and group.
///
/// Bandwidth is size / time in GB/s, four decimals, 0 of nothing. The share of large packets of a sum weighs
/// operations by their packets; msprof-analyze leaves it 0.
pub fn bandwidth_table(reported: &Arc<Reported>) -> ResultTable {
    let columns = [
        ("step", ColumnKind::Text),
        ("rank_id", ColumnKind::Int),
        ("hccl_op_name", ColumnKind::Text),
        ("group_name", ColumnKind::Text),
        ("band_type", ColumnKind::Text),
        ("transit_size", ColumnKind::Real),
        ("transit_time", ColumnKind::Real),
        ("bandwidth", ColumnKind::Real),
        ("large_packet_ratio", ColumnKind::Real),
        ("package_size", ColumnKind::Real),
        ("count", ColumnKind::Int),
        ("total_duration", ColumnKind::Real),
    ];
    let table = ResultTable::new("ClusterCommunicationBandwidth", "cluster_communication_bandwidth", &columns);
    let transports: usize = reported.ranks.iter().map(|rank| rank.operations.transports.len()).sum();
    let totals: Vec<[Cell; 12]> = reported.ranks.iter().flat_map(|rank| bandwidth_totals(reported, rank)).collect();
    let reported = reported.clone();
    table.made_by(transports + totals.len(), move |take| {
        for rank in &reported.ranks {
            let mut transports = rank.operations.transports.iter();
            transports.try_for_each(|transport| take(&bandwidth_row(&reported, rank, transport)))?;
        }
        totals.iter().try_for_each(|row| take(row))
    })
}

fn bandwidth_row(reported: &Reported, rank: &ReportedRank, transport: &Transport) -> [Cell; 12] {
    let names = &reported.names;
    let bandwidth = match reported.compat {
        true => transport.bandwidth.into(),
        false => rounded(bandwidth(transport.size.unwrap_or_default(), transport.time.unwrap_or_default())).into(),
    };
    // Databases say 0 where there are none.
    let (size, count, duration) =
        transport.packets.map_or((0.0, 0.0, 0.0), |packets| (packets.mb, packets.count, packets.duration));
    [
        names.opt_cell(transport.step),
        rank.rank.into(),
        names.cell(transport.name),
        names.cell(transport.group),
        names.cell(transport.transport),
        transport.size.into(),
        transport.time.into(),
        bandwidth,
        transport.large_packet_ratio.into(),
        size.into(),
        count_cell(count),
        duration.into(),
    ]
}

fn count_cell(count: f64) -> Cell {
    whole(count).map_or(count.into(), Cell::from)
}

/// Sums over the operations of a step, a group and a transport.
#[derive(Default)]
struct TransportTotal {
    seen: HashSet<Name>,
    size: Sum,
    time: Sum,
    packets: f64,
    large_packets: f64,
    /// Count and duration by size of packets. Sizes are not negative, so that their bits are in order.
    by_size: BTreeMap<u64, (Sum, Sum)>,
}

impl TransportTotal {
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
            large_packet_share: large_packet_share(total.large_packets, total.packets),
            packets: total.by_size.iter().map(packets).collect(),
        };
        transport_totals(reported, rank).into_iter().map(row).collect::<Vec<_>>()
    };
    reported.ranks.iter().flat_map(of_rank).collect()
}

/// A step, a group and a transport.
type TransportKey = (Option<Name>, Name, Name);

fn transport_totals(reported: &Reported, rank: &ReportedRank) -> IndexMap<TransportKey, TransportTotal> {
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

fn bandwidth_totals(reported: &Reported, rank: &ReportedRank) -> Vec<[Cell; 12]> {
    let names = &reported.names;
    let name: Cell = TOTAL.into();
    let mut rows = Vec::new();
    for ((step, group, transport), total) in transport_totals(reported, rank) {
        let (size, time) = (total.size.total(), total.time.total());
        let large = if reported.compat { 0.0 } else { rounded(large_packet_share(total.large_packets, total.packets)) };
        rows.extend(total.by_size.into_iter().map(|(package_size, (count, duration))| {
            [
                names.opt_cell(step),
                rank.rank.into(),
                name.clone(),
                names.cell(group),
                names.cell(transport),
                size.into(),
                time.into(),
                rounded(bandwidth(size, time)).into(),
                large.into(),
                f64::from_bits(package_size).into(),
                count_cell(count.total()),
                duration.total().into(),
            ]
        }));
    }
    rows
}
