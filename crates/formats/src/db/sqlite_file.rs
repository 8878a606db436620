//! A new SQLite file, written from front to back.
//!
//! Rows come in order and are never changed, so a table's tree can be laid down leaf after leaf and its
//! upper levels put on top at the end: each page is written once, in the order of the file. That is
//! several times faster than inserting (`cargo bench -p npuscope-formats`), and the index costs a sort.
//! The format is that of sqlite.org/fileformat2.html; every file that tests write is put through SQLite's
//! own `integrity_check`.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use super::cell::SqlCell;
use super::database::quoted;

const PAGE: usize = 16_384;
const LEAF_TABLE: u8 = 13;
const INTERIOR_TABLE: u8 = 5;
const LEAF_INDEX: u8 = 10;
const INTERIOR_INDEX: u8 = 2;
/// Bytes of the file's own header, which the first page begins with.
const FILE_HEADER: usize = 100;
/// The longest payload of a table that stays on a leaf whole.
const MOST_LOCAL: usize = PAGE - 35;
/// Any version of SQLite since 3.8 reads the file; this is what it says it was written by.
const WRITTEN_BY: u32 = 3_045_000;

/// An index over integer columns.
#[derive(Clone, Copy, Debug)]
pub struct Index {
    pub name: &'static str,
    pub columns: &'static [&'static str],
}

/// A table to be written.
pub struct NewTable<'a> {
    pub name: &'a str,
    /// Names and declared types.
    pub columns: &'a [(String, &'a str)],
    pub indexes: &'a [Index],
    /// Whether a table without rows is written too.
    pub even_if_empty: bool,
}

impl NewTable<'_> {
    /// The column that is the key.
    fn key(&self) -> Option<usize> {
        self.columns.iter().position(|(_, declared)| declared.starts_with("INTEGER PRIMARY KEY"))
    }

    fn create(&self) -> String {
        let column = |(name, declared): &(String, &str)| format!("{} {declared}", quoted(name)).trim_end().to_owned();
        let columns: Vec<String> = self.columns.iter().map(column).collect();
        format!("CREATE TABLE {} ({})", quoted(self.name), columns.join(", "))
    }
}

/// Takes the cells of a row.
pub struct RowSink {
    columns: Vec<SinkColumn>,
    indexed: Vec<IndexEntries>,
    record: Record,
    column: usize,
    rowid: i64,
}

impl RowSink {
    fn new(table: &NewTable<'_>) -> RowSink {
        let column = |(index, (name, declared)): (usize, &(String, &str))| {
            let affinity = Affinity::of(declared);
            SinkColumn {
                affinity,
                keeps_integers: matches!(affinity, Affinity::Numeric | Affinity::None),
                is_key: table.key() == Some(index),
                is_indexed: table.indexes.iter().any(|i| i.columns.contains(&name.as_str())),
            }
        };
        RowSink {
            columns: table.columns.iter().enumerate().map(column).collect(),
            indexed: table.indexes.iter().map(|index| IndexEntries::new(index, table.columns)).collect(),
            record: Record::default(),
            column: 0,
            rowid: 0,
        }
    }

    fn begin(&mut self, rowid: i64) {
        self.rowid = rowid;
        self.column = 0;
        self.record.clear();
        self.indexed.iter_mut().for_each(IndexEntries::begin);
    }

    #[inline]
    pub fn push(&mut self, cell: SqlCell) {
        let column = self.columns.get(self.column).copied().unwrap_or_default();
        match cell {
            SqlCell::Int(number) if column.keeps_integers => {
                if column.is_indexed {
                    self.indexed.iter_mut().for_each(|entries| entries.take(self.column, number));
                }
                if column.is_key {
                    // The key is stored as the row's number and not again.
                    self.rowid = number;
                    self.record.push(&SqlCell::Null);
                } else {
                    self.record.push_int(number);
                }
            }
            cell => self.record.push(&column.affinity.stored(cell)),
        }
        self.column += 1;
    }

    fn end(&mut self) {
        let rowid = self.rowid;
        self.indexed.iter_mut().for_each(|entries| entries.end(rowid));
    }
}

#[derive(Clone, Copy, Default)]
struct SinkColumn {
    affinity: Affinity,
    keeps_integers: bool,
    is_key: bool,
    is_indexed: bool,
}

