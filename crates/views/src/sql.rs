//! Questions as SQL.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch};
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use arrow::error::ArrowError;
use npuscope_engine::EngineError;
use npuscope_messages::verbatim;
use npuscope_tables::Rank;

use crate::{Made, NotMade, Scope, Source};

/// A text as SQL has it.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// How rows of a table stand in time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// From `start`, for `duration`.
    Slice,
    /// The same on the device; the column `step` says which step launched it.
    Work,
    /// At `time`.
    Moment,
    /// From `start` to `release`.
    Life,
    /// They sum up a step, whose name is text.
    Reported,
    /// They are of no time.
    Timeless,
}

/// The steps of all ranks by time: where the host marked them, else where the device ran them, as
/// [`npuscope_measures::step_of`] has them. A step ends at `end`, both ends included, or before `next` begins.
const STEPS: &str = "(SELECT rank, step, start, start + step_time AS \"end\", \
                     lead(start) OVER (PARTITION BY rank ORDER BY start, step_time) AS next \
                     FROM step_time WHERE clock <> 'file')";

/// The rows of a table that are in scope, as a table to select from. Work of the device is in the step that launched it,
/// anything else in the step in which it starts; both are in a stretch of time that they reach into.
pub fn rows(table: &str, time: Time, scope: &Scope) -> String {
    let mut conditions = Vec::new();
    let mut join = String::new();
    let ranks = scope.ranks.as_ref().map(|ranks| {
        let ranks: Vec<String> = ranks.iter().map(Rank::to_string).collect();
        format!("rank IN ({})", ranks.join(", "))
    });
    conditions.extend(ranks.iter().map(|ranks| format!("t.{ranks}")));
    if let Some(step) = scope.step {
        let of_ranks = ranks.as_ref().map(|ranks| format!("AND {ranks}")).unwrap_or_default();
        let starts_in = |time: &str| {
            format!("t.{time} >= s.start AND t.{time} <= s.\"end\" AND (s.next IS NULL OR t.{time} < s.next)")
        };
        let is_alive = || "t.start <= s.\"end\" AND (t.release IS NULL OR t.release >= s.start)".to_owned();
        let parts = format!("(SELECT * FROM {STEPS} WHERE step = {step} {of_ranks})");
        let (condition, of_step) = match time {
            Time::Work => (Some(format!("t.step = {step}")), None),
            Time::Reported => (Some(format!("t.step IN ('{step}', 'step{step}')")), None),
            Time::Timeless => (None, None),
            Time::Slice => (Some(starts_in("start")), Some(parts)),
            Time::Moment => (Some(starts_in("time")), Some(parts)),
            // What lives through two parts of a step is in it once.
            Time::Life => {
                let whole = "SELECT rank, min(start) AS start, max(\"end\") AS \"end\"";
                (Some(is_alive()), Some(format!("({whole} FROM {parts} GROUP BY rank)")))
            }
        };
        conditions.extend(condition);
        join.extend(of_step.map(|of_step| format!("INNER JOIN {of_step} s ON s.rank = t.rank")));
    }
    if let Some(begin) = scope.begin {
        match time {
            Time::Slice | Time::Work => {
                conditions.push(format!("(t.start + t.duration > {begin} OR t.start >= {begin})"))
            }
            Time::Moment => conditions.push(format!("t.time >= {begin}")),
            Time::Life => conditions.push(format!("(t.release IS NULL OR t.release >= {begin})")),
            Time::Reported | Time::Timeless => {}
        }
    }
    if let Some(end) = scope.end {
        match time {
            Time::Slice | Time::Work | Time::Life => conditions.push(format!("t.start < {end}")),
            Time::Moment => conditions.push(format!("t.time < {end}")),
            Time::Reported | Time::Timeless => {}
        }
    }
    let filter = if conditions.is_empty() { String::new() } else { format!("WHERE {}", conditions.join(" AND ")) };
    format!("(SELECT t.* FROM {table} t {join} {filter})")
}

/// Runs a query to its end. Columns are of types that any reader of Arrow knows.
pub fn query(source: &Source<'_>, sql: &str) -> Result<Made, NotMade> {
    let (schema, batches) = source.session.sql(sql)?;
    plain_table(&schema, batches)
}

/// A table with columns of types that any reader of Arrow knows.
pub fn plain_table(schema: &SchemaRef, batches: Vec<RecordBatch>) -> Result<Made, NotMade> {
    let fields = schema.fields().iter().map(|field| Field::new(field.name(), plain(field.data_type()), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let plain_batch = |batch: RecordBatch| {
        let columns = batch.columns().iter().zip(schema.fields());
        let columns: Result<Vec<ArrayRef>, ArrowError> =
            columns.map(|(column, field)| cast(column, field.data_type())).collect();
        RecordBatch::try_new(schema.clone(), columns?)
    };
    let batches: Result<Vec<RecordBatch>, ArrowError> = batches.into_iter().map(plain_batch).collect();
    Ok(Made { batches: batches.map_err(failed)?, schema })
}

/// [`query`] as one batch.
pub fn batch(source: &Source<'_>, sql: &str) -> Result<RecordBatch, NotMade> {
    let made = query(source, sql)?;
    concat_batches(&made.schema, &made.batches).map_err(failed)
}

/// Whether a query gives any row.
pub fn has_rows(source: &Source<'_>, sql: &str) -> Result<bool, NotMade> {
    let (_, batches) = source.session.sql(&format!("{sql} LIMIT 1"))?;
    Ok(batches.iter().any(|batch| batch.num_rows() > 0))
}

/// The whole numbers of a column, null where it has none or there is no such column.
pub fn ints(batch: &RecordBatch, name: &str) -> Vec<Option<i64>> {
    let column = batch.column_by_name(name).and_then(|column| column.as_primitive_opt::<Int64Type>());
    column.map_or_else(|| vec![None; batch.num_rows()], |column| column.iter().collect())
}

/// The texts of a column.
pub fn texts<'a>(batch: &'a RecordBatch, name: &str) -> Vec<Option<&'a str>> {
    let column = batch.column_by_name(name).and_then(|column| column.as_string_opt::<i32>());
    column.map_or_else(|| vec![None; batch.num_rows()], |column| column.iter().collect())
}

pub fn failed(error: ArrowError) -> NotMade {
    NotMade::Failed(EngineError::Internal(verbatim(error.to_string())))
}

fn plain(kind: &DataType) -> DataType {
    match kind {
        DataType::Utf8View | DataType::LargeUtf8 => DataType::Utf8,
        DataType::Dictionary(_, value) => plain(value),
        DataType::Float16 | DataType::Float32 => DataType::Float64,
        DataType::Null => DataType::Int64,
        kind if kind.is_integer() => DataType::Int64,
        kind => kind.clone(),
    }
}
