//! `op_statistic.csv`: kernel time by operator type and core.

use hashbrown::HashMap;
use npuscope_tables::table::reported_op_type::Row;
use npuscope_tables::table::{kernel, task};
use npuscope_tables::{Interner, RankTables, Str};

use super::{copy, copy_opt};
use crate::number::round;

/// One row per operator type and core, the greatest total first.
///
/// Durations are those of the tasks, finer than the kernels' own three decimals: with those, a third
/// of the real rows come out otherwise. Total, min, mean and max are rounded to three decimals, the
/// share is of the sum of unrounded totals. Collectives and kernels without a type do not count.
pub fn op_statistic(tables: &RankTables, strings: &mut Interner) -> Vec<Row> {
    #[derive(Default)]
    struct Group {
        count: i64,
        total: f64,
        min: f64,
        max: f64,
    }
    let tasks: HashMap<i64, f64> = tables.rows::<task::Row>().map(|row| (row.task, row.duration.us())).collect();
    let mut groups: HashMap<(Option<i64>, Str, Option<Str>), Group> = HashMap::new();
    let mut order = Vec::new();
    for row in tables.rows::<kernel::Row>() {
        let Some(op_type) = row.op_type else { continue };
        if is_communication(tables, &row) {
            continue;
        }
        let us = row.task.and_then(|task| tasks.get(&task).copied()).unwrap_or(row.duration.us());
        let key = (row.device, op_type, row.core);
        let group = groups.entry(key).or_insert_with(|| {
            order.push(key);
            Group { min: f64::INFINITY, ..Group::default() }
        });
        group.count += 1;
        group.total += us;
        group.min = group.min.min(us);
        group.max = group.max.max(us);
    }
    let sum: f64 = order.iter().filter_map(|key| groups.get(key)).map(|g| g.total).sum();
    let mut rows: Vec<(f64, Row)> = Vec::new();
    for key in &order {
        let Some(group) = groups.get(key) else { continue };
        let &(device, op_type, core) = key;
        #[expect(clippy::cast_precision_loss, reason = "a count of kernels")]
        let avg = group.total / group.count as f64;
        let row = Row {
            device,
            op_type: copy(op_type, tables, strings),
            core: copy_opt(core, tables, strings),
            count: Some(group.count),
            total: Some(round(group.total, 3)),
            min: Some(round(group.min, 3)),
            avg: Some(round(avg, 3)),
            max: Some(round(group.max, 3)),
            ratio: Some(round(if sum == 0.0 { 0.0 } else { group.total / sum * 100.0 }, 3)),
        };
        rows.push((group.total, row));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Whether a kernel row stands for a collective.
pub fn is_communication(tables: &RankTables, row: &kernel::Row) -> bool {
    matches!(tables.opt_text(row.core), Some("HCCL" | "COMMUNICATION"))
}
