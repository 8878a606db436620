//! How evenly experts are loaded.

use npuscope_analysis::cluster::Options;
use npuscope_analysis::cluster::recipes::{ep_load_balance, module_statistic};
use npuscope_analysis::experts::{GROUPED_PRODUCT, Load, by_layer, shares_of_mean};
use npuscope_tables::Rank;

use crate::columns;
use crate::sql::{self, Time, quoted, rows};
use crate::{Made, NotMade, Question, Source};

/// The load of ranks that hold experts: by layer the time of grouped matrix products, where modules are marked; else
/// the tokens of each step.
pub fn experts(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let balance = question.ask(source, Options::default(), ep_load_balance::rows)?;
    let mut loads = match question.ask(source, Options::default(), module_statistic::rows) {
        Ok(modules) => by_layer(&modules, &balance),
        Err(NotMade::Missing { .. }) => Vec::new(),
        Err(error) => return Err(error),
    };
    if loads.is_empty() {
        let durations = grouped_products(source, question)?;
        let duration = |rank: Rank| durations.iter().find(|(known, _)| *known == rank).map(|(_, duration)| *duration);
        loads.extend(balance.ranks.iter().map(|load| Load::of_tokens(load, duration(load.rank))));
    }
    let shares = shares_of_mean(&loads);
    columns::made(vec![
        ("rank", columns::ranks(loads.iter().map(|load| load.rank))),
        ("group", columns::texts(loads.iter().map(|load| Some(load.group_name())))),
        ("layer", columns::texts(loads.iter().map(|load| load.layer.as_deref()))),
        ("step", columns::ints(loads.iter().map(|_| question.scope.step))),
        ("tokens", columns::ints(loads.iter().map(|load| load.tokens))),
        ("duration", columns::ints(loads.iter().map(|load| load.duration))),
        ("share_of_mean", columns::reals(shares)),
    ])
}

/// The time of grouped matrix products of each rank.
fn grouped_products(source: &Source<'_>, question: &Question<'_>) -> Result<Vec<(Rank, i64)>, NotMade> {
    let batch = sql::batch(
        source,
        &format!(
            "SELECT rank, sum(duration) AS duration FROM {} WHERE op_type = {} GROUP BY rank",
            rows("kernel", Time::Kernel, &question.scope),
            quoted(GROUPED_PRODUCT)
        ),
    )?;
    let durations = sql::ints(&batch, "rank").into_iter().zip(sql::ints(&batch, "duration"));
    Ok(durations.filter_map(|(rank, duration)| rank.map(Rank).zip(duration)).collect())
}
