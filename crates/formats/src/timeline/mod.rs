//! The timeline of a rank: lanes, the slices on them, arrows between slices, and counters, whatever tables they are in.
//!
//! What draws or exports a timeline starts here, so that all show the same slices.

pub mod counters;
pub mod facts;
pub mod flows;
pub mod lanes;
pub mod slices;

use npuscope_tables::RankTables;

pub use counters::{Counter, Counters};
pub use facts::{Columns, Fact, Kernels};
pub use flows::{Arrow, Arrows};
pub use lanes::{Lane, Lanes, Process};
pub use slices::{Slice, SliceBatch, SliceName, Slices};

use npuscope_measures::intervals::Interval;

/// The time that the whole timeline of a rank covers.
pub fn time_span(tables: &RankTables) -> Option<Interval> {
    [slices::time_span(tables), counters::time_span(tables)].into_iter().flatten().reduce(slices::around)
}
