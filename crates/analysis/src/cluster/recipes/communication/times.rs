//! `ClusterCommunicationTime` and `ClusterCommunicationBandwidth`.

use std::collections::{BTreeMap, HashMap, HashSet};

use indexmap::IndexMap;
use npuscope_formats::number::whole;
use npuscope_formats::result::{Cell, ColumnKind, ResultTable};

use super::names::{Name, NameOrder};
use super::operations::{Packets, Transport};
use super::{Rank, Reported, step_order};
use crate::cluster::statistics::{Sum, ratio};

/// What totals are called.
pub const TOTAL: &str = "Total Op Info";

/// How the time of operations divides: one row per operation, then sums over the operations of each step, rank and
/// group.
///
/// Ratios are wait / (wait + transit) and synchronization / (synchronization + transit), four decimals, 0 of
/// nothing. msprof-analyze leaves them 0 but in sums.
pub fn time_table(reported: &Reported) -> ResultTable {
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
    let mut table = ResultTable::new("ClusterCommunicationTime", "cluster_communication_time", &columns);
    let names = &reported.names;
    for rank in &reported.ranks {
        for op in &rank.operations.list {
            let [_, transit, wait, synchronization, _] = op.times.map(Option::unwrap_or_default);
            let ratios = match reported.compat {
                true => [0.0, 0.0],
                false => [ratio(synchronization, synchronization + transit), ratio(wait, wait + transit)],
            };
            let place = [names.opt_cell(op.step), rank.rank.into(), names.cell(op.name), names.cell(op.group)];
            let times = [op.start].into_iter().chain(op.times).map(Cell::from);
            table.push(place.into_iter().chain(times).chain(ratios.map(Cell::from)));
        }
    }
    let total: Cell = TOTAL.into();
    for ((step, rank, group), sums) in time_totals(reported) {
        let [elapse, transit, wait, synchronization, idle] = sums.map(Sum::total);
        let place = [names.opt_cell(step), rank.into(), total.clone(), names.cell(group)];
        let times = [0.0, elapse, transit, wait, synchronization, idle];
        let ratios = [ratio(synchronization, synchronization + transit), ratio(wait, wait + transit)];
        table.push(place.into_iter().chain(times.into_iter().chain(ratios).map(Cell::from)));
    }
    table
}

/// A step, a rank and a group.
type TotalKey = (Option<Name>, i64, Name);

/// Sums of times, by step, rank and group.
fn time_totals(reported: &Reported) -> Vec<(TotalKey, [Sum; 5])> {
    let mut totals: IndexMap<TotalKey, [Sum; 5]> = IndexMap::new();
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
pub fn bandwidth_table(reported: &Reported) -> ResultTable {
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
    let mut table = ResultTable::new("ClusterCommunicationBandwidth", "cluster_communication_bandwidth", &columns);
    let mut sizes = PacketSizes::default();
    for rank in &reported.ranks {
        for transport in &rank.operations.transports {
            table.push(bandwidth_row(reported, rank, transport, &mut sizes));
        }
    }
    let order = reported.names.order();
    for rank in &reported.ranks {
        push_bandwidth_totals(reported, rank, &order, &mut sizes, &mut table);
    }
    table
}

/// Numbers of packet sizes, parsed once.
#[derive(Default)]
struct PacketSizes(HashMap<Name, f64>);

impl PacketSizes {
    fn of(&mut self, packets: &Packets, reported: &Reported) -> f64 {
        let parse = || reported.names.text(packets.size).parse().unwrap_or_default();
        *self.0.entry(packets.size).or_insert_with(parse)
    }
}

fn bandwidth_row(reported: &Reported, rank: &Rank, transport: &Transport, sizes: &mut PacketSizes) -> [Cell; 12] {
    let names = &reported.names;
    let bandwidth = match reported.compat {
        true => transport.bandwidth.into(),
        false => ratio(transport.size.unwrap_or_default(), transport.time.unwrap_or_default()).into(),
    };
    let [size, count, duration] = packet_cells(transport.packets.as_ref(), reported, sizes);
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
        size,
        count,
        duration,
    ]
}

/// Size, count and duration of packets, as databases say it: 0 for none.
fn packet_cells(packets: Option<&Packets>, reported: &Reported, sizes: &mut PacketSizes) -> [Cell; 3] {
    match packets {
        Some(packets) => {
            let count = count_cell(packets.count);
            [sizes.of(packets, reported).into(), count, packets.duration.into()]
        }
        None => [0.0.into(), 0i64.into(), 0.0.into()],
    }
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
    fn add(&mut self, transport: &Transport, size: f64) {
        if self.seen.insert(transport.name) {
            self.size.add(transport.size.unwrap_or_default());
            self.time.add(transport.time.unwrap_or_default());
        }
        let (count, duration) = self.by_size.entry(size.max(0.0).to_bits()).or_default();
        if let Some(packets) = transport.packets {
            count.add(packets.count);
            duration.add(packets.duration);
            self.packets += packets.count;
            self.large_packets += packets.count * transport.large_packet_ratio.unwrap_or_default();
        }
    }
}

fn push_bandwidth_totals(
    reported: &Reported,
    rank: &Rank,
    order: &NameOrder,
    sizes: &mut PacketSizes,
    table: &mut ResultTable,
) {
    let names = &reported.names;
    let mut totals: IndexMap<(Option<Name>, Name, Name), TransportTotal> = IndexMap::new();
    for transport in &rank.operations.transports {
        let size = transport.packets.as_ref().map_or(0.0, |packets| sizes.of(packets, reported));
        totals.entry((transport.step, transport.group, transport.transport)).or_default().add(transport, size);
    }
    totals.sort_by_cached_key(|(step, group, transport), _| {
        let (number, text) = step_order(names.opt_text(*step));
        (number, text.to_owned(), order.of(*group), order.of(*transport))
    });
    let name: Cell = TOTAL.into();
    for ((step, group, transport), total) in totals {
        let (size, time) = (total.size.total(), total.time.total());
        let large = if reported.compat { 0.0 } else { ratio(total.large_packets, total.packets) };
        for (package_size, (count, duration)) in total.by_size {
            table.push([
                names.opt_cell(step),
                rank.rank.into(),
                name.clone(),
                names.cell(group),
                names.cell(transport),
                size.into(),
                time.into(),
                ratio(size, time).into(),
                large.into(),
                f64::from_bits(package_size).into(),
                count_cell(count.total()),
                duration.total().into(),
            ]);
        }
    }
}
