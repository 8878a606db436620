//! The tree of a table, its leaves written as they fill.

use std::io;

use super::SqliteFile;
use super::page::{INTERIOR_TABLE, LEAF_TABLE, PAGE, Page};
use super::record::{Record, Varints, push_varint, read_varint};

/// The longest payload of a table that stays on a leaf whole.
const MOST_LOCAL: usize = PAGE - 35;

/// The tree of a table. Pages may lie anywhere in the file, so several can grow at once.
#[derive(Default)]
pub struct TableTree {
    leaf: Option<Page>,
    /// Written pages and the greatest key of each.
    children: Vec<(u32, i64)>,
    last_key: Option<i64>,
}

impl TableTree {
    /// The greatest key.
    pub fn last_key(&self) -> Option<i64> {
        self.last_key
    }

    /// Adds a row, whose key is above all before it.
    pub fn push(&mut self, file: &mut SqliteFile, key: i64, record: &Record) -> io::Result<()> {
        let size = record.size();
        if size > MOST_LOCAL {
            return self.push_whole(file, key, &record.whole());
        }
        let mut start = Varints::default();
        start.push(size as u64);
        start.push(key.cast_unsigned());
        let parts = record.parts(&mut start);
        self.push_cell(file, key, &parts)
    }

    /// As [`TableTree::push`], for a record that is at hand as bytes.
    pub fn push_whole(&mut self, file: &mut SqliteFile, key: i64, payload: &[u8]) -> io::Result<()> {
        let cell = table_cell(file, key, payload)?;
        self.push_cell(file, key, &[&cell])
    }

    fn push_cell(&mut self, file: &mut SqliteFile, key: i64, parts: &[&[u8]]) -> io::Result<()> {
        let size = parts.iter().map(|part| part.len()).sum();
        if self.leaf.as_ref().is_some_and(|leaf| !leaf.has_room(size)) {
            self.close_leaf(file)?;
        }
        self.leaf.get_or_insert_with(|| Page::new(LEAF_TABLE, 0)).push(parts);
        self.last_key = Some(key);
        Ok(())
    }

    fn close_leaf(&mut self, file: &mut SqliteFile) -> io::Result<()> {
        if let (Some(leaf), Some(key)) = (self.leaf.take(), self.last_key) {
            let page = file.write_page(&leaf.finish(None))?;
            self.children.push((page, key));
        }
        Ok(())
    }

    /// Puts rows between those that are written: keys ascending, none above the last of the tree. A row
    /// whose key is taken is left out. Leaves that get more rows are written anew.
    pub fn insert(&mut self, file: &mut SqliteFile, rows: &[(i64, &[u8])]) -> io::Result<()> {
        self.close_leaf(file)?;
        let mut rows = rows.iter().peekable();
        for (page, greatest) in std::mem::take(&mut self.children) {
            if rows.peek().is_none_or(|(key, _)| *key > greatest) {
                self.children.push((page, greatest));
                continue;
            }
            let mut merged = Vec::new();
            for (key, cell) in leaf_cells(&*file.read_page(page)?) {
                while let Some((late, payload)) = rows.next_if(|(late, _)| *late < key) {
                    merged.push((*late, table_cell(file, *late, payload)?));
                }
                rows.next_if(|(late, _)| *late == key);
                merged.push((key, cell));
            }
            self.replace_leaf(file, page, &merged)?;
        }
        Ok(())
    }

    /// Writes cells in the place of a leaf, and on new pages what does not fit there.
    fn replace_leaf(&mut self, file: &mut SqliteFile, page: u32, cells: &[(i64, Vec<u8>)]) -> io::Result<()> {
        let mut place = Some(page);
        let mut leaf = Page::new(LEAF_TABLE, 0);
        let mut greatest = 0;
        for (key, cell) in cells {
            if !leaf.has_room(cell.len()) {
                let full = std::mem::replace(&mut leaf, Page::new(LEAF_TABLE, 0));
                self.children.push((file.write_page_at(place.take(), &full.finish(None))?, greatest));
            }
            leaf.push(&[cell]);
            greatest = *key;
        }
        self.children.push((file.write_page_at(place, &leaf.finish(None))?, greatest));
        Ok(())
    }

