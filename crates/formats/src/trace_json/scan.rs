//! From the bytes of a trace to [`Events`].
//!
//! Built for what Ascend tools write, right for any JSON. What trips a scanner of these files: `ts` is
//! text with three decimals or none, `dur` a number with any; `id` is a number in one half of the flows
//! and text in the other; keys come in another order from each producer; the parts of a file are glued
//! with another separator than the events; a killed job leaves the array open.

use hashbrown::HashMap;
use npuscope_tables::{Interner, Ns, Selection, Span, Str, TableId};

use super::event::{Damage, DamageKind, Dialect, Event, Events, Flags, LaneKey, Phase, TraceId};
use super::text::{Cursor, RawString};
use crate::diagnostic::{MAX_UNREAD_KEYS, first_not_utf8};

/// Damaged places of a stretch that are reported one by one; the rest is only counted.
const MAX_DAMAGES: usize = 100;

/// No event is that long: one that seems to reach further, to the end of the file, lacks a quote or a brace.
const LONGEST_EVENT: usize = 1 << 20;

/// Broken events of a stretch that may be stepped over: finding each takes reading to the end of the file.
const MAX_BROKEN: usize = 16;

/// Places that are tried for the event after a broken one.
const MAX_GUESSES: usize = 64;

/// Why a scan ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The next event starts here, at or beyond the stop that was asked for.
    At(usize),
    /// The array was closed by the bracket here.
    Closed(usize),
    /// The file ended.
    Cut,
}

/// Scans events from `start`, which is the first byte of an event, until one starts at or beyond `stop`. Of counters
/// and flows nothing is kept but their lanes, if they are not wanted.
pub fn scan(bytes: &[u8], start: usize, stop: usize, dialect: Dialect, selection: Selection) -> (Events, End) {
    let mut scan = Scan {
        dialect,
        selection,
        events: Events::default(),
        lane_index: HashMap::default(),
        last_lane: None,
        category_index: HashMap::default(),
        last_category: (b"", 0),
    };
    scan.events.categories.push(Interner::EMPTY);
    let mut cursor = Cursor::new(bytes, start);
    let mut broken = 0;
    let end = loop {
        if cursor.at >= stop {
            break End::At(cursor.at);
        }
        // Only before the first event: an empty list.
        if cursor.peek() == b']' {
            break End::Closed(cursor.at);
        }
        let event_start = cursor.at;
        if scan.event(&mut cursor).is_none() {
            scan.events.skipped += 1;
            if cursor.at >= bytes.len() {
                if bytes.len() - event_start > LONGEST_EVENT && broken < MAX_BROKEN {
                    broken += 1;
                    if let Some(at) = next_whole_event(bytes, event_start + 1) {
                        scan.damage(event_start, DamageKind::Garbage);
                        cursor.at = at;
                        continue;
                    }
                }
                scan.damage(event_start, DamageKind::Cut);
                break End::Cut;
            }
            scan.damage(event_start, DamageKind::Garbage);
            match next_event_like(bytes, event_start + 1) {
                Some(at) => cursor.at = at,
                None => break closing_bracket(bytes, event_start).map_or(End::Cut, End::Closed),
            }
            continue;
        }
        cursor.skip_space();
        let separator = cursor.at;
        match cursor.peek() {
            b',' => {
                cursor.at += 1;
                cursor.skip_space();
                // Parts glued together may leave two commas, and a killed writer a last one.
                while cursor.eat(b',').is_some() {
                    cursor.skip_space();
                }
                if cursor.peek() == b']' {
                    break End::Closed(cursor.at);
                }
            }
            b']' => break End::Closed(separator),
            _ => {}
        }
        if cursor.at >= bytes.len() {
            scan.damage(separator, DamageKind::Cut);
            break End::Cut;
        }
    };
    scan.events.not_utf8 = bytes.get(start..cursor.at).and_then(first_not_utf8).map(|at| (start + at) as u64);
    (scan.events, end)
}

/// The next place from `from` on that looks like the start of an event: `{`, then a key, after `,` or `[`.
///
/// In valid JSON the bytes `{"` outside of a string start an object with a key; inside a string the
/// quote would have to be escaped, unless the string ends in a brace. And the object may be nested in
/// the arguments of an event. So a place found here is a guess that has to be checked.
pub fn next_event_like(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr::memchr(b'{', bytes.get(at..)?)?;
        let mut key = Cursor::new(bytes, at + 1);
        key.skip_space();
        let before = bytes.get(..at)?.trim_ascii_end().last();
        if key.peek() == b'"' && matches!(before, Some(b',' | b'[' | b'}')) {
            return Some(at);
        }
        at += 1;
    }
}

/// The next place from `from` on, not far away, where an object stands that is whole and has a phase.
fn next_whole_event(bytes: &[u8], from: usize) -> Option<usize> {
    let near = bytes.get(..bytes.len().min(from.saturating_add(LONGEST_EVENT)))?;
    let mut at = from;
    for _ in 0..MAX_GUESSES {
        at = next_event_like(near, at)?;
        let mut cursor = Cursor::new(near, at);
        let mut has_phase = false;
        let whole = cursor.members(|key, value| {
            has_phase |= key.bytes == b"ph";
            value.skip_value()
        });
        if whole.is_some() && has_phase {
            return Some(at);
        }
        at += 1;
    }
    None
}

