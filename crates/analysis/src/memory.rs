//! Whose memory was alive, and curves of memory with fewer points.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use npuscope_formats::source::RankSource;
use npuscope_measures::memory::{allocations, peak_of};
use npuscope_measures::step;
use npuscope_measures::step_of::Steps;
use npuscope_store::{Store, StoreError};
use npuscope_tables::table::mem_event;
use npuscope_tables::{Ns, Rank, RankTables, Selection, TableId};
use serde::{Deserialize, Serialize};

use crate::extract::{Absent, Analysis, RankData, Text, extracts_by_rank};
use crate::scope::Scope;

/// What holders are read from.
const NEEDS: Selection = Selection::of(&[TableId::MemEvent, TableId::Step]);

/// Memory of one name that was alive at a moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Holder {
    /// The moment, in ns since the epoch.
    pub time: i64,
    /// The operator that allocated it; `None` for memory of the allocator beyond the recorded allocations.
    pub name: Option<Text>,
    /// Allocations.
    pub count: Option<i64>,
    pub bytes: i64,
    /// All that the allocator had then: at the peak, the [memory peak](npuscope_measures::memory::peak).
    pub total: i64,
    /// Share of all that was alive then.
    pub share: f64,
}

/// The extract of a rank: the holders of memory at its peak, and at the peak of each step.
#[derive(Serialize, Deserialize)]
struct RankPeaks {
    all: Vec<Holder>,
    steps: BTreeMap<i64, Vec<Holder>>,
}

/// The memory peaks of each rank.
#[derive(Serialize)]
struct Peaks;

impl Analysis for Peaks {
    type Extract = RankPeaks;
    const NAME: &'static str = "memory_peaks";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        NEEDS
    }

    fn map(&self, rank: &RankData<'_>) -> Result<RankPeaks, Absent> {
        let steps = Steps::of(&rank.tables);
        let numbers = steps.iter().filter_map(|step| step.id);
        let of_step = |id: i64| (id, holders(&rank.tables, &Scope { step: Some(id), ..Scope::default() }, None));
        Ok(RankPeaks { all: holders(&rank.tables, &Scope::default(), None), steps: numbers.map(of_step).collect() })
    }
}

/// Memory that was allocated on each of some ranks at a moment, by the operator that allocated it, largest first; at
/// the peak of each rank if no moment is given. Only peaks are cached: all moments would be as large as the columns.
pub fn ask(
    store: &Store,
    sources: &[&RankSource],
    scope: &Scope,
    at: Option<i64>,
) -> Result<Vec<(Rank, Holder)>, StoreError> {
    let of_ranks: Vec<(Rank, Vec<Holder>)> = match at.is_some() || scope.is_stretch() {
        true => {
            // Without markers the steps of a rank are those of its kernels.
            let needs = if scope.step.is_some() { NEEDS.and(step::NEEDS) } else { NEEDS };
            store.each(sources, needs, |rank, tables| (rank.rank, holders(&tables, scope, at)))?
        }
        false => {
            let of_step = |mut peaks: RankPeaks| match scope.step {
                Some(step) => peaks.steps.remove(&step).unwrap_or_default(),
                None => peaks.all,
            };
            let kept = extracts_by_rank(store, sources, &Peaks)?;
            kept.into_iter().map(|(rank, peaks)| (rank, of_step(peaks))).collect()
        }
    };
    Ok(of_ranks.into_iter().flat_map(|(rank, list)| list.into_iter().map(move |holder| (rank, holder))).collect())
}

