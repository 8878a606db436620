//! How the time of devices divides between computing, communication and nothing.

use npuscope_formats::derive::is_communication;
use npuscope_formats::discover::RankSource;
use npuscope_formats::intervals::{Interval, union};
use npuscope_formats::overlap::device_time;
use npuscope_tables::column::CellView;
use npuscope_tables::table::overlap::Kind;
use npuscope_tables::table::{comm_op, kernel, overlap};
use npuscope_tables::{RankTables, Selection, TableId};

use super::{NotMade, Source};

/// Where the time is told.
const TOLD: Selection = Selection::of(&[TableId::Overlap]);

/// What it follows from where it is not: GPU traces.
const DERIVED: Selection = Selection::of(&[TableId::Kernel, TableId::CommOp]).without_metrics();

/// What `use_it` makes of each rank and its intervals, in their order; of none for a rank without device work.
pub fn each<T: Send>(
    source: &Source<'_>,
    ranks: &[&RankSource],
    use_it: impl Fn(i64, Vec<(Kind, Interval)>) -> T + Sync,
) -> Result<Vec<T>, NotMade> {
    let made = source.ranks.each(ranks, TOLD, |rank, tables| {
        let told = told(&tables);
        (!told.is_empty()).then(|| use_it(rank.rank, told))
    })?;
    let untold: Vec<&RankSource> =
        ranks.iter().zip(&made).filter(|(_, made)| made.is_none()).map(|(rank, _)| *rank).collect();
    let mut derived =
        source.ranks.each(&untold, DERIVED, |rank, tables| use_it(rank.rank, derived(&tables)))?.into_iter();
    Ok(made.into_iter().filter_map(|made| made.or_else(|| derived.next())).collect())
}

fn told(tables: &RankTables) -> Vec<(Kind, Interval)> {
    let mut told = Vec::with_capacity(tables.len(TableId::Overlap));
    for (view, rows) in tables.views::<overlap::Row>() {
        for row in 0..rows {
            let start = view.start.get(row);
            let end = start.plus(view.duration.get(row).ns());
            let kind = Kind::from_name(tables.text(view.kind.get(row)));
            told.extend(kind.map(|kind| (kind, Interval::new(start.0, end.0))));
        }
    }
    told
}

fn derived(tables: &RankTables) -> Vec<(Kind, Interval)> {
    let (mut computing, mut communication) = (Vec::new(), Vec::new());
    for kernel in tables.rows::<kernel::Row>() {
        let interval = Interval::new(kernel.start.0, kernel.start.plus(kernel.duration.ns()).0);
        match is_communication(tables, &kernel) {
            true => communication.push(interval),
            false => computing.push(interval),
        }
    }
    for op in tables.rows::<comm_op::Row>() {
        communication.push(Interval::new(op.start.0, op.start.plus(op.duration.ns()).0));
    }
    device_time(&union(computing), &union(communication))
}
