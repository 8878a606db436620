//! Where the time of devices went.

use std::collections::BTreeMap;

use npuscope_measures::intervals::Interval;
use npuscope_tables::table::overlap::Kind;

use crate::columns;
use crate::groups::GroupNames;
use crate::missing::{DEVICE, missing, unless_missing};
use crate::sql::{self, Time, rows};
use crate::{Made, NotMade, Question, Source, device};

/// Tasks that copy between host and device, or within the device.
const IS_COPY: &str =
    "(task_type IN ('MEMCPY_ASYNC', 'PCIE_DMA_SQE', 'SDMA_SQE', 'gpu_memcpy') OR operation IS NOT NULL)";

/// What a kernel does, by its type and name and then by its core.
const PART: &str = "CASE \
    WHEN what LIKE '%flashattention%' OR what LIKE '%flash_attention%' OR what LIKE '%flash_fwd%' \
      OR what LIKE '%flash_bwd%' OR what LIKE '%fusedinferattention%' OR what LIKE '%fmha%' THEN 'flash_attention' \
    WHEN what LIKE '%conv%' THEN 'conv' \
    WHEN what LIKE '%matmul%' OR what LIKE '%gemm%' OR what LIKE 'aten::mm %' OR what LIKE 'aten::bmm %' \
      OR what LIKE 'aten::addmm %' OR what LIKE 'aten::linear %' THEN 'matmul' \
    WHEN what LIKE 'tensormove %' OR what LIKE 'aten::copy_ %' OR what LIKE 'memcpy%' THEN 'copies' \
    WHEN core IN ('AI_VECTOR_CORE', 'MIX_AIV', 'AIV', 'VECTOR_CORE') THEN 'vector' \
    WHEN core IN ('AI_CORE', 'MIX_AIC', 'AIC') THEN 'cube' \
    ELSE 'other' END";

/// A part of the time: its sum, and of how many.
#[derive(Default)]
struct Part {
    total: i64,
    count: i64,
    min: Option<i64>,
    max: Option<i64>,
}

impl Part {
    fn add(&mut self, duration: i64) {
        self.total += duration;
        self.count += 1;
        self.min = Some(self.min.map_or(duration, |min| min.min(duration)));
        self.max = Some(self.max.map_or(duration, |max| max.max(duration)));
    }
}

