//! The tree of an index over integers.

use std::io;

use super::page::{INTERIOR_INDEX, LEAF_INDEX, Page};
use super::record::{Record, Varints};
use super::{Index, SqliteFile};
use crate::cell::SqlCell;

/// The entries of an index: its columns and the row's key.
pub struct IndexEntries {
    /// By column of the table: its place in the entry.
    places: Vec<Option<usize>>,
    current: Vec<i64>,
    /// Entries one after the other, each as long as `current`.
    entries: Vec<i64>,
    /// A value that stands for null was met as a number: there can be no index.
    pub is_spoilt: bool,
}

/// Stands for null, and sorts before all numbers as null does.
const NULL: i64 = i64::MIN;

impl IndexEntries {
    pub fn new(index: &Index, columns: &[(String, &str)]) -> IndexEntries {
        let places = columns.iter().map(|(name, _)| index.columns.iter().position(|c| c == name)).collect();
        let current = vec![NULL; index.columns.len() + 1];
        IndexEntries { places, current, entries: Vec::new(), is_spoilt: false }
    }

    pub fn begin(&mut self) {
        self.current.fill(NULL);
    }

    #[inline]
    pub fn take(&mut self, column: usize, value: i64) {
        if let Some(Some(place)) = self.places.get(column)
            && let Some(slot) = self.current.get_mut(*place)
        {
            *slot = value;
            self.is_spoilt |= value == NULL;
        }
    }

    pub fn end(&mut self, rowid: i64) {
        if let Some(last) = self.current.last_mut() {
            *last = rowid;
        }
        self.entries.extend_from_slice(&self.current);
    }

    /// Writes the tree: entries in order, those between two pages on the page above.
    pub fn finish(mut self, file: &mut SqliteFile) -> io::Result<u32> {
        let width = self.current.len();
        if !self.entries.chunks(width).is_sorted() {
            // In place, for the widths there are.
            match width {
                2 => self.entries.as_chunks_mut::<2>().0.sort_unstable(),
                3 => self.entries.as_chunks_mut::<3>().0.sort_unstable(),
                _ => {
                    let mut entries: Vec<&[i64]> = self.entries.chunks(width).collect();
                    entries.sort_unstable();
                    return write_index(file, entries.into_iter());
                }
            }
        }
        write_index(file, self.entries.chunks(width))
    }
}

fn write_index<'a>(file: &mut SqliteFile, entries: impl ExactSizeIterator<Item = &'a [i64]>) -> io::Result<u32> {
    let mut level: Vec<(u32, Option<Vec<u8>>)> = Vec::new();
    let mut record = Record::default();
    let mut leaf = Page::new(LEAF_INDEX, 0);
    let mut left = entries.len();
    for entry in entries {
        record.clear();
        for &value in entry {
            if value == NULL { record.push(&SqlCell::Null) } else { record.push_int(value) }
        }
        let mut start = Varints::default();
        start.push(record.size() as u64);
        let parts = record.parts(&mut start);
        let size: usize = parts.iter().map(|part| part.len()).sum();
        left -= 1;
        // The entry that no longer fits goes up and divides this leaf from the next; one must follow it.
        if !leaf.has_room(3 * size) && left > 0 {
            let full = std::mem::replace(&mut leaf, Page::new(LEAF_INDEX, 0));
            level.push((file.write_page(&full.finish(None))?, Some(parts.concat())));
        } else {
            leaf.push(&parts);
        }
    }
    level.push((file.write_page(&leaf.finish(None))?, None));
    while level.len() > 1 {
        level = index_level(file, level)?;
    }
    Ok(level.first().map_or(0, |(page, _)| *page))
}

/// Interior pages of an index over `children`, each with the entry that divides it from the next.
fn index_level(
    file: &mut SqliteFile,
    children: Vec<(u32, Option<Vec<u8>>)>,
) -> io::Result<Vec<(u32, Option<Vec<u8>>)>> {
    let mut level = Vec::new();
    let mut page = Page::new(INTERIOR_INDEX, 0);
    let mut left = children.len();
    for (child, divider) in children {
        left -= 1;
        let Some(divider) = divider else {
            level.push((file.write_page(&page.finish(Some(child)))?, None));
            break;
        };
        let size = 4 + divider.len();
        // A full page takes this child as its last, and the entry goes further up; two must follow.
        if !page.has_room(3 * size) && page.cells > 0 && left > 1 {
            let full = std::mem::replace(&mut page, Page::new(INTERIOR_INDEX, 0));
            level.push((file.write_page(&full.finish(Some(child)))?, Some(divider)));
        } else {
            page.push(&[&child.to_be_bytes(), &divider]);
        }
    }
    Ok(level)
}