/// How a column stores what it is given, by its declared type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Affinity {
    Text,
    /// Floats that are whole become integers.
    Numeric,
    Real,
    /// As it comes.
    #[default]
    None,
}

impl Affinity {
    fn of(declared: &str) -> Affinity {
        match declared {
            "TEXT" => Affinity::Text,
            "REAL" => Affinity::Real,
            "" => Affinity::None,
            _ => Affinity::Numeric,
        }
    }

    fn stored(self, cell: SqlCell) -> SqlCell {
        match (self, cell) {
            (Affinity::Text, SqlCell::Int(number)) => SqlCell::Text(number.to_string()),
            (Affinity::Text, SqlCell::Real(real)) => SqlCell::Text(crate::number::float(real)),
            #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
            (Affinity::Numeric, SqlCell::Real(real)) if real.fract() == 0.0 && real.abs() < 9e15 => {
                SqlCell::Int(real as i64)
            }
            #[expect(clippy::cast_precision_loss, reason = "that is what a REAL column does")]
            (Affinity::Real, SqlCell::Int(number)) => SqlCell::Real(number as f64),
            // SQLite has no NaN.
            (_, SqlCell::Real(real)) if real.is_nan() => SqlCell::Null,
            (_, cell) => cell,
        }
    }
}

/// A file being written. The first page is left for last: it holds the list of tables.
pub struct SqliteFile {
    out: BufWriter<File>,
    /// Pages written or reserved.
    pages: u32,
    /// Rows of the list of tables: kind, name, table, root, statement.
    schema: Vec<[SqlCell; 5]>,
}

impl SqliteFile {
    pub fn create(path: &Path) -> io::Result<SqliteFile> {
        let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
        out.write_all(&[0; PAGE])?;
        Ok(SqliteFile { out, pages: 1, schema: Vec::new() })
    }

    /// Writes a table; `cells` gives the cells of a row in the order of its columns. A column declared
    /// `INTEGER PRIMARY KEY` is the key: rows may come in any order of it, and of rows with one key the
    /// first is kept.
    pub fn table<R>(
        &mut self,
        table: &NewTable<'_>,
        rows: impl IntoIterator<Item = R>,
        mut cells: impl FnMut(&R, &mut RowSink),
    ) -> io::Result<()> {
        let mut sink = RowSink::new(table);
        let mut tree = TableTree::default();
        let mut keyed = KeyedRows::default();
        let mut row_number = 0;
        let has_key = table.key().is_some();
        // Not a loop: chained iterators hand rows to a closure without moving them about.
        rows.into_iter().try_for_each(|row| {
            row_number += 1;
            sink.begin(row_number);
            cells(&row, &mut sink);
            sink.end();
            if has_key {
                keyed.push(sink.rowid, &sink.record);
                Ok(())
            } else {
                tree.push(self, sink.rowid, &sink.record)
            }
        })?;
        if row_number == 0 && !table.even_if_empty {
            return Ok(());
        }
        for (key, payload) in keyed.sorted() {
            tree.push_whole(self, key, payload)?;
        }
        let root = tree.finish(self)?;
        let name = table.name;
        self.list("table", name, name, root, table.create());
        for (index, entries) in table.indexes.iter().zip(sink.indexed).filter(|(_, entries)| !entries.is_spoilt) {
            let root = entries.finish(self)?;
            let columns = index.columns.join(",");
            self.list("index", index.name, name, root, format!("CREATE INDEX {} ON {name} ({columns})", index.name));
        }
        Ok(())
    }

    /// As [`SqliteFile::table`], for rows that are at hand as cells.
    pub fn cells(
        &mut self,
        name: &str,
        columns: &[(String, &str)],
        rows: impl IntoIterator<Item = Vec<SqlCell>>,
    ) -> io::Result<()> {
        let table = NewTable { name, columns, indexes: &[], even_if_empty: true };
        self.table(&table, rows, |row, sink| row.iter().cloned().for_each(|cell| sink.push(cell)))
    }

