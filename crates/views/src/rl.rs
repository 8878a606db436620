//! Stages of reinforcement learning.

use npuscope_analysis::rl_stages::{self, NEEDS, Stage, Summary, summaries};

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
    let read = |ranks: &[_]| {
        source.store.each(ranks, NEEDS, |rank, tables| rl_stages::stages(rank.rank, &tables, &question.scope))
    };
    let of_ranks = read(&question.sources(source))?;
    let has_any = of_ranks.iter().any(Option::is_some);
    // Others may have stages: then the chosen ranks have none.
    if !has_any && !read(&source.store.profile().ranks.iter().collect::<Vec<_>>())?.iter().any(Option::is_some) {
        return Err(NotMade::Missing {
            what: "No rank has user ranges (mstx) of stages such as actor_generate or actor_update.".to_owned(),
            switch: "mark the stages with torch_npu.npu.mstx.range_start and collect with mstx=True".to_owned(),
        });
    }
    Ok(of_ranks.into_iter().flatten().flatten().collect())
}

/// How long stages take and who is late, in the order in which they begin.
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
