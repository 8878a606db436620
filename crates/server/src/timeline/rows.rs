//! Rows of a lane: where slices that overlap are drawn.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

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
    /// Ends of the slices that are open, and their rows.
    open: BinaryHeap<Reverse<(i64, u32)>>,
    /// Rows below `count` on which nothing is open.
    free: BTreeSet<u32>,
    count: u32,
}

impl Rows {
    /// The row of the next slice.
    pub fn place(&mut self, begin: i64, end: i64) -> u32 {
        while let Some(&Reverse((_, row))) = self.open.peek().filter(|Reverse((end, _))| *end <= begin) {
            self.open.pop();
            self.free.insert(row);
        }
        let row = self.free.pop_first().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        // One without length is over for the next at the same moment only if that begins later.
        self.open.push(Reverse((end.max(begin.saturating_add(1)), row)));
        row
    }

    /// How many rows there are.
    pub fn count(&self) -> u32 {
        self.count
    }
}
