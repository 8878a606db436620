//! Reading both files.

use std::borrow::Cow;

use npuscope_tables::table::{reported_bandwidth, reported_comm, reported_link};
use npuscope_tables::{Interner, RankBuilder, Str};

use super::{BANDWIDTH_INFO, SIZE_DISTRIBUTION, TIME_INFO};
use crate::diagnostic::MAX_UNREAD_KEYS;
use crate::diagnostic::{Code, Diagnostic, Severity, first_not_utf8};
use crate::messages;
use crate::trace_json::Cursor;

/// A key of an object, without escapes.
type Key<'a> = Cow<'a, [u8]>;

/// Where a value stands: the keys above it.
type Path<'a> = Vec<Key<'a>>;

/// The outcome of reading a file, beside its rows.
#[derive(Debug, Default)]
pub struct Outcome {
    pub rows: u64,
    pub unread: Vec<String>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Deeper than any of these files is.
const MAX_DEPTH: usize = 5;

pub fn read_communication(bytes: &[u8], file: &str, rank: &mut RankBuilder) -> Outcome {
    let mut outcome = Outcome::default();
    let read = |path: &Path<'_>, key: &[u8], cursor: &mut Cursor<'_>, outcome: &mut Outcome| {
        if key == TIME_INFO.as_bytes() {
            Some(read_times(path, cursor, outcome, rank))
        } else if key == BANDWIDTH_INFO.as_bytes() {
            Some(read_bandwidths(path, cursor, outcome, rank))
        } else {
            None
        }
    };
    walk_file(bytes, file, &mut outcome, read);
    outcome
}

pub fn read_matrix(bytes: &[u8], file: &str, rank: &mut RankBuilder) -> Outcome {
    let mut outcome = Outcome::default();
    let read = |path: &Path<'_>, key: &[u8], cursor: &mut Cursor<'_>, outcome: &mut Outcome| {
        let (src, dst) = split_at(key, memchr::memchr(b'-', key)?)?;
        let are_ranks = is_number(src) && is_number(dst);
        are_ranks.then(|| read_link(path, (src, dst), cursor, outcome, rank))
    };
    walk_file(bytes, file, &mut outcome, read);
    outcome
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// What stands before and after a byte.
fn split_at(text: &[u8], at: usize) -> Option<(&[u8], &[u8])> {
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// Walks the objects of a file. `read` is offered every member; it returns `None` to be led into it,
/// `Some(None)` if it could not read it.
fn walk_file(
    bytes: &[u8],
    file: &str,
    outcome: &mut Outcome,
    mut read: impl FnMut(&Path<'_>, &[u8], &mut Cursor<'_>, &mut Outcome) -> Option<Option<()>>,
) {
    if let Some(diagnostic) = Diagnostic::not_text(bytes, file) {
        outcome.diagnostics.push(diagnostic);
        return;
    }
    let mut cursor = Cursor::of_file(bytes);
    let mut path = Path::new();
    let mut whole = walk(&mut cursor, &mut path, outcome, &mut read);
    cursor.skip_space();
    let end = cursor.at as u64;
    if whole.is_some() && cursor.at < cursor.bytes.len() {
        whole = None;
    }
    if let Some(offset) = first_not_utf8(bytes).filter(|_| outcome.rows > 0) {
        outcome.diagnostics.push(Diagnostic::not_utf8(file, offset as u64));
    }
    if whole.is_none() {
        let diagnostic = if cursor.at >= cursor.bytes.len() {
            Diagnostic::new(Severity::Warning, Code::CutFile, file, messages::entries_cut(outcome.rows))
        } else {
            let severity = if outcome.rows == 0 { Severity::Error } else { Severity::Warning };
            Diagnostic::new(severity, Code::Garbage, file, messages::entries_garbage(outcome.rows))
        };
        outcome.diagnostics.push(diagnostic.at(end));
    }
}

fn walk<'a>(
    cursor: &mut Cursor<'a>,
    path: &mut Path<'a>,
    outcome: &mut Outcome,
    read: &mut impl FnMut(&Path<'_>, &[u8], &mut Cursor<'_>, &mut Outcome) -> Option<Option<()>>,
) -> Option<()> {
    cursor.members(|key, cursor| {
        let key = key.unescaped();
        if let Some(done) = read(path, &key, cursor, outcome) {
            return done;
        }
        if cursor.peek() != b'{' || path.len() >= MAX_DEPTH {
            note_unread(outcome, &key);
            return cursor.skip_value();
        }
        path.push(key);
        let whole = walk(cursor, path, outcome, read);
        path.pop();
        whole
    })
}

fn note_unread(outcome: &mut Outcome, key: &[u8]) {
    let key = String::from_utf8_lossy(key);
    if outcome.unread.len() < MAX_UNREAD_KEYS && !outcome.unread.iter().any(|k| *k == key) {
        outcome.unread.push(key.into_owned());
    }
}

/// Step, class, operation and group of an operation at that path.
struct Place {
    step: Option<Str>,
    kind: Option<Str>,
    name: Str,
    group_hash: Option<Str>,
}

fn place(path: &[Key<'_>], strings: &mut Interner) -> Place {
    let (above, op): (_, &[u8]) = match path {
        [above @ .., op] => (above, op),
        [] => (path, b""),
    };
    let (name, group) = match memchr::memrchr(b'@', op).and_then(|at| split_at(op, at)) {
        Some((name, group)) => (name, Some(group)),
        None => (op, None),
    };
    let mut above = above.iter();
    Place {
        step: above.next().map(|s| strings.intern_bytes(s)),
        kind: above.next().map(|s| strings.intern_bytes(s)),
        name: strings.intern_bytes(name),
        group_hash: group.map(|g| strings.intern_bytes(g)),
    }
}

/// Steps over the value of `key`: a number, or nothing that is one. `None` if it does not end.
#[inline]
fn number(key: &[u8], cursor: &mut Cursor<'_>, outcome: &mut Outcome) -> Option<Option<f64>> {
    if let Some(number) = cursor.short_number() {
        return Some(Some(number));
    }
    let start = cursor.at;
    cursor.skip_value()?;
    let text = cursor.bytes.get(start..cursor.at)?;
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    if number.is_none() && text != b"null" {
        note_unread(outcome, key);
    }
    Some(number)
}

fn read_times(path: &[Key<'_>], cursor: &mut Cursor<'_>, outcome: &mut Outcome, rank: &mut RankBuilder) -> Option<()> {
    let Place { step, kind, name, group_hash } = place(path, &mut rank.strings);
    let mut row = reported_comm::Row { step, kind, name, group_hash, ..reported_comm::Row::default() };
    let whole = cursor.members(|key, cursor| {
        let key = key.unescaped();
        let field = match key.as_ref() {
            b"Start Timestamp(us)" | b"Start Timestamp(\xce\xbcs)" => &mut row.start,
            b"Elapse Time(ms)" => &mut row.elapse,
            b"Transit Time(ms)" => &mut row.transit,
            b"Wait Time(ms)" => &mut row.wait,
            b"Synchronization Time(ms)" => &mut row.synchronization,
            b"Idle Time(ms)" | b"Idel Time(ms)" => &mut row.idle,
            b"Wait Time Ratio" => &mut row.wait_ratio,
            b"Synchronization Time Ratio" => &mut row.synchronization_ratio,
            other => {
                note_unread(outcome, other);
                return cursor.skip_value();
            }
        };
        *field = number(&key, cursor, outcome)?;
        Some(())
    });
    whole?;
    outcome.rows += 1;
    rank.reported_comm.push(row);
    Some(())
}

fn read_bandwidths(
    path: &[Key<'_>],
    cursor: &mut Cursor<'_>,
    outcome: &mut Outcome,
    rank: &mut RankBuilder,
) -> Option<()> {
    let Place { step, kind, name, group_hash } = place(path, &mut rank.strings);
    cursor.members(|transport, cursor| {
        let transport = rank.strings.intern_bytes(&transport.unescaped());
        let mut row =
            reported_bandwidth::Row { step, kind, name, group_hash, transport, ..reported_bandwidth::Row::default() };
        let mut packets: Vec<(Str, f64, f64)> = Vec::new();
        let strings = &mut rank.strings;
        let whole = cursor.members(|key, cursor| {
            let key = key.unescaped();
            let field = match key.as_ref() {
                b"Transit Size(MB)" => &mut row.transit_size,
                b"Transit Time(ms)" => &mut row.transit_time,
                b"Bandwidth(GB/s)" => &mut row.bandwidth,
                b"Large Packet Ratio" => &mut row.large_packet_ratio,
                key if key == SIZE_DISTRIBUTION.as_bytes() => {
                    return cursor.members(|size, cursor| {
                        let size = strings.intern_bytes(&size.unescaped());
                        let (count, duration) = read_pair(cursor)?;
                        packets.push((size, count, duration));
                        Some(())
                    });
                }
                other => {
                    note_unread(outcome, other);
                    return cursor.skip_value();
                }
            };
            *field = number(&key, cursor, outcome)?;
            Some(())
        });
        whole?;
        if packets.is_empty() {
            rank.reported_bandwidth.push(row);
        }
        for (size, count, duration) in packets {
            (row.package_size, row.count, row.total_duration) = (Some(size), Some(count), Some(duration));
            rank.reported_bandwidth.push(row);
        }
        Some(())
    })
}

fn plain_number(cursor: &mut Cursor<'_>) -> Option<f64> {
    if let Some(number) = cursor.short_number() {
        return Some(number);
    }
    std::str::from_utf8(cursor.scalar()?).ok()?.parse().ok()
}

/// `[count, duration]`.
fn read_pair(cursor: &mut Cursor<'_>) -> Option<(f64, f64)> {
    cursor.eat(b'[')?;
    cursor.skip_space();
    let first = plain_number(cursor)?;
    cursor.skip_space();
    cursor.eat(b',')?;
    cursor.skip_space();
    let second = plain_number(cursor)?;
    cursor.skip_space();
    cursor.eat(b']')?;
    Some((first, second))
}

fn read_link(
    path: &[Key<'_>],
    (src, dst): (&[u8], &[u8]),
    cursor: &mut Cursor<'_>,
    outcome: &mut Outcome,
    rank: &mut RankBuilder,
) -> Option<()> {
    let Place { step, kind, name, group_hash } = place(path, &mut rank.strings);
    let strings = &mut rank.strings;
    let mut row = reported_link::Row { step, kind, name, group_hash, ..reported_link::Row::default() };
    (row.src_rank, row.dst_rank) = (Some(strings.intern_bytes(src)), Some(strings.intern_bytes(dst)));
    let whole = cursor.members(|key, cursor| {
        let key = key.unescaped();
        let is_text = cursor.peek() == b'"';
        match key.as_ref() {
            b"Transport Type" if is_text => row.transport = Some(strings.intern_bytes(&cursor.string()?.unescaped())),
            b"Op Name" | b"op_name" if is_text => {
                row.op_name = Some(strings.intern_bytes(&cursor.string()?.unescaped()));
            }
            b"Transit Size(MB)" => row.transit_size = number(&key, cursor, outcome)?,
            b"Transit Time(ms)" => row.transit_time = number(&key, cursor, outcome)?,
            b"Bandwidth(GB/s)" => row.bandwidth = number(&key, cursor, outcome)?,
            other => {
                note_unread(outcome, other);
                cursor.skip_value()?;
            }
        }
        Some(())
    });
    whole?;
    outcome.rows += 1;
    rank.reported_link.push(row);
    Some(())
}
