//! How the time of devices divides between computing, communication and nothing.

use npuscope_formats::source::RankSource;
use npuscope_measures::intervals::Interval;
use npuscope_tables::table::overlap::Kind;
use npuscope_tables::{Selection, TableId};

use crate::{NotMade, Source};
use npuscope_analysis::device::{derived, told};

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
    let made = source.store.each(ranks, TOLD, |rank, tables| {
        let told = told(&tables);
        (!told.is_empty()).then(|| use_it(rank.rank, told))
    })?;
    let untold: Vec<&RankSource> =
        ranks.iter().zip(&made).filter(|(_, made)| made.is_none()).map(|(rank, _)| *rank).collect();
    let mut derived =
        source.store.each(&untold, DERIVED, |rank, tables| use_it(rank.rank, derived(&tables)))?.into_iter();
    Ok(made.into_iter().filter_map(|made| made.or_else(|| derived.next())).collect())
}
