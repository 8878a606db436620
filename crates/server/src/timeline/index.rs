//! The index of a timeline: which slices are on which row, by what name, and the levels of detail. It is made once per
//! rank and kept beside the rank's tables, which it points into: times and names are theirs.
//!
//! All of it is lists of 32-bit numbers, so that a kept index is mapped and not read:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `npuscope` |
//! | 4 | version |
//! | 4 | number of lists |
//! | 8 per list | how many numbers it has |
//! | | the lists, each from a multiple of 64 bytes on |

use std::io::{self, Write};

use arrow::buffer::{Buffer, ScalarBuffer};
use hashbrown::HashMap;
use npuscope_formats::timeline::{Counters, SliceName, Slices};
use npuscope_tables::{BATCH_ROWS, RankTables};

use super::levels::{Extent, levels};
use super::rows::Rows;

const MAGIC: &[u8; 8] = b"npuscope";

/// Raised whenever an index of the same tables would come out differently.
pub const VERSION: u32 = 1;

const LISTS: usize = 11;
const ALIGNMENT: usize = 64;

/// Where the row of a slice or sample is: the batch in the upper half, the row in the lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(pub u32);

const _: () = assert!(BATCH_ROWS <= 1 << 16);

impl Place {
    fn new(batch: usize, row: usize) -> Place {
        Place((batch as u32) << 16 | row as u32)
    }

    pub fn batch(self) -> usize {
        (self.0 >> 16) as usize
    }

    pub fn row(self) -> usize {
        (self.0 & 0xffff) as usize
    }
}

/// A list of ranges that follow each other, by where each begins; one more number says where the last ends.
pub type Firsts = ScalarBuffer<u32>;

/// The index of the timeline of a rank. Slices are numbered lane by lane, row by row, in order of time.
#[derive(Clone, Debug)]
pub struct Index {
    /// The row of each slice in the tables, a [`Place`].
    pub places: ScalarBuffer<u32>,
    /// The name of each slice.
    pub names: ScalarBuffer<u32>,
    /// Slices by name, and in order of their numbers.
    pub by_name: ScalarBuffer<u32>,
    /// Ranges of `by_name`, one for each name.
    pub names_first: Firsts,
    /// Ranges of rows, one for each lane.
    pub lanes_first: Firsts,
    /// Ranges of slices, one for each row.
    pub rows_first: Firsts,
    /// Ranges of levels, one for each row.
    pub row_levels_first: Firsts,
    /// Three numbers a level: the level, its first bar, the number of its bars.
    pub levels: ScalarBuffer<u32>,
    /// Two numbers a bar: the first of its slices, the longest of them.
    pub bars: ScalarBuffer<u32>,
    /// The row of each sample in the table of counters, counter by counter in order of time.
    pub samples: ScalarBuffer<u32>,
    /// Ranges of samples, one for each counter.
    pub counters_first: Firsts,
}

