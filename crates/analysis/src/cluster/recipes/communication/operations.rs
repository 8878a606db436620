//! Communication operations, and what each moved over which transport.

use std::cmp::Ordering;
use std::ops::Range;

use hashbrown::HashMap;
use npuscope_tables::table::{reported_bandwidth, reported_comm};
use serde::{Deserialize, Serialize};

use super::names::{Name, Renamed, Translator};
use super::{OpKey, step_order};

/// The operations of a rank.
#[derive(Default, Serialize, Deserialize)]
pub struct Operations {
    pub list: Vec<Operation>,
    /// In the order of operations; those of none are last.
    pub transports: Vec<Transport>,
}

impl Operations {
    pub fn rename(&mut self, renamed: &Renamed) {
        for op in &mut self.list {
            renamed.rename_opt(&mut op.step);
            renamed.rename(&mut op.name);
            renamed.rename(&mut op.group);
        }
        for transport in &mut self.transports {
            renamed.rename_opt(&mut transport.step);
            renamed.rename(&mut transport.name);
            renamed.rename(&mut transport.group);
            renamed.rename(&mut transport.transport);
            if let Some(packets) = &mut transport.packets {
                renamed.rename(&mut packets.size);
            }
        }
    }

    /// What an operation moved over which transport.
    pub fn transports_of(&self, op: &Operation) -> &[Transport] {
        self.transports.get(op.transports.clone()).unwrap_or_default()
    }
}

/// An operation in a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Operation {
    pub step: Option<Name>,
    pub is_point_to_point: bool,
    pub name: Name,
    pub group: Name,
    /// In us.
    pub start: Option<f64>,
    /// Elapsed, moving data, waiting, waiting before the first data moved, the rest; in ms.
    pub times: [Option<f64>; 5],
    /// As the source has them: waiting, waiting before the first data.
    pub ratios: [Option<f64>; 2],
    /// Its part of [`Operations::transports`].
    pub transports: Range<usize>,
}

impl Operation {
    pub fn key(&self) -> OpKey {
        (self.step, self.name, self.group)
    }
}

/// What an operation moved over a transport, or the packets of one size among it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Transport {
    pub step: Option<Name>,
    pub name: Name,
    pub group: Name,
    pub transport: Name,
    /// In MB, of all packets.
    pub size: Option<f64>,
    /// In ms, of all packets.
    pub time: Option<f64>,
    /// As the source has it.
    pub bandwidth: Option<f64>,
    pub large_packet_ratio: Option<f64>,
    pub packets: Option<Packets>,
}

impl Transport {
    pub fn key(&self) -> OpKey {
        (self.step, self.name, self.group)
    }

    /// Whether nothing went over it.
    pub fn is_empty(&self) -> bool {
        let is_nothing = |value: Option<f64>| value.is_none_or(|value| value == 0.0);
        self.packets.is_none() && is_nothing(self.size) && is_nothing(self.time)
    }
}

/// Packets of one size.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Packets {
    /// Their size in MB.
    pub mb: f64,
    /// The same, as the source's text.
    pub size: Name,
    pub count: f64,
    /// In ms.
    pub duration: f64,
}

/// The operations of a rank, nothing if they are not wanted.
pub fn of(translator: &mut Translator<'_>, is_wanted: bool) -> Operations {
    if !is_wanted {
        return Operations::default();
    }
    let tables = translator.tables;
    let mut list = Vec::with_capacity(tables.len(npuscope_tables::TableId::ReportedComm));
    list.extend(tables.rows::<reported_comm::Row>().filter_map(|row| operation(&row, translator)));
    let mut transports = Vec::with_capacity(tables.len(npuscope_tables::TableId::ReportedBandwidth));
    transports.extend(tables.rows::<reported_bandwidth::Row>().filter_map(|row| transport(&row, translator)));
    if !translator.compat {
        sort(&mut list, translator);
    }
    join(&mut list, &mut transports, translator);
    Operations { list, transports }
}

