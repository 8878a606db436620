//! Rows of a csv file as bytes: commas, CR LF, quotes where they must be.

use std::io::{self, Write};

/// Collects rows and hands them on when there are many.
#[derive(Default)]
pub struct Records {
    bytes: Vec<u8>,
    /// Where the row begins.
    start: usize,
    has_cell: bool,
    scratch: Vec<u8>,
}

/// As much as the file's own buffer holds, which then has nothing to do.
const FULL: usize = 1 << 18;

impl Records {
    /// Adds a cell; `write` appends its text.
    #[inline]
    pub fn cell(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        if self.has_cell {
            self.bytes.push(b',');
        }
        self.has_cell = true;
        let first = self.bytes.len();
        write(&mut self.bytes);
        let cell = self.bytes.get(first..).unwrap_or_default();
        // All that need quotes are below digits and letters, which is quickly seen of most cells.
        let is_special = |byte: &u8| matches!(byte, b',' | b'"' | b'\r' | b'\n');
        if cell.iter().fold(u8::MAX, |least, byte| least.min(*byte)) <= b',' && cell.iter().any(is_special) {
            self.quote(first);
        }
    }

    /// Puts quotes around what stands from `first` on.
    fn quote(&mut self, first: usize) {
        self.scratch.clear();
        self.scratch.extend(self.bytes.drain(first..));
        self.bytes.push(b'"');
        for (number, part) in self.scratch.split(|&byte| byte == b'"').enumerate() {
            if number > 0 {
                self.bytes.extend_from_slice(b"\"\"");
            }
            self.bytes.extend_from_slice(part);
        }
        self.bytes.push(b'"');
    }

    /// Ends the row.
    pub fn end(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.bytes.len() == self.start {
            // A row of one empty cell is told from no row.
            self.bytes.extend_from_slice(b"\"\"");
        }
        self.bytes.extend_from_slice(b"\r\n");
        self.start = self.bytes.len();
        self.has_cell = false;
        if self.bytes.len() >= FULL { self.flush(out) } else { Ok(()) }
    }

    /// A row of texts.
    pub fn row<'a>(&mut self, cells: impl Iterator<Item = &'a str>, out: &mut impl Write) -> io::Result<()> {
        cells.for_each(|cell| self.cell(|bytes| bytes.extend_from_slice(cell.as_bytes())));
        self.end(out)
    }

    pub fn flush(&mut self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.bytes)?;
        self.bytes.clear();
        self.start = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_written_is_read(rows in prop::collection::vec(prop::collection::vec("[a,\"\r\n ]{0,4}", 1..4), 0..5)) {
            let (mut records, mut file) = (Records::default(), Vec::new());
            for row in &rows {
                records.row(row.iter().map(String::as_str), &mut file).unwrap();
            }
            records.flush(&mut file).unwrap();
            let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(file.as_slice());
            let read: Vec<Vec<String>> =
                reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
            prop_assert_eq!(read, rows);
        }
    }
}