impl Index {
    pub fn of(tables: &RankTables, lanes: usize, slices: &Slices, counters: &Counters) -> Index {
        let mut names = Names::default();
        let mut lists: [Vec<u32>; LISTS] = Default::default();
        let [
            places,
            names_of,
            by_name,
            names_first,
            lanes_first,
            rows_first,
            row_levels_first,
            kept_levels,
            bars,
            samples,
            counters_first,
        ] = &mut lists;
        places.reserve(slices.list.len());
        names_of.reserve(slices.list.len());
        let mut rest = slices.list.as_slice();
        let mut extents: Vec<Extent> = Vec::new();
        for lane in 0..lanes {
            let (of_lane, after) = rest.split_at(rest.partition_point(|slice| slice.lane == lane));
            rest = after;
            lanes_first.push(number(rows_first.len()));
            let mut rows = Rows::default();
            let mut by_row: Vec<Vec<u32>> = Vec::new();
            for (at, slice) in of_lane.iter().enumerate() {
                let row = rows.place(slice.begin, slice.end) as usize;
                if row >= by_row.len() {
                    by_row.resize_with(row + 1, Vec::new);
                }
                by_row[row].push(number(at));
            }
            for of_row in by_row {
                let first = number(places.len());
                rows_first.push(first);
                row_levels_first.push(number(kept_levels.len() / 3));
                extents.clear();
                for slice in of_row.iter().map(|&at| &of_lane[at as usize]) {
                    let batch = &slices.batches[slice.batch];
                    places.push(Place::new(slice.batch, slice.row).0);
                    names_of.push(names.number(batch.name(slice.row, tables)));
                    extents.push(Extent { begin: slice.begin, end: slice.end });
                }
                for level in levels(first, &extents) {
                    kept_levels.extend([level.level, number(bars.len() / 2), number(level.bars.len())]);
                    bars.extend(level.bars.iter().flat_map(|bar| [bar.first, bar.longest]));
                }
            }
        }
        lanes_first.push(number(rows_first.len()));
        rows_first.push(number(places.len()));
        row_levels_first.push(number(kept_levels.len() / 3));
        (*names_first, *by_name) = grouped(names_of, names.count as usize);
        let of_counter = counters.samples.iter().map(|sample| number(sample.counter)).collect::<Vec<_>>();
        counters_first.extend(
            (0..=counters.list.len())
                .map(|counter| number(of_counter.partition_point(|of_sample| (*of_sample as usize) < counter))),
        );
        samples.extend(counters.samples.iter().map(|sample| Place::new(sample.batch, sample.row).0));
        Index::of_lists(lists.map(ScalarBuffer::from))
    }

    fn of_lists(lists: [ScalarBuffer<u32>; LISTS]) -> Index {
        let [
            places,
            names,
            by_name,
            names_first,
            lanes_first,
            rows_first,
            row_levels_first,
            levels,
            bars,
            samples,
            counters_first,
        ] = lists;
        Index {
            places,
            names,
            by_name,
            names_first,
            lanes_first,
            rows_first,
            row_levels_first,
            levels,
            bars,
            samples,
            counters_first,
        }
    }

    fn lists(&self) -> [&ScalarBuffer<u32>; LISTS] {
        [
            &self.places,
            &self.names,
            &self.by_name,
            &self.names_first,
            &self.lanes_first,
            &self.rows_first,
            &self.row_levels_first,
            &self.levels,
            &self.bars,
            &self.samples,
            &self.counters_first,
        ]
    }

    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        let lists = self.lists();
        out.write_all(MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&(LISTS as u32).to_le_bytes())?;
        for list in lists {
            out.write_all(&(list.len() as u64).to_le_bytes())?;
        }
        let mut at = 16 + 8 * LISTS;
        for list in lists {
            out.write_all(&[0; ALIGNMENT][..at.next_multiple_of(ALIGNMENT) - at])?;
            out.write_all(list.inner().as_slice())?;
            at = at.next_multiple_of(ALIGNMENT) + 4 * list.len();
        }
        Ok(())
    }

    /// An index that was written; `None` if it is of another version or damaged.
    pub fn read(bytes: &Buffer) -> Option<Index> {
        let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        if bytes.get(..8)? != MAGIC || word(8)? != VERSION || word(12)? as usize != LISTS {
            return None;
        }
        let mut at = 16 + 8 * LISTS;
        let mut lists = Vec::with_capacity(LISTS);
        for list in 0..LISTS {
            let place = 16 + 8 * list;
            let length = u64::from_le_bytes(bytes.get(place..place + 8)?.try_into().ok()?);
            let length = usize::try_from(length).ok()?.checked_mul(4)?;
            at = at.next_multiple_of(ALIGNMENT);
            if at.checked_add(length)? > bytes.len() {
                return None;
            }
            lists.push(ScalarBuffer::new(bytes.slice_with_length(at, length), 0, length / 4));
            at += length;
        }
        let index = Index::of_lists(lists.try_into().ok()?);
        (at == bytes.len() && index.is_sound()).then_some(index)
    }

    /// Whether its lists fit together. What they point to in the tables is looked at when it is used.
    fn is_sound(&self) -> bool {
        let slices = self.places.len();
        let levels = self.levels.chunks_exact(3);
        self.names.len() == slices
            && self.by_name.len() == slices
            && is_divided(&self.names_first, slices)
            && is_divided(&self.rows_first, slices)
            && is_divided(&self.lanes_first, self.rows_first.len().saturating_sub(1))
            && self.row_levels_first.len() == self.rows_first.len()
            && is_divided(&self.row_levels_first, self.levels.len() / 3)
            && is_divided(&self.counters_first, self.samples.len())
            && levels.remainder().is_empty()
            && { levels }.all(|level| u64::from(level[1]) + u64::from(level[2]) <= self.bars.len() as u64 / 2)
    }
}

