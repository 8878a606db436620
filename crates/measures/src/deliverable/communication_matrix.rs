//! `communication_matrix.json`: what went over every link, by class of operation.

use hashbrown::HashMap;
use indexmap::IndexMap;
use npuscope_tables::table::reported_link::Row;
use npuscope_tables::{Interner, RankBuilder, RankTables, TableId};

use super::communication::{self, Op, operations, planes, rdma_runs, rounded};
use crate::communication::bandwidth;
use crate::communication::is_point_to_point_in_files;

/// What one operation moved over one link.
#[derive(Clone)]
struct Link {
    transport: String,
    size: f64,
    time: f64,
    bandwidth: f64,
    op: String,
}

/// What every operation moved over every link.
type OpLinks = Vec<(OpKey, IndexMap<(String, String), Link>)>;

/// An operation and where it belongs in the file.
struct OpKey {
    step: String,
    kind: &'static str,
    name: String,
    group_hash: Option<String>,
}

/// Places in the order of operations by bandwidth, and the sum of all, as the file has them.
const PLACES: [&str; 6] = ["top1", "middle", "bottom1", "total", "bottom2", "bottom3"];

/// Whether a row is of a class and a place, not of one operation.
pub fn is_place(name: &str) -> bool {
    name.rsplit_once('-').is_some_and(|(_, place)| PLACES.contains(&place))
}

/// Rows per class of operation, place and link.
///
/// Per operation and link, sizes (MB) and times (ms) of copies and reductions are summed, copies on the
/// chip included (`LOCAL`, from a rank to itself). Per class, group and link the operations are ordered
/// by bandwidth, greatest first: top1 is the first, middle the one at n/2, bottom1 to bottom3 the last
/// three; total is the sum of all.
pub fn communication_matrix(tables: &RankTables, strings: &mut Interner) -> Vec<Row> {
    matrix_of_operations(tables, operations(tables), strings)
}

/// [`communication_matrix`] of operations that are known already.
pub fn matrix_of_operations(tables: &RankTables, ops: Vec<Op>, strings: &mut Interner) -> Vec<Row> {
    by_class(op_links(tables, ops), strings)
}

/// Tables with links by class of operation and place: where they were reported by operation, those of the
/// operations in their order.
pub fn links_by_class(mut tables: RankTables) -> RankTables {
    let mut links: IndexMap<_, IndexMap<(String, String), Link>> = IndexMap::new();
    for row in tables.rows::<Row>().filter(|row| !is_place(tables.text(row.name))) {
        let op = (row.step, row.name, row.group_hash);
        links.entry(op).or_default().insert(ends(&tables, &row), reported(&tables, &row));
    }
    if links.is_empty() {
        return tables;
    }
    let links = links.into_iter().map(|((step, name, group_hash), links)| {
        let text = |id| tables.opt_text(id).map(str::to_owned);
        let name = tables.text(name).to_owned();
        let kind = if is_point_to_point_in_files(&name) { "p2p" } else { "collective" };
        (OpKey { step: text(step).unwrap_or_default(), kind, name, group_hash: text(group_hash) }, links)
    });
    let mut more = RankBuilder::default();
    let rows = by_class(links.collect(), &mut more.strings);
    rows.into_iter().for_each(|row| more.reported_link.push(row));
    tables.clear(TableId::ReportedLink);
    tables.with(more)
}

fn by_class(op_links: OpLinks, strings: &mut Interner) -> Vec<Row> {
    let mut groups: IndexMap<_, IndexMap<_, Vec<Link>>> = IndexMap::new();
    for (op, op_links) in op_links {
        let links = groups.entry((op.step, op.kind, op_class(&op.name), op.group_hash)).or_default();
        for (ends, link) in op_links {
            links.entry(ends).or_default().push(link);
        }
    }
    let mut rows = Vec::new();
    for ((step, kind, class, group_hash), mut links) in groups {
        for list in links.values_mut() {
            list.sort_by(|a, b| b.bandwidth.total_cmp(&a.bandwidth));
        }
        for place in PLACES {
            let op =
                OpKey { step: step.clone(), kind, name: format!("{class}-{place}"), group_hash: group_hash.clone() };
            for (ends, list) in &links {
                let Some(link) = pick(list, place) else { continue };
                let op_name = (place != "total").then(|| strings.intern(&link.op));
                rows.push(Row { op_name, ..row(&op, ends, &link, strings) });
            }
        }
    }
    rows
}

/// Rows per operation and link, as CANN's own exporter and MindSpore's databases have them.
pub fn links_of_operations(tables: &RankTables, ops: Vec<Op>, strings: &mut Interner) -> Vec<Row> {
    let mut rows = Vec::new();
    for (op, links) in op_links(tables, ops) {
        rows.extend(links.iter().map(|(ends, link)| row(&op, ends, link, strings)));
    }
    rows
}

fn row(op: &OpKey, (src, dst): &(String, String), link: &Link, strings: &mut Interner) -> Row {
    Row {
        step: Some(strings.intern(&op.step)),
        kind: Some(strings.intern(op.kind)),
        name: strings.intern(&op.name),
        group_hash: op.group_hash.as_deref().map(|hash| strings.intern(hash)),
        src_rank: Some(strings.intern(src)),
        dst_rank: Some(strings.intern(dst)),
        transport: Some(strings.intern(&link.transport)),
        transit_size: Some(link.size),
        transit_time: Some(link.time),
        bandwidth: Some(link.bandwidth),
        op_name: None,
    }
}