fn operation(row: &reported_comm::Row, translator: &mut Translator<'_>) -> Option<Operation> {
    if translator.is_total(row.name) {
        return None;
    }
    Some(Operation {
        step: translator.step(row.step)?,
        is_point_to_point: translator.is_point_to_point(row.kind, row.name),
        name: translator.name(row.name),
        group: translator.name(row.group_hash.unwrap_or_default()),
        start: row.start,
        times: [row.elapse, row.transit, row.wait, row.synchronization, row.idle],
        ratios: [row.wait_ratio, row.synchronization_ratio],
        transports: 0..0,
    })
}

fn transport(row: &reported_bandwidth::Row, translator: &mut Translator<'_>) -> Option<Transport> {
    if translator.is_total(row.name) {
        return None;
    }
    let count = row.count.unwrap_or_default();
    let packets = row.package_size.filter(|_| count != 0.0).map(|size| Packets {
        size: translator.name(size),
        mb: translator.number(size),
        count,
        duration: row.total_duration.unwrap_or_default(),
    });
    let transport = Transport {
        step: translator.step(row.step)?,
        name: translator.name(row.name),
        group: translator.name(row.group_hash.unwrap_or_default()),
        transport: translator.name(row.transport),
        size: row.transit_size,
        time: row.transit_time,
        bandwidth: row.bandwidth,
        large_packet_ratio: row.large_packet_ratio,
        packets,
    };
    (translator.keeps_empty() || !transport.is_empty()).then_some(transport)
}

fn sort(list: &mut [Operation], translator: &Translator<'_>) {
    let names = &translator.names;
    let by_step = |a: &Operation, b: &Operation| match a.step == b.step {
        true => Ordering::Equal,
        false => step_order(names.opt_text(a.step)).cmp(&step_order(names.opt_text(b.step))),
    };
    // Bits of times since the epoch are in order.
    let start = |op: &Operation| op.start.unwrap_or_default().to_bits();
    list.sort_by(|a, b| {
        by_step(a, b).then_with(|| start(a).cmp(&start(b))).then_with(|| a.name.cmp_text(b.name, names))
    });
}

/// Gives every operation its transports, which it orders as their operations are.
fn join(list: &mut [Operation], transports: &mut Vec<Transport>, translator: &Translator<'_>) {
    let names = &translator.names;
    let places: HashMap<OpKey, usize> = list.iter().enumerate().map(|(at, op)| (op.key(), at)).collect();
    let mut placed: Vec<(usize, usize)> = Vec::with_capacity(transports.len());
    for (at, transport) in transports.iter().enumerate() {
        let same = placed.last().filter(|(_, last)| transports[*last].key() == transport.key());
        let place = same.map(|(place, _)| *place).or_else(|| places.get(&transport.key()).copied());
        placed.push((place.unwrap_or(usize::MAX), at));
    }
    let order = |(a_place, a): &(usize, usize), (b_place, b): &(usize, usize)| {
        let (a, b) = (&transports[*a], &transports[*b]);
        let size = |transport: &Transport| transport.packets.map_or(0.0, |packets| packets.mb);
        let by_transport = || a.transport.cmp_text(b.transport, names);
        match a_place.cmp(b_place) {
            Ordering::Equal if !translator.compat => by_transport().then_with(|| size(a).total_cmp(&size(b))),
            by_place => by_place,
        }
    };
    if !placed.is_sorted_by(|a, b| order(a, b).is_le()) {
        placed.sort_by(order);
        *transports = placed.iter().map(|(_, at)| transports[*at]).collect();
    }
    for (at, (place, _)) in placed.into_iter().enumerate() {
        if let Some(op) = list.get_mut(place) {
            let start = if op.transports.is_empty() { at } else { op.transports.start };
            op.transports = start..at + 1;
        }
    }
}
