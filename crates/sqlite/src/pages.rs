//! Rows of a plain SQLite table, straight from its pages.
//!
//! Reading a profile is reading whole tables, and for that alone SQLite's virtual machine costs several
//! times what the bytes do (`make bench-formats`). The format is public and frozen
//! (sqlite.org/fileformat2.html); what is read here is the part that profiles use: tables with a rowid, in
//! a UTF-8 database. Everything else is left to SQLite. Two things come with it: a damaged page costs
//! its own rows and not the table, and the place of the damage is known.

use rusqlite::types::ValueRef;

/// A database file in memory.
#[derive(Clone, Copy)]
pub struct Pages<'a> {
    bytes: &'a [u8],
    page_size: usize,
    /// Bytes of a page that hold content.
    usable: usize,
}

/// Deeper than any tree of a file that fits a disk.
const MAX_DEPTH: usize = 24;

const TEXT_UTF8: u32 = 1;
const INTERIOR_TABLE: u8 = 5;
const LEAF_TABLE: u8 = 13;

impl<'a> Pages<'a> {
    /// The pages of `bytes`, if they are a database this module reads.
    pub fn new(bytes: &'a [u8]) -> Option<Pages<'a>> {
        if !bytes.starts_with(b"SQLite format 3\0") {
            return None;
        }
        let page_size = match be_u16(bytes, 16)? {
            1 => 65_536,
            size if size.is_power_of_two() && size >= 512 => usize::from(size),
            _ => return None,
        };
        let reserved = usize::from(*bytes.get(20)?);
        let usable = page_size.checked_sub(reserved).filter(|&usable| usable >= 480)?;
        (be_u32(bytes, 56)? == TEXT_UTF8).then_some(Pages { bytes, page_size, usable })
    }

    fn count(self) -> u32 {
        u32::try_from(self.bytes.len().div_ceil(self.page_size)).unwrap_or(u32::MAX)
    }

    /// Byte offset of a page, which is numbered from 1.
    fn offset(self, page: u32) -> usize {
        (page.saturating_sub(1) as usize).saturating_mul(self.page_size)
    }

    /// The content of a page; `None` if the file does not have all of it.
    fn page(self, page: u32) -> Option<&'a [u8]> {
        if page == 0 {
            return None;
        }
        let start = self.offset(page);
        self.bytes.get(start..start.checked_add(self.page_size)?)?.get(..self.usable)
    }
}

/// Somewhere in a table that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Byte of the file.
    pub offset: u64,
    pub kind: DamageKind,
}

/// What is wrong there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamageKind {
    /// A row does not fit its page.
    Row,
    /// Pages refer back to themselves.
    Loop,
    /// A page is beyond the end of the file.
    MissingPage,
    /// A page is not a page of a table.
    ForeignPage,
    /// A page has no valid child pages.
    NoChildren,
}

/// The rows of one table in order of rowid.
pub struct TableRows<'a> {
    pages: Pages<'a>,
    /// Pages on the way down to the current leaf, with the next child of each.
    path: Vec<(u32, usize)>,
    leaf: Option<Leaf<'a>>,
    /// Pages visited: more than the file has is a loop.
    visited: u32,
    /// A payload that is spread over pages, put together.
    spilled: Vec<u8>,
    pub damages: Vec<Damage>,
    /// Damaged places beyond those that are listed.
    pub more_damages: u64,
}

#[derive(Clone, Copy)]
struct Leaf<'a> {
    number: u32,
    page: &'a [u8],
    next: usize,
    cells: usize,
}

/// Damaged places that are listed one by one.
const MAX_DAMAGES: usize = 20;