/// Category, part and group of communication.
type Key = (&'static str, String, Option<String>);

/// Where the time of devices went: kernels by what they do, communication by group, idle time. Shares are of the time
/// of all devices from their first work to their last; what ran at the same time counts in each.
pub fn overall(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let (elapsed, free) = idle(source, question)?;
    let mut parts: Vec<(Key, Part)> = Vec::new();
    // Names are looked at once each: kernels are many, their names few.
    let sums = "sum(duration) AS total, count(*) AS count, min(duration) AS min, max(duration) AS max";
    let kernels = format!(
        "SELECT {PART} AS part, total, count, min, max FROM \
         (SELECT lower(concat(coalesce(op_type, ''), ' ', name)) AS what, core, total, count, min, max FROM \
          (SELECT op_type, name, core, {sums} FROM {} WHERE core IS NULL OR core NOT IN ('HCCL', 'COMMUNICATION') \
           GROUP BY op_type, name, core))",
        rows("kernel", Time::Kernel, &question.scope)
    );
    let copies = format!(
        "SELECT 'copies' AS part, {sums} FROM {} WHERE {IS_COPY} HAVING count(*) > 0",
        rows("task", Time::Slice, &question.scope)
    );
    let computing = sql::batch(
        source,
        &format!(
            "SELECT part, CAST(NULL AS VARCHAR) AS \"group\", sum(total) AS total, sum(count) AS count, \
             min(min) AS min, max(max) AS max FROM ({kernels} UNION ALL {copies}) GROUP BY part \
             ORDER BY total DESC, part"
        ),
    )?;
    parts.extend(parts_of("computing", &computing, &GroupNames::default()));
    let names = GroupNames::of(source, question)?;
    parts.extend(parts_of("communication", &communication(source, question)?, &names));
    if parts.is_empty() && elapsed == 0 {
        let has_any = sql::has_rows(source, "SELECT 1 FROM task")? || sql::has_rows(source, "SELECT 1 FROM kernel")?;
        return if has_any { made(parts, 0) } else { Err(missing(source, "device tasks", DEVICE)) };
    }
    parts.push((("free", "free".to_owned(), None), free));
    made(parts, elapsed)
}

/// The time of devices from first to last work, and what of it they were idle.
fn idle(source: &Source<'_>, question: &Question<'_>) -> Result<(i64, Part), NotMade> {
    let ranks = question.sources(source);
    let spans = spans(source, question)?;
    let all = Interval { start: i64::MIN, end: i64::MAX };
    let of_ranks = device::each(source, &ranks, |rank, intervals| {
        let span = if question.scope.step.is_some() { spans.get(&rank).copied() } else { Some(all) };
        let Some(span) = span else { return (0, Vec::new()) };
        let begin = span.start.max(question.scope.begin.unwrap_or(i64::MIN));
        let end = span.end.min(question.scope.end.unwrap_or(i64::MAX));
        let cut = |interval: &Interval| (interval.end.min(end) - interval.start.max(begin)).max(0);
        let (mut elapsed, mut free) = (0, Vec::new());
        for (kind, interval) in &intervals {
            let ns = cut(interval);
            elapsed += if *kind == Kind::Communication { 0 } else { ns };
            free.extend((*kind == Kind::Free && ns > 0).then_some(ns));
        }
        (elapsed, free)
    })?;
    let mut part = Part::default();
    of_ranks.iter().flat_map(|(_, free)| free).for_each(|ns| part.add(*ns));
    Ok((of_ranks.iter().map(|(elapsed, _)| elapsed).sum(), part))
}

/// The chosen step on each rank.
fn spans(source: &Source<'_>, question: &Question<'_>) -> Result<BTreeMap<i64, Interval>, NotMade> {
    let Some(step) = question.scope.step else { return Ok(BTreeMap::new()) };
    let batch = sql::batch(
        source,
        &format!(
            "SELECT rank, min(start) AS start, max(\"end\") AS \"end\" FROM {} WHERE id = {step} GROUP BY rank",
            rows("step", Time::Timeless, &question.scope)
        ),
    )?;
    let times = sql::ints(&batch, "start").into_iter().zip(sql::ints(&batch, "end"));
    let spans = sql::ints(&batch, "rank").into_iter().zip(times);
    Ok(spans.filter_map(|(rank, (start, end))| Some((rank?, Interval::new(start?, end?)))).collect())
}

/// Waiting and transmitting of each group as the sources sum it up; where they do not, operations as a whole.
fn communication(source: &Source<'_>, question: &Question<'_>) -> Result<arrow::array::RecordBatch, NotMade> {
    // Summaries are of whole steps.
    let is_whole = question.scope.begin.is_none() && question.scope.end.is_none();
    let parts = if is_whole && sql::has_rows(source, "SELECT 1 FROM reported_comm")? {
        let summed_up = rows("reported_comm", Time::Reported, &question.scope);
        let part = |name: &str, column: &str| {
            format!(
                "SELECT '{name}' AS part, coalesce(group_hash, '') AS \"group\", \
                 CAST(round({column} * 1e6) AS BIGINT) AS duration FROM {summed_up} \
                 WHERE lower(name) NOT LIKE 'total op info%'"
            )
        };
        format!("{} UNION ALL {}", part("wait", "wait"), part("transmit", "transit"))
    } else {
        format!(
            "SELECT 'operations' AS part, coalesce(group_hash, group_name, '') AS \"group\", duration FROM {}",
            rows("comm_op", Time::Slice, &question.scope)
        )
    };
    sql::batch(
        source,
        &format!(
            "SELECT part, \"group\", sum(duration) AS total, count(*) AS count, min(duration) AS min, \
             max(duration) AS max FROM ({parts}) GROUP BY part, \"group\" ORDER BY \"group\", part"
        ),
    )
}

fn parts_of(category: &'static str, batch: &arrow::array::RecordBatch, names: &GroupNames) -> Vec<(Key, Part)> {
    let (parts, groups) = (sql::texts(batch, "part"), sql::texts(batch, "group"));
    let [total, count, min, max] = ["total", "count", "min", "max"].map(|name| sql::ints(batch, name));
    let part = |row: usize| {
        let group = groups[row].map(|hash| names.get(hash, None).to_owned());
        let key = (category, parts[row].unwrap_or_default().to_owned(), group);
        let (total, count) = (total[row].unwrap_or_default(), count[row].unwrap_or_default());
        (key, Part { total, count, min: min[row], max: max[row] })
    };
    (0..batch.num_rows()).map(part).collect()
}

fn made(parts: Vec<(Key, Part)>, elapsed: i64) -> Result<Made, NotMade> {
    let share = |part: &Part| (elapsed > 0).then(|| part.total as f64 / elapsed as f64);
    let average = |part: &Part| (part.count > 0).then(|| part.total as f64 / part.count as f64);
    columns::made(vec![
        ("category", columns::texts(parts.iter().map(|(key, _)| Some(key.0)))),
        ("part", columns::texts(parts.iter().map(|(key, _)| Some(&key.1)))),
        ("group", columns::texts(parts.iter().map(|(key, _)| key.2.as_ref()))),
        ("total", columns::ints(parts.iter().map(|(_, part)| part.total))),
        ("share", columns::reals(parts.iter().map(|(_, part)| share(part)))),
        ("count", columns::ints(parts.iter().map(|(_, part)| part.count))),
        ("average", columns::reals(parts.iter().map(|(_, part)| average(part)))),
        ("min", columns::ints(parts.iter().map(|(_, part)| part.min))),
        ("max", columns::ints(parts.iter().map(|(_, part)| part.max))),
    ])
}

/// Copies by kind: the direction, where the source tells it. Bandwidth is of those whose bytes are known.
pub fn copies(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let made = sql::query(
        source,
        &format!(
            "SELECT kind, count(*) AS count, sum(bytes) AS bytes, sum(duration) AS total, avg(duration) AS average, \
             min(duration) AS min, max(duration) AS max, \
             CAST(sum(bytes) AS DOUBLE) / nullif(sum(CASE WHEN bytes IS NOT NULL THEN duration END), 0) AS bandwidth \
             FROM (SELECT coalesce(operation, CASE WHEN task_type LIKE 'gpu%' THEN name ELSE task_type END) AS kind, \
              bytes, duration FROM {} WHERE {IS_COPY}) GROUP BY kind ORDER BY total DESC, kind",
            rows("task", Time::Slice, &question.scope)
        ),
    )?;
    unless_missing(source, made, "SELECT 1 FROM task", "device tasks", DEVICE)
}
