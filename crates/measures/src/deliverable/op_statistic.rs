//! `op_statistic.csv`: kernel time by operator type and core.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use indexmap::IndexMap;
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::number::round;
use npuscope_tables::table::reported_op_type::Row;
use npuscope_tables::table::{kernel, task};
use npuscope_tables::{Interner, RankTables, TableId, TaskId};

use crate::communication::is_communication_core;

/// One row per operator type and core, the greatest total first.
///
/// Durations are those of the tasks, finer than the kernels' own three decimals: with those, a third
/// of the real rows come out otherwise. Total, min, mean and max are rounded to three decimals, the
/// share is of the sum of unrounded totals. Collectives and kernels without a type do not count.
pub fn op_statistic(tables: &RankTables, strings: &mut Interner) -> Vec<Row> {
    let mut statistic = OpStatistic::default();
    statistic.add(tables);
    statistic.rows(strings)
}

/// [`op_statistic`] of a rank that comes in chunks; a kernel and its task must be in one.
#[derive(Default)]
pub struct OpStatistic {
    /// By device, type and core, in the order in which they came.
    groups: IndexMap<(Option<i64>, String, Option<String>), Group, FixedState>,
}

struct Group {
    count: i64,
    total: f64,
    min: f64,
    max: f64,
}

impl OpStatistic {
    pub fn add(&mut self, tables: &RankTables) {
        let mut tasks: HashMap<TaskId, f64, FixedState> =
            HashMap::with_capacity_and_hasher(tables.len(TableId::Task), FixedState::default());
        for (view, rows) in tables.views::<task::Row>() {
            tasks.extend((0..rows).map(|row| (view.task.get(row), view.duration.get(row).us())));
        }
        let mut known = HashMap::with_hasher(FixedState::default());
        let mut collectives = Memo::default();
        for (view, rows) in tables.views::<kernel::Row>() {
            for row in 0..rows {
                let (device, core) = (view.device.get(row), view.core.get(row));
                let is_collective = |core| collectives.get(core, || is_communication_core(tables.text(core)));
                let Some(op_type) = view.op_type.get(row).filter(|_| !core.is_some_and(is_collective)) else {
                    continue;
                };
                let at = *known.entry((device, op_type, core)).or_insert_with(|| {
                    let key = (device, tables.text(op_type).to_owned(), tables.opt_text(core).map(str::to_owned));
                    let group = self.groups.entry(key);
                    let at = group.index();
                    group.or_insert(Group { count: 0, total: 0.0, min: f64::INFINITY, max: 0.0 });
                    at
                });
                let Some((_, group)) = self.groups.get_index_mut(at) else { continue };
                let of_task = view.task.get(row).and_then(|task| tasks.get(&task).copied());
                let us = of_task.unwrap_or_else(|| view.duration.get(row).us());
                group.count += 1;
                group.total += us;
                group.min = group.min.min(us);
                group.max = group.max.max(us);
            }
        }
    }

    pub fn rows(&self, strings: &mut Interner) -> Vec<Row> {
        let sum: f64 = self.groups.values().map(|group| group.total).sum();
        let mut groups: Vec<_> = self.groups.iter().collect();
        groups.sort_by(|(_, a), (_, b)| b.total.total_cmp(&a.total));
        let rows = groups.into_iter().map(|((device, op_type, core), group)| Row {
            device: *device,
            op_type: strings.intern(op_type),
            core: core.as_deref().map(|core| strings.intern(core)),
            count: Some(group.count),
            total: Some(round(group.total, 3)),
            min: Some(round(group.min, 3)),
            #[expect(clippy::cast_precision_loss, reason = "a count of kernels")]
            avg: Some(round(group.total / group.count as f64, 3)),
            max: Some(round(group.max, 3)),
            ratio: Some(round(if sum == 0.0 { 0.0 } else { group.total / sum * 100.0 }, 3)),
        });
        rows.collect()
    }
}
