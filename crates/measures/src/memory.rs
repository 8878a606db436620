//! Memory of the device.

use std::cmp::Reverse;

use npuscope_tables::RankTables;
use npuscope_tables::table::mem_event;

/// When most memory was allocated on a rank, and how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peak {
    /// In ns since the epoch; of several such moments the first.
    pub time: i64,
    pub bytes: i64,
}

/// Memory peak of a rank: the greatest total that the framework's allocator had given out right after an allocation,
/// `max(mem_event.start_allocated)` over allocations at run time. `None` if no allocation was recorded.
pub fn peak(tables: &RankTables) -> Option<Peak> {
    peak_of(allocations(tables).filter_map(|row| Some((row.start?.0, row.start_allocated?))))
}

/// [`peak`] of some allocations: when each was, and the total after it.
pub fn peak_of(totals: impl Iterator<Item = (i64, i64)>) -> Option<Peak> {
    let most = totals.max_by_key(|(time, bytes)| (*bytes, Reverse(*time)));
    most.map(|(time, bytes)| Peak { time, bytes })
}

/// Allocations at run time, without what a graph compiler planned.
pub fn allocations(tables: &RankTables) -> impl Iterator<Item = mem_event::Row> {
    tables.rows::<mem_event::Row>().filter(|row| tables.text(row.kind) == "operator")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_the_first_moment_with_the_greatest_total() {
        let totals = [(1, 10), (2, 30), (3, 20), (4, 30)];
        assert_eq!(peak_of(totals.into_iter()), Some(Peak { time: 2, bytes: 30 }));
        assert_eq!(peak_of(std::iter::empty()), None);
    }
}
