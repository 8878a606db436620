//! `operator_details.csv`: host and device time of every framework operator call.

use npuscope_tables::table::reported_operator::Row;
use npuscope_tables::{Interner, RankTables};

use super::kernels::LaunchedByEntry;
use super::op_tree::OpTree;
use super::{copy, copy_opt};
use crate::link::STEP_PREFIX;

/// One row per operator call in start order, step markers left out.
///
/// - host total: the call's duration; host self: that minus the durations of the operators inside.
/// - device self: sum of the durations of device slices that the call itself enqueued; device total:
///   of all enqueued while it ran. The AI Core columns count slices whose task type is `AI_CORE`.
pub fn operator_details(tables: &RankTables, strings: &mut Interner) -> Vec<Row> {
    let tree = OpTree::build(tables);
    if tree.nodes.is_empty() {
        return Vec::new();
    }
    let launched = LaunchedByEntry::build(tables);
    let mut inside = vec![0i64; tree.nodes.len()];
    for node in &tree.nodes {
        if let Some(inside) = node.parent.and_then(|parent| inside.get_mut(parent)) {
            *inside += node.op.duration.ns();
        }
    }
    let sum = |correlations: &mut dyn Iterator<Item = i64>| {
        let (mut all, mut ai_core) = (0.0, 0.0);
        for launched in correlations.flat_map(|id| launched.of(id)) {
            all += launched.us;
            ai_core += if launched.on_ai_core { launched.us } else { 0.0 };
        }
        (all, ai_core)
    };
    let mut rows = Vec::new();
    for (index, node) in tree.nodes.iter().enumerate() {
        if tables.text(node.op.name).contains(STEP_PREFIX) {
            continue;
        }
        let (device_self, device_self_aicore) = sum(&mut tree.own_correlations(index));
        let (device_total, device_total_aicore) = sum(&mut tree.correlations(node));
        let own = node.op.duration.ns() - inside.get(index).copied().unwrap_or_default();
        rows.push(Row {
            name: copy(node.op.name, tables, strings),
            shapes: copy_opt(node.op.shapes, tables, strings),
            stack: copy_opt(node.op.stack, tables, strings),
            host_self: Some(us(own)),
            host_total: Some(us(node.op.duration.ns())),
            device_self: Some(device_self),
            device_total: Some(device_total),
            device_self_aicore: Some(device_self_aicore),
            device_total_aicore: Some(device_total_aicore),
        });
    }
    rows
}

#[expect(clippy::cast_precision_loss, reason = "durations are far below 2^53 ns")]
fn us(ns: i64) -> f64 {
    ns as f64 / 1000.0
}
