//! `export_summary`: the calls and kernels of each rank as csv files.
//!
//! Reads CANN calls and `kernel`; what counts belongs to the chosen step. For each rank it writes, into the
//! results and never into the profile,
//! - `api_statistic.csv`: how often each call was made and how long it took, the greatest sum first;
//! - `kernel_details.csv`: kernels and communication operations by start, with their tensors and AI Core
//!   metrics. Times are us; `task_wait_time` is from the latest end of all before to the start, 0 where
//!   they overlap.
//!
//! With `--compat` the calls have the times of the tasks they launched, `task_wait_time` is from the start of
//! the one before to the end, all steps count, and times and whole numbers are printed as floats.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use npuscope_measures::communication::is_communication;
use npuscope_tables::Memo;
use npuscope_tables::column::CellView;
use npuscope_tables::number::{push_float, push_int, push_span, push_time};
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::{kernel, rank, task};
use npuscope_tables::{ConnectionId, Ns, RankTables, Selection, Str, TableId};
use serde_json::{Map, Value};

use super::rank_files::path_of;
use crate::cluster::{Answer, Failure, Job, Mode, RankData, ResultFile};

pub const MODE: Mode = Mode {
    name: "export_summary",
    folder: "ExportSummary",
    about: "The calls and kernels of each rank as csv files",
    run,
};

const NOT_AVAILABLE: &[u8] = b"N/A";

/// How databases write "no model", "no context".
const NONE_ID: i64 = 4_294_967_295;

/// Ranks are read anew each time: a row of the result is a row of `kernel`, so an extract would be as large as that.
fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let wanted = Selection::of(&[TableId::Kernel]).and_host_ops(&[Kind::Cann]);
    let wanted = if job.options.compat { wanted.and(Selection::of(&[TableId::Task])) } else { wanted };
    let parts = job.each(wanted, |data| Ok(part(data, job)))?;
    let mut answer = Answer::default();
    for (rank, Part { calls, calls_path, kernels, kernels_path }) in parts {
        if !calls.is_empty() {
            let write = move |path: &Path| write_calls(&calls, path);
            answer.files.push(ResultFile::new(calls_path, write).of_rank(rank));
        }
        if !kernels.rows.is_empty() {
            let write = move |path: &Path| kernels.write(path);
            answer.files.push(ResultFile::new(kernels_path, write).of_rank(rank));
        }
    }
    match answer.files.is_empty() {
        true => Err(Failure::missing(MODE.name, "kernels or CANN calls", "collect at level0 or above")),
        false => Ok(answer),
    }
}

/// What is kept of a rank, and where it goes.
struct Part {
    calls: Calls,
    calls_path: String,
    kernels: Kernels,
    kernels_path: String,
}

fn part(data: &RankData<'_>, job: &Job<'_>) -> Part {
    let compat = job.options.compat;
    let path = |file: &str| path_of(&MODE, job, data.source, file);
    Part {
        calls: if compat { calls_as_peer(&data.tables) } else { calls(data) },
        calls_path: path("api_statistic.csv"),
        kernels: Kernels::of(data, compat),
        kernels_path: path("kernel_details.csv"),
    }
}

/// Total, count, least and greatest time by name.
type Calls = BTreeMap<String, CallTime>;

#[derive(Clone, Copy)]
struct CallTime {
    total: i64,
    count: i64,
    min: i64,
    max: i64,
}

impl CallTime {
    fn add(known: Option<CallTime>, ns: i64) -> CallTime {
        let known = known.unwrap_or(CallTime { total: 0, count: 0, min: ns, max: ns });
        CallTime { total: known.total + ns, count: known.count + 1, min: known.min.min(ns), max: known.max.max(ns) }
    }
}

/// Adds up times by name.
#[derive(Default)]
struct CallTimes {
    by_name: HashMap<Str, CallTime, FixedState>,
}

impl CallTimes {
    fn add(&mut self, name: Str, ns: i64) {
        let known = self.by_name.get(&name).copied();
        self.by_name.insert(name, CallTime::add(known, ns));
    }

    fn named(self, tables: &RankTables) -> Calls {
        self.by_name.into_iter().map(|(name, time)| (tables.text(name).to_owned(), time)).collect()
    }
}

/// Start, duration, name and connection of each CANN call.
fn each_call(tables: &RankTables, mut take: impl FnMut(Ns, i64, Str, Option<ConnectionId>)) {
    let mut kinds = Memo::default();
    for (view, rows) in tables.views::<host_op::Row>() {
        for row in 0..rows {
            let kind = view.kind.get(row);
            if kinds.get(kind, || tables.text(kind) == Kind::Cann.name()) {
                let ns = view.duration.get(row).ns();
                take(view.start.get(row), ns, view.name.get(row), view.connection_id.get(row));
            }
        }
    }
}

/// The time of each call, by name.
fn calls(data: &RankData<'_>) -> Calls {
    let mut times = CallTimes::default();
    each_call(&data.tables, |start, ns, name, _| {
        if data.has_moment(start) {
            times.add(name, ns);
        }
    });
    times.named(&data.tables)
}

