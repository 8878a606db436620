//! The timeline of a rank, ready to be drawn: every slice on a row of its lane, at every level of detail.
//!
//! What costs time to find is in the [`index`], which is made once; times, names and arguments stay in the tables.

pub mod counters;
pub mod details;
pub mod flows;
pub mod gap;
pub mod index;
pub mod levels;
pub mod occurrences;
pub mod rows;
pub mod search;
pub mod statistics;
pub mod strip;
pub mod tile;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use arrow::buffer::ScalarBuffer;
use npuscope_analysis::meetings::RankOperations;
use npuscope_formats::timeline::slices::batches;
use npuscope_formats::timeline::{Counters, Kernels, Lanes, SliceBatch, Slices};
use npuscope_measures::busy::Busy;
use npuscope_measures::intervals::Interval;
use npuscope_tables::RankTables;

use crate::answers;
use counters::ShownCounters;
use index::{Index, Place};
use levels::Extent;

/// The timeline of a rank.
pub struct Timeline {
    tables: RankTables,
    lanes: Lanes,
    batches: Vec<SliceBatch>,
    index: Index,
    /// What slices are called.
    names: Vec<String>,
    counters: ShownCounters,
    kernels: OnceLock<Kernels>,
    /// When the device was busy.
    busy: OnceLock<Busy>,
    /// What it communicated with other ranks.
    operations: OnceLock<Arc<RankOperations>>,
}

/// A slice on its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownSlice {
    /// Its number in the timeline.
    pub id: u32,
    pub begin: i64,
    pub end: i64,
    /// Index into the names.
    pub name: u32,
    pub lane: u32,
    /// Row of the lane.
    pub row: u32,
}

impl ShownSlice {
    pub fn length(&self) -> i64 {
        self.end - self.begin
    }
}

/// Something to draw: a slice, or several that are too close together to be seen apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    pub begin: i64,
    pub end: i64,
    /// The slice; of several the longest.
    pub slice: u32,
    /// How many slices it stands for.
    pub count: u32,
}

impl Timeline {
    /// Makes the index of a rank.
    pub fn index(tables: &RankTables) -> Index {
        let lanes = Lanes::of(tables);
        let slices = Slices::of(tables, &lanes, None);
        Index::of(tables, lanes.list.len(), &slices, &Counters::of(tables, &lanes, None))
    }

    /// Of tables and the index that was made of them.
    pub fn new(tables: RankTables, index: Index) -> Timeline {
        let lanes = Lanes::of(&tables);
        let batches = batches(&tables);
        let first_of_name = index.names_first.iter().take(index.names_first.len().saturating_sub(1));
        let names = first_of_name.map(|first| {
            let slice = index.by_name.get(*first as usize).copied().unwrap_or_default();
            let place = Place(index.places.get(slice as usize).copied().unwrap_or_default());
            let batch = batches.get(place.batch()).filter(|batch| place.row() < batch.len());
            batch.map(|batch| batch.name(place.row(), &tables).text(&tables).into_owned()).unwrap_or_default()
        });
        let names = names.collect();
        let counters = ShownCounters::new(&tables, &index, &lanes);
        Timeline {
            tables,
            lanes,
            batches,
            index,
            names,
            counters,
            kernels: OnceLock::new(),
            busy: OnceLock::new(),
            operations: OnceLock::new(),
        }
    }

    pub fn counters(&self) -> &ShownCounters {
        &self.counters
    }

    pub fn tables(&self) -> &RankTables {
        &self.tables
    }