/// Whether firsts ascend, and end at `end`.
fn is_divided(firsts: &Firsts, end: usize) -> bool {
    firsts.is_sorted() && firsts.last().is_some_and(|last| *last as usize == end)
}

/// The numbers of names, in the order in which they are met.
#[derive(Default)]
struct Names {
    /// By the id of the text, where the name is just a text.
    of_text: Vec<u32>,
    others: HashMap<SliceName, u32>,
    count: u32,
}

impl Names {
    fn number(&mut self, name: SliceName) -> u32 {
        const NONE: u32 = u32::MAX;
        let known = match name {
            SliceName::Text(text) => {
                let id = text.0 as usize;
                if id >= self.of_text.len() {
                    self.of_text.resize(id + 1, NONE);
                }
                &mut self.of_text[id]
            }
            other => self.others.entry(other).or_insert(NONE),
        };
        if *known == NONE {
            *known = self.count;
            self.count += 1;
        }
        *known
    }
}

/// The numbers `0..groups.len()` by group, in order within each, and where the groups begin.
fn grouped(groups: &[u32], count: usize) -> (Vec<u32>, Vec<u32>) {
    let mut firsts = vec![0u32; count + 1];
    for group in groups {
        firsts[*group as usize + 1] += 1;
    }
    for group in 0..count {
        firsts[group + 1] += firsts[group];
    }
    let mut next = firsts.clone();
    let mut ordered = vec![0; groups.len()];
    for (slice, group) in groups.iter().enumerate() {
        let place = &mut next[*group as usize];
        ordered[*place as usize] = number(slice);
        *place += 1;
    }
    (firsts, ordered)
}

/// Slices are counted by 32 bits: more do not fit into memory.
fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use npuscope_tables::RankBuilder;
    use proptest::prelude::*;

    use super::*;
    use crate::timeline::Timeline;

    fn written() -> Vec<u8> {
        let mut bytes = Vec::new();
        Timeline::index(&RankBuilder::default().finish()).write(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = written();
        assert!(Index::read(&Buffer::from(bytes.clone())).is_some());
        assert!(Index::read(&Buffer::from(bytes[..bytes.len() - 1].to_vec())).is_none());
        assert!(Index::read(&Buffer::from(Vec::<u8>::new())).is_none());
    }

    #[test]
    fn firsts_that_do_not_fit_are_refused() {
        let firsts = |list: &[u32]| ScalarBuffer::from(list.to_vec());
        assert!(is_divided(&firsts(&[0, 2, 2, 5]), 5));
        assert!(!is_divided(&firsts(&[0, 3, 2, 5]), 5));
        assert!(!is_divided(&firsts(&[0, 6]), 5));
        assert!(!is_divided(&firsts(&[]), 0));
    }

    proptest! {
        #![proptest_config(npuscope_testing::cases(256))]

        #[test]
        fn damaged_bytes_do_not_panic(at in 0usize..600, byte: u8) {
            let mut bytes = written();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Some(index) = Index::read(&Buffer::from(bytes)) {
                let timeline = Timeline::new(RankBuilder::default().finish(), index);
                timeline.span();
                timeline.describe(0);
            }
        }
    }
}