impl<'a> TableRows<'a> {
    /// The rows of the table whose tree starts at page `root`.
    pub fn new(pages: Pages<'a>, root: u32) -> TableRows<'a> {
        let mut rows = TableRows {
            pages,
            path: Vec::new(),
            leaf: None,
            visited: 0,
            spilled: Vec::new(),
            damages: Vec::new(),
            more_damages: 0,
        };
        rows.enter(root);
        rows
    }

    /// The next row: its rowid and its record.
    pub fn next_row(&mut self) -> Option<(i64, Record<'_>)> {
        // The buffer of a spilled row is taken out, so that what it lends does not tie up the reader.
        let mut spilled = std::mem::take(&mut self.spilled);
        let found = self.next_payload(&mut spilled);
        self.spilled = spilled;
        let (rowid, payload) = found?;
        let payload = match payload {
            Payload::Whole(bytes) => bytes,
            Payload::Spilled => self.spilled.as_slice(),
        };
        Some((rowid, Record { payload }))
    }

    fn next_payload(&mut self, spilled: &mut Vec<u8>) -> Option<(i64, Payload<'a>)> {
        loop {
            let Some(leaf) = &mut self.leaf else {
                if !self.next_leaf() {
                    return None;
                }
                continue;
            };
            if leaf.next >= leaf.cells {
                self.leaf = None;
                continue;
            }
            let (index, Leaf { number, page, .. }) = (leaf.next, *leaf);
            leaf.next += 1;
            match self.cell(number, page, index, spilled) {
                Some(found) => return Some(found),
                None => self.damage(number, DamageKind::Row),
            }
        }
    }

    /// Notes a damaged page, once however many of its rows are lost.
    fn damage(&mut self, page: u32, kind: DamageKind) {
        let damage = Damage { offset: self.pages.offset(page) as u64, kind };
        if self.damages.last() == Some(&damage) {
            return;
        }
        if self.damages.len() < MAX_DAMAGES {
            self.damages.push(damage);
        } else {
            self.more_damages += 1;
        }
    }

    /// Goes into a page: a leaf becomes the current one, an interior page is put on the path.
    fn enter(&mut self, number: u32) {
        self.visited += 1;
        if self.visited > self.pages.count() || self.path.len() >= MAX_DEPTH {
            self.damage(number, DamageKind::Loop);
            self.path.clear();
            return;
        }
        let Some(page) = self.pages.page(number) else {
            self.damage(number, DamageKind::MissingPage);
            return;
        };
        let header = header_start(number);
        let cells = be_u16(page, header + 3).map_or(0, usize::from);
        match page.get(header) {
            Some(&LEAF_TABLE) => self.leaf = Some(Leaf { number, page, next: 0, cells }),
            Some(&INTERIOR_TABLE) => self.path.push((number, 0)),
            _ => self.damage(number, DamageKind::ForeignPage),
        }
    }

    /// Moves to the next leaf; whether there is one.
    fn next_leaf(&mut self) -> bool {
        while let Some((number, next)) = self.path.last_mut() {
            let (number, index) = (*number, *next);
            *next += 1;
            let page = self.pages.page(number).unwrap_or_default();
            let header = header_start(number);
            let cells = be_u16(page, header + 3).map_or(0, usize::from);
            let child = match index {
                index if index < cells => {
                    be_u16(page, header + 12 + 2 * index).and_then(|cell| be_u32(page, usize::from(cell)))
                }
                index if index == cells => be_u32(page, header + 8),
                _ => {
                    self.path.pop();
                    continue;
                }
            };
            match child {
                Some(child) => self.enter(child),
                None => self.damage(number, DamageKind::NoChildren),
            }
            if self.leaf.is_some() {
                return true;
            }
        }
        false
    }

    fn cell(&self, number: u32, page: &'a [u8], index: usize, spilled: &mut Vec<u8>) -> Option<(i64, Payload<'a>)> {
        let start = usize::from(be_u16(page, header_start(number) + 8 + 2 * index)?);
        let cell = page.get(start..)?;
        let (size, used) = varint(cell)?;
        let cell = cell.get(used..)?;
        let (rowid, used) = varint(cell)?;
        let content = cell.get(used..)?;
        let size = usize::try_from(size).ok()?;
        let local = self.local_size(size);
        if local == size {
            return Some((rowid, Payload::Whole(content.get(..size)?)));
        }
        spilled.clear();
        spilled.extend_from_slice(content.get(..local)?);
        let mut next = be_u32(content, local)?;
        // A payload cannot be longer than the file it is in.
        if size > self.pages.bytes.len() {
            return None;
        }
        while spilled.len() < size {
            let page = self.pages.page(next)?;
            next = be_u32(page, 0)?;
            let rest = page.get(4..)?;
            let take = rest.len().min(size - spilled.len());
            spilled.extend_from_slice(rest.get(..take)?);
        }
        Some((rowid, Payload::Spilled))
    }

    /// How much of a payload is on the leaf itself.
    fn local_size(&self, size: usize) -> usize {
        let usable = self.pages.usable;
        let most = usable - 35;
        if size <= most {
            return size;
        }
        let least = (usable - 12) * 32 / 255 - 23;
        let fitting = least + (size - least) % (usable - 4);
        if fitting <= most { fitting } else { least }
    }
}

enum Payload<'a> {
    Whole(&'a [u8]),
    Spilled,
}

/// The first page begins with the header of the file.
fn header_start(page: u32) -> usize {
    if page == 1 { 100 } else { 0 }
}

/// The values of a row as they are stored: a header of serial types, then the values.
#[derive(Clone, Copy)]
pub struct Record<'r> {
    payload: &'r [u8],
}

