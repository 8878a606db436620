//! `ClusterCommunicationMatrix`.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};
use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_tables::Rank;

use super::super::links::Link;
use super::super::matrix::global_links;
use super::super::names::Name;
use super::super::{Reported, step_order};
use super::TOTAL;

/// The links of operations and then their sums, in order of step, group, operation and
/// ends.
///
/// Bandwidth is size / time in GB/s, four decimals; msprof-analyze does not round it for databases.
pub fn matrix_table(reported: &Arc<Reported>) -> ResultTable {
    let rank = if reported.compat { ColumnKind::Real } else { ColumnKind::Int };
    let columns = [
        ("step", ColumnKind::Text),
        ("hccl_op_name", ColumnKind::Text),
        ("group_name", ColumnKind::Text),
        ("src_rank", rank),
        ("dst_rank", rank),
        ("transport_type", ColumnKind::Text),
        ("op_name", ColumnKind::Text),
        ("transit_size", ColumnKind::Real),
        ("transit_time", ColumnKind::Real),
        ("bandwidth", ColumnKind::Real),
    ];
    let table = ResultTable::new("ClusterCommunicationMatrix", "cluster_communication_matrix", &columns);
    let (mut links, mut totals) = global_links(reported);
    if !reported.compat {
        sort(&mut links, reported);
        sort(&mut totals, reported);
    }
    let total: Cell = TOTAL.into();
    let nothing: Cell = if reported.compat { Cell::Null } else { "".into() };
    let reported = reported.clone();
    links.append(&mut totals);
    table.made_by(links.len(), move |take| {
        links.iter().try_for_each(|link| take(&row(link, &reported, &total, &nothing)))
    })
}

fn row(link: &Link<Rank>, reported: &Reported, total: &Cell, nothing: &Cell) -> [Cell; 10] {
    let names = &reported.names;
    let bandwidth = match reported.compat {
        true if link.time == 0.0 => 0.0,
        true => link.size / link.time,
        false => link.bandwidth(),
    };
    [
        names.opt_cell(link.step),
        link.name.map_or_else(|| total.clone(), |name| names.cell(name)),
        names.cell(link.group),
        link.src.into(),
        link.dst.into(),
        names.opt_cell(link.transport),
        link.op_name.map_or_else(|| nothing.clone(), |name| names.cell(name)),
        link.size.into(),
        link.time.into(),
        bandwidth.into(),
    ]
}

fn sort(links: &mut [Link<Rank>], reported: &Reported) {
    let names = &reported.names;
    let order = names.order(links.iter().flat_map(|link| [link.name, Some(link.group)]).flatten());
    let steps: HashSet<Option<Name>> = links.iter().map(|link| link.step).collect();
    let steps: HashMap<Option<Name>, (i64, &str)> =
        steps.into_iter().map(|step| (step, step_order(names.opt_text(step)))).collect();
    links.sort_by_cached_key(|link| {
        let name = link.name.map_or(0, |name| order.of(name));
        (steps.get(&link.step).copied(), order.of(link.group), name, link.src, link.dst)
    });
}