    /// What slices are called.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub fn name(&self, slice: &ShownSlice) -> &str {
        self.name_text(slice.name)
    }

    fn name_text(&self, name: u32) -> &str {
        self.names.get(name as usize).map(String::as_str).unwrap_or_default()
    }

    /// How many slices there are.
    pub fn len(&self) -> usize {
        self.index.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn extent(&self, slice: u32) -> Extent {
        let place = Place(self.index.places.get(slice as usize).copied().unwrap_or_default());
        let batch = self.batches.get(place.batch()).filter(|batch| place.row() < batch.len());
        let (begin, end) = batch.map_or((0, 0), |batch| batch.extent(place.row()));
        Extent { begin, end }
    }

    /// [`Timeline::extent`] as measures take it.
    fn interval(&self, slice: u32) -> Interval {
        let extent = self.extent(slice);
        Interval::new(extent.begin, extent.end)
    }

    fn batch_of(&self, slice: u32) -> Option<(&SliceBatch, usize)> {
        let place = Place(*self.index.places.get(slice as usize)?);
        let batch = self.batches.get(place.batch()).filter(|batch| place.row() < batch.len())?;
        Some((batch, place.row()))
    }

    pub fn slice(&self, id: u32) -> Option<ShownSlice> {
        let name = *self.index.names.get(id as usize)?;
        let row = range_with(&self.index.rows_first, id)?;
        let lane = range_with(&self.index.lanes_first, row)?;
        let first = *self.index.lanes_first.get(lane as usize)?;
        let Extent { begin, end } = self.extent(id);
        Some(ShownSlice { id, begin, end, name, lane, row: row - first })
    }

    /// The rows of a lane.
    fn rows(&self, lane: usize) -> Range<u32> {
        range(&self.index.lanes_first, lane)
    }

    /// The slices of a row, by their numbers.
    fn slices_of_row(&self, row: u32) -> Range<u32> {
        let slices = range(&self.index.rows_first, row as usize);
        slices.start..slices.end.min(self.len() as u32)
    }

    /// The slices of a row that have a part in a stretch of time; one without length is where it begins.
    fn slices_in(&self, row: u32, begin: i64, end: i64) -> Range<u32> {
        let slices = self.slices_of_row(row);
        let first = first_where(slices.clone(), |slice| reaches_beyond(self.extent(slice), begin));
        first..first_where(first..slices.end, |slice| self.extent(slice).begin >= end)
    }

    /// All slices of a lane, row by row.
    pub fn slices_of_lane(&self, lane: usize) -> Range<u32> {
        let rows = self.rows(lane);
        if rows.is_empty() {
            return 0..0;
        }
        self.slices_of_row(rows.start).start..self.slices_of_row(rows.end - 1).end
    }

    /// The slice that is open at a time on a lane, of several the one that began last.
    pub fn slice_at(&self, lane: usize, time: i64) -> Option<u32> {
        let of_rows = self.rows(lane).filter_map(|row| {
            let slice = self.slices_in(row, time, time.saturating_add(1)).next_back()?;
            Some((self.extent(slice).begin, slice))
        });
        of_rows.max().map(|(_, slice)| slice)
    }

    /// The bars of a row at a level that have a part in a stretch of time.
    fn bars(&self, row: u32, level: u32, begin: i64, end: i64) -> impl Iterator<Item = Bar> {
        let slices = self.slices_of_row(row);
        let kept = range(&self.index.row_levels_first, row as usize).rev().filter_map(|kept| {
            let at = kept as usize * 3;
            let words = self.index.levels.get(at..at + 3)?;
            (words[0] <= level).then(|| (words[1], words[2]))
        });
        let kept = kept.into_iter().next();
        let (first, count) = kept.unwrap_or((slices.start, slices.end - slices.start));
        // Where no level is kept, every slice is a bar.
        let word = move |bar: u32, at: usize| match kept {
            Some(_) => self.index.bars.get(bar as usize * 2 + at).copied().unwrap_or_default(),
            None => bar,
        };
        let bars = first..first.saturating_add(count);
        let last_bar = bars.end;
        let first_slice = move |bar: u32| if bar < last_bar { word(bar, 0) } else { slices.end };
        let end_of = move |bar: u32| self.extent(first_slice(bar + 1).saturating_sub(1)).end;
        let begin_of = move |bar: u32| self.extent(first_slice(bar)).begin;
        let from =
            first_where(bars.clone(), |bar| reaches_beyond(Extent { begin: begin_of(bar), end: end_of(bar) }, begin));
        let to = first_where(from..bars.end, |bar| begin_of(bar) >= end);
        (from..to).map(move |bar| Bar {
            begin: begin_of(bar),
            end: end_of(bar),
            slice: word(bar, 1),
            count: first_slice(bar + 1).saturating_sub(first_slice(bar)),
        })
    }

    /// The level below which nothing more is to be seen of some lanes: every slice is drawn for itself.
    pub fn finest(&self, lanes: &[usize]) -> u32 {
        let rows = lanes.iter().flat_map(|lane| self.rows(*lane));
        let first_kept = rows.filter_map(|row| {
            let kept = range(&self.index.row_levels_first, row as usize);
            (!kept.is_empty()).then(|| self.index.levels.get(kept.start as usize * 3).copied()).flatten()
        });
        first_kept.min().map_or(0, |level| level.saturating_sub(1))
    }

    /// The slices of some lanes that are drawn for themselves at a level, the longest first.
    pub fn alone(&self, lanes: &[usize], level: u32) -> Vec<u32> {
        let rows = lanes.iter().flat_map(|lane| self.rows(*lane));
        let bars = rows.flat_map(|row| self.bars(row, level, i64::MIN, i64::MAX)).filter(|bar| bar.count == 1);
        let mut bars: Vec<Bar> = bars.collect();
        bars.sort_by_key(|bar| std::cmp::Reverse(bar.end - bar.begin));
        bars.iter().map(|bar| bar.slice).collect()
    }

    /// The time from the first to the last of it.
    pub fn span(&self) -> Option<Interval> {
        let rows = 0..self.index.rows_first.len().saturating_sub(1) as u32;
        let of_rows = rows.map(|row| self.slices_of_row(row)).filter(|slices| !slices.is_empty());
        let of_rows = of_rows.map(|slices| (self.extent(slices.start).begin, self.extent(slices.end - 1).end));
        let around = |a: (i64, i64), b: (i64, i64)| (a.0.min(b.0), a.1.max(b.1));
        of_rows.chain(self.counters.spans()).reduce(around).map(|(start, end)| Interval::new(start, end))
    }

    /// Processes, lanes and counters, as the lane tree shows them.
    pub fn describe(&self, origin: i64) -> answers::Timeline {
        let processes = self.lanes.processes.iter().map(|process| answers::Process {
            name: process.name.clone(),
            pid: process.pid,
            labels: process.labels.clone(),
        });
        let lanes = self.lanes.list.iter().enumerate().filter(|(id, _)| !self.rows(*id).is_empty());
        let lanes = lanes.map(|(id, lane)| answers::Lane {
            id,
            process: lane.process,
            layer: lane.layer,
            name: lane.name.clone(),
            tid: lane.tid,
            rows: self.rows(id).len(),
            slices: self.slices_of_lane(id).len(),
        });
        answers::Timeline {
            processes: processes.collect(),
            lanes: lanes.collect(),
            counters: self.counters.describe(&self.tables, &self.lanes),
            span: self.span().map(|span| [span.start - origin, span.end - origin]),
        }
    }
}

/// Whether a slice is still open after `time`; one without length is open for the moment in which it is.
fn reaches_beyond(extent: Extent, time: i64) -> bool {
    extent.end.max(extent.begin.saturating_add(1)) > time
}

/// Range number `at` of a list of firsts.
fn range(firsts: &ScalarBuffer<u32>, at: usize) -> Range<u32> {
    match firsts.get(at..at.saturating_add(2)) {
        Some(&[first, end]) if first <= end => first..end,
        _ => 0..0,
    }
}

/// The last range of a list of firsts that begins at or before `number`.
fn range_with(firsts: &ScalarBuffer<u32>, number: u32) -> Option<u32> {
    let after = firsts.partition_point(|first| *first <= number);
    (after > 0 && after < firsts.len()).then(|| after as u32 - 1)
}

/// The first number of a range for which `is_so` holds, which then holds for all after it; the end if there is none.
fn first_where(numbers: Range<u32>, is_so: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (numbers.start, numbers.end.max(numbers.start));
    while low < high {
        let middle = low + (high - low) / 2;
        if is_so(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}
