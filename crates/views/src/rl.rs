//! Stages of reinforcement learning.

use npuscope_analysis::messages::collection::{collect_rl_stages, data_rl_stages};
use npuscope_analysis::rl_stages::{self, Stage, Summary, summaries};

use crate::columns;
use crate::{Made, NotMade, Question, Source};

/// Stages in time.
pub fn stages(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let stages = read(source, question)?;
    columns::made(vec![
        ("rank", columns::ranks(stages.iter().map(|stage| stage.rank))),
        ("stage", columns::texts(stages.iter().map(|stage| Some(&stage.name)))),
        ("role", columns::texts(stages.iter().map(Stage::role))),
        ("step", columns::ints(stages.iter().map(|stage| stage.step))),
        ("start", columns::ints(stages.iter().map(|stage| stage.start - source.origin))),
        ("duration", columns::ints(stages.iter().map(Stage::duration))),
    ])
}

fn read(source: &Source<'_>, question: &Question<'_>) -> Result<Vec<Stage>, NotMade> {
    let stages = rl_stages::ask(source.store, &question.sources(source), &question.scope)?;
    stages.ok_or_else(|| NotMade::missing(data_rl_stages(), collect_rl_stages()))
}

/// Durations of stages and late ranks, in the order in which the stages start.
pub fn stage_summary(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let stages = read(source, question)?;
    let summaries = summaries(&stages);
    let of = || summaries.iter().map(|(_, summary)| summary);
    columns::made(vec![
        ("stage", columns::texts(summaries.iter().map(|(name, _)| Some(*name)))),
        ("count", columns::ints(of().map(|summary| summary.count as i64))),
        ("mean", columns::reals(of().map(Summary::mean))),
        ("max", columns::ints(of().map(Summary::longest))),
        ("skew", columns::reals(of().map(Summary::skew))),
        ("bubble_share", columns::reals(of().map(Summary::bubble_share))),
        ("slowest_rank", columns::ranks(of().map(Summary::slowest))),
    ])
}
