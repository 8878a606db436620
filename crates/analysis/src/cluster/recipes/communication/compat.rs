//! How msprof-analyze finds stages, and which layouts it understands.

use std::collections::BTreeSet;

use npuscope_tables::Rank;

use super::Reported;
use super::groups::used_groups;
use crate::layout::Origin;

/// Whether msprof-analyze numbers ranks along the dimensions: it needs metadata without context parallelism, and no
/// more ranks than that has.
pub fn has_indices(reported: &Reported) -> bool {
    let layout = &reported.layout;
    let present = i64::try_from(reported.ranks.len()).unwrap_or(i64::MAX);
    layout.origin == Origin::Metadata && layout.sizes.cp == 1 && present <= layout.sizes.world
}

/// Stages, from groups that send and receive and are called `pp…`: ranks that collectives join, where these do not
/// join ranks of one pipeline.
pub fn stages(reported: &Reported) -> Vec<Vec<Rank>> {
    let groups = used_groups(reported);
    let is_pipe = |group: &&super::groups::UsedGroup| {
        group.is_point_to_point && group.pg_name(reported).to_ascii_lowercase().starts_with("pp")
    };
    let pipelines = pipelines(groups.values().filter(is_pipe).map(|group| group.users.clone()).collect());
    if pipelines.is_empty() {
        return Vec::new();
    }
    let joins_no_pipeline = |ranks: &BTreeSet<Rank>| pipelines.iter().all(|pipe| pipe.intersection(ranks).count() <= 1);
    let mut stages: Vec<BTreeSet<Rank>> = Vec::new();
    for group in groups.values().filter(|group| !group.is_point_to_point && joins_no_pipeline(&group.users)) {
        let (joined, apart): (Vec<_>, Vec<_>) = stages.into_iter().partition(|stage| !stage.is_disjoint(&group.users));
        stages = apart;
        stages.push(joined.into_iter().flatten().chain(group.users.iter().copied()).collect());
    }
    stages.sort();
    stages.into_iter().map(|stage| stage.into_iter().collect()).collect()
}

/// Pairs of stages joined to pipelines.
fn pipelines(mut pairs: Vec<BTreeSet<Rank>>) -> Vec<BTreeSet<Rank>> {
    pairs.sort();
    let mut pipelines = Vec::new();
    while let Some(mut pipeline) = pairs.first().cloned() {
        let mut absorbed = vec![pipeline.clone()];
        for pair in &pairs {
            if !pair.is_disjoint(&pipeline) {
                pipeline.extend(pair);
                absorbed.push(pair.clone());
            }
        }
        pairs.retain(|pair| !absorbed.contains(pair));
        pipelines.push(pipeline);
    }
    pipelines
}
