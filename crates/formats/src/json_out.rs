//! JSON as Python writes it.

use std::io::{self, Write};

use npuscope_tables::number::{push_float, push_int, whole};

/// Writes JSON objects as Python does: `{"key": value, …}` on one line.
#[derive(Default)]
pub struct JsonOut {
    bytes: Vec<u8>,
    /// Whether the object being written at each depth has a member already.
    has_member: Vec<bool>,
}

impl JsonOut {
    /// Begins an object, as the value of the key before or as all there is.
    pub fn open(&mut self) {
        self.has_member.push(false);
        self.bytes.push(b'{');
    }

    pub fn close(&mut self) {
        self.has_member.pop();
        self.bytes.push(b'}');
    }

    /// A key of ours, which needs no escapes.
    pub fn key(&mut self, key: &'static str) {
        self.separate();
        self.bytes.push(b'"');
        self.bytes.extend_from_slice(key.as_bytes());
        self.bytes.extend_from_slice(b"\": ");
    }

    /// Any key.
    pub fn key_of(&mut self, text: &str) {
        self.separate();
        self.string(text);
        self.bytes.extend_from_slice(b": ");
    }

    fn separate(&mut self) {
        if let Some(has_member) = self.has_member.last_mut() {
            if *has_member {
                self.bytes.extend_from_slice(b", ");
            }
            *has_member = true;
        }
    }

    fn string(&mut self, text: &str) {
        // Writing into memory does not fail.
        let _ = serde_json::to_writer(&mut self.bytes, text);
    }

    /// A key and a number; nothing without one.
    pub fn number(&mut self, key: &'static str, value: Option<f64>) {
        let Some(value) = value else { return };
        self.key(key);
        push_float(&mut self.bytes, value);
    }

    /// A key and 0, without a point.
    pub fn zero(&mut self, key: &'static str) {
        self.key(key);
        self.bytes.push(b'0');
    }

    /// A key and a text; nothing without one.
    pub fn text(&mut self, key: &'static str, value: Option<&str>) {
        let Some(value) = value else { return };
        self.key(key);
        self.string(value);
    }

    /// `[count, duration]`.
    pub fn pair(&mut self, count: f64, duration: f64) {
        self.bytes.push(b'[');
        match whole(count) {
            Some(count) => push_int(&mut self.bytes, count),
            None => _ = write!(self.bytes, "{count}"),
        }
        self.bytes.extend_from_slice(b", ");
        push_float(&mut self.bytes, duration);
        self.bytes.push(b']');
    }

    /// Writes what there is if it is much.
    pub fn flush_if_full(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.bytes.len() < 1 << 18 { Ok(()) } else { self.flush(out) }
    }

    pub fn flush(&mut self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }
}
