//! Stages of reinforcement learning: what the trainer marked.

use std::collections::BTreeMap;

use crate::columns;
use crate::sql::{self, Time, rows};
use crate::{Made, NotMade, Question, Source};

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

/// Who does a stage, by words in its name.
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

/// A stage on one rank.
struct Stage {
    rank: i64,
    name: String,
    step: Option<i64>,
    start: i64,
    end: i64,
}

/// The ranges of stages: on the device where the range reaches it, else on the host. A stage inside another is part of
/// it.
pub fn stages(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let stages = read(source, question)?;
    columns::made(vec![
        ("rank", columns::ints(stages.iter().map(|stage| stage.rank))),
        ("stage", columns::texts(stages.iter().map(|stage| Some(&stage.name)))),
        ("role", columns::texts(stages.iter().map(|stage| role(&stage.name)))),
        ("step", columns::ints(stages.iter().map(|stage| stage.step))),
        ("start", columns::ints(stages.iter().map(|stage| stage.start - source.origin))),
        ("duration", columns::ints(stages.iter().map(|stage| stage.end - stage.start))),
    ])
}

fn read(source: &Source<'_>, question: &Question<'_>) -> Result<Vec<Stage>, NotMade> {
    let is_stage: Vec<String> = WORDS.iter().map(|word| format!("lower(name) LIKE '%{word}%'")).collect();
    // Marks of communication are JSON.
    let is_stage = format!("kind = 'mstx' AND name NOT LIKE '{{%' AND ({})", is_stage.join(" OR "));
    let batch = sql::batch(
        source,
        &format!(
            "SELECT h.rank, h.name, h.start, h.start + h.duration AS \"end\", min(s.id) AS step, \
             min(t.start) AS device_start, max(t.start + t.duration) AS device_end \
             FROM (SELECT rank, name, start, duration, connection_id FROM {ranges} WHERE {is_stage} AND duration > 0) h \
             LEFT JOIN step s ON s.rank = h.rank AND h.start >= s.start AND h.start < s.\"end\" \
             LEFT JOIN task t ON t.rank = h.rank AND t.connection_id = h.connection_id \
             GROUP BY h.rank, h.name, h.start, h.duration ORDER BY h.rank, h.start, h.duration DESC",
            ranges = rows("host_op", Time::Slice, &question.scope)
        ),
    )?;
    if batch.num_rows() == 0 && !sql::has_rows(source, &format!("SELECT 1 FROM host_op WHERE {is_stage}"))? {
        return Err(NotMade::Missing {
            what: "No rank has user ranges (mstx) of stages such as actor_generate or actor_update.".to_owned(),
            switch: "mark the stages with torch_npu.npu.mstx.range_start and collect with mstx=True".to_owned(),
        });
    }
    let (ranks, names, steps) = (sql::ints(&batch, "rank"), sql::texts(&batch, "name"), sql::ints(&batch, "step"));
    let [start, end, device_start, device_end] =
        ["start", "end", "device_start", "device_end"].map(|name| sql::ints(&batch, name));
    let mut stages: Vec<Stage> = Vec::new();
    // Where on the host the last stage of the rank ends that is in no other.
    let mut outer: Option<(i64, i64)> = None;
    for row in 0..batch.num_rows() {
        let (Some(rank), Some(name), Some(begin), Some(stop)) = (ranks[row], names[row], start[row], end[row]) else {
            continue;
        };
        if outer.is_some_and(|(of, until)| of == rank && stop <= until) {
            continue;
        }
        outer = Some((rank, stop));
        let (from, to) = device_start[row].zip(device_end[row]).unwrap_or((begin, stop));
        stages.push(Stage { rank, name: name.to_owned(), step: steps[row], start: from, end: to });
    }
    Ok(stages)
}

fn role(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    ROLES.iter().find(|(word, _)| name.contains(word)).map(|(_, role)| *role)
}

/// A stage over all ranks and steps.
#[derive(Default)]
struct Summary {
    first: i64,
    count: usize,
    total: i64,
    /// Durations by rank, in all.
    by_rank: BTreeMap<i64, i64>,
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

    fn longest(&self) -> i64 {
        self.by_step.values().map(|(_, _, longest)| *longest).max().unwrap_or_default()
    }

    /// Mean over ranks of a step by the longest of them, over all steps: what ranks wait is the rest.
    fn evenness(&self) -> Option<f64> {
        let means: f64 = self.by_step.values().map(|(count, total, _)| *total as f64 / *count as f64).sum();
        let longest: f64 = self.by_step.values().map(|(_, _, longest)| *longest as f64).sum();
        (longest > 0.0).then(|| means / longest)
    }

    fn slowest(&self) -> Option<i64> {
        self.by_rank.iter().max_by_key(|(rank, total)| (**total, -**rank)).map(|(rank, _)| *rank)
    }
}

/// How long stages take, in the order in which they begin. Skew is the longest by the mean over ranks, bubble share what
/// ranks wait for the longest.
pub fn stage_summary(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let stages = read(source, question)?;
    let mut summaries: BTreeMap<&str, Summary> = BTreeMap::new();
    stages.iter().for_each(|stage| summaries.entry(&stage.name).or_default().add(stage));
    let mut summaries: Vec<(&str, Summary)> = summaries.into_iter().collect();
    summaries.sort_by_key(|(_, summary)| summary.first);
    let of = || summaries.iter().map(|(_, summary)| summary);
    columns::made(vec![
        ("stage", columns::texts(summaries.iter().map(|(name, _)| Some(*name)))),
        ("count", columns::ints(of().map(|summary| summary.count as i64))),
        ("mean", columns::reals(of().map(|summary| summary.total as f64 / summary.count.max(1) as f64))),
        ("max", columns::ints(of().map(Summary::longest))),
        ("skew", columns::reals(of().map(|summary| summary.evenness().map(|evenness| 1.0 / evenness)))),
        ("bubble_share", columns::reals(of().map(|summary| summary.evenness().map(|evenness| 1.0 - evenness)))),
        ("slowest_rank", columns::ints(of().map(Summary::slowest))),
    ])
}
