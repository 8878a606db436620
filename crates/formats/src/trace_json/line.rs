//! Events as text, put together piece by piece.

use std::io::{self, Write};

use npuscope_tables::number::{push_float, push_int, push_span, push_time};
use npuscope_tables::{ConnectionId, Ns, RankTables, Span, Str};

/// Collects events and hands them on when there are many.
pub struct Line<'a, W> {
    out: &'a mut W,
    bytes: Vec<u8>,
    is_first: bool,
}

/// As much as the file's own buffer holds, which then has nothing to do.
const FULL: usize = 1 << 18;

impl<'a, W: Write> Line<'a, W> {
    /// `is_first`: no event of the trace is written yet.
    pub fn new(out: &'a mut W, is_first: bool) -> Self {
        Line { out, bytes: Vec::with_capacity(FULL + 4096), is_first }
    }

    pub fn begin(&mut self) {
        self.push(if self.is_first { "[{" } else { ", {" });
        self.is_first = false;
    }

    pub fn end(&mut self) -> io::Result<()> {
        self.bytes.push(b'}');
        if self.bytes.len() >= FULL { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }

    /// Writes what is left; whether no event is written yet.
    pub fn finish(mut self) -> io::Result<bool> {
        self.flush()?;
        Ok(self.is_first)
    }

    #[inline]
    pub fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    pub fn time(&mut self, time: Ns) {
        self.push(", \"ts\": \"");
        push_time(&mut self.bytes, time);
        self.bytes.push(b'"');
    }

    pub fn duration(&mut self, duration: Span) {
        push_span(&mut self.bytes, duration);
    }

    pub fn int(&mut self, value: i64) {
        push_int(&mut self.bytes, value);
    }

    pub fn float(&mut self, value: f64) {
        push_float(&mut self.bytes, value);
    }

    /// A string as JSON.
    #[inline]
    pub fn text(&mut self, id: Str, quoted: &mut Quoted<'_>) {
        self.bytes.extend_from_slice(quoted.get(id));
    }

    /// A string as part of a JSON string.
    pub fn inner_text(&mut self, id: Str, quoted: &mut Quoted<'_>) {
        let text = quoted.get(id);
        self.bytes.extend_from_slice(text.get(1..text.len() - 1).unwrap_or_default());
    }

    /// Begins the arguments of the event.
    pub fn args(&mut self) -> Args<'_, 'a, W> {
        let before = self.bytes.len();
        self.push(", \"args\": {");
        Args { line: self, before, is_empty: true }
    }
}

/// The arguments of an event, while they are put together.
pub struct Args<'l, 'a, W> {
    line: &'l mut Line<'a, W>,
    before: usize,
    is_empty: bool,
}

impl<W: Write> Args<'_, '_, W> {
    #[inline(always)]
    fn key(&mut self, key: &str) {
        // Texts of known length are put in place without a call.
        if self.is_empty {
            self.line.push("\"");
        } else {
            self.line.push(", \"");
        }
        self.is_empty = false;
        self.line.push(key);
        self.line.push("\": ");
    }

    #[inline(always)]
    pub fn int(&mut self, key: &str, value: Option<i64>) {
        if let Some(value) = value {
            self.key(key);
            self.line.int(value);
        }
    }

    #[inline(always)]
    pub fn connection(&mut self, key: &str, value: Option<ConnectionId>) {
        self.int(key, value.map(|id| id.0));
    }

    #[inline]
    pub fn real(&mut self, key: &str, value: Option<f64>) {
        if let Some(value) = value {
            self.key(key);
            self.line.float(value);
        }
    }

    #[inline(always)]
    pub fn text(&mut self, key: &str, value: Option<Str>, quoted: &mut Quoted<'_>) {
        if let Some(value) = value {
            self.key(key);
            self.line.text(value, quoted);
        }
    }

    /// Ends the arguments with the members of an object that was kept as text. Where there is neither, the
    /// event has no arguments.
    pub fn end(self, rest: Option<&str>) {
        let inner = rest.and_then(|o| o.strip_prefix('{')?.strip_suffix('}')).unwrap_or_default();
        if self.is_empty && rest.is_none() {
            self.line.bytes.truncate(self.before);
            return;
        }
        if !inner.is_empty() && !self.is_empty {
            self.line.push(", ");
        }
        self.line.push(inner);
        self.line.push("}");
    }
}

/// The strings of a chunk as JSON, quotes included, as far as they were needed.
pub struct Quoted<'a> {
    tables: &'a RankTables,
    bytes: Vec<u8>,
    /// Where each is in `bytes`; nowhere if it was not needed.
    places: Vec<(usize, usize)>,
}

impl<'a> Quoted<'a> {
    pub fn new(tables: &'a RankTables) -> Self {
        Quoted { tables, bytes: Vec::new(), places: vec![(0, 0); tables.strings().len()] }
    }

    #[inline]
    fn get(&mut self, id: Str) -> &[u8] {
        let place = self.places.get(id.0 as usize).copied().unwrap_or_default();
        let (start, end) = if place.1 == 0 { self.add(id) } else { place };
        self.bytes.get(start..end).unwrap_or(b"\"\"")
    }

    fn add(&mut self, id: Str) -> (usize, usize) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(json_string(self.tables.text(id)).as_bytes());
        let place = (start, self.bytes.len());
        if let Some(known) = self.places.get_mut(id.0 as usize) {
            *known = place;
        }
        place
    }
}

/// Text as a JSON string; not-ASCII stays as it is, as in the peers' files.
pub fn json_string(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_else(|_| "\"\"".to_owned())
}
