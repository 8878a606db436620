//! `ClusterCommunicationTime` and `ClusterCommunicationBandwidth`.

use std::sync::Arc;

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_measures::communication::{bandwidth, synchronization_ratio, wait_ratio};
use npuscope_measures::deliverable::rounded;
use npuscope_tables::number::whole;

use super::super::operations::{Operation, Transport};
use super::super::times::{TotalKey, time_totals, transport_totals};
use super::super::{Reported, ReportedRank};
use super::TOTAL;
use crate::cluster::statistics::Sum;

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

fn bandwidth_totals(reported: &Reported, rank: &ReportedRank) -> Vec<[Cell; 12]> {
    let names = &reported.names;
    let name: Cell = TOTAL.into();
    let mut rows = Vec::new();
    for ((step, group, transport), total) in transport_totals(reported, rank) {
        let (size, time) = (total.size.total(), total.time.total());
        let large = if reported.compat { 0.0 } else { rounded(total.large_packet_share()) };
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
