//! `communication.json` and `communication_matrix.json`.
//!
//! Both nest step, then `p2p` or `collective`, then operation. CANN's own files of these names have
//! no step and no class. What is an operation is told by what is in it, so either depth is read.

use std::hash::Hash;
use std::io::{self, Write};

use hashbrown::HashMap;
use npuscope_tables::table::{reported_bandwidth, reported_comm, reported_link};
use npuscope_tables::{Interner, RankBuilder, Str, Strings};

use crate::flavour::Flavour;
use crate::number::push_float;
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

const TIME_INFO: &str = "Communication Time Info";
const BANDWIDTH_INFO: &str = "Communication Bandwidth Info";
const SIZE_DISTRIBUTION: &str = "Size Distribution";

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

/// Writes JSON objects as Python does: `{"key": value, …}` on one line.
struct JsonOut<'a, W> {
    out: &'a mut W,
    /// Whether the object being written at each depth has a member already.
    has_member: Vec<bool>,
}

impl<W: Write> JsonOut<'_, W> {
    fn open(&mut self) -> io::Result<()> {
        self.has_member.push(false);
        self.out.write_all(b"{")
    }

    fn close(&mut self) -> io::Result<()> {
        self.has_member.pop();
        self.out.write_all(b"}")
    }

    fn key(&mut self, key: &str) -> io::Result<()> {
        if let Some(has_member) = self.has_member.last_mut() {
            if *has_member {
                self.out.write_all(b", ")?;
            }
            *has_member = true;
        }
        serde_json::to_writer(&mut self.out, key)?;
        self.out.write_all(b": ")
    }

    fn number(&mut self, key: &str, value: Option<f64>) -> io::Result<()> {
        let Some(value) = value else { return Ok(()) };
        self.key(key)?;
        let mut text = String::new();
        push_float(&mut text, value);
        self.out.write_all(text.as_bytes())
    }

    fn text(&mut self, key: &str, value: Option<&str>) -> io::Result<()> {
        let Some(value) = value else { return Ok(()) };
        self.key(key)?;
        Ok(serde_json::to_writer(&mut self.out, value)?)
    }
}

/// The key of an operation in the files.
fn op_key(strings: &Strings, name: Str, group_hash: Option<Str>) -> String {
    match group_hash {
        Some(group) => format!("{}@{}", strings.get(name), strings.get(group)),
        None => strings.get(name).to_owned(),
    }
}

/// Writes `rows` grouped into step, class and operation; `write_op` gets the rows of one operation.
fn write_nested<'s, R: Copy>(
    out: &mut impl Write,
    rows: &[R],
    step_of: impl Fn(&R) -> Option<&'s str>,
    kind_of: impl Fn(&R) -> Option<&'s str>,
    op_of: impl Fn(&R) -> String,
    mut write_op: impl FnMut(&mut JsonOut<'_, &mut dyn Write>, &[R]) -> io::Result<()>,
) -> io::Result<()> {
    let mut out: &mut dyn Write = out;
    let mut json = JsonOut { out: &mut out, has_member: Vec::new() };
    json.open()?;
    for (step, rows) in grouped(rows, |r| step_of(r).map(str::to_owned)) {
        if let Some(step) = &step {
            json.key(step)?;
            json.open()?;
        }
        let mut kinds = vec!["p2p", "collective"];
        for kind in rows.iter().filter_map(&kind_of) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        for kind in kinds {
            let of_kind: Vec<R> = rows.iter().copied().filter(|r| kind_of(r).unwrap_or("collective") == kind).collect();
            if step.is_some() {
                json.key(kind)?;
                json.open()?;
            }
            for (op, rows) in grouped(&of_kind, |r| op_of(r)) {
                json.key(&op)?;
                json.open()?;
                write_op(&mut json, &rows)?;
                json.close()?;
            }
            if step.is_some() {
                json.close()?;
            }
        }
        if step.is_some() {
            json.close()?;
        }
    }
    json.close()
}

