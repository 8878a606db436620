//! Communication operations, and what each moved over which transport.

use std::collections::HashMap;
use std::ops::Range;

use npuscope_tables::table::{reported_bandwidth, reported_comm};

use super::names::{Name, Translator};
use super::{OpKey, step_order};

/// The operations of a rank.
#[derive(Default)]
pub struct Operations {
    pub list: Vec<Operation>,
    /// In the order of operations; those of none are last.
    pub transports: Vec<Transport>,
}

/// An operation in a step.
#[derive(Clone, Debug)]
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
#[derive(Clone, Copy, Debug)]
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
#[derive(Clone, Copy, Debug)]
pub struct Packets {
    /// In MB, as the source's text.
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
    list.sort_by(|a, b| {
        let order = |op: &Operation| (step_order(names.opt_text(op.step)), op.start.unwrap_or_default());
        let (a_order, b_order) = (order(a), order(b));
        let by_start = a_order.0.cmp(&b_order.0).then(a_order.1.total_cmp(&b_order.1));
        by_start.then_with(|| names.text(a.name).cmp(names.text(b.name)))
    });
}

/// Gives every operation its transports.
fn join(list: &mut [Operation], transports: &mut [Transport], translator: &Translator<'_>) {
    let names = &translator.names;
    let places: HashMap<OpKey, usize> = list.iter().enumerate().map(|(at, op)| (op.key(), at)).collect();
    let place = |transport: &Transport| places.get(&transport.key()).copied().unwrap_or(usize::MAX);
    let compat = translator.compat;
    let mut placed: Vec<(usize, Transport)> =
        transports.iter().map(|transport| (place(transport), *transport)).collect();
    placed.sort_by(|(a_place, a), (b_place, b)| {
        let by_place = a_place.cmp(b_place);
        if compat {
            return by_place;
        }
        let size = |transport: &Transport| {
            transport.packets.and_then(|packets| names.text(packets.size).parse::<f64>().ok()).unwrap_or_default()
        };
        let by_transport = || a.transport.cmp_text(b.transport, names);
        by_place.then_with(by_transport).then_with(|| size(a).total_cmp(&size(b)))
    });
    let mut at = 0;
    for (to, (place, transport)) in transports.iter_mut().zip(placed) {
        *to = transport;
        if let Some(op) = list.get_mut(place) {
            let start = if op.transports.is_empty() { at } else { op.transports.start };
            op.transports = start..at + 1;
        }
        at += 1;
    }
}
