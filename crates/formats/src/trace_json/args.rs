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

    /// [`Rest::keep`], with what is no JSON, such as `inf` and `nan`, as text.
    pub fn keep_as_json(&mut self, key: RawString<'_>, cursor: &mut Cursor<'_>) -> Option<()> {
        let word = match cursor.peek() {
            b'"' | b'{' | b'[' => None,
            _ => cursor.clone().scalar().filter(|word| serde_json::from_slice::<serde::de::IgnoredAny>(word).is_err()),
        };
        match word {
            None => self.keep(key, cursor),
            Some(word) => {
                let word = serde_json::Value::from(String::from_utf8_lossy(word));
                self.add(&String::from_utf8_lossy(key.bytes), word);
                cursor.skip_value()
            }
        }
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

/// An array under the cursor as text, its elements by `separator`; else nothing, and the cursor stays. Strings stand
/// there without quotes, arrays of scalars without brackets, by commas; what is nested deeper as JSON.
pub fn list_text(cursor: &mut Cursor<'_>, separator: &str) -> Option<String> {
    let start = cursor.at;
    let mut out = String::new();
    let mut is_first = true;
    let whole = elements(cursor, |cursor| {
        if !std::mem::take(&mut is_first) {
            out.push_str(separator);
        }
        let from = cursor.at;
        match cursor.peek() {
            b'"' => out.push_str(&String::from_utf8_lossy(&cursor.string()?.unescaped())),
            b'[' => {
                let length = out.len();
                if scalars(cursor, &mut out).is_none() {
                    out.truncate(length);
                    cursor.at = from;
                    cursor.skip_value()?;
                    out.push_str(&String::from_utf8_lossy(cursor.bytes.get(from..cursor.at)?));
                }
            }
            _ => {
                cursor.skip_value()?;
                out.push_str(&String::from_utf8_lossy(cursor.bytes.get(from..cursor.at)?));
            }
        }
        Some(())
    });
    if whole.is_none() {
        cursor.at = start;
    }
    whole.map(|()| out)
}

/// Adds an array that has nothing but scalars in it to `out`, by commas.
fn scalars(cursor: &mut Cursor<'_>, out: &mut String) -> Option<()> {
    let mut is_first = true;
    elements(cursor, |cursor| {
        if !std::mem::take(&mut is_first) {
            out.push(',');
        }
        out.push_str(&String::from_utf8_lossy(cursor.scalar()?));
        Some(())
    })
}

/// The elements of an array whose bracket is under the cursor: `each` must step over one.
fn elements<'a>(cursor: &mut Cursor<'a>, mut each: impl FnMut(&mut Cursor<'a>) -> Option<()>) -> Option<()> {
    cursor.eat(b'[')?;
    cursor.skip_space();
    if cursor.eat(b']').is_some() {
        return Some(());
    }
    loop {
        cursor.skip_space();
        each(cursor)?;
        cursor.skip_space();
        match cursor.peek() {
            b',' => cursor.at += 1,
            b']' => {
                cursor.at += 1;
                return Some(());
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_reads_as_text() {
        for (json, text) in [
            ("[512, 1, 1]", Some("512;1;1")),
            ("[[5, 128], [], [ 3 ]]", Some("5,128;;3")),
            (r#"["float", "Scalar", "", null]"#, Some("float;Scalar;;null")),
            ("[[[2, 3], [4]], []]", Some("[[2, 3], [4]];")),
            ("[]", Some("")),
            ("\"5,128\"", None),
            ("[1, 2", None),
        ] {
            let mut cursor = Cursor::new(json.as_bytes(), 0);
            assert_eq!(list_text(&mut cursor, ";").as_deref(), text, "{json}");
            assert_eq!(cursor.at, if text.is_some() { json.len() } else { 0 }, "{json}");
        }
    }
}