/// Rows by key, keys in the order of their first row.
fn grouped<R: Copy, K: Clone + Eq + Hash>(rows: &[R], key: impl Fn(&R) -> K) -> Vec<(K, Vec<R>)> {
    let mut groups: Vec<(K, Vec<R>)> = Vec::new();
    let mut index: HashMap<K, usize> = HashMap::new();
    for &row in rows {
        let row_key = key(&row);
        let at = *index.entry(row_key.clone()).or_insert_with(|| {
            groups.push((row_key, Vec::new()));
            groups.len() - 1
        });
        if let Some((_, group)) = groups.get_mut(at) {
            group.push(row);
        }
    }
    groups
}

/// `communication.json` from the times and bandwidths of operations.
pub fn write_communication(
    out: &mut impl Write,
    times: &[reported_comm::Row],
    bandwidths: &[reported_bandwidth::Row],
    strings: &Strings,
) -> io::Result<()> {
    let text = |s: Option<Str>| s.map(|s| strings.get(s));
    let by_op: HashMap<_, _> = grouped(bandwidths, |b| (b.step, b.kind, b.name, b.group_hash)).into_iter().collect();
    write_nested(
        out,
        times,
        |r| text(r.step),
        |r| text(r.kind),
        |r| op_key(strings, r.name, r.group_hash),
        |json, rows| {
            let Some(time) = rows.first() else { return Ok(()) };
            json.key(TIME_INFO)?;
            json.open()?;
            json.number("Start Timestamp(us)", time.start)?;
            json.number("Elapse Time(ms)", time.elapse)?;
            json.number("Transit Time(ms)", time.transit)?;
            json.number("Wait Time(ms)", time.wait)?;
            json.number("Synchronization Time(ms)", time.synchronization)?;
            json.number("Idle Time(ms)", time.idle)?;
            json.number("Wait Time Ratio", time.wait_ratio)?;
            json.number("Synchronization Time Ratio", time.synchronization_ratio)?;
            json.close()?;
            json.key(BANDWIDTH_INFO)?;
            json.open()?;
            let of_op = by_op.get(&(time.step, time.kind, time.name, time.group_hash));
            write_transports(json, of_op.map(Vec::as_slice).unwrap_or_default(), strings)?;
            json.close()
        },
    )
}

fn write_transports(
    json: &mut JsonOut<'_, &mut dyn Write>,
    rows: &[reported_bandwidth::Row],
    strings: &Strings,
) -> io::Result<()> {
    for (transport, group) in grouped(rows, |r| r.transport) {
        let Some(first) = group.first() else { continue };
        json.key(strings.get(transport))?;
        json.open()?;
        json.number("Transit Size(MB)", first.transit_size)?;
        json.number("Transit Time(ms)", first.transit_time)?;
        json.number("Bandwidth(GB/s)", first.bandwidth)?;
        json.number("Large Packet Ratio", first.large_packet_ratio)?;
        json.key(SIZE_DISTRIBUTION)?;
        json.open()?;
        for packet in &group {
            let Some(size) = packet.package_size else { continue };
            json.key(strings.get(size))?;
            let mut pair = format!("[{}, ", packet.count.unwrap_or_default());
            push_float(&mut pair, packet.total_duration.unwrap_or_default());
            pair.push(']');
            json.out.write_all(pair.as_bytes())?;
        }
        json.close()?;
        json.close()?;
    }
    Ok(())
}

/// `communication_matrix.json` from links.
pub fn write_matrix(
    out: &mut impl Write,
    links: &[reported_link::Row],
    flavour: Flavour,
    strings: &Strings,
) -> io::Result<()> {
    let text = |s: Option<Str>| s.map(|s| strings.get(s));
    let op_name = if flavour == Flavour::MindSpore { "op_name" } else { "Op Name" };
    write_nested(
        out,
        links,
        |r| text(r.step),
        |r| text(r.kind),
        |r| op_key(strings, r.name, r.group_hash),
        |json, rows| {
            for row in rows {
                let end = |rank: Option<Str>| text(rank).unwrap_or_default();
                json.key(&format!("{}-{}", end(row.src_rank), end(row.dst_rank)))?;
                json.open()?;
                json.text("Transport Type", text(row.transport))?;
                json.number("Transit Size(MB)", row.transit_size)?;
                json.number("Transit Time(ms)", row.transit_time)?;
                json.number("Bandwidth(GB/s)", row.bandwidth)?;
                json.text(op_name, text(row.op_name))?;
                json.close()?;
            }
            Ok(())
        },
    )
}
