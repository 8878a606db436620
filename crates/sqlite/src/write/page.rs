//! Pages of an SQLite file.

pub const PAGE: usize = 16_384;
pub const LEAF_TABLE: u8 = 13;
pub const INTERIOR_TABLE: u8 = 5;
pub const LEAF_INDEX: u8 = 10;
pub const INTERIOR_INDEX: u8 = 2;

/// A page being filled: cells from the end, pointers to them from the front.
pub struct Page {
    bytes: Box<[u8; PAGE]>,
    header: usize,
    header_size: usize,
    kind: u8,
    pub cells: usize,
    content: usize,
}

impl Page {
    pub fn new(kind: u8, header: usize) -> Page {
        let header_size = if matches!(kind, INTERIOR_TABLE | INTERIOR_INDEX) { 12 } else { 8 };
        Page { bytes: Box::new([0; PAGE]), header, header_size, kind, cells: 0, content: PAGE }
    }

    pub fn has_room(&self, size: usize) -> bool {
        self.header + self.header_size + 2 * (self.cells + 1) + size <= self.content
    }

    pub fn push(&mut self, parts: &[&[u8]]) {
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

    pub fn put(&mut self, at: usize, bytes: &[u8]) {
        if let Some(place) = self.bytes.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }

    /// The bytes of the page; `right` is the last child of an interior page.
    pub fn finish(mut self, right: Option<u32>) -> Box<[u8; PAGE]> {
        self.put(self.header, &[self.kind, 0, 0]);
        self.put(self.header + 3, &(self.cells as u16).to_be_bytes());
        self.put(self.header + 5, &(self.content as u16).to_be_bytes());
        if let Some(right) = right {
            self.put(self.header + 8, &right.to_be_bytes());
        }
        self.bytes
    }
}
