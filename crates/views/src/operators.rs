//! Kernels and what the host did, in groups and one by one.

use std::collections::BTreeMap;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{Float64Type, Int64Type};
use npuscope_analysis::cluster::Options;
use npuscope_analysis::cluster::recipes::module_statistic;
use npuscope_collect::Setting;

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

/// Ratios with what a kernel is bound by if the unit is the busiest.
const UNITS: [(&str, &str); 4] =
    [("mac_ratio", "cube"), ("mte2_ratio", "memory"), ("vec_ratio", "vector"), ("scalar_ratio", "scalar")];

/// Ways to group kernels, with the columns that tell groups apart.
const GROUPS: [(&str, &[&str]); 7] = [
    ("op_type", &["op_type", "core"]),
    ("name", &["name", "op_type", "core"]),
    ("shape", &["op_type", "input_shapes", "input_dtypes", "core"]),
    ("core", &["core"]),
    ("stream", &["stream"]),
    ("rank", &["rank"]),
    ("step", &["step"]),
];

/// Kernels in groups, those that take longest in all first. Ratios are means weighted by duration.
pub fn operators(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let words: Vec<&str> = GROUPS.iter().map(|(word, _)| *word).chain(["module"]).collect();
    let word = question.choice("group", &words)?;
    let Some((_, keys)) = GROUPS.iter().find(|(known, _)| *known == word) else { return modules(source, question) };
    let list = keys.join(", ");
    let ratios = UNITS.map(|(ratio, _)| {
        format!("sum({ratio} * duration) / nullif(sum(CASE WHEN {ratio} IS NOT NULL THEN duration END), 0) AS {ratio}")
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
    let share = total.as_primitive::<Int64Type>().iter().map(|total| Some(total? as f64 / all.max(1) as f64));
    let durations = column(&batch, "durations")?;
    let spread = Spread::of(durations.as_list());
    let mut made = Vec::new();
    for key in *keys {
        made.push((*key, column(&batch, key)?));
    }
    made.extend([
        ("count", column(&batch, "count")?),
        ("total", total.clone()),
        ("share", columns::reals(share)),
        ("average", column(&batch, "average")?),
        ("min", column(&batch, "min")?),
        ("p50", spread.p50),
        ("p95", spread.p95),
        ("max", column(&batch, "max")?),
        ("deviation", column(&batch, "deviation")?),
        ("histogram", spread.histogram),
    ]);
    for (ratio, _) in UNITS {
        made.push((ratio, column(&batch, ratio)?));
    }
    made.push(("bound", bounds(&batch)?));
    let made = columns::made(made)?;
    let (what, needed) = match word {
        "op_type" => ("operator types", "op_type IS NOT NULL"),
        "shape" => ("kernel shapes", "input_shapes IS NOT NULL"),
        _ => ("kernels", "true"),
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

/// What each group is bound by: the busiest unit.
fn bounds(batch: &arrow::array::RecordBatch) -> Result<ArrayRef, NotMade> {
    let mut ratios = Vec::new();
    for (ratio, bound) in UNITS {
        ratios.push((bound, column(batch, ratio)?));
    }
    let bound = |row: usize| {
        let busy = ratios.iter().filter_map(|(bound, ratios)| {
            let ratios = ratios.as_primitive_opt::<Float64Type>()?;
            (ratios.is_valid(row) && ratios.value(row) > 0.0).then(|| (*bound, ratios.value(row)))
        });
        busy.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(bound, _)| bound)
    };
    Ok(columns::texts((0..batch.num_rows()).map(bound)))
}

/// What modules did: see `npuscope cluster -m module_statistic`. Calls of operators are counted.
fn modules(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let of_ranks = question.ask(source, Options::default(), module_statistic::rows)?;
    let mut modules: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for row in of_ranks.iter().flat_map(|(_, rows)| rows) {
        let path: Vec<&str> = [&*row.parent, &*row.module].into_iter().filter(|part| !part.is_empty()).collect();
        let sums = modules.entry(path.join("/")).or_default();
        (sums.0, sums.1) = (sums.0 + row.calls as i64, sums.1 + row.total);
    }
    let mut modules: Vec<(String, (i64, i64))> = modules.into_iter().collect();
    modules.sort_by_key(|(_, (_, total))| std::cmp::Reverse(*total));
    let all: i64 = modules.iter().map(|(_, (_, total))| total).sum();
    columns::made(vec![
        ("module", columns::texts(modules.iter().map(|(name, _)| Some(name)))),
        ("count", columns::ints(modules.iter().map(|(_, (count, _))| *count))),
        ("total", columns::ints(modules.iter().map(|(_, (_, total))| *total))),
        ("share", columns::reals(modules.iter().map(|(_, (_, total))| *total as f64 / all.max(1) as f64))),
        ("average", columns::reals(modules.iter().map(|(_, (count, total))| *total as f64 / (*count).max(1) as f64))),
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
    unless_missing(source, made, "SELECT 1 FROM kernel", "kernels", DEVICE)
}

/// What the host did, by kind and name, what takes longest in all first.
pub fn host_ops(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    const KINDS: [(&str, &str, &[Setting]); 7] = [
        ("op", "framework operators", &[Setting::Cpu]),
        ("cann", "CANN calls", &[Setting::Level1, Setting::Cpu]),
        ("python", "Python functions", &[Setting::Stack]),
        ("mstx", "user ranges (mstx)", &[Setting::Mstx]),
        ("gc", "garbage collections", &[Setting::GarbageCollection]),
        ("enqueue", "entries of the task queue", &[Setting::Cpu]),
        ("dequeue", "entries of the task queue", &[Setting::Cpu]),
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
    let (what, settings) =
        of_kind.map_or(("slices of the host", &[Setting::Cpu][..]), |(_, what, settings)| (*what, *settings));
    unless_missing(source, made, &format!("SELECT 1 FROM host_op {filter}"), what, settings)
}
