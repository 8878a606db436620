//! Rows of a csv file as bytes: commas, CR LF, quotes where they must be.

use std::io::{self, Write};

/// Collects rows and hands them on when there are many.
#[derive(Default)]
pub struct Records {
    bytes: Vec<u8>,
    /// Where the row begins.
    start: usize,
    has_cell: bool,
}

/// As much as the file's own buffer holds, which then has nothing to do.
const FULL: usize = 1 << 18;

impl Records {
    /// Adds a cell; `write` appends it.
    #[inline]
    pub fn cell(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        if self.has_cell {
            self.bytes.push(b',');
        }
        self.has_cell = true;
        write(&mut self.bytes);
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
        cells.for_each(|cell| self.cell(|bytes| push_text(bytes, cell)));
        self.end(out)
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