/// The time of each task, by the name of the call that launched it.
fn calls_as_peer(tables: &RankTables) -> Calls {
    let mut names: HashMap<ConnectionId, Str, FixedState> = HashMap::default();
    each_call(tables, |_, _, name, connection| names.extend(connection.map(|connection| (connection, name))));
    let mut times = CallTimes::default();
    for (view, rows) in tables.views::<task::Row>() {
        for row in 0..rows {
            if let Some(name) = view.connection_id.get(row).and_then(|connection| names.get(&connection)) {
                times.add(*name, view.duration.get(row).ns());
            }
        }
    }
    times.named(tables)
}

fn write_calls(calls: &Calls, path: &Path) -> io::Result<()> {
    let mut csv = writer(path)?;
    let header = ["API Name", "Total Time(ns)", "Count", "Avg Time(ns)", "Min Time(ns)", "Max Time(ns)"];
    csv.write_record(header)?;
    let mut calls: Vec<_> = calls.iter().collect();
    calls.sort_by_key(|(_, time)| std::cmp::Reverse(time.total));
    for (name, time) in calls {
        let mut mean = Vec::new();
        push_float(&mut mean, time.total as f64 / time.count as f64);
        let [total, count, min, max] = [time.total, time.count, time.min, time.max].map(|value| value.to_string());
        csv.write_record([name.as_bytes(), total.as_bytes(), count.as_bytes(), &mean, min.as_bytes(), max.as_bytes()])?;
    }
    csv.flush()
}

fn writer(path: &Path) -> io::Result<csv::Writer<BufWriter<File>>> {
    Ok(csv::Writer::from_writer(BufWriter::new(File::create(path)?)))
}

/// The kernels of a rank, to be written when their turn comes.
struct Kernels {
    /// Of all tables, `kernel` alone.
    tables: RankTables,
    /// Rows of the table, by start.
    rows: Vec<u32>,
    device: Option<i64>,
    compat: bool,
}

/// Columns before those of metrics.
const COLUMNS: [&str; 18] = [
    "op_name",
    "block_dim",
    "mix_block_dim",
    "op_type",
    "task_type",
    "input_formats",
    "input_shapes",
    "input_data_types",
    "output_shapes",
    "output_formats",
    "output_data_types",
    "task_start_time",
    "task_duration",
    "device_id",
    "model_id",
    "stream_id",
    "context_id",
    "task_id",
];

/// A metric that is a column of `kernel`: its name, the title of its column, and where it is.
struct Metric {
    title: &'static str,
    is_time: bool,
    of: fn(&kernel::Row) -> Option<f64>,
}

macro_rules! metrics {
    ($($field:ident $(as $title:literal)?,)+) => {
        &[$(Metric {
            title: metrics!(@title $field $($title)?),
            is_time: matches!(stringify!($field).as_bytes(), [.., b'_', b't', b'i', b'm', b'e']),
            of: |row| row.$field,
        },)+]
    };
    (@title $field:ident) => { stringify!($field) };
    (@title $field:ident $title:literal) => { $title };
}

/// By name, as msprof-analyze has them.
const METRICS: &[Metric] = metrics! {
    aic_fixpipe_ratio,
    aic_fixpipe_time,
    aic_icache_miss_rate,
    aic_mac_ratio,
    aic_mac_time,
    aic_mte1_ratio,
    aic_mte1_time,
    aic_mte2_ratio,
    aic_mte2_time,
    aic_scalar_ratio,
    aic_scalar_time,
    aic_total_cycles,
    aic_total_time as "aicore_time",
    aiv_icache_miss_rate,
    aiv_mac_ratio,
    aiv_mac_time,
    aiv_mte1_ratio,
    aiv_mte1_time,
    aiv_mte2_ratio,
    aiv_mte2_time,
    aiv_mte3_ratio,
    aiv_mte3_time,
    aiv_scalar_ratio,
    aiv_scalar_time,
    aiv_total_cycles,
    aiv_total_time as "aiv_time",
    aiv_vec_ratio,
    aiv_vec_time,
};

