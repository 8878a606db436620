//! How evenly the ranks that hold experts are loaded.

use std::collections::BTreeMap;

use npuscope_tables::Rank;

use crate::cluster::recipes::ep_load_balance::{ExpertLoad, RankLoad};
use crate::cluster::recipes::module_tree::ModuleOp;

/// Type of grouped matrix products: they are the work of experts.
pub const GROUPED_PRODUCT: &str = "GroupedMatmul";

/// The load of a rank, or of one of its layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    pub rank: Rank,
    /// Ranks of its expert group.
    pub group: Vec<Rank>,
    pub layer: Option<String>,
    pub tokens: Option<i64>,
    /// Time of grouped matrix products, in ns.
    pub duration: Option<i64>,
}

impl Load {
    pub fn of_tokens(load: &RankLoad, duration: Option<i64>) -> Load {
        Load { rank: load.rank, group: load.group.clone(), layer: None, tokens: Some(load.tokens), duration }
    }

    /// `0,1`.
    pub fn group_name(&self) -> String {
        self.group.iter().map(Rank::to_string).collect::<Vec<_>>().join(",")
    }

    /// What ranks are compared by: tokens, else time.
    fn weight(&self) -> f64 {
        self.tokens.or(self.duration).unwrap_or_default() as f64
    }
}

/// The time of grouped matrix products in each module of each rank in an expert group, forward and backward together.
pub fn by_layer(modules: &[(Rank, Vec<ModuleOp>)], balance: &ExpertLoad) -> Vec<Load> {
    let mut sums: BTreeMap<(Rank, &str), i64> = BTreeMap::new();
    for (rank, rows) in modules {
        for row in rows.iter().filter(|row| row.kernels.iter().any(|kernel| kernel.contains(GROUPED_PRODUCT))) {
            let layer = row.module.strip_prefix("[Backward]").unwrap_or(&row.module).trim();
            *sums.entry((*rank, layer)).or_default() += row.total;
        }
    }
    let load = |((rank, layer), duration): ((Rank, &str), i64)| {
        let group = balance.ranks.iter().find(|load| load.rank == rank)?.group.clone();
        Some(Load { rank, group, layer: Some(layer.to_owned()), tokens: None, duration: Some(duration) })
    };
    sums.into_iter().filter_map(load).collect()
}

/// Load of each by the mean load of its group and layer: `load * ranks / sum of loads`.
pub fn shares_of_mean(loads: &[Load]) -> Vec<Option<f64>> {
    /// Ranks of a group, and a layer.
    type Place<'a> = (&'a [Rank], Option<&'a str>);
    let mut sums: BTreeMap<Place<'_>, (f64, usize)> = BTreeMap::new();
    for load in loads {
        let sum = sums.entry((&load.group, load.layer.as_deref())).or_default();
        (sum.0, sum.1) = (sum.0 + load.weight(), sum.1 + 1);
    }
    let share = |load: &Load| {
        let (sum, count) = sums.get(&(load.group.as_slice(), load.layer.as_deref())).copied()?;
        (sum > 0.0).then(|| load.weight() * count as f64 / sum)
    };
    loads.iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_compared_within_their_group() {
        let load = |rank, group: &[i64], tokens| Load {
            rank: Rank(rank),
            group: group.iter().copied().map(Rank).collect(),
            layer: None,
            tokens: Some(tokens),
            duration: None,
        };
        let loads = [load(0, &[0, 1], 30), load(1, &[0, 1], 10), load(2, &[2, 3], 7)];
        assert_eq!(shares_of_mean(&loads), [Some(1.5), Some(0.5), Some(1.0)]);
        assert_eq!(loads[0].group_name(), "0,1");
    }
}
