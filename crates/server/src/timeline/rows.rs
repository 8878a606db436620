//! Rows of a lane: where slices that overlap are drawn.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Rows that are looked through one by one: few lanes have more, and those by thousands.
const NEAR: usize = 24;

/// Gives each slice of a lane a row, so that no two on a row overlap and none is lost. Slices come in order of begin, of
/// two with one begin the longer first; each goes to the first row that is free. So what nests is drawn below what it is
/// in, and a row never changes while the view moves.
///
/// ```
/// use npuscope_server::timeline::rows::Rows;
/// let mut rows = Rows::default();
/// assert_eq!([(0, 10), (2, 4), (5, 15), (11, 12), (15, 15)].map(|(begin, end)| rows.place(begin, end)), [0, 1, 1, 0, 0]);
/// ```
#[derive(Default)]
pub struct Rows {
    /// Ends of the last slices on the first rows.
    near: Vec<i64>,
    /// Ends of the slices that are open on further rows, and those rows.
    open: BinaryHeap<Reverse<(i64, u32)>>,
    /// Further rows on which nothing is open.
    free: BTreeSet<u32>,
    /// How many further rows there are.
    further: u32,
}

impl Rows {
    /// The row of the next slice.
    pub fn place(&mut self, begin: i64, end: i64) -> u32 {
        // One without length is over for the next at the same moment only if that begins later.
        let end = end.max(begin.saturating_add(1));
        if let Some(row) = self.near.iter().position(|open_until| *open_until <= begin) {
            self.near[row] = end;
            return row as u32;
        }
        if self.near.len() < NEAR {
            self.near.push(end);
            return self.near.len() as u32 - 1;
        }
        while let Some(&Reverse((_, row))) = self.open.peek().filter(|Reverse((end, _))| *end <= begin) {
            self.open.pop();
            self.free.insert(row);
        }
        let row = self.free.pop_first().unwrap_or_else(|| {
            self.further += 1;
            NEAR as u32 + self.further - 1
        });
        self.open.push(Reverse((end, row)));
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(npuscope_testing::cases(256))]

        #[test]
        fn each_takes_the_first_row_that_is_free(mut slices in prop::collection::vec((0i64..60, 0i64..60), 0..200)) {
            slices.sort_by_key(|&(begin, length)| (begin, Reverse(length)));
            let mut rows = Rows::default();
            let mut ends: Vec<i64> = Vec::new();
            for (begin, length) in slices {
                let expected = ends.iter().position(|end| *end <= begin).unwrap_or(ends.len());
                ends.resize(ends.len().max(expected + 1), 0);
                ends[expected] = begin + length.max(1);
                prop_assert_eq!(rows.place(begin, begin + length), expected as u32);
            }
        }
    }
}
