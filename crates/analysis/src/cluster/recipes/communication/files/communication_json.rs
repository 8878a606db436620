//! `cluster_communication.json`.

use std::fs::File;
use std::io::{self, BufWriter};

use npuscope_formats::json_out::JsonOut;
use npuscope_measures::communication::{bandwidth, synchronization_ratio, wait_ratio};
use npuscope_measures::deliverable::rounded;
use npuscope_tables::Rank;

use super::super::names::{Name, Names};
use super::super::operations::{Operation, Transport};
use super::super::tables::TOTAL;
use super::super::{IndexMap, Reported};
use super::RankKeys;

/// Names of [`Operation::times`].
const TIMES: [&str; 5] =
    ["Elapse Time(ms)", "Transit Time(ms)", "Wait Time(ms)", "Synchronization Time(ms)", "Idle Time(ms)"];
const SIZE: &str = "Transit Size(MB)";
const TIME: &str = "Transit Time(ms)";
const BANDWIDTH: &str = "Bandwidth(GB/s)";

/// Transports that are always listed, with zeros where nothing went over them.
const TRANSPORTS: [&str; 5] = ["RDMA", "HCCS", "PCIE", "SDMA", "SIO"];

/// Operations, by name and group: the rank of each by its place, and the operation of the rank by its.
type Uses = IndexMap<(Name, Name), Vec<(usize, usize)>>;

/// Writes the file. Every step ends with the sums of each group.
pub fn write(reported: &Reported, out: &mut BufWriter<File>) -> io::Result<()> {
    let mut json = JsonOut::default();
    json.open();
    for (ranks, steps) in tree(reported, &RankKeys::of(reported)) {
        json.key_of(ranks);
        json.open();
        for (step, uses) in steps {
            json.key_of(reported.names.opt_text(step).unwrap_or_default());
            json.open();
            write_step(reported, &uses, &mut json, out)?;
            json.close();
        }
        json.close();
    }
    json.close();
    json.flush(out)
}

/// Where every operation is put, by first mention.
fn tree<'k>(reported: &Reported, keys: &'k RankKeys) -> IndexMap<&'k str, IndexMap<Option<Name>, Uses>> {
    let mut tree: IndexMap<&str, IndexMap<Option<Name>, Uses>> = IndexMap::default();
    for (rank_at, rank) in reported.ranks.iter().enumerate() {
        for (op_at, op) in rank.operations.list.iter().enumerate() {
            let steps = tree.entry(keys.get(op.is_point_to_point, op.group)).or_default();
            let uses = steps.entry(op.step).or_default();
            uses.entry((op.name, op.group)).or_default().push((rank_at, op_at));
        }
    }
    tree
}

fn write_step(reported: &Reported, uses: &Uses, json: &mut JsonOut, out: &mut BufWriter<File>) -> io::Result<()> {
    let names = &reported.names;
    let mut totals: IndexMap<Name, IndexMap<Rank, Total>> = IndexMap::default();
    for ((name, group), uses) in uses {
        json.key_of(&format!("{}@{}", names.text(*name), names.text(*group)));
        json.open();
        let totals = totals.entry(*group).or_default();
        for (rank, op) in uses {
            let rank = &reported.ranks[*rank];
            let op = &rank.operations.list[*op];
            let transports = rank.operations.transports_of(op);
            json.key_of(&rank.rank.to_string());
            json.open();
            write_operation(op, transports, reported, json);
            json.close();
            totals.entry(rank.rank).or_default().add(op, transports);
        }
        json.close();
        json.flush_if_full(out)?;
    }
    for (group, ranks) in totals {
        json.key_of(&format!("{TOTAL}@{}", names.text(group)));
        json.open();
        for (rank, total) in ranks {
            json.key_of(&rank.to_string());
            json.open();
            total.write(reported, json);
            json.close();
        }
        json.close();
        json.flush_if_full(out)?;
    }
    Ok(())
}

fn write_operation(op: &Operation, transports: &[Transport], reported: &Reported, json: &mut JsonOut) {
    json.key("Communication Time Info");
    json.open();
    json.number("Start Timestamp(us)", op.start);
    TIMES.iter().zip(op.times).for_each(|(key, time)| json.number(key, time));
    let [wait_ratio, synchronization_ratio] = match reported.compat {
        true => op.ratios,
        false => {
            let [_, transit, wait, synchronization, _] = op.times.map(Option::unwrap_or_default);
            [Some(rounded(wait_ratio(wait, transit))), Some(rounded(synchronization_ratio(synchronization, transit)))]
        }
    };
    json.number("Wait Time Ratio", wait_ratio);
    json.number("Synchronization Time Ratio", synchronization_ratio);
    json.close();
    json.key("Communication Bandwidth Info");
    json.open();
    let names = &reported.names;
    let of_transport: Vec<&[Transport]> = transports.chunk_by(|a, b| a.transport == b.transport).collect();
    if reported.compat {
        of_transport.iter().for_each(|rows| write_reported_transport(rows, names, json));
    } else {
        let list = of_transport.iter().map(|rows| (names.text(rows[0].transport), *rows));
        in_order(list, |transport, rows| {
            json.key_of(transport);
            write_transport(rows.unwrap_or_default(), names, json);
        });
    }
    json.close();
}