fn closing_bracket(bytes: &[u8], from: usize) -> Option<usize> {
    let tail = bytes.get(from..)?.trim_ascii_end();
    (tail.last() == Some(&b']')).then(|| from + tail.len() - 1)
}

struct Scan<'a> {
    dialect: Dialect,
    selection: Selection,
    events: Events,
    lane_index: HashMap<LaneKey, u32, foldhash::fast::FixedState>,
    last_lane: Option<(LaneKey, u32)>,
    category_index: HashMap<Str, u16, foldhash::fast::FixedState>,
    /// As it stands in the file, and its number.
    last_category: (&'a [u8], u16),
}

/// The keys of an event.
#[derive(Clone, Copy)]
enum Key {
    Phase,
    Name,
    Category,
    Pid,
    Tid,
    Time,
    Duration,
    Id,
    Args,
    Binding,
}

impl Key {
    /// The key under the cursor, which stands on its opening quote, and the bytes it takes with quotes.
    #[inline]
    fn at(cursor: &Cursor<'_>) -> Option<(Key, usize)> {
        let word = cursor.word().to_le_bytes();
        Some(match word {
            [_, b'n', b'a', b'm', b'e', b'"', ..] => (Key::Name, 6),
            [_, b'p', b'i', b'd', b'"', ..] => (Key::Pid, 5),
            [_, b't', b'i', b'd', b'"', ..] => (Key::Tid, 5),
            [_, b't', b's', b'"', ..] => (Key::Time, 4),
            [_, b'd', b'u', b'r', b'"', ..] => (Key::Duration, 5),
            [_, b'a', b'r', b'g', b's', b'"', ..] => (Key::Args, 6),
            [_, b'p', b'h', b'"', ..] => (Key::Phase, 4),
            [_, b'c', b'a', b't', b'"', ..] => (Key::Category, 5),
            [_, b'i', b'd', b'"', ..] => (Key::Id, 4),
            [_, b'b', b'p', b'"', ..] => (Key::Binding, 4),
            _ => return None,
        })
    }
}

/// What is known of an event while its members are read.
#[derive(Default)]
struct Draft<'a> {
    event: Event,
    phase: u8,
    name: RawString<'a>,
    pid: Option<TraceId>,
    tid: Option<TraceId>,
    time: Option<&'a [u8]>,
    duration: Option<&'a [u8]>,
    /// Start and length of `args` and of `id`, quotes excluded.
    args: (usize, usize),
    id: (usize, usize),
}

impl<'a> Scan<'a> {
    fn damage(&mut self, offset: usize, what: DamageKind) {
        if self.events.damages.len() < MAX_DAMAGES {
            self.events.damages.push(Damage { offset: offset as u64, what });
        }
    }

    /// Reads the event under the cursor and steps over it; `None` if it is not a whole object.
    fn event(&mut self, cursor: &mut Cursor<'a>) -> Option<()> {
        let start = cursor.at;
        let mut draft = Draft::default();
        let unread = self.events.unread_keys.len();
        self.members(&mut draft, cursor)?;
        let mut event = draft.event;
        event.phase = Phase::from_byte(draft.phase, self.dialect);
        let is_kept = match event.phase {
            Phase::Counter => self.selection.has(TableId::Counter),
            Phase::FlowStart | Phase::FlowEnd => self.selection.has(TableId::Flow),
            _ => true,
        };
        let none = TraceId::Number(0);
        let lane = LaneKey { pid: draft.pid.unwrap_or(none), tid: draft.tid.unwrap_or(none) };
        if !is_kept {
            self.lane(lane);
            return Some(());
        }
        let time = draft.time.and_then(Ns::parse_us);
        let duration = draft.duration.map(Span::parse_us);
        let damage = match event.phase {
            Phase::Other if self.dialect == Dialect::Ascend || draft.phase == 0 => Some(DamageKind::UnknownPhase),
            Phase::Metadata => None,
            _ if time.is_none() || duration == Some(None) => Some(DamageKind::NoTime),
            _ => None,
        };
        if let Some(what) = damage {
            self.events.skipped += 1;
            self.damage(start, what);
            return Some(());
        }
        event.name = self.events.strings.intern_bytes(&draft.name.unescaped());
        event.time = time.unwrap_or_default();
        if let Some(duration) = duration.flatten() {
            self.events.set_duration(&mut event, duration);
        }
        let (start, length) = match event.phase {
            Phase::FlowStart | Phase::FlowEnd => draft.id,
            Phase::Other => {
                // Kept whole, so nothing of it is unread.
                self.events.unread_keys.truncate(unread);
                (start, cursor.at - start)
            }
            _ => draft.args,
        };
        event.text_start = start as u64;
        event.text_len = u32::try_from(length).ok()?;
        event.lane = self.lane(lane);
        self.events.push(event);
        Some(())
    }

