//! Writing both files.

use std::hash::Hash;
use std::io::{self, Write};

use foldhash::fast::FixedState;
use indexmap::IndexMap;
use npuscope_tables::Framework;
use npuscope_tables::table::{reported_bandwidth, reported_comm, reported_link};
use npuscope_tables::{RankTables, Str, Strings};

use super::{BANDWIDTH_INFO, SIZE_DISTRIBUTION, TIME_INFO};
use crate::json_out::JsonOut;

/// Writes one of the files from a rank that comes in chunks. A step must be in one chunk: it is a key.
pub struct CommWriter {
    json: JsonOut,
}

impl Default for CommWriter {
    fn default() -> Self {
        let mut json = JsonOut::default();
        json.open();
        CommWriter { json }
    }
}

impl CommWriter {
    /// `communication.json` from the times and bandwidths of operations.
    pub fn communication(&mut self, out: &mut impl Write, tables: &RankTables) -> io::Result<()> {
        let strings = tables.strings();
        let times: Vec<reported_comm::Row> = tables.rows().collect();
        let mut bandwidths: Vec<reported_bandwidth::Row> = tables.rows().collect();
        // They mostly come sorted, so that this costs a look.
        let key = |row: &reported_bandwidth::Row| (row.step, row.kind, row.name, row.group_hash);
        bandwidths.sort_by_key(key);
        let place = |row: &reported_comm::Row| Place::of(row.step, row.kind, row.name, row.group_hash, strings);
        self.nested(out, times, strings, place, |json, rows| {
            let Some(time) = rows.first() else { return };
            json.key(TIME_INFO);
            json.open();
            json.number("Start Timestamp(us)", time.start);
            json.number("Elapse Time(ms)", time.elapse);
            json.number("Transit Time(ms)", time.transit);
            json.number("Wait Time(ms)", time.wait);
            json.number("Synchronization Time(ms)", time.synchronization);
            json.number("Idle Time(ms)", time.idle);
            json.number("Wait Time Ratio", time.wait_ratio);
            json.number("Synchronization Time Ratio", time.synchronization_ratio);
            json.close();
            json.key(BANDWIDTH_INFO);
            json.open();
            let op = (time.step, time.kind, time.name, time.group_hash);
            let first = bandwidths.partition_point(|row| key(row) < op);
            let rest = bandwidths.get(first..).unwrap_or_default();
            let count = rest.iter().take_while(|row| key(row) == op).count();
            transports(json, rest.get(..count).unwrap_or_default(), strings);
            json.close();
        })
    }

    /// `communication_matrix.json` from links.
    pub fn matrix(&mut self, out: &mut impl Write, tables: &RankTables, framework: Framework) -> io::Result<()> {
        let strings = tables.strings();
        let op_name = if framework == Framework::MindSpore { "op_name" } else { "Op Name" };
        let place = |row: &reported_link::Row| Place::of(row.step, row.kind, row.name, row.group_hash, strings);
        self.nested(out, tables.rows().collect(), strings, place, |json, rows: &[reported_link::Row]| {
            for row in rows {
                let end = |rank: Option<Str>| tables.opt_text(rank).unwrap_or_default();
                json.key_of(&format!("{}-{}", end(row.src_rank), end(row.dst_rank)));
                json.open();
                json.text("Transport Type", tables.opt_text(row.transport));
                json.number("Transit Size(MB)", row.transit_size);
                json.number("Transit Time(ms)", row.transit_time);
                json.number("Bandwidth(GB/s)", row.bandwidth);
                json.text(op_name, tables.opt_text(row.op_name));
                json.close();
            }
        })
    }

    pub fn finish(mut self, out: &mut impl Write) -> io::Result<()> {
        self.json.close();
        self.json.flush(out)
    }

    /// Writes `rows` grouped into step, class and operation; `write_op` gets the rows of one operation.
    fn nested<'s, R: Copy>(
        &mut self,
        out: &mut impl Write,
        rows: Vec<R>,
        strings: &'s Strings,
        place: impl Fn(&R) -> Place<'s>,
        mut write_op: impl FnMut(&mut JsonOut, &[R]),
    ) -> io::Result<()> {
        let json = &mut self.json;
        for (step, rows) in grouped(rows, |row| place(row).step) {
            if let Some(step) = step {
                json.key_of(step);
                json.open();
            }
            let mut kinds = IndexMap::from([("p2p", Vec::new()), ("collective", Vec::new())]);
            for row in rows {
                kinds.entry(place(&row).kind.unwrap_or("collective")).or_default().push(row);
            }
            for (kind, rows) in kinds {
                if step.is_some() {
                    json.key_of(kind);
                    json.open();
                }
                for (op, rows) in grouped(rows, |row| place(row).op) {
                    key_of_op(json, op, strings);
                    json.open();
                    write_op(json, &rows);
                    json.close();
                    json.flush_if_full(out)?;
                }
                if step.is_some() {
                    json.close();
                }
            }
            if step.is_some() {
                json.close();
            }
        }
        json.flush(out)
    }
}

/// Where a row belongs.
struct Place<'s> {
    step: Option<&'s str>,
    kind: Option<&'s str>,
    /// Name and hash of the group.
    op: (Str, Option<Str>),
}

impl<'s> Place<'s> {
    fn of(step: Option<Str>, kind: Option<Str>, name: Str, group_hash: Option<Str>, strings: &'s Strings) -> Self {
        let text = |id: Option<Str>| id.map(|id| strings.get(id));
        Place { step: text(step), kind: text(kind), op: (name, group_hash) }
    }
}

/// Rows by key, keys in the order of their first row.
fn grouped<R, K: Eq + Hash>(rows: Vec<R>, key: impl Fn(&R) -> K) -> IndexMap<K, Vec<R>, FixedState> {
    let mut groups: IndexMap<K, Vec<R>, FixedState> = IndexMap::default();
    for row in rows {
        groups.entry(key(&row)).or_default().push(row);
    }
    groups
}

fn transports(json: &mut JsonOut, rows: &[reported_bandwidth::Row], strings: &Strings) {
    for (at, first) in rows.iter().enumerate() {
        if rows.iter().take(at).any(|before| before.transport == first.transport) {
            continue;
        }
        json.key_of(strings.get(first.transport));
        json.open();
        json.number("Transit Size(MB)", first.transit_size);
        json.number("Transit Time(ms)", first.transit_time);
        json.number("Bandwidth(GB/s)", first.bandwidth);
        json.number("Large Packet Ratio", first.large_packet_ratio);
        json.key(SIZE_DISTRIBUTION);
        json.open();
        for packet in rows.iter().filter(|row| row.transport == first.transport) {
            let Some(size) = packet.package_size else { continue };
            json.key_of(strings.get(size));
            json.pair(packet.count.unwrap_or_default(), packet.total_duration.unwrap_or_default());
        }
        json.close();
        json.close();
    }
}

/// The key of an operation: its name and, where it is known, the hash of its group.
fn key_of_op(json: &mut JsonOut, (name, group_hash): (Str, Option<Str>), strings: &Strings) {
    match group_hash {
        Some(group) => json.key_of(&format!("{}@{}", strings.get(name), strings.get(group))),
        None => json.key_of(strings.get(name)),
    }
}
