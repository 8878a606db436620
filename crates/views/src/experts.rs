//! How evenly experts are loaded.

use std::collections::BTreeMap;

use npuscope_analysis::cluster::Options;

use crate::columns::{self, Results};
use crate::sql::{self, Time, rows};
use crate::{Made, NotMade, Question, Source};

/// The load of a rank.
struct Load {
    rank: i64,
    layer: Option<String>,
    step: Option<i64>,
    tokens: Option<i64>,
    duration: Option<i64>,
}

impl Load {
    /// What ranks are compared by.
    fn weight(&self) -> f64 {
        self.tokens.or(self.duration).unwrap_or_default() as f64
    }
}

/// The load of ranks that hold experts: by layer the time of grouped matrix products, where modules are marked; else
/// the tokens of each step.
pub fn experts(source: &Source<'_>, question: &Question<'_>) -> Result<Made, NotMade> {
    let tokens = question.ask(source, "ep_load_balance", Options::default())?;
    let summary = Results::of(&tokens, "EPTokensSummary");
    let (ranks, groups) = (summary.ints("rank"), summary.texts("epRanks"));
    let group_of: BTreeMap<i64, &str> =
        ranks.iter().copied().zip(groups).filter_map(|(rank, group)| rank.zip(group)).collect();
    let mut loads = match layers(source, question) {
        Ok(loads) => loads,
        Err(NotMade::Missing { .. }) => Vec::new(),
        Err(error) => return Err(error),
    };
    loads.retain(|load| group_of.contains_key(&load.rank));
    if loads.is_empty() {
        let durations = grouped_products(source, question)?;
        let tokens = summary.ints("inputShapesSummary");
        loads.extend(ranks.iter().zip(tokens).filter_map(|(rank, tokens)| {
            let rank = (*rank)?;
            let duration = durations.get(&rank).copied();
            Some(Load { rank, layer: None, step: question.scope.step, tokens, duration })
        }));
    }
    let key = |load: &Load| (group_of.get(&load.rank).copied().unwrap_or_default(), load.layer.clone());
    let mut sums: BTreeMap<(&str, Option<String>), (f64, usize)> = BTreeMap::new();
    for load in &loads {
        let sum = sums.entry(key(load)).or_default();
        (sum.0, sum.1) = (sum.0 + load.weight(), sum.1 + 1);
    }
    let share_of_mean = |load: &Load| {
        let (sum, count) = sums.get(&key(load)).copied()?;
        (sum > 0.0).then(|| load.weight() * count as f64 / sum)
    };
    columns::made(vec![
        ("rank", columns::ints(loads.iter().map(|load| load.rank))),
        ("group", columns::texts(loads.iter().map(|load| group_of.get(&load.rank)))),
        ("layer", columns::texts(loads.iter().map(|load| load.layer.as_deref()))),
        ("step", columns::ints(loads.iter().map(|load| load.step))),
        ("tokens", columns::ints(loads.iter().map(|load| load.tokens))),
        ("duration", columns::ints(loads.iter().map(|load| load.duration))),
        ("share_of_mean", columns::reals(loads.iter().map(share_of_mean))),
    ])
}

/// Grouped matrix products are the work of experts.
const GROUPED: &str = "GroupedMatmul";

/// The time of grouped matrix products in each module of each rank, forward and backward together.
fn layers(source: &Source<'_>, question: &Question<'_>) -> Result<Vec<Load>, NotMade> {
    let answer = question.ask(source, "module_statistic", Options::default())?;
    let modules = Results::of(&answer, "ModuleStatistic");
    let (names, kernels) = (modules.texts("module"), modules.texts("kernelList"));
    let (totals, ranks) = (modules.ints("totalKernelDuration(ns)"), modules.ints("rankID"));
    let mut sums: BTreeMap<(i64, &str), i64> = BTreeMap::new();
    for (row, name) in names.iter().enumerate() {
        let is_of_experts = kernels[row].is_some_and(|kernels| kernels.contains(GROUPED));
        if let (Some(name), Some(rank), true) = (name, ranks[row], is_of_experts) {
            let name = name.strip_prefix("[Backward]").unwrap_or(name).trim();
            *sums.entry((rank, name)).or_default() += totals[row].unwrap_or_default();
        }
    }
    let load = |((rank, layer), duration): ((i64, &str), i64)| Load {
        rank,
        layer: Some(layer.to_owned()),
        step: question.scope.step,
        tokens: None,
        duration: Some(duration),
    };
    Ok(sums.into_iter().map(load).collect())
}

/// The time of grouped matrix products of each rank.
fn grouped_products(source: &Source<'_>, question: &Question<'_>) -> Result<BTreeMap<i64, i64>, NotMade> {
    let batch = sql::batch(
        source,
        &format!(
            "SELECT rank, sum(duration) AS duration FROM {} WHERE op_type = '{GROUPED}' GROUP BY rank",
            rows("kernel", Time::Kernel, &question.scope)
        ),
    )?;
    let durations = sql::ints(&batch, "rank").into_iter().zip(sql::ints(&batch, "duration"));
    Ok(durations.filter_map(|(rank, duration)| rank.zip(duration)).collect())
}
