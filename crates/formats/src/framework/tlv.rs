//! How records are framed: `type u16, length u32, value`, little-endian, nothing in between.
//!
//! A record is an outer frame whose value is fields of fixed width and then texts, each in a frame of its own. Some
//! files have records of fixed width and no frames at all.

use std::iter::FusedIterator;
use std::marker::PhantomData;

/// Bytes of a frame before its value.
pub const HEADER: usize = 6;

/// What stands for text that is not UTF-8.
pub const NOT_TEXT: &str = "N/A";

/// Longer texts are cut when written: no name is as long, and the length of a record has to fit its field.
pub const MAX_TEXT: usize = 1 << 20;

/// How the records of a file follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// In frames, each with its length.
    Tlv,
    /// All as long.
    Fixed(usize),
}

/// A record that a file may hold.
pub trait Record<'a>: Sized {
    const FRAMING: Framing;

    /// Reads the value of a frame of type `kind` (0 where there are no frames); nothing if it is of another type or
    /// too short.
    fn read(kind: u16, value: &'a [u8]) -> Option<Self>;
}

/// The end of a file that is not a whole record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Where the last, incomplete record begins.
    pub offset: usize,
    /// Bytes from there to the end of the file.
    pub bytes: usize,
}

/// The records of a file in the order of its bytes. Ends at a record that the end of the file cuts.
#[derive(Clone, Debug)]
pub struct Records<'a, T> {
    bytes: &'a [u8],
    offset: usize,
    lost: Option<Lost>,
    skipped: u64,
    first_skipped: Option<usize>,
    kind: PhantomData<fn() -> T>,
}

impl<'a, T: Record<'a>> Records<'a, T> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Records { bytes, offset: 0, lost: None, skipped: 0, first_skipped: None, kind: PhantomData }
    }

    /// What was cut at the end of the file; known when the iterator has ended.
    pub fn lost(&self) -> Option<Lost> {
        self.lost
    }

    /// Records so far that are whole, but of a type that is not known here or too short for it.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Where the first of [`Records::skipped`] begins.
    pub fn first_skipped(&self) -> Option<usize> {
        self.first_skipped
    }

    /// Bytes that were read so far: where the next record begins.
    pub fn offset(&self) -> usize {
        self.offset
    }

    fn frame(&self) -> Option<(u16, &'a [u8], usize)> {
        let rest = self.bytes.get(self.offset..)?;
        match T::FRAMING {
            Framing::Fixed(length) => rest.get(..length).map(|value| (0, value, length)),
            Framing::Tlv => frame(rest),
        }
    }
}

impl<'a, T: Record<'a>> Iterator for Records<'a, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        while self.lost.is_none() && self.offset < self.bytes.len() {
            let Some((kind, value, length)) = self.frame() else {
                self.lost = Some(Lost { offset: self.offset, bytes: self.bytes.len() - self.offset });
                return None;
            };
            let at = self.offset;
            self.offset += length;
            match T::read(kind, value) {
                Some(record) => return Some(record),
                None => {
                    self.skipped += 1;
                    self.first_skipped.get_or_insert(at);
                }
            }
        }
        None
    }
}

impl<'a, T: Record<'a>> FusedIterator for Records<'a, T> {}

/// The first frame of `bytes`: its type, its value, and its length with the header.
fn frame(bytes: &[u8]) -> Option<(u16, &[u8], usize)> {
    let (kind, rest) = bytes.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    Some((u16::from_le_bytes(*kind), rest.get(..length)?, HEADER.checked_add(length)?))
}

/// The fields of a record, taken one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*field)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    pub fn i64(&mut self) -> Option<i64> {
        self.take().map(i64::from_le_bytes)
    }

    pub fn f64(&mut self) -> Option<f64> {
        self.take().map(f64::from_le_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    pub fn i32(&mut self) -> Option<i32> {
        self.take().map(i32::from_le_bytes)
    }

    pub fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    pub fn u8(&mut self) -> Option<u8> {
        self.take().map(u8::from_le_bytes)
    }

    pub fn i8(&mut self) -> Option<i8> {
        self.take().map(i8::from_le_bytes)
    }

    pub fn bool(&mut self) -> Option<bool> {
        self.u8().map(|byte| byte != 0)
    }

    /// The texts behind the fields of fixed width, with their types.
    pub fn texts(self) -> impl Iterator<Item = (u16, &'a str)> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let (kind, value, length) = frame(rest)?;
            rest = rest.get(length..)?;
            Some((kind, std::str::from_utf8(value).unwrap_or(NOT_TEXT)))
        })
    }
}

/// Appends a frame of type `kind` whose value is what `value` appends.
pub fn put_frame(out: &mut Vec<u8>, kind: u16, value: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(&kind.to_le_bytes());
    let length_at = out.len();
    out.extend_from_slice(&[0; 4]);
    value(out);
    let length = u32::try_from(out.len() - length_at - 4).unwrap_or(u32::MAX);
    if let Some(field) = out.get_mut(length_at..length_at + 4) {
        field.copy_from_slice(&length.to_le_bytes());
    }
}

/// Appends a text in a frame of its own.
pub fn put_text(out: &mut Vec<u8>, kind: u16, text: &str) {
    let text = text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or_default();
    let length = u32::try_from(text.len()).unwrap_or_default();
    out.extend_from_slice(&kind.to_le_bytes());
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// [`put_text`] where there is one.
pub fn put_opt_text(out: &mut Vec<u8>, kind: u16, text: Option<&str>) {
    if let Some(text) = text {
        put_text(out, kind, text);
    }
}
