//! Stages of reinforcement learning: the ranges that the trainer marked.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hashbrown::HashMap;
use npuscope_formats::source::RankSource;
use npuscope_measures::intervals::Interval;
use npuscope_measures::step_of::Steps;
use npuscope_store::{Store, StoreError};
use npuscope_tables::column::CellView;
use npuscope_tables::table::host_op::{self, Kind};
use npuscope_tables::table::task;
use npuscope_tables::{ConnectionId, Memo, Ns, Rank, RankTables, Selection, TableId};
use serde::{Deserialize, Serialize};

use crate::extract::{Absent, Analysis, RankData, Text, extracts_by_rank};
use crate::scope::Scope;

/// Words that stages of reinforcement learning are called by.
const WORDS: [&str; 13] = [
    "generat",
    "rollout",
    "log_prob",
    "logprob",
    "reference",
    "reward",
    "critic",
    "advantage",
    "compute_values",
    "actor_update",
    "update_actor",
    "update_policy",
    "reshard",
];

/// The role that runs a stage, by words in its name.
const ROLES: [(&str, &str); 8] = [
    ("critic", "critic"),
    ("compute_values", "critic"),
    ("ref", "reference"),
    ("reward", "reward"),
    ("rollout", "rollout"),
    ("actor", "actor"),
    ("generat", "actor"),
    ("policy", "actor"),
];

/// A stage on one rank. Times are ns since the epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    pub rank: Rank,
    pub name: Text,
    pub step: Option<i64>,
    pub start: i64,
    pub end: i64,
}

impl Stage {
    pub fn duration(&self) -> i64 {
        self.end - self.start
    }

    /// The role that runs it, by words in its name.
    pub fn role(&self) -> Option<&'static str> {
        let name = self.name.to_lowercase();
        ROLES.iter().find(|(word, _)| name.contains(word)).map(|(_, role)| *role)
    }
}

/// Whether a range is a stage. Marks of communication are JSON.
fn is_stage(name: &str) -> bool {
    let lower = name.to_lowercase();
    !name.starts_with('{') && WORDS.iter().any(|word| lower.contains(word))
}

/// A range of the host that is a stage.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Range {
    host: Interval,
    name: Text,
    /// In which it begins on the host.
    step: Option<i64>,
    /// On the device where the range reaches it, else on the host.
    span: Interval,
}

/// The ranges of each rank that are stages, one in another or not, by start on the host.
#[derive(Serialize)]
struct Ranges;

impl Analysis for Ranges {
    type Extract = Vec<Range>;
    const NAME: &'static str = "rl_stages";
    const VERSION: u32 = 1;

    fn needs(&self) -> Selection {
        Selection::of(&[TableId::Step, TableId::Task]).without_metrics().and_host_ops(&[Kind::Mstx])
    }

    fn map(&self, rank: &RankData<'_>) -> Result<Vec<Range>, Absent> {
        Ok(ranges(&rank.tables))
    }
}

fn ranges(tables: &RankTables) -> Vec<Range> {
    let mut known = Memo::default();
    let mut ranges: Vec<(Interval, host_op::Row)> = Vec::new();
    for row in tables.rows::<host_op::Row>() {
        let is_range = Kind::from_name(tables.text(row.kind)) == Some(Kind::Mstx) && row.duration.ns() > 0;
        if is_range && known.get(row.name, || is_stage(tables.text(row.name))) {
            ranges.push((Interval::new(row.start.0, row.start.plus(row.duration.ns()).0), row));
        }
    }
    ranges.sort_by_key(|(range, _)| (range.start, Reverse(range.end)));
    ranges.dedup_by(|(a, row), (b, other)| a == b && row.name == other.name);
    let steps = Steps::of(tables);
    let of_device = device_spans(tables, ranges.iter().filter_map(|(_, row)| row.connection_id));
    let range = |(host, row): (Interval, host_op::Row)| Range {
        host,
        name: tables.text(row.name).into(),
        step: steps.at(Ns(host.start)),
        span: row.connection_id.and_then(|id| of_device.get(&id)).copied().unwrap_or(host),
    };
    ranges.into_iter().map(range).collect()
}

/// The stages of some ranks in scope, by rank and start: on the device where the range reaches it, else on the host. A
/// stage inside another is part of it. `None` if no rank of the job has stages at all.
pub fn ask(store: &Store, sources: &[&RankSource], scope: &Scope) -> Result<Option<Vec<Stage>>, StoreError> {
    let of_ranks = extracts_by_rank(store, sources, &Ranges)?;
    let is_empty = |ranks: &[(Rank, Vec<Range>)]| ranks.iter().all(|(_, ranges)| ranges.is_empty());
    // Others may have stages: then the chosen ranks have none.
    if is_empty(&of_ranks) {
        let all: Vec<&RankSource> = store.profile().ranks.iter().collect();
        return Ok((!is_empty(&extracts_by_rank(store, &all, &Ranges)?)).then(Vec::new));
    }
    Ok(Some(of_ranks.into_iter().flat_map(|(rank, ranges)| stages(rank, ranges, scope)).collect()))
}