/// What each operation moved, in start order: as reported where that is per operation, else from the pieces.
fn op_links(tables: &RankTables, ops: Vec<Op>) -> OpLinks {
    let mut by_name: HashMap<&str, IndexMap<(String, String), Link>> = HashMap::new();
    for row in tables.rows::<Row>().filter(|row| !is_place(tables.text(row.name))) {
        let links = by_name.entry(tables.text(row.name)).or_default();
        links.insert(ends(tables, &row), reported(tables, &row));
    }
    let links = |op: Op| {
        let links = by_name.remove(op.name.as_str()).unwrap_or_else(|| piece_links(&op));
        (OpKey { step: op.step, kind: op.kind, name: op.name, group_hash: op.group_hash }, links)
    };
    ops.into_iter().map(links).collect()
}

/// Source and target of a link.
fn ends(tables: &RankTables, row: &Row) -> (String, String) {
    let end = |end| tables.opt_text(end).unwrap_or_default().to_owned();
    (end(row.src_rank), end(row.dst_rank))
}

/// What is reported of a link of one operation.
fn reported(tables: &RankTables, row: &Row) -> Link {
    Link {
        transport: tables.opt_text(row.transport).unwrap_or_default().to_owned(),
        size: row.transit_size.unwrap_or_default(),
        time: row.transit_time.unwrap_or_default(),
        bandwidth: row.bandwidth.unwrap_or_default(),
        op: tables.text(row.name).to_owned(),
    }
}

fn pick(list: &[Link], place: &str) -> Option<Link> {
    let from_last = |n: usize| list.len().checked_sub(n).and_then(|at| list.get(at)).cloned();
    match place {
        "top1" => list.first().cloned(),
        "middle" => list.get(list.len() / 2).cloned(),
        "bottom1" => from_last(1),
        "bottom2" => from_last(2),
        "bottom3" => from_last(3),
        _ => {
            let mut total = list.first()?.clone();
            total.size = list.iter().map(|l| l.size).sum();
            total.time = list.iter().map(|l| l.time).sum();
            total.bandwidth = rounded(bandwidth(total.size, total.time));
            Some(total)
        }
    }
}

fn piece_links(op: &Op) -> IndexMap<(String, String), Link> {
    let mut links: IndexMap<(String, String), Link> = IndexMap::new();
    let mut add = |(src, dst): (i64, i64), transport: &str, bytes: i64, ms: f64| {
        let link = links.entry((src.to_string(), dst.to_string())).or_insert_with(|| {
            let op = op.name.clone();
            Link { transport: transport.to_owned(), size: 0.0, time: 0.0, bandwidth: 0.0, op }
        });
        #[expect(clippy::cast_precision_loss, reason = "sizes are below 2^53")]
        let size = bytes as f64 / 1e6;
        link.size += size;
        link.time += ms;
    };
    for piece in op.pieces.iter().filter(|piece| piece.moves_data) {
        let Some(src) = piece.src_rank else { continue };
        let transport = match piece.link {
            communication::Link::OnChip => "LOCAL",
            communication::Link::Hccs => "HCCS",
            communication::Link::Pcie => "PCIE",
            communication::Link::Sio => "SIO",
            communication::Link::Other => "SDMA",
        };
        add((src, piece.dst_rank.unwrap_or(src)), transport, piece.bytes.unwrap_or_default(), piece.ms());
    }
    for plane in planes(op) {
        for run in rdma_runs(op, plane) {
            let Some(src) = run.first.src_rank else { continue };
            add((src, run.first.dst_rank.unwrap_or(src)), "RDMA", run.bytes, run.ms);
        }
    }
    for link in links.values_mut() {
        link.bandwidth = rounded(bandwidth(link.size, link.time));
    }
    links
}

/// The class of an operation: the word of this list that stands leftmost in its name; of two at the
/// same place the one listed first. So reduceScatter is `reduce`, as in the peers' files.
fn op_class(name: &str) -> &'static str {
    const CLASSES: [&str; 12] = [
        "send",
        "reduce",
        "invalid",
        "broadcast",
        "allreduce",
        "receive",
        "allgather",
        "reducescatter",
        "scatter",
        "alltoall",
        "alltoallv",
        "batchsendrecv",
    ];
    let name = name.to_ascii_lowercase();
    let found = CLASSES.iter().enumerate().filter_map(|(order, class)| Some((name.find(class)?, order, *class)));
    found.min().map_or("", |(_, _, class)| class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_of_the_peers_expression() {
        for (name, class) in [
            ("hcom_allReduce__586_0_1", "allreduce"),
            ("hcom_reduceScatter__1_0_1", "reduce"),
            ("hcom_allGather__1_0_1", "allgather"),
            ("hcom_alltoallvc__1_0_1", "alltoall"),
            ("hcom_batchSendRecv__1_0_1", "batchsendrecv"),
            ("hcom_send__1_0_1", "send"),
            ("hcom_barrier", ""),
        ] {
            assert_eq!(op_class(name), class);
        }
    }
}