    /// Writes what is left and the levels above; the number of the root.
    pub fn finish(mut self, file: &mut SqliteFile) -> io::Result<u32> {
        self.close_leaf(file)?;
        let mut level = self.children;
        if level.is_empty() {
            level.push((file.write_page(&Page::new(LEAF_TABLE, 0).finish(None))?, 0));
        }
        while level.len() > 1 {
            level = interior_level(file, &level)?;
        }
        Ok(level.first().map_or(0, |(page, _)| *page))
    }
}

/// Keys and cells of a leaf that this module wrote: cells lie one before the other, from the end.
fn leaf_cells(page: &[u8; PAGE]) -> Vec<(i64, Vec<u8>)> {
    let number = |at: usize| match page.get(at..at + 2) {
        Some(&[high, low]) => usize::from(high) << 8 | usize::from(low),
        _ => 0,
    };
    let mut cells = Vec::new();
    let mut end = PAGE;
    for cell in 0..number(3) {
        let start = number(8 + 2 * cell);
        let bytes = page.get(start..end).unwrap_or_default();
        let (_, rest) = read_varint(bytes);
        let (key, _) = read_varint(rest);
        cells.push((key.cast_signed(), bytes.to_vec()));
        end = start;
    }
    cells
}

/// A row as a leaf holds it: size, key and payload, what is too long of it on pages of its own.
pub fn table_cell(file: &mut SqliteFile, key: i64, payload: &[u8]) -> io::Result<Vec<u8>> {
    let mut cell = Vec::new();
    push_varint(&mut cell, payload.len() as u64);
    push_varint(&mut cell, key.cast_unsigned());
    let (here, rest) = payload.split_at(local_size(payload.len()));
    cell.extend_from_slice(here);
    if !rest.is_empty() {
        cell.extend_from_slice(&write_overflow(file, rest)?.to_be_bytes());
    }
    Ok(cell)
}

pub fn interior_cell(child: u32, key: i64) -> Vec<u8> {
    let mut cell = child.to_be_bytes().to_vec();
    push_varint(&mut cell, key.cast_unsigned());
    cell
}

/// Interior pages over `children`: every page has its last child on the right, and at least two.
fn interior_level(file: &mut SqliteFile, children: &[(u32, i64)]) -> io::Result<Vec<(u32, i64)>> {
    const CHILDREN: usize = 1000;
    let mut level = Vec::new();
    let mut rest = children;
    while !rest.is_empty() {
        // The last page must not be left with a single child.
        let take = if rest.len() == CHILDREN + 1 { CHILDREN - 1 } else { CHILDREN.min(rest.len()) };
        let (here, after) = rest.split_at(take);
        rest = after;
        let Some((&(right, greatest), left)) = here.split_last() else { break };
        let mut page = Page::new(INTERIOR_TABLE, 0);
        for &(child, key) in left {
            page.push(&[&interior_cell(child, key)]);
        }
        level.push((file.write_page(&page.finish(Some(right)))?, greatest));
    }
    Ok(level)
}

/// How much of a table's payload stays on the leaf.
fn local_size(size: usize) -> usize {
    if size <= MOST_LOCAL {
        return size;
    }
    let least = (PAGE - 12) * 32 / 255 - 23;
    let fitting = least + (size - least) % (PAGE - 4);
    if fitting <= MOST_LOCAL { fitting } else { least }
}

/// Writes the rest of a long payload; the number of its first page.
fn write_overflow(file: &mut SqliteFile, rest: &[u8]) -> io::Result<u32> {
    let first = file.pages + 1;
    let chunks = rest.len().div_ceil(PAGE - 4);
    for (number, chunk) in (1..).zip(rest.chunks(PAGE - 4)) {
        let next = if number < chunks { file.pages + 2 } else { 0 };
        let mut page = Box::new([0; PAGE]);
        for (to, from) in page.iter_mut().zip(next.to_be_bytes().iter().chain(chunk)) {
            *to = *from;
        }
        file.write_page(&page)?;
    }
    Ok(first)
}
