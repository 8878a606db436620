//! Sampled counters: each kind has a table of its own, and all are rows of `counter`.
//!
//! A trace names and spells the same samples its own way; the names here are the trace's, so that a
//! counter is called the same whichever file it was read from.

use std::ops::ControlFlow;

use hashbrown::HashMap;
use npuscope_sqlite::{Database, Table};
use npuscope_tables::table::{counter, mem_sample};
use npuscope_tables::{LaneId, Ns, RankBuilder, RankTables, Str};
use rusqlite::types::ValueRef;

use super::cell::{Int, IntOr, Name, ReadContext, Real, Time};
use super::layout::{self, Layout, Outcome, db_column};
use crate::lanes::{self, Lanes, LayerSpec};

/// A row of any of these tables.
#[derive(Clone, Copy, Default)]
pub struct SampleRow {
    pub device: i64,
    pub time: Ns,
    pub instance: Option<i64>,
    pub name: Str,
    pub a: Option<f64>,
    pub b: Option<f64>,
    pub c: Option<f64>,
    pub d: Option<f64>,
}

const fn nothing(_: &mut SampleRow) {}

pub static AICORE_FREQ: Layout<SampleRow> = Layout {
    table: "AICORE_FREQ",
    columns: &[&[
        db_column!(device: Int, "deviceId", "INTEGER"),
        db_column!(time: Time, "timestampNs", "NUMERIC"),
        db_column!(a: Real, "freq", "INTEGER"),
        db_column!(instance: IntOr<{ -1 }>, "dieId", "NUMERIC"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

pub static NPU_MEM: Layout<SampleRow> = Layout {
    table: "NPU_MEM",
    columns: &[&[
        db_column!(name: Name, "type", "INTEGER"),
        db_column!(a: Real, "ddr", "NUMERIC"),
        db_column!(b: Real, "hbm", "NUMERIC"),
        db_column!(time: Time, "timestampNs", "INTEGER"),
        db_column!(device: Int, "deviceId", "INTEGER"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

pub static HBM: Layout<SampleRow> = Layout {
    table: "HBM",
    columns: &[&[
        db_column!(device: Int, "deviceId", "INTEGER"),
        db_column!(time: Time, "timestampNs", "INTEGER"),
        db_column!(a: Real, "bandwidth", "NUMERIC"),
        db_column!(instance: Int, "hbmId", "INTEGER"),
        db_column!(name: Name, "type", "INTEGER"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

pub static LLC: Layout<SampleRow> = Layout {
    table: "LLC",
    columns: &[&[
        db_column!(device: Int, "deviceId", "INTEGER"),
        db_column!(instance: Int, "llcId", "INTEGER"),
        db_column!(time: Time, "timestampNs", "INTEGER"),
        db_column!(a: Real, "hitRate", "REAL"),
        db_column!(b: Real, "throughput", "INTEGER"),
        db_column!(name: Name, "mode", "INTEGER"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

pub static ACC_PMU: Layout<SampleRow> = Layout {
    table: "ACC_PMU",
    columns: &[&[
        db_column!(instance: Int, "accId", "INTEGER"),
        db_column!(a: Real, "readBwLevel", "INTEGER"),
        db_column!(b: Real, "writeBwLevel", "INTEGER"),
        db_column!(c: Real, "readOstLevel", "INTEGER"),
        db_column!(d: Real, "writeOstLevel", "INTEGER"),
        db_column!(time: Time, "timestampNs", "NUMERIC"),
        db_column!(device: Int, "deviceId", "INTEGER"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

pub static SOC_BANDWIDTH_LEVEL: Layout<SampleRow> = Layout {
    table: "SOC_BANDWIDTH_LEVEL",
    columns: &[&[
        db_column!(a: Real, "l2BufferBwLevel", "INTEGER"),
        db_column!(b: Real, "mataBwLevel", "INTEGER"),
        db_column!(time: Time, "timestampNs", "NUMERIC"),
        db_column!(device: Int, "deviceId", "INTEGER"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

pub static QOS: Layout<SampleRow> = Layout {
    table: "QOS",
    columns: &[&[
        db_column!(device: Int, "deviceId", "INTEGER"),
        db_column!(name: Name, "eventName", "INTEGER"),
        db_column!(a: Real, "bandwidth", "NUMERIC"),
        db_column!(time: Time, "timestampNs", "NUMERIC"),
        db_column!(instance: IntOr<{ -1 }>, "dieId", "NUMERIC"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

pub static HCCS: Layout<SampleRow> = Layout {
    table: "HCCS",
    columns: &[&[
        db_column!(device: Int, "deviceId", "INTEGER"),
        db_column!(time: Time, "timestampNs", "INTEGER"),
        db_column!(a: Real, "txThroughput", "NUMERIC"),
        db_column!(b: Real, "rxThroughput", "NUMERIC"),
    ]],
    ignored: &[],
    indexes: &[],
    finish: nothing,
};

/// The tables of this file, and the layer of the timeline that each fills.
pub static TABLES: [(&Layout<SampleRow>, LayerSpec); 8] = [
    (&AICORE_FREQ, lanes::AI_CORE_FREQ),
    (&NPU_MEM, lanes::NPU_MEM),
    (&HBM, lanes::HBM),
    (&LLC, lanes::LLC),
    (&ACC_PMU, lanes::ACC_PMU),
    (&SOC_BANDWIDTH_LEVEL, lanes::SOC),
    (&QOS, lanes::QOS),
    (&HCCS, lanes::HCCS),
];

/// One series of a counter: its name, its series and its unit.
type Series = (String, &'static str, Option<&'static str>);

/// A [`Series`] as it stands in rows.
type SeriesIds = (Str, Str, Option<Str>);

/// The series that a row of a table holds samples of, in the order of [`values`].
fn series(table: &str, instance: Option<i64>, word: &str) -> Vec<Series> {
    let id = instance.unwrap_or_default();
    let plain = |name: &str, series| (name.to_owned(), series, None);
    match table {
        "AICORE_FREQ" => vec![("AI Core Freq".to_owned(), "", Some("MHz"))],
        "NPU_MEM" => {
            let owner = memory_owner(word);
            ["DDR", "HBM", "Memory"].map(|kind| (format!("{owner}/{kind}"), "", Some("B"))).into()
        }
        "HBM" => {
            let direction = capital(word);
            vec![(format!("HBM {id}/{direction}"), direction, Some("B/s"))]
        }
        "LLC" => {
            let mode = capital(word);
            vec![
                (format!("LLC {id} {mode}/Hit Rate"), "Hit Rate(%)", None),
                (format!("LLC {id} {mode}/Throughput"), "Throughput", Some("B/s")),
            ]
        }
        "ACC_PMU" => {
            ["read_bandwidth", "write_band_width", "read_ost", "write_ost"].map(|name| plain(name, "value")).into()
        }
        "SOC_BANDWIDTH_LEVEL" => ["L2 Buffer Bw Level", "Mata Bw Level"].map(|name| plain(name, name)).into(),
        "QOS" => vec![(format!("QoS {word}"), "value", None)],
        "HCCS" => ["Tx", "Rx"].map(|name| (name.to_owned(), name, Some("B/s"))).into(),
        _ => Vec::new(),
    }
}

/// The samples of a row.
fn values(table: &str, row: &SampleRow) -> [Option<f64>; 4] {
    match table {
        "NPU_MEM" => [row.a, row.b, row.a.zip(row.b).map(|(ddr, hbm)| ddr + hbm), None],
        "LLC" => [row.a.map(from_percent), row.b, None, None],
        _ => [row.a, row.b, row.c, row.d],
    }
}

/// `app` and `device` as a trace spells them.
fn memory_owner(word: &str) -> &str {
    match word {
        "app" => "APP",
        "device" => "Device",
        other => other,
    }
}

fn capital(word: &str) -> &'static str {
    if word.eq_ignore_ascii_case("write") { "Write" } else { "Read" }
}

/// A percentage as a share. Databases hold a share of few decimals times a hundred, noise included:
/// the share is found again if it has up to twelve.
fn from_percent(percent: f64) -> f64 {
    let share = npuscope_tables::number::round(percent / 100.0, 12);
    #[expect(clippy::float_cmp, reason = "the test is whether the product is the same double")]
    if share * 100.0 == percent { share } else { percent / 100.0 }
}

/// Whether the samples name their instance beside the value and not in the counter's name.
fn names_instance(table: &str) -> bool {
    matches!(table, "ACC_PMU" | "AICORE_FREQ" | "QOS")
}

/// Reads one of [`TABLES`].
pub fn read(
    database: &Database<'_>,
    table: &Layout<SampleRow>,
    spec: LayerSpec,
    lanes: &mut Lanes,
    context: &mut ReadContext<'_>,
    rank: &mut RankParts<'_>,
) -> Option<Outcome> {
    let mut known: HashMap<(Option<i64>, Str), Vec<SeriesIds>> = HashMap::new();
    let names_instance = names_instance(table.table);
    layout::read(database, table, context, None, |row, context| {
        let lane = lanes.device_layer(spec, row.device, 0, || None);
        let strings = &mut *context.strings;
        let all = known.entry((row.instance, row.name)).or_insert_with(|| {
            let word = strings.get(row.name).to_owned();
            let all = series(table.table, row.instance, &word).into_iter().map(|(name, series, unit)| {
                (strings.intern(&name), strings.intern(series), unit.map(|unit| strings.intern(unit)))
            });
            all.collect()
        });
        for (&(name, series, unit), value) in all.iter().zip(values(table.table, row)) {
            let Some(value) = value else { continue };
            let instance = row.instance.filter(|_| names_instance);
            rank.counter.push(counter::Row { lane, time: row.time, name, series, instance, value, unit });
        }
        if table.table == "NPU_MEM" && context.strings.get(row.name) == "app" {
            rank.mem_sample.push(process_memory(row, context));
        }
    })
}

/// The tables that counters fill. Strings are the context's.
pub struct RankParts<'a> {
    pub counter: &'a mut counter::Builder,
    pub mem_sample: &'a mut mem_sample::Builder,
}

/// The memory of the process, as `memory_record.csv` has it.
#[expect(clippy::cast_possible_truncation, reason = "sizes are whole bytes below 2^53")]
fn process_memory(row: &SampleRow, context: &mut ReadContext<'_>) -> mem_sample::Row {
    mem_sample::Row {
        kind: context.strings.intern("allocator"),
        component: context.strings.intern("APP"),
        time: row.time,
        reserved: row.a.zip(row.b).map(|(ddr, hbm)| (ddr + hbm) as i64),
        device: Some(row.device),
        ..mem_sample::Row::default()
    }
}

/// The table that the counters of a process go to.
pub fn table_of(process: &str) -> Option<&'static str> {
    TABLES.iter().find(|(_, spec)| spec.process == process).map(|(layout, _)| layout.table)
}

/// The rows of one of [`TABLES`], put together again from `counter`. The name of a row is its word. `device_of`
/// names the device of a lane whose counters go to the table.
pub fn rows(tables: &RankTables, table: &str, device_of: impl Fn(LaneId) -> Option<i64>) -> Vec<(SampleRow, String)> {
    let mut joined = Joined::default();
    for sample in tables.rows::<counter::Row>() {
        let Some(device) = device_of(sample.lane) else { continue };
        let name = tables.text(sample.name);
        let Some(place) = place(table, name, tables.text(sample.series)) else { continue };
        let key = Key { device, time: sample.time, instance: place.instance.or(sample.instance), word: place.word };
        joined.add(key, place.slot, place.factor * sample.value);
    }
    joined.rows
}

/// Where a sample goes in a row.
struct Place {
    word: String,
    instance: Option<i64>,
    slot: usize,
    factor: f64,
}

fn place(table: &str, name: &str, series: &str) -> Option<Place> {
    let at = |word: &str, instance, slot| Some(Place { word: word.to_owned(), instance, slot, factor: 1.0 });
    match table {
        "AICORE_FREQ" => at("", None, 0),
        "NPU_MEM" => match name.split_once('/')? {
            (owner, "DDR") => at(&owner.to_lowercase(), None, 0),
            (owner, "HBM") => at(&owner.to_lowercase(), None, 1),
            _ => None,
        },
        "HBM" => {
            let (id, direction) = name.strip_prefix("HBM ")?.split_once('/')?;
            at(&direction.to_lowercase(), id.parse().ok(), 0)
        }
        "LLC" => {
            let (id, rest) = name.strip_prefix("LLC ")?.split_once(' ')?;
            let (mode, metric) = rest.split_once('/')?;
            let slot = if metric == "Hit Rate" { 0 } else { 1 };
            let factor = if slot == 0 { 100.0 } else { 1.0 };
            Some(Place { word: mode.to_lowercase(), instance: id.parse().ok(), slot, factor })
        }
        "ACC_PMU" => {
            let names = ["read_bandwidth", "write_band_width", "read_ost", "write_ost"];
            at("", None, names.iter().position(|n| *n == name)?)
        }
        "SOC_BANDWIDTH_LEVEL" => at("", None, if name.starts_with("L2") { 0 } else { 1 }),
        "QOS" => at(name.strip_prefix("QoS ")?, None, 0),
        "HCCS" => at("", None, if series == "Tx" { 0 } else { 1 }),
        _ => None,
    }
}

/// Samples of the same moment, joined to rows.
#[derive(Default)]
struct Joined {
    rows: Vec<(SampleRow, String)>,
    index: HashMap<Key, Vec<usize>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    device: i64,
    time: Ns,
    instance: Option<i64>,
    word: String,
}

impl Joined {
    fn add(&mut self, key: Key, slot: usize, value: f64) {
        let candidates = self.index.entry(key.clone()).or_default();
        let is_free =
            |&&at: &&usize| self.rows.get(at).is_some_and(|(row, _)| slot_of(&mut row.clone(), slot).is_none());
        let at = match candidates.iter().find(is_free) {
            Some(&at) => at,
            None => {
                let row =
                    SampleRow { device: key.device, time: key.time, instance: key.instance, ..SampleRow::default() };
                self.rows.push((row, key.word));
                candidates.push(self.rows.len() - 1);
                self.rows.len() - 1
            }
        };
        if let Some((row, _)) = self.rows.get_mut(at) {
            *slot_of(row, slot) = Some(value);
        }
    }
}

fn slot_of(row: &mut SampleRow, slot: usize) -> &mut Option<f64> {
    match slot {
        0 => &mut row.a,
        1 => &mut row.b,
        2 => &mut row.c,
        _ => &mut row.d,
    }
}

/// Samples of a table of another kind: one counter per table, one series per column.
pub fn read_plain(database: &Database<'_>, table: &Table, lanes: &mut Lanes, rank: &mut RankBuilder) {
    let find = |name: &str| table.columns.iter().position(|n| n == name);
    let (Some(time), device) = (find("timestampNs"), find("deviceId")) else { return };
    let spec = LayerSpec { process: process_of(&table.name), sort: sort_of(&table.name), ..lanes::HBM };
    let instance = ["cpuId", "portId", "funcId"].iter().find_map(|name| find(name));
    let name = rank.strings.intern(spec.process);
    let series: Vec<Str> = table.columns.iter().map(|column| rank.strings.intern(column)).collect();
    // What cannot be read is reported where the cells of the table are kept.
    database.scan(table, |row| {
        let integers = row.integers();
        let integer = |column: usize| integers.get(column).copied().flatten();
        let Some(time_ns) = integer(time) else { return ControlFlow::Continue(()) };
        let lane = lanes.device_layer(spec, device.and_then(integer).unwrap_or(31), 0, || None);
        row.each(|index, value| {
            let is_key = [Some(time), device, instance].contains(&Some(index));
            #[expect(clippy::cast_precision_loss, reason = "measurements are below 2^53")]
            let value = match value {
                ValueRef::Integer(number) => number as f64,
                ValueRef::Real(real) => real,
                _ => return,
            };
            if let Some(&series) = series.get(index).filter(|_| !is_key) {
                let instance = instance.and_then(integer);
                rank.counter.push(counter::Row { lane, time: Ns(time_ns), name, series, instance, value, unit: None });
            }
        });
        ControlFlow::Continue(())
    });
}

/// Tables of samples that are kept cell by cell and shown as counters.
pub const PLAIN: &[&str] = &[
    "DDR",
    "PCIE",
    "NIC",
    "ROCE",
    "NETDEV_STATS",
    "UB",
    "SIO",
    "CPU_USAGE",
    "HOST_MEM_USAGE",
    "HOST_DISK_USAGE",
    "HOST_NETWORK_USAGE",
];

fn process_of(table: &str) -> &'static str {
    match table {
        "PCIE" => "PCIe",
        "ROCE" => "RoCE",
        "UB" => "Ub",
        "CPU_USAGE" => "CPU Usage",
        "HOST_MEM_USAGE" => "Memory Usage",
        "HOST_DISK_USAGE" => "Disk Usage",
        "HOST_NETWORK_USAGE" => "Network Usage",
        other => PLAIN.iter().find(|t| **t == other).copied().unwrap_or_default(),
    }
}

fn sort_of(table: &str) -> i64 {
    match table {
        "CPU_USAGE" => 9,
        "HOST_MEM_USAGE" => 10,
        "HOST_NETWORK_USAGE" => 11,
        "HOST_DISK_USAGE" => 12,
        "DDR" => 18,
        "NIC" => 21,
        "ROCE" => 22,
        "PCIE" => 23,
        "SIO" => 28,
        _ => 30,
    }
}
