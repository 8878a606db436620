//! How busy devices were over time.

use npuscope_analysis::messages::collection as data;
use npuscope_analysis::occupancy::{self, Buckets, Occupancy};
use npuscope_measures::intervals::Interval;
use npuscope_tables::Rank;

use crate::columns;
use crate::missing::{DEVICE, missing};
use crate::sql::{self, Time, rows};
use crate::{Made, NotMade, Question, Scope, Source};

const BUCKETS: usize = 256;
const MOST_BUCKETS: usize = 4096;

/// How busy devices were in equal intervals of time: shares of each interval.
pub fn heat(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let count = question.count("buckets", BUCKETS, MOST_BUCKETS)?;
    let buckets = Buckets { span: span(source, &question.scope)?, count };
    let is_kept = !question.scope.is_stretch();
    let of_ranks = occupancy::ask(source.store, &question.sources(source), buckets, is_kept)?;
    if of_ranks.is_empty() {
        return Err(missing(source, data::data_device_tasks(), DEVICE));
    }
    let parts: Vec<(Rank, usize, Occupancy)> = of_ranks
        .into_iter()
        .flat_map(|(rank, parts)| parts.into_iter().enumerate().map(move |(bucket, part)| (rank, bucket, part)))
        .collect();
    let share = |of: fn(&Occupancy) -> f64| columns::reals(parts.iter().map(|(_, _, part)| of(part)));
    columns::made(vec![
        ("rank", columns::ranks(parts.iter().map(|(rank, ..)| *rank))),
        ("bucket", columns::ints(parts.iter().map(|(_, bucket, _)| *bucket as i64))),
        ("begin", columns::ints(parts.iter().map(|(_, bucket, _)| buckets.begin(*bucket) - source.origin))),
        ("computing", share(|part| part.computing)),
        ("communication", share(|part| part.communication)),
        ("exposed_communication", share(|part| part.exposed)),
    ])
}

/// The selected time range: of a step, from its first begin to its last end.
fn span(source: &Source<'_>, scope: &Scope) -> Result<Interval, NotMade> {
    let sql = match scope.step {
        Some(step) => {
            let steps = rows("step_time", Time::Timeless, scope);
            format!(
                "SELECT min(start) AS start, max(start + step_time) AS \"end\" FROM {steps} \
                 WHERE step = {step} AND clock <> 'file'"
            )
        }
        None => "SELECT min(start) AS start, max(\"end\") AS \"end\" FROM rank WHERE rank >= 0".to_owned(),
    };
    let batch = sql::batch(source, &sql)?;
    let first = |name: &str| sql::ints(&batch, name).first().copied().flatten();
    let begin = scope.begin.or(first("start")).unwrap_or(source.origin);
    Ok(Interval::new(begin, scope.end.or(first("end")).unwrap_or(begin)))
}
