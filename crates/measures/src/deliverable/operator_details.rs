//! `operator_details.csv`: host and device time of every framework operator call.

use npuscope_tables::Memo;
use npuscope_tables::table::reported_operator::Row;
use npuscope_tables::{ConnectionId, Interner, RankTables, Str};

use super::host_work::HostWork;
use super::{copy, us};
use crate::link::STEP_PREFIX;

/// One row per operator call in start order, step markers left out.
///
/// - host total: the call's duration; host self: that minus the durations of the operators inside.
/// - device self: sum of the durations of device slices that the call itself enqueued; device total:
///   of all enqueued while it ran. The AI Core columns count slices whose task type is `AI_CORE`.
pub fn operator_details(tables: &RankTables, strings: &mut Interner) -> Vec<Row> {
    of_operators(tables, &HostWork::of(tables, &mut false), strings)
}

/// [`operator_details`] of work that is known already.
pub fn of_operators(tables: &RankTables, work: &HostWork, strings: &mut Interner) -> Vec<Row> {
    let HostWork { tree, launched } = work;
    let mut copied = Memo::default();
    let mut copy = |id: Str| copied.get(id, || copy(id, tables, strings));
    let mut markers = Memo::default();
    let mut inside = vec![0i64; tree.nodes.len()];
    for node in &tree.nodes {
        if let Some(inside) = node.parent.and_then(|parent| inside.get_mut(parent)) {
            *inside += node.ns;
        }
    }
    let sum = |correlations: &mut dyn Iterator<Item = ConnectionId>| {
        let (mut all, mut ai_core) = (0.0, 0.0);
        for launched in correlations.flat_map(|id| launched.of(id)) {
            all += launched.us;
            ai_core += if launched.on_ai_core { launched.us } else { 0.0 };
        }
        (all, ai_core)
    };
    let mut rows = Vec::new();
    for (index, node) in tree.nodes.iter().enumerate() {
        if markers.get(node.name, || tables.text(node.name).contains(STEP_PREFIX)) {
            continue;
        }
        let (device_self, device_self_aicore) = sum(&mut tree.own_correlations(index));
        let (device_total, device_total_aicore) = sum(&mut tree.correlations(node));
        let own = node.ns - inside.get(index).copied().unwrap_or_default();
        rows.push(Row {
            name: copy(node.name),
            shapes: node.shapes.map(&mut copy),
            stack: node.stack.map(&mut copy),
            host_self: Some(us(own)),
            host_total: Some(us(node.ns)),
            device_self: Some(device_self),
            device_total: Some(device_total),
            device_self_aicore: Some(device_self_aicore),
            device_total_aicore: Some(device_total_aicore),
        });
    }
    rows
}
