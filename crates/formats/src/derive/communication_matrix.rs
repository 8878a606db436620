//! `communication_matrix.json`: what went over every link, by class of operation.

use hashbrown::HashMap;
use npuscope_tables::table::reported_link::Row;
use npuscope_tables::{Interner, RankTables};

use super::communication::{Op, moves_data, ms, operations, planes, ratio, rdma_runs};

/// What one operation moved over one link.
#[derive(Clone)]
struct Link {
    transport: String,
    size: f64,
    time: f64,
    bandwidth: f64,
    op: String,
}

/// Rows per class of operation, place and link.
///
/// Per operation and link, sizes (MB) and times (ms) of copies and reductions are summed, copies on the
/// chip included (`LOCAL`, from a rank to itself). Per class, group and link the operations are ordered
/// by bandwidth, greatest first: top1 is the first, middle the one at n/2, bottom1 to bottom3 the last
/// three; total is the sum of all.
pub fn communication_matrix(tables: &RankTables, strings: &mut Interner) -> Vec<Row> {
    let ops = operations(tables);
    let mut keys: Vec<(String, &'static str, &'static str, Option<String>)> = Vec::new();
    let mut links: HashMap<usize, Vec<((i64, i64), Vec<Link>)>> = HashMap::new();
    for op in &ops {
        let key = (op.step.clone(), op.kind, op_class(&op.name), op.group_hash.clone());
        let index = keys.iter().position(|k| *k == key).unwrap_or_else(|| {
            keys.push(key);
            keys.len() - 1
        });
        let group = links.entry(index).or_default();
        for (ends, link) in op_links(tables, op) {
            match group.iter_mut().find(|(e, _)| *e == ends) {
                Some((_, list)) => list.push(link),
                None => group.push((ends, vec![link])),
            }
        }
    }
    let mut rows = Vec::new();
    for (index, (step, kind, class, group_hash)) in keys.iter().enumerate() {
        let Some(group) = links.get_mut(&index) else { continue };
        for (_, list) in group.iter_mut() {
            list.sort_by(|a, b| b.bandwidth.total_cmp(&a.bandwidth));
        }
        for place in ["top1", "middle", "bottom1", "bottom2", "bottom3", "total"] {
            for ((src, dst), list) in group.iter() {
                let Some(link) = pick(list, place) else { continue };
                rows.push(Row {
                    step: Some(strings.intern(step)),
                    kind: Some(strings.intern(kind)),
                    name: strings.intern(&format!("{class}-{place}")),
                    group_hash: group_hash.as_deref().map(|hash| strings.intern(hash)),
                    src_rank: Some(strings.intern(&src.to_string())),
                    dst_rank: Some(strings.intern(&dst.to_string())),
                    transport: Some(strings.intern(&link.transport)),
                    transit_size: Some(link.size),
                    transit_time: Some(link.time),
                    bandwidth: Some(link.bandwidth),
                    op_name: (place != "total").then(|| strings.intern(&link.op)),
                });
            }
        }
    }
    rows
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
            total.bandwidth = ratio(total.size, total.time);
            Some(total)
        }
    }
}

fn op_links(tables: &RankTables, op: &Op) -> Vec<((i64, i64), Link)> {
    let mut links: Vec<((i64, i64), Link)> = Vec::new();
    let mut add = |ends: (i64, i64), transport: &str, bytes: i64, ms: f64| {
        let index = links.iter().position(|(e, _)| *e == ends).unwrap_or_else(|| {
            let op = op.name.clone();
            links.push((ends, Link { transport: transport.to_owned(), size: 0.0, time: 0.0, bandwidth: 0.0, op }));
            links.len() - 1
        });
        if let Some((_, link)) = links.get_mut(index) {
            #[expect(clippy::cast_precision_loss, reason = "sizes are below 2^53")]
            let size = bytes as f64 / 1e6;
            link.size += size;
            link.time += ms;
        }
    };
    for piece in op.pieces.iter().filter(|p| moves_data(tables, p)) {
        let Some(src) = piece.src_rank else { continue };
        let transport = match tables.opt_text(piece.link) {
            Some("ON_CHIP") => "LOCAL",
            Some("HCCS" | "HCCS_SW") => "HCCS",
            Some("PCIE") => "PCIE",
            Some("SIO") => "SIO",
            _ => "SDMA",
        };
        add((src, piece.dst_rank.unwrap_or(src)), transport, piece.bytes.unwrap_or_default(), ms(piece));
    }
    for plane in planes(op) {
        for run in rdma_runs(tables, op, plane) {
            let Some(src) = run.first.src_rank else { continue };
            add((src, run.first.dst_rank.unwrap_or(src)), "RDMA", run.bytes, run.ms);
        }
    }
    for (_, link) in &mut links {
        link.bandwidth = ratio(link.size, link.time);
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
