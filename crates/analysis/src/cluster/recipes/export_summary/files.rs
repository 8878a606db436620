//! The csv files: columns, units and spelling of msprof-analyze.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use npuscope_measures::communication::is_communication;
use npuscope_tables::number::{push_float, push_int, push_span, push_time};
use npuscope_tables::table::kernel;
use npuscope_tables::{Ns, Span};
use serde_json::{Map, Value};

use super::{CallTime, KernelDetail, Kernels};

const NOT_AVAILABLE: &[u8] = b"N/A";

/// How databases write "no model", "no context".
const NONE_ID: i64 = 4_294_967_295;

fn writer(path: &Path) -> io::Result<csv::Writer<BufWriter<File>>> {
    Ok(csv::Writer::from_writer(BufWriter::new(File::create(path)?)))
}

/// `api_statistic.csv`.
pub fn write_calls(calls: &[CallTime], path: &Path) -> io::Result<()> {
    let mut csv = writer(path)?;
    let header = ["API Name", "Total Time(ns)", "Count", "Avg Time(ns)", "Min Time(ns)", "Max Time(ns)"];
    csv.write_record(header)?;
    for call in calls {
        let mut mean = Vec::new();
        push_float(&mut mean, call.mean());
        let [total, count, min, max] = [call.total, call.count, call.min, call.max].map(|value| value.to_string());
        let name = call.name.as_str();
        csv.write_record([name.as_bytes(), total.as_bytes(), count.as_bytes(), &mean, min.as_bytes(), max.as_bytes()])?;
    }
    csv.flush()
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

/// `kernel_details.csv`.
pub fn write_kernels(kernels: &Kernels, compat: bool, path: &Path) -> io::Result<()> {
    KernelFile { kernels, compat }.write(path)
}

struct KernelFile<'a> {
    kernels: &'a Kernels,
    compat: bool,
}

impl KernelFile<'_> {
    fn write(&self, path: &Path) -> io::Result<()> {
        let tables = &self.kernels.tables;
        let kernels: Vec<kernel::Row> = tables.rows().collect();
        let metrics: Vec<&Metric> =
            METRICS.iter().filter(|metric| kernels.iter().any(|kernel| (metric.of)(kernel).is_some())).collect();
        let others = self.other_metrics(&kernels);
        let mut csv = writer(path)?;
        let titles = metrics.iter().map(|metric| metric.title).chain(others.iter().map(String::as_str));
        csv.write_record(COLUMNS.into_iter().chain(titles).chain(["task_wait_time"]))?;
        for KernelDetail { kernel, wait } in self.kernels.details(&kernels) {
            let mut line = Line { csv: &mut csv, text: Vec::new(), is_float: self.compat };
            self.write_facts(&mut line, kernel)?;
            for metric in &metrics {
                let scale = if metric.is_time { 1000.0 } else { 1.0 };
                // msprof-analyze has 0 where a kernel was not measured.
                let missing = (self.compat && !is_communication(tables, kernel)).then_some(0.0);
                line.real((metric.of)(kernel).map(|value| value / scale).or(missing))?;
            }
            if !others.is_empty() {
                let values = self.metrics_of(kernel);
                for name in &others {
                    line.real(values.get(name).and_then(Value::as_f64))?;
                }
            }
            line.real(Some(wait / 1000.0))?;
            csv.write_record(None::<&[u8]>)?;
        }
        csv.flush()
    }

    fn write_facts(&self, line: &mut Line<'_>, kernel: &kernel::Row) -> io::Result<()> {
        let is_communication = is_communication(&self.kernels.tables, kernel);
        let of_kernel = |value: Option<i64>| value.filter(|_| !is_communication);
        line.text(Some(self.kernels.tables.text(kernel.name)))?;
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
            line.text(self.kernels.tables.opt_text(text))?;
        }
        line.time(kernel.start)?;
        line.field(|out| push_span(out, Span::from_ns(kernel.duration.ns())))?;
        let is_float = std::mem::take(&mut line.is_float);
        line.int(kernel.device.or(self.kernels.device))?;
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
        let text = self.kernels.tables.opt_text(kernel.metrics).unwrap_or_default();
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
