//! The records of `npuscope.events`, our own file beside torch_npu's: user ranges, marks and counters.

use super::records::{put_i64, put_u64};
use super::tlv::{Fields, Framing, Record, put_frame, put_opt_text, put_text};

/// The counter of the bytes of a process that are in memory.
pub const RESIDENT_MEMORY: &str = "Resident memory";

/// The domain of ranges and marks that name none.
pub const DEFAULT_DOMAIN: &str = "default";

/// A record of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<'a> {
    Range(Range<'a>),
    Mark(Mark<'a>),
    Counter(Counter<'a>),
}

/// What a user marked from start to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range<'a> {
    pub start: i64,
    pub end: i64,
    pub pid: u64,
    pub start_tid: u64,
    pub end_tid: u64,
    pub id: u64,
    pub message: &'a str,
    /// None is [`DEFAULT_DOMAIN`].
    pub domain: Option<&'a str>,
}

/// A moment that a user marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark<'a> {
    pub time: i64,
    pub pid: u64,
    pub tid: u64,
    pub message: &'a str,
    /// None is [`DEFAULT_DOMAIN`].
    pub domain: Option<&'a str>,
}

/// A value from `time` on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counter<'a> {
    pub time: i64,
    pub pid: u64,
    pub value: f64,
    pub name: &'a str,
}

impl<'a> Range<'a> {
    pub const TYPE: u16 = 0x0101;

    pub fn encode(&self, out: &mut Vec<u8>) {
        put_frame(out, Self::TYPE, |out| {
            put_i64(out, [self.start, self.end]);
            put_u64(out, [self.pid, self.start_tid, self.end_tid, self.id]);
            put_text(out, 1, self.message);
            put_opt_text(out, 2, self.domain);
        });
    }

    fn fields(value: &'a [u8]) -> Option<Self> {
        let mut fields = Fields(value);
        let record = Range {
            start: fields.i64()?,
            end: fields.i64()?,
            pid: fields.u64()?,
            start_tid: fields.u64()?,
            end_tid: fields.u64()?,
            id: fields.u64()?,
            ..Range::default()
        };
        let (message, domain) = message_and_domain(fields);
        Some(Range { message, domain, ..record })
    }
}

impl<'a> Mark<'a> {
    pub const TYPE: u16 = 0x0102;

    pub fn encode(&self, out: &mut Vec<u8>) {
        put_frame(out, Self::TYPE, |out| {
            put_i64(out, [self.time]);
            put_u64(out, [self.pid, self.tid]);
            put_text(out, 1, self.message);
            put_opt_text(out, 2, self.domain);
        });
    }

    fn fields(value: &'a [u8]) -> Option<Self> {
        let mut fields = Fields(value);
        let record = Mark { time: fields.i64()?, pid: fields.u64()?, tid: fields.u64()?, ..Mark::default() };
        let (message, domain) = message_and_domain(fields);
        Some(Mark { message, domain, ..record })
    }
}

impl<'a> Counter<'a> {
    pub const TYPE: u16 = 0x0103;

    pub fn encode(&self, out: &mut Vec<u8>) {
        put_frame(out, Self::TYPE, |out| {
            put_i64(out, [self.time]);
            put_u64(out, [self.pid]);
            out.extend_from_slice(&self.value.to_le_bytes());
            put_text(out, 1, self.name);
        });
    }

    fn fields(value: &'a [u8]) -> Option<Self> {
        let mut fields = Fields(value);
        let record = Counter { time: fields.i64()?, pid: fields.u64()?, value: fields.f64()?, name: "" };
        Some(Counter { name: message_and_domain(fields).0, ..record })
    }
}

fn message_and_domain(fields: Fields<'_>) -> (&str, Option<&str>) {
    let (mut message, mut domain) = ("", None);
    for (kind, text) in fields.texts() {
        match kind {
            1 => message = text,
            2 => domain = Some(text),
            _ => {}
        }
    }
    (message, domain)
}

impl Event<'_> {
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Event::Range(range) => range.encode(out),
            Event::Mark(mark) => mark.encode(out),
            Event::Counter(counter) => counter.encode(out),
        }
    }
}

impl<'a> Record<'a> for Event<'a> {
    const FRAMING: Framing = Framing::Tlv;

    fn read(kind: u16, value: &'a [u8]) -> Option<Self> {
        match kind {
            Range::TYPE => Range::fields(value).map(Event::Range),
            Mark::TYPE => Mark::fields(value).map(Event::Mark),
            Counter::TYPE => Counter::fields(value).map(Event::Counter),
            _ => None,
        }
    }
}
