//! A new SQLite file.
//!
//! Rows come in order and are never changed, so a table's tree can be laid down leaf after leaf and its
//! upper levels put on top at the end: each page is written once, in the order of the file. That is
//! several times faster than inserting (`make bench-formats`), and the index costs a sort.
//! Several tables can grow at once: each fills a leaf of its own, and full leaves go to the end of the file.
//! The format is that of sqlite.org/fileformat2.html; every file that tests write is put through SQLite's
//! own `integrity_check`.

mod index;
mod page;
mod record;
mod table;
mod tree;

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::cell::SqlCell;
use page::{INTERIOR_TABLE, LEAF_TABLE, PAGE, Page};
use record::Record;
use tree::{interior_cell, table_cell};

pub use table::{NewTable, TableWriter};

/// Bytes of the file's own header, which the first page begins with.
const FILE_HEADER: usize = 100;
/// Any version of SQLite since 3.8 reads the file; this is what it says it was written by.
const WRITTEN_BY: u32 = 3_045_000;

/// An index over integer columns.
#[derive(Clone, Copy, Debug)]
pub struct Index {
    pub name: &'static str,
    pub columns: &'static [&'static str],
}

/// A file being written. The first page is left for last: it holds the list of tables.
pub struct SqliteFile {
    out: BufWriter<File>,
    /// Pages written or reserved.
    pages: u32,
    /// Rows of the list of tables: kind, name, table, root, statement.
    schema: Vec<[SqlCell<'static>; 5]>,
}

impl SqliteFile {
    pub fn create(path: &Path) -> io::Result<SqliteFile> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)?;
        let mut out = BufWriter::with_capacity(1 << 20, file);
        out.write_all(&[0; PAGE])?;
        Ok(SqliteFile { out, pages: 1, schema: Vec::new() })
    }

    /// Writes a table whose rows are at hand as cells.
    pub fn cells<'a>(
        &mut self,
        name: &str,
        columns: &[(String, &'static str)],
        rows: impl IntoIterator<Item = Vec<SqlCell<'a>>>,
    ) -> io::Result<()> {
        let columns = columns.to_vec();
        let mut table =
            TableWriter::new(NewTable { name: name.to_owned(), columns, indexes: &[], even_if_empty: true });
        table.rows(self, rows, |row, sink| row.iter().cloned().for_each(|cell| sink.push(cell)))?;
        table.finish(self)
    }

    fn list(&mut self, kind: &'static str, name: &str, table: &str, root: u32, sql: String) {
        let text = |text: &str| SqlCell::Text(text.to_owned().into());
        self.schema.push([
            text(kind),
            text(name),
            text(table),
            SqlCell::Int(i64::from(root)),
            SqlCell::Text(sql.into()),
        ]);
    }

    /// Appends a page and gives its number.
    fn write_page(&mut self, page: &[u8; PAGE]) -> io::Result<u32> {
        self.out.write_all(page)?;
        self.pages = self.pages.checked_add(1).ok_or_else(|| io::Error::other("the database is too large"))?;
        Ok(self.pages)
    }

    /// Writes a page anew, or appends it if it has no place yet.
    fn write_page_at(&mut self, place: Option<u32>, page: &[u8; PAGE]) -> io::Result<u32> {
        let Some(number) = place else { return self.write_page(page) };
        self.out.seek(SeekFrom::Start(offset(number)))?;
        self.out.write_all(page)?;
        self.out.seek(SeekFrom::End(0))?;
        Ok(number)
    }

    /// A page that was written.
    fn read_page(&mut self, number: u32) -> io::Result<Box<[u8; PAGE]>> {
        let mut page = Box::new([0; PAGE]);
        self.out.seek(SeekFrom::Start(offset(number)))?;
        self.out.get_mut().read_exact(&mut *page)?;
        self.out.seek(SeekFrom::End(0))?;
        Ok(page)
    }

    /// Writes the list of tables and the header. The file is then complete.
    pub fn finish(mut self) -> io::Result<()> {
        let mut record = Record::default();
        let mut cells = Vec::new();
        for (key, row) in (1..).zip(std::mem::take(&mut self.schema)) {
            record.clear();
            row.iter().for_each(|cell| record.push(cell));
            let cell = table_cell(&mut self, key, &record.whole())?;
            cells.push((key, cell));
        }
        let mut first = self.first_page(&cells)?;
        write_header(&mut first, self.pages);
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&*first)?;
        self.out.flush()
    }

    /// The first page, which is the root of the list of tables: its only leaf, or above all of them.
    fn first_page(&mut self, cells: &[(i64, Vec<u8>)]) -> io::Result<Box<[u8; PAGE]>> {
        let size: usize = cells.iter().map(|(_, cell)| cell.len() + 2).sum();
        let mut leaf = Page::new(LEAF_TABLE, FILE_HEADER);
        if leaf.has_room(size) {
            cells.iter().for_each(|(_, cell)| leaf.push(&[cell]));
            return Ok(leaf.finish(None));
        }
        // Leaves are filled by half, so that there are two at least, as a page above leaves must have.
        let mut leaves = Vec::new();
        let mut leaf = Page::new(LEAF_TABLE, 0);
        let mut greatest = 0;
        for (key, cell) in cells {
            if leaf.cells > 0 && !leaf.has_room(cell.len() + PAGE / 2) {
                let full = std::mem::replace(&mut leaf, Page::new(LEAF_TABLE, 0));
                leaves.push((self.write_page(&full.finish(None))?, greatest));
            }
            leaf.push(&[cell]);
            greatest = *key;
        }
        let right = self.write_page(&leaf.finish(None))?;
        let mut root = Page::new(INTERIOR_TABLE, FILE_HEADER);
        for (child, key) in leaves {
            root.push(&[&interior_cell(child, key)]);
        }
        Ok(root.finish(Some(right)))
    }
}

fn offset(page: u32) -> u64 {
    u64::from(page - 1) * PAGE as u64
}

fn write_header(page: &mut [u8; PAGE], pages: u32) {
    let mut put = |at: usize, bytes: &[u8]| {
        for (to, from) in page.iter_mut().skip(at).zip(bytes) {
            *to = *from;
        }
    };
    put(0, b"SQLite format 3\0");
    put(16, &(PAGE as u16).to_be_bytes());
    // Written and read without a journal; the shares of a page that the format demands.
    put(18, &[1, 1, 0, 64, 32, 32]);
    put(24, &1u32.to_be_bytes());
    put(28, &pages.to_be_bytes());
    put(40, &1u32.to_be_bytes());
    put(44, &4u32.to_be_bytes());
    put(56, &1u32.to_be_bytes());
    put(92, &1u32.to_be_bytes());
    put(96, &WRITTEN_BY.to_be_bytes());
}