    fn list(&mut self, kind: &str, name: &str, table: &str, root: u32, sql: String) {
        let text = |text: &str| SqlCell::Text(text.to_owned());
        self.schema.push([text(kind), text(name), text(table), SqlCell::Int(i64::from(root)), SqlCell::Text(sql)]);
    }

    /// Appends a page and gives its number.
    fn write_page(&mut self, page: &[u8; PAGE]) -> io::Result<u32> {
        self.out.write_all(page)?;
        self.pages = self.pages.checked_add(1).ok_or_else(|| io::Error::other("the database is too large"))?;
        Ok(self.pages)
    }

    /// Writes the list of tables and the header. The file is then complete.
    pub fn finish(mut self) -> io::Result<()> {
        let mut record = Record::default();
        let mut cells = Vec::new();
        for (key, row) in (1..).zip(std::mem::take(&mut self.schema)) {
            record.clear();
            row.iter().for_each(|cell| record.push(cell));
            let mut cell = Vec::new();
            table_cell(&mut self, key, &record.whole(), &mut cell)?;
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

/// A row as SQLite stores it: a header of serial types, then the values.
#[derive(Default)]
struct Record {
    types: Vec<u8>,
    body: Vec<u8>,
}

impl Record {
    fn clear(&mut self) {
        self.types.clear();
        self.body.clear();
    }

    #[inline]
    fn push(&mut self, cell: &SqlCell) {
        match cell {
            SqlCell::Null => self.types.push(0),
            SqlCell::Int(number) => self.push_int(*number),
            SqlCell::Real(real) => {
                self.types.push(7);
                self.body.extend_from_slice(&real.to_be_bytes());
            }
            SqlCell::Text(text) => {
                push_varint(&mut self.types, 13 + 2 * text.len() as u64);
                self.body.extend_from_slice(text.as_bytes());
            }
        }
    }

    #[inline]
    fn push_int(&mut self, number: i64) {
        // Bytes it takes with its sign.
        let magnitude = if number < 0 { !number } else { number };
        let bits = 65 - magnitude.leading_zeros();
        let (serial, size) = match bits {
            _ if number == 0 || number == 1 => (8 + u8::from(number == 1), 0),
            0..=8 => (1, 1),
            9..=16 => (2, 2),
            17..=24 => (3, 3),
            25..=32 => (4, 4),
            33..=48 => (5, 6),
            _ => (6, 8),
        };
        self.types.push(serial);
        // Eight bytes are written at once, and those that are not wanted taken back.
        let length = self.body.len() + size;
        let wanted_first = if size == 0 { 0 } else { number << (64 - 8 * size) };
        self.body.extend_from_slice(&wanted_first.to_be_bytes());
        self.body.truncate(length);
    }

    /// The length of the header, which counts itself in: one byte more where that takes two.
    fn header_size(&self) -> usize {
        let size = self.types.len() + 1;
        if size < 128 { size } else { size + 1 }
    }

    fn size(&self) -> usize {
        self.header_size() + self.body.len()
    }

    /// The parts that make up the record, the first of them in `start`, which may have something before.
    fn parts<'a>(&'a self, start: &'a mut Varints) -> [&'a [u8]; 3] {
        start.push(self.header_size() as u64);
        [start.bytes(), &self.types, &self.body]
    }

    fn whole(&self) -> Vec<u8> {
        self.parts(&mut Varints::default()).concat()
    }
}

/// A few numbers as SQLite writes them: seven bits to a byte, and eight to the ninth.
#[derive(Default)]
struct Varints {
    bytes: [u8; 27],
    size: usize,
}

impl Varints {
    #[inline]
    fn push(&mut self, value: u64) {
        if value < 128 {
            self.push_byte(value as u8);
        } else if value >= 1 << 56 {
            (0..8).rev().for_each(|group| self.push_byte((value >> (8 + 7 * group)) as u8 | 0x80));
            self.push_byte(value as u8);
        } else {
            let groups = (64 - value.leading_zeros()).div_ceil(7);
            (1..groups).rev().for_each(|group| self.push_byte((value >> (7 * group)) as u8 | 0x80));
            self.push_byte(value as u8 & 0x7f);
        }
    }

    #[inline]
    fn push_byte(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.size) {
            *place = byte;
            self.size += 1;
        }
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.size).unwrap_or_default()
    }
}

