//! The steps of ranks: step time, and how the device time of each divides ([`npuscope_measures::step`]).

use std::collections::BTreeSet;

use npuscope_formats::source::RankSource;
use npuscope_measures::intervals::Interval;
use npuscope_measures::step::{self, Clock, Step};
use npuscope_store::{Store, StoreError};
use npuscope_tables::table::reported_step;
use npuscope_tables::{Rank, RankTables, Selection};
use serde::{Deserialize, Serialize};

use crate::extract::{Absent, Analysis, RankData, extracts_by_rank};
use crate::scope::Scope;

/// The extract of a rank.
#[derive(Serialize, Deserialize)]
struct RankSteps {
    steps: Vec<Step>,
    /// Numbers of these steps, and of those in files of step times.
    numbers: BTreeSet<i64>,
}

/// The steps of each rank.
#[derive(Serialize)]
struct Steps;

impl Analysis for Steps {
    type Extract = RankSteps;
    const NAME: &'static str = "steps";
    const VERSION: u32 = 1;

    fn needs(&self) -> Selection {
        step::NEEDS
    }

    fn map(&self, rank: &RankData<'_>) -> Result<RankSteps, Absent> {
        let steps = step::whole(step::steps(&rank.tables));
        Ok(RankSteps { numbers: numbers(&rank.tables, &steps), steps })
    }
}

fn numbers(tables: &RankTables, steps: &[Step]) -> BTreeSet<i64> {
    let mut numbers: BTreeSet<i64> = steps.iter().filter_map(|step| step.id).collect();
    let reported = tables.rows::<reported_step::Row>().filter_map(|row| tables.opt_text(row.step)?.parse::<i64>().ok());
    numbers.extend(reported);
    numbers
}

/// When a step was; `None` where only a file of step times was kept.
pub fn span_of(step: &Step) -> Option<Interval> {
    (step.clock != Clock::File).then_some(step.span)
}

/// The steps of ranks that reach into the scope, whole, by rank and time; `None` if no rank has any.
pub fn ask(store: &Store, sources: &[&RankSource], scope: &Scope) -> Result<Option<Vec<(Rank, Step)>>, StoreError> {
    let of_ranks = extracts_by_rank(store, sources, &Steps)?;
    if of_ranks.iter().all(|(_, rank)| rank.steps.is_empty()) {
        return Ok(None);
    }
    let all = of_ranks.into_iter().flat_map(|(rank, kept)| kept.steps.into_iter().map(move |step| (rank, step)));
    let mut steps: Vec<(Rank, Step)> = all.filter(|(_, step)| scope.has_step(step.id, span_of(step))).collect();
    steps.sort_by_key(|(rank, step)| (*rank, step.span.start, step.id));
    Ok(Some(steps))
}

/// The numbers of the steps of the job.
pub fn numbers_of_job(store: &Store) -> Result<BTreeSet<i64>, StoreError> {
    let sources: Vec<&RankSource> = store.profile().sources().collect();
    Ok(extracts_by_rank(store, &sources, &Steps)?.into_iter().flat_map(|(_, rank)| rank.numbers).collect())
}
