//! Kernels and host operations, in groups and one by one.

use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::{Float64Type, Int64Type};
use npuscope_analysis::cluster::Options;
use npuscope_analysis::cluster::recipes::module_statistic::{self, ModuleTotal, module_totals};
use npuscope_analysis::messages::collection as data;
use npuscope_collect::Setting;
use npuscope_measures::busiest_unit::{Unit, bound_by};
use npuscope_measures::statistics::share;
use npuscope_messages::Message;

use crate::columns;
use crate::missing::{DEVICE, missing, unless_missing};
use crate::sql::{self, Time, quoted, rows};
use crate::statistics::Spread;
use crate::{Made, NotMade, Question, Source};

const KERNELS: usize = 1000;
const MOST_KERNELS: usize = 100_000;

/// What units of a kernel's cores were busy with, as shares of their time; of cube and vector cores the greater.
const RATIOS: &str = "t.aic_mac_ratio AS mac_ratio, greatest(t.aic_mte2_ratio, t.aiv_mte2_ratio) AS mte2_ratio, \
                      t.aiv_vec_ratio AS vec_ratio, greatest(t.aic_scalar_ratio, t.aiv_scalar_ratio) AS scalar_ratio";

/// The share of time in which each of [`Unit::ALL`] was busy.
const UNITS: [&str; 4] = ["mac_ratio", "mte2_ratio", "vec_ratio", "scalar_ratio"];

/// Ways to group kernels, with the columns that distinguish groups.
const GROUPS: [(&str, &[&str]); 7] = [
    ("op_type", &["op_type", "core"]),
    ("name", &["name", "op_type", "core"]),
    ("shape", &["op_type", "input_shapes", "input_dtypes", "core"]),
    ("core", &["core"]),
    ("stream", &["stream"]),
    ("rank", &["rank"]),
    ("step", &["step"]),
];

/// Kernels in groups, longest total first. Ratios are means weighted by duration.
pub fn operators(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let words: Vec<&str> = GROUPS.iter().map(|(word, _)| *word).chain(["module"]).collect();
    let word = question.choice("group", &words)?;
    let Some((_, keys)) = GROUPS.iter().find(|(known, _)| *known == word) else { return modules(source, question) };
    let list = keys.join(", ");
    let ratios = UNITS.map(|ratio| {
        let weight = format!("sum(CASE WHEN {ratio} IS NOT NULL THEN duration END)");
        format!("weighted_mean(sum({ratio} * duration), {weight}) AS {ratio}")
    });
    let batch = sql::batch(
        source,
        &format!(
            "SELECT {list}, count(*) AS count, sum(duration) AS total, avg(duration) AS average, min(duration) AS min, \
             max(duration) AS max, stddev_pop(duration) AS deviation, array_agg(duration) AS durations, {} \
             FROM {} GROUP BY {list} ORDER BY total DESC, {list}",
            ratios.join(", "),
            kernel_rows(question)
        ),
    )?;
    let total: ArrayRef = column(&batch, "total")?;
    let all: i64 = total.as_primitive::<Int64Type>().iter().flatten().sum();
    let shares = total.as_primitive::<Int64Type>().iter().map(|total| Some(share(total?, all)));
    let durations = column(&batch, "durations")?;
    let spread = Spread::of(durations.as_list());
    let mut made = Vec::new();
    for key in *keys {
        made.push((*key, column(&batch, key)?));
    }
    made.extend([
        ("count", column(&batch, "count")?),
        ("total", total.clone()),
        ("share", columns::reals(shares)),
        ("average", column(&batch, "average")?),
        ("min", column(&batch, "min")?),
        ("p50", spread.p50),
        ("p95", spread.p95),
        ("max", column(&batch, "max")?),
        ("deviation", column(&batch, "deviation")?),
        ("histogram", spread.histogram),
    ]);
    for ratio in UNITS {
        made.push((ratio, column(&batch, ratio)?));
    }
    made.push(("bound", bounds(&batch)?));
    let made = columns::made(made)?;
    let (what, needed) = match word {
        "op_type" => (data::data_operator_types(), "op_type IS NOT NULL"),
        "shape" => (data::data_kernel_shapes(), "input_shapes IS NOT NULL"),
        _ => (data::data_kernels(), "true"),
    };
    // Groups that all have no name are no answer.
    match sql::has_rows(source, &format!("SELECT 1 FROM kernel WHERE {needed}"))? {
        true => Ok(made),
        false => Err(missing(source, what, DEVICE)),
    }
}

/// Kernels in scope with their ratios.
fn kernel_rows(question: &Question<'_>) -> String {
    let kernels = rows("kernel", Time::Work, &question.scope);
    let columns =
        "t.rank, t.step, t.start, t.duration, t.name, t.op_type, t.core, t.stream, t.input_shapes, t.input_dtypes";
    format!("(SELECT {columns}, {RATIOS} FROM {kernels} t)")
}

fn column(batch: &arrow::array::RecordBatch, name: &str) -> Result<ArrayRef, NotMade> {
    let missing = || arrow::error::ArrowError::SchemaError(format!("no column {name}"));
    batch.column_by_name(name).cloned().ok_or_else(missing).map_err(sql::failed)
}