impl<'r> Record<'r> {
    /// The values in order, as far as the bytes go.
    #[inline]
    pub fn values(self) -> Values<'r> {
        let parts = || {
            let (size, used) = varint(self.payload)?;
            let header = self.payload.get(used..usize::try_from(size).ok()?)?;
            Some(Values { header, body: self.payload.get(used + header.len()..)? })
        };
        parts().unwrap_or(Values { header: &[], body: &[] })
    }

    /// The value at a place, found without reading those before it.
    #[inline]
    pub fn value(self, place: usize) -> Option<ValueRef<'r>> {
        let Values { mut header, body } = self.values();
        let mut start = 0;
        for _ in 0..place {
            let (serial, used) = varint(header)?;
            header = header.get(used..)?;
            start = usize::checked_add(start, size_of_serial(serial))?;
        }
        let (serial, _) = varint(header)?;
        value(serial, body.get(start..)?).map(|(value, _)| value)
    }
}

pub struct Values<'r> {
    header: &'r [u8],
    body: &'r [u8],
}

impl<'r> Iterator for Values<'r> {
    type Item = ValueRef<'r>;

    #[inline]
    fn next(&mut self) -> Option<ValueRef<'r>> {
        let (serial, used) = varint(self.header)?;
        self.header = self.header.get(used..)?;
        let (value, size) = value(serial, self.body)?;
        self.body = self.body.get(size..)?;
        Some(value)
    }
}

/// The bytes that a value of a serial type takes.
#[inline]
fn size_of_serial(serial: i64) -> usize {
    const FIXED: [usize; 12] = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0];
    let serial = usize::try_from(serial).unwrap_or(usize::MAX);
    FIXED.get(serial).copied().unwrap_or_else(|| serial.saturating_sub(FIXED.len()) / 2)
}

/// The value of a serial type and the bytes it takes.
#[inline]
fn value(serial: i64, body: &[u8]) -> Option<(ValueRef<'_>, usize)> {
    Some(match serial {
        0 => (ValueRef::Null, 0),
        1..=6 => {
            let size = size_of_serial(serial);
            (ValueRef::Integer(be_int(body, size)?), size)
        }
        7 => (ValueRef::Real(f64::from_be_bytes(*body.first_chunk()?)), 8),
        8 => (ValueRef::Integer(0), 0),
        9 => (ValueRef::Integer(1), 0),
        10 | 11 => return None,
        serial if serial >= 12 => {
            let size = size_of_serial(serial);
            let bytes = body.get(..size)?;
            (if serial % 2 == 0 { ValueRef::Blob(bytes) } else { ValueRef::Text(bytes) }, size)
        }
        _ => return None,
    })
}

/// The big-endian two's-complement integer in the first bytes, one to eight.
#[inline]
fn be_int(bytes: &[u8], size: usize) -> Option<i64> {
    // Mostly more follows: then all are in one word, and what is not of the number is moved out.
    if let Some(word) = bytes.first_chunk() {
        return Some(i64::from_be_bytes(*word) >> (64 - 8 * size));
    }
    let bytes = bytes.get(..size)?;
    let sign = if bytes.first().is_some_and(|&b| b >= 0x80) { -1i64 } else { 0 };
    Some(bytes.iter().fold(sign, |value, &byte| value << 8 | i64::from(byte)))
}

/// SQLite's variable-length integer and the bytes it takes.
#[inline]
fn varint(bytes: &[u8]) -> Option<(i64, usize)> {
    match bytes {
        [first @ 0..0x80, ..] => Some((i64::from(*first), 1)),
        [first, second @ 0..0x80, ..] => Some((i64::from(first & 0x7f) << 7 | i64::from(*second), 2)),
        _ => long_varint(bytes),
    }
}

fn long_varint(bytes: &[u8]) -> Option<(i64, usize)> {
    let mut value = 0u64;
    for (index, &byte) in bytes.iter().take(9).enumerate() {
        if index == 8 {
            return Some(((value << 8 | u64::from(byte)).cast_signed(), 9));
        }
        value = value << 7 | u64::from(byte & 0x7f);
        if byte < 0x80 {
            return Some((value.cast_signed(), index + 1));
        }
    }
    None
}

