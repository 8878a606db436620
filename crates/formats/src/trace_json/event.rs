//! Events as they stand in a trace file, before anyone asks what they mean.

use npuscope_tables::{Interner, Ns, Span, Str};

/// One event. `args` and `id` are byte ranges: most are never looked at, and those that are get
/// looked at once, when the layer of the event is known.
///
/// Forty bytes: all events of a file are held until its metadata has been seen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Event {
    pub time: Ns,
    /// Nanoseconds; [`Events::exact_us`] has the few that are finer.
    pub duration: i64,
    /// Where the event's text is: `args` of slices, counters and metadata, `id` of flows, all of an event of
    /// another phase. An event of a kind has only the one that is of use.
    pub text_start: u64,
    /// 0 for an event without.
    pub text_len: u32,
    pub name: Str,
    /// Index into [`Events::lanes`].
    pub lane: u32,
    /// Index into [`Events::categories`].
    pub category: u16,
    pub phase: Phase,
    pub flags: Flags,
}

/// What else is true of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

impl Flags {
    /// `bp` is there.
    pub const BINDING: Flags = Flags(1);
    /// The duration is finer than a nanosecond.
    pub const EXACT: Flags = Flags(2);

    pub fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    pub fn set(&mut self, flag: Flags) {
        self.0 |= flag.0;
    }
}

/// Whose traces are read: they use other phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// CANN, torch_npu and MindSpore. An event of a phase that they do not use is reported.
    Ascend,
    /// PyTorch's profiler. Events of other phases are kept: marks in time, and what users add.
    Kineto,
}

/// The phases that have a meaning of their own, and the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    Slice,
    Metadata,
    Counter,
    FlowStart,
    FlowEnd,
    #[default]
    Other,
}

impl Phase {
    pub fn from_byte(byte: u8, dialect: Dialect) -> Phase {
        match byte {
            b'X' => Phase::Slice,
            b'M' => Phase::Metadata,
            b'C' => Phase::Counter,
            b's' => Phase::FlowStart,
            b'f' => Phase::FlowEnd,
            // A stop on the way of an arrow: one end of it.
            b't' if dialect == Dialect::Kineto => Phase::FlowEnd,
            _ => Phase::Other,
        }
    }
}

/// `pid` and `tid` as the trace gave them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LaneKey {
    pub pid: TraceId,
    pub tid: TraceId,
}

/// A process or thread id: a number, or text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TraceId {
    Number(i64),
    Text(Str),
}

/// Events of a stretch of a file, in order.
#[derive(Default)]
pub struct Events {
    /// In blocks, so that a consumer can let go of what it has read.
    pub blocks: Vec<Vec<Event>>,
    /// Durations finer than a nanosecond, in event order, for events with [`Flags::EXACT`].
    pub exact_us: Vec<f64>,
    pub lanes: Vec<LaneKey>,
    /// Categories; the first is that of events without one.
    pub categories: Vec<Str>,
    pub strings: Interner,
    /// Keys of events that nothing is read from.
    pub unread_keys: Vec<Str>,
    pub damages: Vec<Damage>,
    /// The first place that is not UTF-8.
    pub not_utf8: Option<u64>,
    /// Events that were skipped because they are damaged.
    pub skipped: u64,
}

impl Events {
    pub const BLOCK: usize = 16 * 1024;

    pub fn len(&self) -> usize {
        self.blocks.iter().map(Vec::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.blocks.iter().all(Vec::is_empty)
    }

    pub fn category(&self, event: &Event) -> Str {
        self.categories.get(usize::from(event.category)).copied().unwrap_or_default()
    }

    pub(super) fn push(&mut self, event: Event) {
        match self.blocks.last_mut() {
            Some(block) if block.len() < Self::BLOCK => block.push(event),
            _ => {
                let mut block = Vec::with_capacity(Self::BLOCK);
                block.push(event);
                self.blocks.push(block);
            }
        }
    }

    pub(super) fn set_duration(&mut self, event: &mut Event, duration: Span) {
        event.duration = duration.ns();
        if let Some(us) = duration.exact_us() {
            event.flags.set(Flags::EXACT);
            self.exact_us.push(us);
        }
    }
}

/// Something wrong at a place of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    pub offset: u64,
    pub what: DamageKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamageKind {
    /// The file ends inside an event or without closing the array.
    Cut,
    /// Bytes that are no event where one should start.
    Garbage,
    /// An event without a phase, or with one unknown here.
    UnknownPhase,
    /// An event of a known phase that lacks a time, or whose time is no number.
    NoTime,
}