impl Kernels {
    fn of(data: &RankData<'_>, compat: bool) -> Kernels {
        let mut starts: Vec<(Ns, u32)> = Vec::with_capacity(data.tables.len(TableId::Kernel));
        let mut numbers = 0u32..;
        for (view, rows) in data.tables.views::<kernel::Row>() {
            let chosen = (0..rows).zip(numbers.by_ref()).filter(|(row, _)| compat || data.has_kernel(&view, *row));
            starts.extend(chosen.map(|(row, number)| (view.start.get(row), number)));
        }
        starts.sort_unstable();
        let device = data.tables.rows::<rank::Row>().next().and_then(|rank| rank.device);
        let mut tables = data.tables.clone();
        for table in [TableId::HostOp, TableId::Task, TableId::CommOp, TableId::Flow] {
            tables.clear(table);
        }
        Kernels { tables, rows: starts.into_iter().map(|(_, row)| row).collect(), device, compat }
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        let kernels: Vec<kernel::Row> = self.tables.rows().collect();
        let metrics: Vec<&Metric> =
            METRICS.iter().filter(|metric| kernels.iter().any(|kernel| (metric.of)(kernel).is_some())).collect();
        let others = self.other_metrics(&kernels);
        let mut csv = writer(path)?;
        let titles = metrics.iter().map(|metric| metric.title).chain(others.iter().map(String::as_str));
        csv.write_record(COLUMNS.into_iter().chain(titles).chain(["task_wait_time"]))?;
        let mut before: Option<&kernel::Row> = None;
        let mut latest_end = None;
        for kernel in self.rows.iter().filter_map(|&row| kernels.get(row as usize)) {
            let mut line = Line { csv: &mut csv, text: Vec::new(), is_float: self.compat };
            self.write_facts(&mut line, kernel)?;
            for metric in &metrics {
                let scale = if metric.is_time { 1000.0 } else { 1.0 };
                // msprof-analyze has 0 where a kernel was not measured.
                let missing = (self.compat && !is_communication(&self.tables, kernel)).then_some(0.0);
                line.real((metric.of)(kernel).map(|value| value / scale).or(missing))?;
            }
            if !others.is_empty() {
                let values = self.metrics_of(kernel);
                for name in &others {
                    line.real(values.get(name).and_then(Value::as_f64))?;
                }
            }
            let end = kernel.start.plus(kernel.duration.ns());
            line.real(Some(match (self.compat, before, latest_end) {
                (true, Some(before), _) => (end.0 as f64 - before.start.0 as f64) / 1000.0,
                (false, _, Some(latest)) => kernel.start.since(latest).max(0) as f64 / 1000.0,
                _ => 0.0,
            }))?;
            csv.write_record(None::<&[u8]>)?;
            before = Some(kernel);
            latest_end = latest_end.max(Some(end));
        }
        csv.flush()
    }

    fn write_facts(&self, line: &mut Line<'_>, kernel: &kernel::Row) -> io::Result<()> {
        let is_communication = is_communication(&self.tables, kernel);
        let of_kernel = |value: Option<i64>| value.filter(|_| !is_communication);
        line.text(Some(self.tables.text(kernel.name)))?;
        line.int(of_kernel(kernel.block_num))?;
        line.int(of_kernel(kernel.mix_block_num))?;
        for text in [
            kernel.op_type,
            kernel.core,
            kernel.input_formats,
            kernel.input_shapes,
            kernel.input_dtypes,
            kernel.output_shapes,
            kernel.output_formats,
            kernel.output_dtypes,
        ] {
            line.text(self.tables.opt_text(text))?;
        }
        line.time(kernel.start)?;
        line.field(|out| push_span(out, npuscope_tables::Span::from_ns(kernel.duration.ns())))?;
        let is_float = std::mem::take(&mut line.is_float);
        line.int(kernel.device.or(self.device))?;
        line.int(kernel.model_id.or(Some(NONE_ID)))?;
        line.is_float = is_float;
        line.int(of_kernel(kernel.stream))?;
        line.int(of_kernel(kernel.context_id.or(self.compat.then_some(NONE_ID))))?;
        line.int(of_kernel(kernel.task_id))
    }

    /// Names of metrics that are no columns of `kernel`.
    fn other_metrics(&self, kernels: &[kernel::Row]) -> Vec<String> {
        let named = kernels.iter().filter(|kernel| kernel.metrics.is_some()).map(|kernel| self.metrics_of(kernel));
        let mut names: Vec<String> = named.flat_map(|metrics| metrics.into_iter().map(|(name, _)| name)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn metrics_of(&self, kernel: &kernel::Row) -> Map<String, Value> {
        let text = self.tables.opt_text(kernel.metrics).unwrap_or_default();
        serde_json::from_str(text).unwrap_or_default()
    }
}

/// A line of the csv file, field by field.
struct Line<'a> {
    csv: &'a mut csv::Writer<BufWriter<File>>,
    text: Vec<u8>,
    /// Whole numbers and times are printed as floats.
    is_float: bool,
}

impl Line<'_> {
    fn field(&mut self, push: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        self.text.clear();
        push(&mut self.text);
        Ok(self.csv.write_field(&self.text)?)
    }

    fn text(&mut self, text: Option<&str>) -> io::Result<()> {
        Ok(self.csv.write_field(text.map_or(NOT_AVAILABLE, str::as_bytes))?)
    }

    fn int(&mut self, value: Option<i64>) -> io::Result<()> {
        let is_float = self.is_float;
        self.field(|out| match value {
            Some(value) if is_float => push_float(out, value as f64),
            Some(value) => push_int(out, value),
            None => out.extend_from_slice(NOT_AVAILABLE),
        })
    }

    fn real(&mut self, value: Option<f64>) -> io::Result<()> {
        self.field(|out| match value {
            Some(value) => push_float(out, value),
            None => out.extend_from_slice(NOT_AVAILABLE),
        })
    }

    fn time(&mut self, time: Ns) -> io::Result<()> {
        let is_float = self.is_float;
        self.field(|out| if is_float { push_float(out, time.0 as f64 / 1000.0) } else { push_time(out, time) })
    }
}