fn stages(rank: Rank, ranges: Vec<Range>, scope: &Scope) -> Vec<Stage> {
    let is_in_scope = |range: &Range| {
        scope.reaches(range.host.start, range.host.end) && (scope.step.is_none() || range.step == scope.step)
    };
    let mut found = Vec::new();
    // Where on the host the last stage ends that is in no other.
    let mut outer = i64::MIN;
    for Range { host, name, step, span } in ranges.into_iter().filter(is_in_scope) {
        if host.end > outer {
            outer = host.end;
            found.push(Stage { rank, name, step, start: span.start, end: span.end });
        }
    }
    found
}

/// From the first to the last of the tasks with each of these connection ids.
fn device_spans(
    tables: &RankTables,
    connections: impl Iterator<Item = ConnectionId>,
) -> HashMap<ConnectionId, Interval> {
    let mut spans: HashMap<ConnectionId, Option<Interval>> = connections.map(|id| (id, None)).collect();
    for (view, rows) in tables.views::<task::Row>() {
        for row in 0..rows {
            let Some(span) = view.connection_id.get(row).and_then(|id| spans.get_mut(&id)) else { continue };
            let start = view.start.get(row);
            let (start, end) = (start.0, start.plus(view.duration.get(row).ns()).0);
            *span =
                Some(span.map_or(Interval::new(start, end), |known| {
                    Interval::new(known.start.min(start), known.end.max(end))
                }));
        }
    }
    spans.into_iter().filter_map(|(id, span)| Some((id, span?))).collect()
}

/// A stage over all ranks and steps.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    first: i64,
    pub count: usize,
    total: i64,
    /// Durations by rank, in all.
    by_rank: BTreeMap<Rank, i64>,
    /// Durations by step: how many, in all, and the longest.
    by_step: BTreeMap<Option<i64>, (usize, i64, i64)>,
}

impl Summary {
    fn add(&mut self, stage: &Stage) {
        let duration = stage.end - stage.start;
        self.first = if self.count == 0 { stage.start } else { self.first.min(stage.start) };
        self.count += 1;
        self.total += duration;
        *self.by_rank.entry(stage.rank).or_default() += duration;
        let (count, total, longest) = self.by_step.entry(stage.step).or_default();
        (*count, *total, *longest) = (*count + 1, *total + duration, duration.max(*longest));
    }

    /// The longest of all.
    pub fn longest(&self) -> i64 {
        self.by_step.values().map(|(_, _, longest)| *longest).max().unwrap_or_default()
    }

    /// Mean over ranks of a step by the longest of them, over all steps: what ranks wait is the rest.
    fn evenness(&self) -> Option<f64> {
        let means: f64 = self.by_step.values().map(|(count, total, _)| *total as f64 / *count as f64).sum();
        let longest: f64 = self.by_step.values().map(|(_, _, longest)| *longest as f64).sum();
        (longest > 0.0).then(|| means / longest)
    }

    /// Mean duration, in ns.
    pub fn mean(&self) -> f64 {
        self.total as f64 / self.count.max(1) as f64
    }

    /// Skew: the longest of a step by the mean over its ranks, over all steps.
    pub fn skew(&self) -> Option<f64> {
        self.evenness().map(|evenness| 1.0 / evenness)
    }

    /// Bubble share: what ranks wait for the longest of a step, by the longest, over all steps: `1 - 1 / skew`.
    pub fn bubble_share(&self) -> Option<f64> {
        self.evenness().map(|evenness| 1.0 - evenness)
    }

    /// The rank that takes longest in all.
    pub fn slowest(&self) -> Option<Rank> {
        self.by_rank.iter().max_by_key(|(rank, total)| (**total, Reverse(**rank))).map(|(rank, _)| *rank)
    }
}

/// How long stages take, by name, in the order in which they begin.
pub fn summaries(stages: &[Stage]) -> Vec<(&str, Summary)> {
    let mut by_name: BTreeMap<&str, Summary> = BTreeMap::new();
    stages.iter().for_each(|stage| by_name.entry(&stage.name).or_default().add(stage));
    let mut summaries: Vec<(&str, Summary)> = by_name.into_iter().collect();
    summaries.sort_by_key(|(_, summary)| summary.first);
    summaries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_rank_of_a_step_keeps_the_others_waiting() {
        let stage = |rank, start, end| Stage { rank, name: "rollout".into(), step: Some(1), start, end };
        let stages = [stage(Rank(0), 0, 30), stage(Rank(1), 0, 10)];
        let summaries = summaries(&stages);
        let (name, summary) = &summaries[0];
        assert_eq!((*name, summary.count, summary.longest(), summary.slowest()), ("rollout", 2, 30, Some(Rank(0))));
        assert_eq!((summary.mean(), summary.skew(), stages[0].role()), (20.0, Some(1.5), Some("rollout")));
        assert!((summary.bubble_share().unwrap() - 1.0 / 3.0).abs() < 1e-12);
        assert!(is_stage("actor_update") && !is_stage("forward") && !is_stage(r#"{"opName": "rollout"}"#));
    }
}