fn be_u16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn be_u32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rusqlite::Connection;
    use rusqlite::types::Value;

    /// All rows of a table as this module reads them.
    fn read(bytes: &[u8], root: u32) -> (Vec<(i64, Vec<String>)>, Vec<Damage>) {
        let mut rows = TableRows::new(Pages::new(bytes).unwrap(), root);
        let mut read = Vec::new();
        while let Some((rowid, record)) = rows.next_row() {
            let values: Vec<String> = record.values().map(|v| format!("{v:?}")).collect();
            for (place, value) in values.iter().enumerate() {
                assert_eq!(format!("{:?}", record.value(place).unwrap()), *value);
            }
            read.push((rowid, values));
        }
        (read, rows.damages)
    }

    /// A database with one table of the given rows, as bytes, and the root of the table.
    fn database(rows: &[Vec<Value>], page_size: u32) -> (Vec<u8>, u32) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.db");
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(&format!("PRAGMA page_size = {page_size}; CREATE TABLE t (a, b, c)")).unwrap();
        connection.execute_batch("BEGIN").unwrap();
        for row in rows {
            let params = rusqlite::params_from_iter(row.iter());
            connection.execute("INSERT INTO t VALUES (?, ?, ?)", params).unwrap();
        }
        connection.execute_batch("COMMIT").unwrap();
        let root = connection.query_row("SELECT rootpage FROM sqlite_master", (), |r| r.get(0)).unwrap();
        drop(connection);
        (std::fs::read(&path).unwrap(), root)
    }

    fn any_value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::Integer),
            (-3i64..300).prop_map(Value::Integer),
            any::<f64>().prop_filter("NaN is stored as NULL", |f| !f.is_nan()).prop_map(Value::Real),
            ".{0,20}".prop_map(Value::Text),
            (0usize..3000).prop_map(|n| Value::Text("x".repeat(n))),
            prop::collection::vec(any::<u8>(), 0..40).prop_map(Value::Blob),
        ]
    }

    proptest! {
        #![proptest_config(npuscope_testing::cases(40))]

        #[test]
        fn rows_are_those_that_sqlite_was_given(
            rows in prop::collection::vec(prop::collection::vec(any_value(), 3), 0..120),
            page_size in prop_oneof![Just(512u32), Just(1024), Just(4096)],
        ) {
            let (bytes, root) = database(&rows, page_size);
            let (read, damages) = read(&bytes, root);
            prop_assert_eq!(damages, vec![]);
            let values: Vec<Vec<String>> = read.into_iter().map(|(_, values)| values).collect();
            let given = rows.iter().map(|row| row.iter().map(|v| format!("{:?}", ValueRef::from(v))).collect());
            prop_assert_eq!(values, given.collect::<Vec<Vec<String>>>());
        }

        #[test]
        fn damaged_bytes_cost_rows_and_nothing_else(places in prop::collection::vec((0usize..60_000, any::<u8>()), 1..60)) {
            let rows: Vec<Vec<Value>> = (0..800).map(|i| vec![i.into(), format!("row {i}").into(), Value::Null]).collect();
            let (mut bytes, root) = database(&rows, 512);
            let length = bytes.len();
            for (place, byte) in places {
                // The header of the file is left alone: without it there is nothing to read.
                bytes[100 + place % (length - 100)] = byte;
            }
            let (read, _) = read(&bytes, root);
            prop_assert!(read.len() <= 100_000);
        }
    }

    #[test]
    fn a_cut_file_gives_the_rows_of_the_pages_it_still_has() {
        let rows: Vec<Vec<Value>> = (0..5000).map(|i| vec![i.into(), "text".to_owned().into(), Value::Null]).collect();
        let (bytes, root) = database(&rows, 1024);
        let half = &bytes[..bytes.len() / 2];
        let (read, damages) = read(half, root);
        assert!(read.len() > 2000, "{}", read.len());
        assert!(read.iter().all(|(rowid, values)| values[0] == format!("Integer({})", rowid - 1)));
        assert_eq!(damages[0].kind, DamageKind::MissingPage);
        assert!(damages[0].offset as usize + 1024 > half.len());
    }

    #[test]
    fn a_tree_that_leads_back_to_itself_ends() {
        let rows: Vec<Vec<Value>> = (0..2000).map(|i| vec![i.into(), Value::Null, Value::Null]).collect();
        let (mut bytes, root) = database(&rows, 512);
        let at = (root as usize - 1) * 512;
        assert_eq!(bytes[at], INTERIOR_TABLE);
        // The right-most child becomes the root itself.
        bytes[at + 8..at + 12].copy_from_slice(&root.to_be_bytes());
        let (_, damages) = read(&bytes, root);
        assert_eq!(damages.last().unwrap().kind, DamageKind::Loop);
    }
}
