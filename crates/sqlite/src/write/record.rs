//! Rows as SQLite stores them.

use npuscope_tables::number::push_int as push_number;

use crate::cell::SqlCell;

/// How a column stores what it is given, by its declared type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Affinity {
    Text,
    /// Floats that are whole become integers.
    Numeric,
    Real,
    /// As it comes.
    #[default]
    None,
}

impl Affinity {
    pub fn of(declared: &str) -> Affinity {
        match declared {
            "TEXT" => Affinity::Text,
            "REAL" => Affinity::Real,
            "" => Affinity::None,
            _ => Affinity::Numeric,
        }
    }

    pub fn stored(self, cell: SqlCell<'_>) -> SqlCell<'_> {
        match (self, cell) {
            (Affinity::Text, SqlCell::Int(number)) => SqlCell::Digits(number),
            (Affinity::Text, SqlCell::Real(real)) => SqlCell::Text(npuscope_tables::number::float(real).into()),
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

/// A row as SQLite stores it: a header of serial types, then the values.
#[derive(Default)]
pub struct Record {
    types: Vec<u8>,
    body: Vec<u8>,
}

impl Record {
    pub fn clear(&mut self) {
        self.types.clear();
        self.body.clear();
    }

    #[inline]
    pub fn push(&mut self, cell: &SqlCell<'_>) {
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
            SqlCell::Digits(number) => {
                let before = self.body.len();
                push_number(&mut self.body, *number);
                push_varint(&mut self.types, 13 + 2 * (self.body.len() - before) as u64);
            }
        }
    }

    #[inline]
    pub fn push_int(&mut self, number: i64) {
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
    pub fn header_size(&self) -> usize {
        let size = self.types.len() + 1;
        if size < 128 { size } else { size + 1 }
    }

    pub fn size(&self) -> usize {
        self.header_size() + self.body.len()
    }

    /// The parts that make up the record, the first of them in `start`, which may have something before.
    pub fn parts<'a>(&'a self, start: &'a mut Varints) -> [&'a [u8]; 3] {
        start.push(self.header_size() as u64);
        [start.bytes(), &self.types, &self.body]
    }

    pub fn whole(&self) -> Vec<u8> {
        self.parts(&mut Varints::default()).concat()
    }
}

/// A few numbers as SQLite writes them: seven bits to a byte, and eight to the ninth.
#[derive(Default)]
pub struct Varints {
    bytes: [u8; 27],
    size: usize,
}

impl Varints {
    #[inline]
    pub fn push(&mut self, value: u64) {
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
    pub fn push_byte(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.size) {
            *place = byte;
            self.size += 1;
        }
    }

    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.size).unwrap_or_default()
    }
}

pub fn push_varint(out: &mut Vec<u8>, value: u64) {
    let mut varint = Varints::default();
    varint.push(value);
    out.extend_from_slice(varint.bytes());
}

/// A number and what comes after it.
pub fn read_varint(bytes: &[u8]) -> (u64, &[u8]) {
    let mut value = 0u64;
    for (at, &byte) in bytes.iter().enumerate().take(9) {
        let rest = bytes.get(at + 1..).unwrap_or_default();
        if at == 8 {
            return (value << 8 | u64::from(byte), rest);
        }
        value = value << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return (value, rest);
        }
    }
    (value, &[])
}
