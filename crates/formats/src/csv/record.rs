//! Rows of a csv file as bytes: commas, line ends, quotes where they must be.

use std::io::{self, Write};

/// Collects rows and hands them on when there are many.
#[derive(Default)]
pub struct Records {
    bytes: Vec<u8>,
    /// Where the row begins.
    start: usize,
    has_cell: bool,
    /// Lines end in LF, also those inside cells; else in CR LF.
    lf: bool,
}

/// As much as the file's own buffer holds, which then has nothing to do.
const FULL: usize = 1 << 18;

impl Records {
    pub fn with_line_ends(lf: bool) -> Records {
        Records { lf, ..Records::default() }
    }

    /// Adds a cell; `write` appends it.
    #[inline]
    pub fn cell(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        if self.has_cell {
            self.bytes.push(b',');
        }
        self.has_cell = true;
        let start = self.bytes.len();
        write(&mut self.bytes);
        if self.lf {
            self.shorten_line_ends(start);
        }
    }

    /// Makes CR LF after `start` LF.
    fn shorten_line_ends(&mut self, start: usize) {
        let cell = self.bytes.get(start..).unwrap_or_default();
        if memchr::memmem::find(cell, b"\r\n").is_some() {
            let mut is_kept = cell.windows(2).map(|pair| pair != b"\r\n").collect::<Vec<_>>().into_iter();
            let cell = self.bytes.split_off(start);
            self.bytes.extend(cell.into_iter().filter(|_| is_kept.next().unwrap_or(true)));
        }
    }

    /// The row so far.
    pub fn row_bytes(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    /// Puts other bytes in place of the row.
    pub fn replace_row(&mut self, bytes: &[u8]) {
        self.bytes.truncate(self.start);
        self.bytes.extend_from_slice(bytes);
    }

    /// Forgets the row.
    pub fn discard_row(&mut self) {
        self.bytes.truncate(self.start);
        self.has_cell = false;
    }

    /// To be called when a row has all its cells.
    pub fn close(&mut self) {
        if self.bytes.len() == self.start {
            // A row of one empty cell differs from no row.
            self.bytes.extend_from_slice(b"\"\"");
        }
    }

    /// Ends the row.
    pub fn end(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.close();
        self.bytes.extend_from_slice(if self.lf { b"\n" } else { b"\r\n" });
        self.start = self.bytes.len();
        self.has_cell = false;
        if self.bytes.len() >= FULL { self.flush(out) } else { Ok(()) }
    }

    /// Adds cells of text.
    pub fn texts<'a>(&mut self, cells: impl Iterator<Item = &'a str>) {
        cells.for_each(|cell| self.cell(|bytes| push_text(bytes, cell)));
    }

    pub fn flush(&mut self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.bytes)?;
        self.bytes.clear();
        self.start = 0;
        Ok(())
    }
}

/// Appends text, in quotes if it could be taken for more than one cell or row.
pub fn push_text(out: &mut Vec<u8>, text: &str) {
    if !text.bytes().any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n')) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    for (number, part) in text.split('"').enumerate() {
        if number > 0 {
            out.extend_from_slice(b"\"\"");
        }
        out.extend_from_slice(part.as_bytes());
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(npuscope_testing::cases(256))]

        #[test]
        fn what_was_written_is_read(rows in prop::collection::vec(prop::collection::vec("[a,\"\r\n ]{0,4}", 1..4), 0..5)) {
            let (mut records, mut file) = (Records::default(), Vec::new());
            for row in &rows {
                records.texts(row.iter().map(String::as_str));
                records.end(&mut file).unwrap();
            }
            records.flush(&mut file).unwrap();
            let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(file.as_slice());
            let read: Vec<Vec<String>> =
                reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
            prop_assert_eq!(read, rows);
        }
    }
}