fn push_varint(out: &mut Vec<u8>, value: u64) {
    let mut varint = Varints::default();
    varint.push(value);
    out.extend_from_slice(varint.bytes());
}

/// A page being filled: cells from the end, pointers to them from the front.
struct Page {
    bytes: Box<[u8; PAGE]>,
    header: usize,
    header_size: usize,
    kind: u8,
    cells: usize,
    content: usize,
}

impl Page {
    fn new(kind: u8, header: usize) -> Page {
        let header_size = if matches!(kind, INTERIOR_TABLE | INTERIOR_INDEX) { 12 } else { 8 };
        Page { bytes: Box::new([0; PAGE]), header, header_size, kind, cells: 0, content: PAGE }
    }

    fn has_room(&self, size: usize) -> bool {
        self.header + self.header_size + 2 * (self.cells + 1) + size <= self.content
    }

    fn push(&mut self, parts: &[&[u8]]) {
        let size: usize = parts.iter().map(|part| part.len()).sum();
        self.content -= size;
        let mut at = self.content;
        for part in parts {
            self.put(at, part);
            at += part.len();
        }
        self.put(self.header + self.header_size + 2 * self.cells, &(self.content as u16).to_be_bytes());
        self.cells += 1;
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        if let Some(place) = self.bytes.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }

    /// The bytes of the page; `right` is the last child of an interior page.
    fn finish(mut self, right: Option<u32>) -> Box<[u8; PAGE]> {
        self.put(self.header, &[self.kind, 0, 0]);
        self.put(self.header + 3, &(self.cells as u16).to_be_bytes());
        self.put(self.header + 5, &(self.content as u16).to_be_bytes());
        if let Some(right) = right {
            self.put(self.header + 8, &right.to_be_bytes());
        }
        self.bytes
    }
}

/// Rows of a table with keys of its own, until all are there: keys may come in any order.
#[derive(Default)]
struct KeyedRows {
    /// Key and where its payload is in `bytes`.
    rows: Vec<(i64, usize, usize)>,
    bytes: Vec<u8>,
}

impl KeyedRows {
    fn push(&mut self, key: i64, record: &Record) {
        self.rows.push((key, self.bytes.len(), record.size()));
        for part in record.parts(&mut Varints::default()) {
            self.bytes.extend_from_slice(part);
        }
    }

    /// The rows by key; of rows with one key the first.
    fn sorted(&mut self) -> impl Iterator<Item = (i64, &[u8])> {
        if !self.rows.is_sorted_by(|a, b| a.0 < b.0) {
            self.rows.sort_by_key(|(key, _, _)| *key);
            self.rows.dedup_by_key(|(key, _, _)| *key);
        }
        self.rows.iter().map(|&(key, start, size)| (key, self.bytes.get(start..start + size).unwrap_or_default()))
    }
}

/// The tree of a table, its leaves written as they fill.
#[derive(Default)]
struct TableTree {
    leaf: Option<Page>,
    /// Written pages and the greatest key of each.
    children: Vec<(u32, i64)>,
    last_key: i64,
}