/// What each group is bound by.
fn bounds(batch: &arrow::array::RecordBatch) -> Result<ArrayRef, NotMade> {
    let mut ratios = Vec::new();
    for ratio in UNITS {
        let of_unit = column(batch, ratio)?;
        ratios.push(of_unit.as_primitive::<Float64Type>().iter().collect::<Vec<Option<f64>>>());
    }
    let busy = |row: usize| std::array::from_fn(|unit| ratios.get(unit)?.get(row).copied().flatten());
    Ok(columns::texts((0..batch.num_rows()).map(|row| bound_by(busy(row)).map(Unit::name))))
}

/// Device work of modules: see `npuscope cluster -m module_statistic`. Calls of operators are counted.
fn modules(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let modules = question.ask(source, Options::default(), |job| Ok(module_totals(&module_statistic::rows(job)?)))?;
    columns::made(vec![
        ("module", columns::texts(modules.iter().map(|module| Some(&module.path)))),
        ("count", columns::ints(modules.iter().map(|module| module.calls))),
        ("total", columns::ints(modules.iter().map(|module| module.total))),
        ("share", columns::reals(modules.iter().map(|module| module.share))),
        ("average", columns::reals(modules.iter().map(ModuleTotal::average))),
    ])
}

/// Kernels one by one, the longest first.
pub fn kernels(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let limit = question.count("limit", KERNELS, MOST_KERNELS)?;
    let is = |column: &str| question.text(column).map(|text| format!("t.{column} = {}", quoted(text)));
    let mut conditions: Vec<String> = ["op_type", "name", "core", "input_shapes"].into_iter().filter_map(is).collect();
    conditions.extend(question.number("stream")?.map(|stream| format!("t.stream = {stream}")));
    let filter = if conditions.is_empty() { String::new() } else { format!("WHERE {}", conditions.join(" AND ")) };
    let made = sql::query(
        source,
        &format!(
            "SELECT t.rank, t.step, t.start - {origin} AS start, t.duration, t.wait, t.name, t.op_type, t.core, \
             t.stream, t.block_num, t.input_shapes, t.input_dtypes, t.output_shapes, t.output_dtypes, {RATIOS}, \
             t.cube_utilization FROM {rows} t {filter} ORDER BY duration DESC, rank, start LIMIT {limit}",
            origin = source.origin,
            rows = rows("kernel", Time::Work, &question.scope),
        ),
    )?;
    unless_missing(source, made, "SELECT 1 FROM kernel", data::data_kernels(), DEVICE)
}

/// Host operations, by kind and name, longest total first.
pub fn host_ops(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    /// A kind, what it is called, what collects it.
    type Kind = (&'static str, fn() -> Message, &'static [Setting]);
    const KINDS: [Kind; 7] = [
        ("op", data::data_framework_operators, &[Setting::Cpu]),
        ("cann", data::data_cann_calls, &[Setting::Level1, Setting::Cpu]),
        ("python", data::data_python_functions, &[Setting::Stack]),
        ("mstx", data::data_user_ranges, &[Setting::Mstx]),
        ("gc", data::data_garbage_collections, &[Setting::GarbageCollection]),
        ("enqueue", data::data_task_queue, &[Setting::Cpu]),
        ("dequeue", data::data_task_queue, &[Setting::Cpu]),
    ];
    let words: Vec<&str> = KINDS.iter().map(|(word, ..)| *word).collect();
    let kind = match question.text("kind") {
        Some(_) => Some(question.choice("kind", &words)?),
        None => None,
    };
    let filter = kind.map(|kind| format!("WHERE kind = {}", quoted(kind))).unwrap_or_default();
    let batch = sql::batch(
        source,
        &format!(
            "SELECT kind, name, count(*) AS count, sum(duration) AS total, avg(duration) AS average, \
             min(duration) AS min, max(duration) AS max, array_agg(duration) AS durations FROM {} {filter} \
             GROUP BY kind, name ORDER BY total DESC, kind, name",
            rows("host_op", Time::Slice, &question.scope)
        ),
    )?;
    let durations = column(&batch, "durations")?;
    let spread = Spread::of(durations.as_list());
    let made = columns::made(vec![
        ("kind", column(&batch, "kind")?),
        ("name", column(&batch, "name")?),
        ("count", column(&batch, "count")?),
        ("total", column(&batch, "total")?),
        ("average", column(&batch, "average")?),
        ("min", column(&batch, "min")?),
        ("p50", spread.p50),
        ("p95", spread.p95),
        ("max", column(&batch, "max")?),
    ])?;
    let of_kind = KINDS.iter().find(|(word, ..)| Some(*word) == kind);
    let (what, settings) = match of_kind {
        Some((_, what, settings)) => (what(), *settings),
        None => (data::data_host_slices(), &[Setting::Cpu][..]),
    };
    unless_missing(source, made, &format!("SELECT 1 FROM host_op {filter}"), what, settings)
}
