//! Reading both files.

use npuscope_tables::table::{reported_bandwidth, reported_comm, reported_link};
use npuscope_tables::{Interner, RankBuilder, Str};

use super::{BANDWIDTH_INFO, SIZE_DISTRIBUTION, TIME_INFO};
use crate::problem::MAX_UNREAD_KEYS;
use crate::problem::{Problem, Severity, first_not_utf8};
use crate::trace_json::Cursor;

/// Where a value stands: the keys above it.
type Path = Vec<String>;

/// What reading a file told, beside its rows.
#[derive(Debug, Default)]
pub struct Outcome {
    pub rows: u64,
    pub unread: Vec<String>,
    pub problems: Vec<Problem>,
}

/// Deeper than any of these files is.
const MAX_DEPTH: usize = 5;

pub fn read_communication(bytes: &[u8], file: &str, rank: &mut RankBuilder) -> Outcome {
    let mut outcome = Outcome::default();
    let read = |path: &Path, key: &str, cursor: &mut Cursor<'_>, outcome: &mut Outcome| match key {
        TIME_INFO => Some(read_times(path, cursor, outcome, rank)),
        BANDWIDTH_INFO => Some(read_bandwidths(path, cursor, outcome, rank)),
        _ => None,
    };
    walk_file(bytes, file, &mut outcome, read);
    outcome
}

pub fn read_matrix(bytes: &[u8], file: &str, rank: &mut RankBuilder) -> Outcome {
    let mut outcome = Outcome::default();
    let read = |path: &Path, key: &str, cursor: &mut Cursor<'_>, outcome: &mut Outcome| {
        let (src, dst) = key.split_once('-').filter(|(s, d)| is_number(s) && is_number(d))?;
        Some(read_link(path, (src, dst), cursor, outcome, rank))
    };
    walk_file(bytes, file, &mut outcome, read);
    outcome
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Walks the objects of a file. `read` is offered every member; it returns `None` to be led into it,
/// `Some(None)` if it could not read it.
fn walk_file(
    bytes: &[u8],
    file: &str,
    outcome: &mut Outcome,
    mut read: impl FnMut(&Path, &str, &mut Cursor<'_>, &mut Outcome) -> Option<Option<()>>,
) {
    if let Some(problem) = Problem::not_text(bytes, file) {
        outcome.problems.push(problem);
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
        outcome.problems.push(Problem::not_utf8(file, offset as u64));
    }
    if whole.is_none() {
        let problem = if cursor.at >= cursor.bytes.len() {
            let message = format!("the file ends here, inside a value; the {} entries before are kept", outcome.rows);
            Problem::new(Severity::Warning, "cut-file", file, message)
        } else {
            let message = format!("not the JSON of such a file; the {} entries before are kept", outcome.rows);
            let severity = if outcome.rows == 0 { Severity::Error } else { Severity::Warning };
            Problem::new(severity, "garbage", file, message)
        };
        outcome.problems.push(problem.at(end));
    }
}

fn walk(
    cursor: &mut Cursor<'_>,
    path: &mut Path,
    outcome: &mut Outcome,
    read: &mut impl FnMut(&Path, &str, &mut Cursor<'_>, &mut Outcome) -> Option<Option<()>>,
) -> Option<()> {
    cursor.members(|key, cursor| {
        let key = String::from_utf8_lossy(&key.unescaped()).into_owned();
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

fn note_unread(outcome: &mut Outcome, key: &str) {
    if outcome.unread.len() < MAX_UNREAD_KEYS && !outcome.unread.iter().any(|k| k == key) {
        outcome.unread.push(key.to_owned());
    }
}

/// Step, class, operation and group of an operation at that path.
struct Place {
    step: Option<Str>,
    kind: Option<Str>,
    name: Str,
    group_hash: Option<Str>,
}

fn place(path: &[String], strings: &mut Interner) -> Place {
    let (above, op) = match path {
        [above @ .., op] => (above, op.as_str()),
        [] => (path, ""),
    };
    let (name, group) = match op.rsplit_once('@') {
        Some((name, group)) => (name, Some(group)),
        None => (op, None),
    };
    let mut above = above.iter();
    Place {
        step: above.next().map(|s| strings.intern(s)),
        kind: above.next().map(|s| strings.intern(s)),
        name: strings.intern(name),
        group_hash: group.map(|g| strings.intern(g)),
    }
}

/// Steps over the value of `key`: a number, or nothing that is one. `None` if it does not end.
fn number(key: &str, cursor: &mut Cursor<'_>, outcome: &mut Outcome) -> Option<Option<f64>> {
    let start = cursor.at;
    cursor.skip_value()?;
    let text = cursor.bytes.get(start..cursor.at)?;
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    if number.is_none() && text != b"null" {
        note_unread(outcome, key);
    }
    Some(number)
}

fn read_times(path: &[String], cursor: &mut Cursor<'_>, outcome: &mut Outcome, rank: &mut RankBuilder) -> Option<()> {
    let Place { step, kind, name, group_hash } = place(path, &mut rank.strings);
    let mut row = reported_comm::Row { step, kind, name, group_hash, ..reported_comm::Row::default() };
    let whole = cursor.members(|key, cursor| {
        let key = key.unescaped();
        let key = String::from_utf8_lossy(&key);
        let field = match key.as_ref() {
            "Start Timestamp(us)" | "Start Timestamp(μs)" => &mut row.start,
            "Elapse Time(ms)" => &mut row.elapse,
            "Transit Time(ms)" => &mut row.transit,
            "Wait Time(ms)" => &mut row.wait,
            "Synchronization Time(ms)" => &mut row.synchronization,
            "Idle Time(ms)" | "Idel Time(ms)" => &mut row.idle,
            "Wait Time Ratio" => &mut row.wait_ratio,
            "Synchronization Time Ratio" => &mut row.synchronization_ratio,
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
    path: &[String],
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
            let key = String::from_utf8_lossy(&key);
            let field = match key.as_ref() {
                "Transit Size(MB)" => &mut row.transit_size,
                "Transit Time(ms)" => &mut row.transit_time,
                "Bandwidth(GB/s)" => &mut row.bandwidth,
                "Large Packet Ratio" => &mut row.large_packet_ratio,
                SIZE_DISTRIBUTION => {
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
    path: &[String],
    (src, dst): (&str, &str),
    cursor: &mut Cursor<'_>,
    outcome: &mut Outcome,
    rank: &mut RankBuilder,
) -> Option<()> {
    let Place { step, kind, name, group_hash } = place(path, &mut rank.strings);
    let strings = &mut rank.strings;
    let mut row = reported_link::Row { step, kind, name, group_hash, ..reported_link::Row::default() };
    (row.src_rank, row.dst_rank) = (Some(strings.intern(src)), Some(strings.intern(dst)));
    let whole = cursor.members(|key, cursor| {
        let key = key.unescaped();
        let key = String::from_utf8_lossy(&key);
        let is_text = cursor.peek() == b'"';
        match key.as_ref() {
            "Transport Type" if is_text => row.transport = Some(strings.intern_bytes(&cursor.string()?.unescaped())),
            "Op Name" | "op_name" if is_text => {
                row.op_name = Some(strings.intern_bytes(&cursor.string()?.unescaped()));
            }
            "Transit Size(MB)" => row.transit_size = number(&key, cursor, outcome)?,
            "Transit Time(ms)" => row.transit_time = number(&key, cursor, outcome)?,
            "Bandwidth(GB/s)" => row.bandwidth = number(&key, cursor, outcome)?,
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