impl TableTree {
    /// Adds a row, whose key is above all before it.
    fn push(&mut self, file: &mut SqliteFile, key: i64, record: &Record) -> io::Result<()> {
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
    fn push_whole(&mut self, file: &mut SqliteFile, key: i64, payload: &[u8]) -> io::Result<()> {
        let mut cell = Vec::new();
        table_cell(file, key, payload, &mut cell)?;
        self.push_cell(file, key, &[&cell])
    }

    fn push_cell(&mut self, file: &mut SqliteFile, key: i64, parts: &[&[u8]]) -> io::Result<()> {
        let size = parts.iter().map(|part| part.len()).sum();
        if self.leaf.as_ref().is_some_and(|leaf| !leaf.has_room(size)) {
            self.close_leaf(file)?;
        }
        self.leaf.get_or_insert_with(|| Page::new(LEAF_TABLE, 0)).push(parts);
        self.last_key = key;
        Ok(())
    }

    fn close_leaf(&mut self, file: &mut SqliteFile) -> io::Result<()> {
        if let Some(leaf) = self.leaf.take() {
            let page = file.write_page(&leaf.finish(None))?;
            self.children.push((page, self.last_key));
        }
        Ok(())
    }

    /// Writes what is left and the levels above; the number of the root.
    fn finish(mut self, file: &mut SqliteFile) -> io::Result<u32> {
        if self.children.is_empty() {
            self.leaf.get_or_insert_with(|| Page::new(LEAF_TABLE, 0));
        }
        self.close_leaf(file)?;
        let mut level = self.children;
        while level.len() > 1 {
            level = interior_level(file, &level)?;
        }
        Ok(level.first().map_or(0, |(page, _)| *page))
    }
}

/// A row as a leaf holds it: size, key and payload, what is too long of it on pages of its own.
fn table_cell(file: &mut SqliteFile, key: i64, payload: &[u8], cell: &mut Vec<u8>) -> io::Result<()> {
    push_varint(cell, payload.len() as u64);
    push_varint(cell, key.cast_unsigned());
    let (here, rest) = payload.split_at(local_size(payload.len()));
    cell.extend_from_slice(here);
    if !rest.is_empty() {
        cell.extend_from_slice(&write_overflow(file, rest)?.to_be_bytes());
    }
    Ok(())
}

fn interior_cell(child: u32, key: i64) -> Vec<u8> {
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

/// The entries of an index: its columns and the row's key.
struct IndexEntries {
    /// By column of the table: its place in the entry.
    places: Vec<Option<usize>>,
    current: Vec<i64>,
    /// Entries one after the other, each as long as `current`.
    entries: Vec<i64>,
    /// A value that stands for null was met as a number: there can be no index.
    is_spoilt: bool,
}

/// Stands for null, and sorts before all numbers as null does.
const NULL: i64 = i64::MIN;

impl IndexEntries {
    fn new(index: &Index, columns: &[(String, &str)]) -> IndexEntries {
        let places = columns.iter().map(|(name, _)| index.columns.iter().position(|c| c == name)).collect();
        let current = vec![NULL; index.columns.len() + 1];
        IndexEntries { places, current, entries: Vec::new(), is_spoilt: false }
    }

    fn begin(&mut self) {
        self.current.fill(NULL);
    }

    #[inline]
    fn take(&mut self, column: usize, value: i64) {
        if let Some(Some(place)) = self.places.get(column)
            && let Some(slot) = self.current.get_mut(*place)
        {
            *slot = value;
            self.is_spoilt |= value == NULL;
        }
    }

    fn end(&mut self, rowid: i64) {
        if let Some(last) = self.current.last_mut() {
            *last = rowid;
        }
        self.entries.extend_from_slice(&self.current);
    }

    /// Writes the tree: entries in order, those between two pages on the page above.
    fn finish(self, file: &mut SqliteFile) -> io::Result<u32> {
        let width = self.current.len();
        if self.entries.chunks(width).is_sorted() {
            return write_index(file, self.entries.chunks(width));
        }
        let mut entries: Vec<&[i64]> = self.entries.chunks(width).collect();
        entries.sort_unstable();
        write_index(file, entries.into_iter())
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rusqlite::Connection;
    use rusqlite::types::Value;

    /// Writes a table of the given rows and gives SQLite's view of the file.
    fn written(
        columns: &[(&str, &str)],
        indexes: &[Index],
        rows: Vec<Vec<SqlCell>>,
    ) -> (tempfile::TempDir, Connection) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.db");
        let columns: Vec<(String, &str)> = columns.iter().map(|(n, d)| ((*n).to_owned(), *d)).collect();
        let mut file = SqliteFile::create(&path).unwrap();
        let table = NewTable { name: "t", columns: &columns, indexes, even_if_empty: true };
        file.table(&table, rows, |row, sink| row.iter().cloned().for_each(|cell| sink.push(cell))).unwrap();
        file.cells("u", &columns, []).unwrap();
        file.finish().unwrap();
        let connection = Connection::open(&path).unwrap();
        let verdict: String = connection.query_row("PRAGMA integrity_check", (), |row| row.get(0)).unwrap();
        assert_eq!(verdict, "ok");
        (directory, connection)
    }

    fn all(connection: &Connection, sql: &str) -> Vec<Vec<Value>> {
        let mut statement = connection.prepare(sql).unwrap();
        let width = statement.column_count();
        let rows =
            statement.query_map((), |row| (0..width).map(|i| row.get(i)).collect::<Result<Vec<Value>, _>>()).unwrap();
        rows.map(Result::unwrap).collect()
    }

    fn value(cell: &SqlCell) -> Value {
        match cell {
            SqlCell::Null => Value::Null,
            SqlCell::Int(n) => Value::Integer(*n),
            SqlCell::Real(r) => Value::Real(*r),
            SqlCell::Text(t) => Value::Text(t.clone()),
        }
    }

    fn any_cell() -> impl Strategy<Value = SqlCell> {
        prop_oneof![
            Just(SqlCell::Null),
            any::<i64>().prop_map(SqlCell::Int),
            (-300i64..70_000).prop_map(SqlCell::Int),
            any::<f64>().prop_filter("SQLite has no NaN", |f| !f.is_nan()).prop_map(SqlCell::Real),
            ".{0,20}".prop_map(SqlCell::Text),
            (0usize..60_000).prop_map(|n| SqlCell::Text("x".repeat(n))),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn sqlite_reads_what_was_written(rows in prop::collection::vec(prop::collection::vec(any_cell(), 3), 0..60)) {
            let (_keep, connection) = written(&[("a", ""), ("b", ""), ("c", "")], &[], rows.clone());
            let expected: Vec<Vec<Value>> = rows.iter().map(|row| row.iter().map(value).collect()).collect();
            prop_assert_eq!(all(&connection, "SELECT * FROM t"), expected);
        }

        #[test]
        fn keys_in_any_order_are_found(keys in prop::collection::vec(any::<i64>(), 0..3000)) {
            let rows = keys.iter().map(|&key| vec![SqlCell::Int(key), SqlCell::Int(key / 2)]).collect();
            let (_keep, connection) = written(&[("id", "INTEGER PRIMARY KEY"), ("half", "INTEGER")], &[], rows);
            let mut expected = keys;
            expected.sort_unstable();
            expected.dedup();
            let expected: Vec<Vec<Value>> = expected.iter().map(|&k| vec![k.into(), (k / 2).into()]).collect();
            prop_assert_eq!(all(&connection, "SELECT * FROM t"), expected);
        }
    }

    #[test]
    fn an_index_of_many_levels_finds_every_row() {
        for count in [0i64, 1, 2, 700, 1300, 40_000, 400_000] {
            let index = Index { name: "byValue", columns: &["value"] };
            let rows = (0..count).map(|i| vec![SqlCell::Int(i), SqlCell::Int((i * 7919) % count.max(1))]).collect();
            let (_keep, connection) = written(&[("n", "INTEGER"), ("value", "INTEGER")], &[index], rows);
            let sql = "SELECT count(*) FROM t INDEXED BY byValue WHERE value >= 0";
            assert_eq!(all(&connection, sql), [[Value::Integer(count)]], "{count}");
        }
    }

    #[test]
    fn a_list_of_many_tables_takes_more_than_one_page() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.db");
        let mut file = SqliteFile::create(&path).unwrap();
        for table in 0..300 {
            let columns = [(format!("a_rather_long_name_of_a_column_{table}"), "INTEGER")];
            file.cells(&format!("t{table}"), &columns, [vec![SqlCell::Int(table)]]).unwrap();
        }
        file.finish().unwrap();
        let connection = Connection::open(&path).unwrap();
        assert_eq!(all(&connection, "PRAGMA integrity_check"), [["ok".to_owned().into()]]);
        assert_eq!(all(&connection, "SELECT * FROM t299"), [[Value::Integer(299)]]);
    }

    #[test]
    fn columns_store_by_their_declared_type() {
        let columns = [("t", "TEXT"), ("n", "NUMERIC"), ("r", "REAL"), ("i", "INTEGER")];
        let row = vec![SqlCell::Int(5), SqlCell::Real(7.0), SqlCell::Int(2), SqlCell::Real(1.5)];
        let (_keep, connection) = written(&columns, &[], vec![row]);
        let expected = [Value::Text("5".to_owned()), Value::Integer(7), Value::Real(2.0), Value::Real(1.5)];
        assert_eq!(all(&connection, "SELECT * FROM t"), [expected]);
    }
}