    fn members(&mut self, draft: &mut Draft<'a>, cursor: &mut Cursor<'a>) -> Option<()> {
        cursor.eat(b'{')?;
        cursor.skip_space();
        if cursor.eat(b'}').is_some() {
            return Some(());
        }
        loop {
            match Key::at(cursor) {
                Some((key, bytes)) => {
                    cursor.at += bytes;
                    cursor.skip_space();
                    cursor.eat(b':')?;
                    cursor.skip_space();
                    self.member(draft, key, cursor)?;
                }
                None => self.unread_member(cursor)?,
            }
            cursor.skip_space();
            match cursor.peek() {
                b',' => cursor.at += 1,
                b'}' => {
                    cursor.at += 1;
                    return Some(());
                }
                _ => return None,
            }
            cursor.skip_space();
        }
    }

    fn unread_member(&mut self, cursor: &mut Cursor<'_>) -> Option<()> {
        let key = cursor.string()?;
        cursor.skip_space();
        cursor.eat(b':')?;
        cursor.skip_space();
        let key = self.events.strings.intern_bytes(&key.unescaped());
        let keys = &self.events.unread_keys;
        if keys.len() < MAX_UNREAD_KEYS && !keys.contains(&key) {
            self.events.unread_keys.push(key);
        }
        cursor.skip_value()
    }

    #[inline]
    fn member(&mut self, draft: &mut Draft<'a>, key: Key, cursor: &mut Cursor<'a>) -> Option<()> {
        match key {
            Key::Phase => {
                let text = cursor.string()?.bytes;
                draft.phase = if let [byte] = text { *byte } else { 0 };
            }
            Key::Name => draft.name = text(cursor)?,
            Key::Category => draft.event.category = self.category(cursor)?,
            Key::Pid => draft.pid = Some(self.trace_id(cursor)?),
            Key::Tid => draft.tid = Some(self.trace_id(cursor)?),
            Key::Time => draft.time = Some(number_text(cursor)?),
            Key::Duration => draft.duration = Some(number_text(cursor)?),
            Key::Id => {
                let text = number_text(cursor)?;
                let quote = usize::from(cursor.bytes.get(cursor.at.wrapping_sub(1)) == Some(&b'"'));
                draft.id = (cursor.at - quote - text.len(), text.len());
            }
            Key::Args => {
                let start = cursor.at;
                cursor.skip_value()?;
                draft.args = (start, cursor.at - start);
            }
            Key::Binding => {
                cursor.skip_value()?;
                draft.event.flags.set(Flags::BINDING);
            }
        }
        Some(())
    }

    /// A category, by its number. There are a handful, and mostly it is the one of the event before.
    #[inline]
    fn category(&mut self, cursor: &mut Cursor<'a>) -> Option<u16> {
        let raw = text(cursor)?;
        if raw.bytes != self.last_category.0 {
            let text = self.events.strings.intern_bytes(&raw.unescaped());
            let categories = &mut self.events.categories;
            let number = *self.category_index.entry(text).or_insert_with(|| {
                // More kinds of events than a number has room for is no trace of anything.
                let Ok(number) = u16::try_from(categories.len()) else { return 0 };
                categories.push(text);
                number
            });
            self.last_category = (raw.bytes, number);
        }
        Some(self.last_category.1)
    }

    #[inline]
    fn trace_id(&mut self, cursor: &mut Cursor<'_>) -> Option<TraceId> {
        if let Some(number) = cursor.natural() {
            return Some(TraceId::Number(number));
        }
        let text = match cursor.peek() {
            b'"' => cursor.string()?.unescaped(),
            _ => cursor.scalar()?.into(),
        };
        let number = std::str::from_utf8(&text).ok().and_then(|t| t.parse().ok().filter(|n: &i64| n.to_string() == t));
        Some(match number {
            Some(number) => TraceId::Number(number),
            None => TraceId::Text(self.events.strings.intern_bytes(&text)),
        })
    }

    #[inline]
    fn lane(&mut self, key: LaneKey) -> u32 {
        if let Some((last, lane)) = self.last_lane
            && last == key
        {
            return lane;
        }
        let lanes = &mut self.events.lanes;
        let lane = *self.lane_index.entry(key).or_insert_with(|| {
            lanes.push(key);
            u32::try_from(lanes.len() - 1).unwrap_or(u32::MAX)
        });
        self.last_lane = Some((key, lane));
        lane
    }
}

/// A string value; other scalars by their text.
#[inline]
fn text<'a>(cursor: &mut Cursor<'a>) -> Option<RawString<'a>> {
    match cursor.peek() {
        b'"' => cursor.string(),
        _ => cursor.scalar().map(RawString::plain),
    }
}

/// The text of a number, in quotes or not.
#[inline]
fn number_text<'a>(cursor: &mut Cursor<'a>) -> Option<&'a [u8]> {
    match cursor.peek() {
        b'"' => cursor.string().map(|raw| raw.bytes),
        _ => cursor.scalar(),
    }
}