/// Transports in the order of [`TRANSPORTS`], those that are not there included, then others.
fn in_order<'n, T: Copy>(there: impl Iterator<Item = (&'n str, T)> + Clone, mut write: impl FnMut(&str, Option<T>)) {
    for transport in TRANSPORTS {
        write(transport, there.clone().find(|(name, _)| *name == transport).map(|(_, what)| what));
    }
    for (transport, what) in there.filter(|(name, _)| !TRANSPORTS.contains(name)) {
        write(transport, Some(what));
    }
}

/// A transport as the source has it. It says 0 rather than 0.0 where nothing went over it, and for the share of large
/// packets where it lists none.
fn write_reported_transport(rows: &[Transport], names: &Names, json: &mut JsonOut) {
    let Some(first) = rows.first() else { return };
    json.key_of(names.text(first.transport));
    json.open();
    let figures = [(SIZE, first.size), (TIME, first.time), (BANDWIDTH, first.bandwidth)];
    let ratio = ("Large Packet Ratio", first.large_packet_ratio);
    let is_whole = |(key, value): &(&str, Option<f64>)| {
        *value == Some(0.0) && (first.is_empty() || (*key == ratio.0 && first.packets.is_none()))
    };
    for figure in figures.into_iter().chain([ratio]) {
        if is_whole(&figure) { json.zero(figure.0) } else { json.number(figure.0, figure.1) }
    }
    write_packets(rows, names, json);
    json.close();
}

fn write_transport(rows: &[Transport], names: &Names, json: &mut JsonOut) {
    let sum = |value: fn(&Transport) -> Option<f64>| rows.first().and_then(value).unwrap_or_default();
    let (size, time) = (sum(|row| row.size), sum(|row| row.time));
    json.open();
    json.number(SIZE, Some(size));
    json.number(TIME, Some(time));
    json.number(BANDWIDTH, Some(rounded(bandwidth(size, time))));
    json.number("Large Packet Ratio", Some(sum(|row| row.large_packet_ratio)));
    write_packets(rows, names, json);
    json.close();
}

fn write_packets(rows: &[Transport], names: &Names, json: &mut JsonOut) {
    json.key("Size Distribution");
    json.open();
    for packets in rows.iter().filter_map(|row| row.packets) {
        json.key_of(names.text(packets.size));
        json.pair(packets.count, packets.duration);
    }
    json.close();
}

/// Sums over operations, plain and in order.
#[derive(Default)]
struct Total {
    times: [Option<f64>; 5],
    transports: IndexMap<Name, TransportTotal>,
}

#[derive(Default)]
struct TransportTotal {
    size: f64,
    time: f64,
    /// Count and duration by size.
    packets: IndexMap<Name, (f64, f64)>,
}

impl Total {
    fn add(&mut self, op: &Operation, transports: &[Transport]) {
        for (sum, time) in self.times.iter_mut().zip(op.times) {
            *sum = time.map(|time| sum.unwrap_or_default() + time).or(*sum);
        }
        for rows in transports.chunk_by(|a, b| a.transport == b.transport) {
            let sum = self.transports.entry(rows[0].transport).or_default();
            sum.size += rows[0].size.unwrap_or_default();
            sum.time += rows[0].time.unwrap_or_default();
            for packets in rows.iter().filter_map(|row| row.packets) {
                let (count, duration) = sum.packets.entry(packets.size).or_default();
                *count += packets.count;
                *duration += packets.duration;
            }
        }
    }

    fn write(&self, reported: &Reported, json: &mut JsonOut) {
        json.key("Communication Time Info");
        json.open();
        TIMES.iter().zip(self.times).for_each(|(key, time)| json.number(key, time));
        let [_, transit, wait, synchronization, _] = self.times.map(Option::unwrap_or_default);
        for (key, part) in [("Wait Time Ratio", wait), ("Synchronization Time Ratio", synchronization)] {
            match part + transit {
                // Python has the whole number 0 there.
                0.0 if reported.compat => json.zero(key),
                _ => json.number(key, Some(rounded(wait_ratio(part, transit)))),
            }
        }
        json.close();
        json.key("Communication Bandwidth Info");
        json.open();
        let list = self.transports.iter().map(|(transport, total)| (reported.names.text(*transport), total));
        if reported.compat {
            list.for_each(|(transport, total)| total.write(transport, reported, json));
        } else {
            let nothing = TransportTotal::default();
            in_order(list, |transport, total| total.unwrap_or(&nothing).write(transport, reported, json));
        }
        json.close();
    }
}

impl TransportTotal {
    fn write(&self, transport: &str, reported: &Reported, json: &mut JsonOut) {
        let is_nothing = reported.compat && self.size == 0.0 && self.time == 0.0;
        let number = |json: &mut JsonOut, key, value| {
            if is_nothing { json.zero(key) } else { json.number(key, Some(value)) }
        };
        json.key_of(transport);
        json.open();
        number(json, TIME, self.time);
        number(json, SIZE, self.size);
        json.key("Size Distribution");
        json.open();
        for (size, (count, duration)) in &self.packets {
            json.key_of(reported.names.text(*size));
            json.pair(*count, *duration);
        }
        json.close();
        number(json, BANDWIDTH, rounded(bandwidth(self.size, self.time)));
        json.close();
    }
}