/// Memory that was allocated at a moment, by the operator that allocated it, largest first; at the peak if no moment is
/// given: when the total after an allocation was greatest, of several such moments the first.
///
/// All that the allocator had at a moment is the total after the last allocation before it, less what was released
/// since; the rest beyond the recorded allocations, from before the profile, is the holder without a name. Allocations
/// may be more than the total where several allocators have theirs in one file, each with its own total.
fn holders(tables: &RankTables, scope: &Scope, at: Option<i64>) -> Vec<Holder> {
    let steps = Steps::of(tables);
    let is_in_scope = |time: i64| {
        let is_in_step = scope.step.is_none() || steps.at(Ns(time)) == scope.step;
        is_in_step && scope.begin.is_none_or(|begin| time >= begin) && scope.end.is_none_or(|end| time < end)
    };
    let events: Vec<(i64, i64, mem_event::Row)> = allocations(tables)
        .filter_map(|row| Some((row.start?.0, row.release.map_or(i64::MAX, |release| release.0), row)))
        .collect();
    let moment = match at {
        Some(at) => {
            let before = events.iter().filter(|(start, ..)| *start <= at);
            before.max_by_key(|(start, ..)| *start).map(|(last, _, row)| {
                let released = events.iter().filter(|(_, release, _)| release > last && *release <= at);
                let released: i64 = released.filter_map(|(_, _, row)| row.bytes).sum();
                (at, row.start_allocated.map(|total| total - released))
            })
        }
        None => {
            let in_scope = events.iter().filter(|(start, ..)| is_in_scope(*start));
            let totals = in_scope.filter_map(|(start, _, row)| Some((*start, row.start_allocated?)));
            peak_of(totals).map(|peak| (peak.time, Some(peak.bytes)))
        }
    };
    let Some((time, total)) = moment else { return Vec::new() };
    let mut by_name: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    for (_, _, row) in events.iter().filter(|(start, release, _)| *start <= time && *release > time) {
        if let Some(bytes) = row.bytes {
            let sums = by_name.entry(tables.text(row.name)).or_default();
            (sums.0, sums.1) = (sums.0 + 1, sums.1 + bytes);
        }
    }
    let recorded: i64 = by_name.values().map(|(_, bytes)| bytes).sum();
    let allocated = total.unwrap_or(recorded);
    let all = allocated.max(recorded);
    let holder = |name: Option<&str>, count: Option<i64>, bytes: i64| Holder {
        time,
        name: name.map(Text::from),
        count,
        bytes,
        total: allocated,
        share: bytes as f64 / all.max(1) as f64,
    };
    let mut holders: Vec<Holder> =
        by_name.into_iter().map(|(name, (count, bytes))| holder(Some(name), Some(count), bytes)).collect();
    holders.sort_by(|a, b| (Reverse(a.bytes), &a.name).cmp(&(Reverse(b.bytes), &b.name)));
    holders.extend((all > recorded).then(|| holder(None, None, all - recorded)));
    holders
}

/// Rows of curves that share their times, at most the greater of `points` and `3 + CURVES`: of each stretch the first,
/// the last, the lowest of the first curve that has a value, and the highest of each curve. So the highest sample of
/// each curve stays.
pub fn thinned<const CURVES: usize>(
    rows: &[usize],
    points: usize,
    heights: impl Fn(usize) -> [Option<i64>; CURVES],
) -> Vec<usize> {
    if rows.len() <= points {
        return rows.to_vec();
    }
    let stretch = rows.len().div_ceil((points / (3 + CURVES)).max(1));
    let mut kept = Vec::with_capacity(points);
    for part in rows.chunks(stretch) {
        let lowest = part.iter().copied().min_by_key(|row| heights(*row).into_iter().flatten().next());
        let highest = |curve: usize| part.iter().copied().max_by_key(|row| heights(*row).get(curve).copied());
        let mut of_part: Vec<usize> =
            [part.first().copied(), lowest, part.last().copied()].into_iter().flatten().collect();
        of_part.extend((0..CURVES).filter_map(highest));
        of_part.sort_unstable();
        of_part.dedup();
        kept.extend(of_part);
    }
    kept
}

#[cfg(test)]
mod tests {
    use npuscope_tables::RankBuilder;

    use super::*;

    #[test]
    fn allocations_of_another_allocator_do_not_raise_the_peak() {
        let mut rank = RankBuilder::default();
        let kind = rank.strings.intern("operator");
        for (name, start, bytes, total) in [("cann::Graph_1", 1, 80, 80), ("aten::mm", 2, 90, 100)] {
            let (name, start) = (rank.strings.intern(name), Some(Ns(start)));
            let (bytes, start_allocated) = (Some(bytes), Some(total));
            rank.mem_event.push(mem_event::Row { kind, name, start, bytes, start_allocated, ..Default::default() });
        }
        let tables = rank.finish();
        let holders = holders(&tables, &Scope::default(), None);
        assert_eq!(holders.iter().map(|holder| holder.bytes).collect::<Vec<_>>(), [90, 80]);
        let peak = npuscope_measures::memory::peak(&tables).unwrap();
        assert!(holders.iter().all(|holder| (holder.time, holder.total) == (peak.time, peak.bytes)), "{holders:?}");
    }

    #[test]
    fn a_thinned_curve_keeps_its_extremes() {
        let heights: Vec<i64> = (0..10_000).map(|row| (row * 7919) % 10_007).collect();
        let others: Vec<Option<i64>> = (0..10_000).map(|row| (row % 3 > 0).then_some((row * 4241) % 9_973)).collect();
        let rows: Vec<usize> = (0..heights.len()).collect();
        let of_both = |row: usize| [Some(heights[row]), others[row]];
        let kept = thinned(&rows, 100, of_both);
        assert!(kept.len() <= 100);
        assert!(kept.is_sorted());
        let of_kept = || kept.iter().map(|row| heights[*row]);
        assert_eq!((of_kept().min(), of_kept().max()), (heights.iter().min().copied(), heights.iter().max().copied()));
        assert_eq!(kept.iter().map(|row| others[*row]).max(), others.iter().max().copied());
        assert_eq!((kept.first(), kept.last()), (Some(&0), Some(&9_999)));
        assert_eq!(thinned(&rows[..5], 100, of_both), [0, 1, 2, 3, 4]);
    }
}
