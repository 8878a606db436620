//! Typed reading of `args` objects.

use std::fmt::Display;

use npuscope_tables::{Interner, Str};

use super::text::{Cursor, RawString};

/// Members of an `args` object that have no column: kept, as an object of their own.
#[derive(Default)]
pub struct Rest {
    text: String,
}

impl Rest {
    /// Keeps a member whose value is under the cursor, and steps over it.
    pub fn keep(&mut self, key: RawString<'_>, cursor: &mut Cursor<'_>) -> Option<()> {
        let start = cursor.at;
        cursor.skip_value()?;
        let value = cursor.bytes.get(start..cursor.at)?;
        self.text.push_str(if self.text.is_empty() { "{\"" } else { ", \"" });
        self.text.push_str(&String::from_utf8_lossy(key.bytes));
        self.text.push_str("\": ");
        self.text.push_str(&String::from_utf8_lossy(value));
        Some(())
    }

    /// Keeps a member whose value was read already, as JSON.
    pub fn add(&mut self, key: &str, value: impl Display) {
        let before = if self.text.is_empty() { "{" } else { ", " };
        self.text.push_str(&format!("{before}\"{key}\": {value}"));
    }

    pub fn finish(mut self, strings: &mut Interner) -> Option<Str> {
        if self.text.is_empty() {
            return None;
        }
        self.text.push('}');
        Some(strings.intern(&self.text))
    }
}

/// An integer under the cursor; else nothing, and the cursor stays.
#[inline]
pub fn integer(cursor: &mut Cursor<'_>) -> Option<i64> {
    let start = cursor.at;
    let is_negative = cursor.eat(b'-').is_some();
    let Some(value) = cursor.natural() else {
        cursor.at = start;
        return None;
    };
    Some(if is_negative { -value } else { value })
}

/// A number under the cursor; else nothing, and the cursor stays.
pub fn number(cursor: &mut Cursor<'_>) -> Option<f64> {
    let start = cursor.at;
    let value = match cursor.peek() {
        b'0'..=b'9' | b'-' => cursor.scalar().and_then(|text| std::str::from_utf8(text).ok()?.parse().ok()),
        _ => None,
    };
    if value.is_none() {
        cursor.at = start;
    }
    value
}

/// [`number`], but nothing of what a double does not hold: long integers and what is out of its range.
pub fn exact_number(cursor: &mut Cursor<'_>) -> Option<f64> {
    const SURE_DIGITS: usize = 15;
    let start = cursor.at;
    let value = number(cursor)?;
    let text = cursor.bytes.get(start..cursor.at).unwrap_or_default();
    let is_long = text.len() > SURE_DIGITS && text.iter().all(|b| matches!(b, b'0'..=b'9' | b'-'));
    if is_long || !value.is_finite() {
        cursor.at = start;
        return None;
    }
    Some(value)
}

/// A string under the cursor, interned; else nothing, and the cursor stays.
#[inline]
pub fn text(cursor: &mut Cursor<'_>, strings: &mut Interner) -> Option<Str> {
    let start = cursor.at;
    match cursor.string() {
        Some(raw) => Some(strings.intern_bytes(&raw.unescaped())),
        None => {
            cursor.at = start;
            None
        }
    }
}
