//! `ep_load_balance`: Compute how evenly tokens are distributed among the ranks of each expert-parallel group.
//!
//! Reads the groups in `metadata`, and kernels of type `GroupedMatmul` that belong to the selected step. The tokens
//! of a kernel are the sum of the first dimensions of its input tensors, without the last two tensors (weights and
//! group sizes).
//!
//! - `EPTokensSummary`: number of tokens and kernels per rank, with the ranks of its expert group;
//! - `TopEPTokensInfo`: the `--top_num` (20) expert groups with the largest difference between ranks, with the ranks
//!   that have the most and the fewest tokens, and the ratio of maximum to mean.
//!
//! Expert groups are named exp, ep, expert, expert_parallel or expert_model_parallel, with or without `_group`. With
//! `--compat`, only groups named exp are used, and kernels must also end in the step.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_tables::column::CellView;
use npuscope_tables::table::kernel;
use npuscope_tables::{Rank, Selection, TableId};
use serde::{Deserialize, Serialize};

use crate::cluster::{Absent, Answer, Failure, Job, Mode, RankData};
use crate::communication::parallel_groups;
use crate::extract::Analysis;
use crate::layout::GroupKind;
use crate::messages::collection;

pub const MODE: Mode = Mode {
    name: "ep_load_balance",
    folder: "EPLoadBalance",
    about: "Compute the balance of tokens between expert-parallel ranks",
    run,
};

const DEFAULT_TOP: usize = 20;

/// How tokens are divided among the ranks that hold experts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpertLoad {
    /// By rank.
    pub ranks: Vec<RankLoad>,
    /// The groups with the greatest difference between ranks first, the `--top_num` first of them.
    pub groups: Vec<GroupLoad>,
}

/// The load of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankLoad {
    pub rank: Rank,
    /// Ranks of its expert group.
    pub group: Vec<Rank>,
    pub tokens: i64,
    /// Kernels that the tokens went through.
    pub kernels: usize,
}

/// The load of an expert group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupLoad {
    /// Its ranks.
    pub group: Vec<Rank>,
    /// Most tokens of a rank less fewest.
    pub difference: i64,
    /// The rank with most tokens; of several the first.
    pub busiest: Rank,
    /// The rank with fewest tokens.
    pub idlest: Rank,
    /// Most tokens of a rank by the mean.
    pub max_by_mean: f64,
}

/// The extract of a rank.
#[derive(Serialize, Deserialize)]
struct Part {
    /// Ranks of its expert group.
    group: Vec<Rank>,
    tokens: i64,
    kernels: usize,
}

/// The load of each rank; nothing of a rank in no expert group.
#[derive(Serialize)]
struct Loads {
    compat: bool,
}

impl Analysis for Loads {
    type Extract = Option<Part>;
    const NAME: &'static str = "ep_load_balance";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        Selection::of(&[TableId::Kernel]).without_metrics()
    }

    fn map(&self, data: &RankData<'_>) -> Result<Option<Part>, Absent> {
        Ok(part(data, self.compat))
    }
}

/// How evenly tokens are divided.
pub fn rows(job: &Job<'_>) -> Result<ExpertLoad, Failure> {
    let compat = job.options.compat;
    let parts = job.extracts(&Loads { compat })?;
    let load = |(rank, part): (Rank, Option<Part>)| {
        let Part { group, tokens, kernels } = part?;
        Some(RankLoad { rank, group, tokens, kernels })
    };
    let ranks: Vec<RankLoad> = parts.into_iter().filter_map(load).collect();
    if ranks.is_empty() {
        let hint = collection::collect_parallel_groups();
        return Err(Failure::missing(MODE.name, collection::data_expert_group(), hint));
    }
    if ranks.iter().all(|rank| rank.kernels == 0) {
        let hint = collection::collect_grouped_matmul();
        return Err(Failure::missing(MODE.name, collection::data_grouped_matmul(), hint));
    }
    let top = job.options.top_num.filter(|_| !compat).unwrap_or(DEFAULT_TOP);
    let groups = group_loads(&ranks, top);
    Ok(ExpertLoad { ranks, groups })
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let rows = rows(job)?;
    let compat = job.options.compat;
    Ok(Answer::of_tables([rank_table(&rows.ranks, compat), group_table(&rows.groups, compat)]))
}

/// Nothing for a rank in no expert group.
fn part(data: &RankData<'_>, compat: bool) -> Option<Part> {
    let tables = &data.tables;
    let is_expert = |purpose: &str| match compat {
        true => purpose == "exp",
        false => GroupKind::of_name(purpose) == Some(GroupKind::Ep),
    };
    let group = parallel_groups(tables).into_iter().find(|group| is_expert(&group.purpose))?;
    let mut part = Part { group: group.ranks, tokens: 0, kernels: 0 };
    for (view, rows) in tables.views::<kernel::Row>() {
        for row in (0..rows).filter(|row| tables.opt_text(view.op_type.get(*row)) == Some("GroupedMatmul")) {
            let end = view.start.get(row).plus(view.duration.get(row).ns());
            // msprof-analyze takes kernels that also end in the marker.
            let is_chosen = data.has_kernel(&view, row) && (!compat || data.has_moment(end));
            let shapes = tables.opt_text(view.input_shapes.get(row)).unwrap_or_default();
            if let Some(tokens) = tokens_of(shapes).filter(|_| is_chosen) {
                part.tokens += tokens;
                part.kernels += 1;
            }
        }
    }
    Some(part)
}

/// The first dimensions of all tensors but the last two, added; nothing for fewer than two.
fn tokens_of(shapes: &str) -> Option<i64> {
    let tensors: Vec<&str> = shapes.trim_matches('"').split(';').filter(|shape| !shape.is_empty()).collect();
    let inputs = tensors.get(..tensors.len().checked_sub(2)?)?;
    let first = |shape: &&str| shape.split(',').next().and_then(|dimension| dimension.trim().parse::<i64>().ok());
    Some(inputs.iter().filter_map(first).sum())
}

fn listed(ranks: &[Rank]) -> String {
    ranks.iter().map(Rank::to_string).collect::<Vec<_>>().join(",")
}

fn group_loads(ranks: &[RankLoad], top: usize) -> Vec<GroupLoad> {
    let mut groups: BTreeMap<&[Rank], Vec<(i64, Rank)>> = BTreeMap::new();
    for load in ranks {
        groups.entry(&load.group).or_default().push((load.tokens, load.rank));
    }
    let mut loads = Vec::new();
    for (group, tokens) in groups {
        let Some((most, busiest)) = tokens.iter().copied().max_by_key(|(tokens, rank)| (*tokens, Reverse(*rank)))
        else {
            continue;
        };
        let Some((fewest, idlest)) = tokens.iter().copied().min() else { continue };
        let mean = tokens.iter().map(|(tokens, _)| *tokens as f64).sum::<f64>() / tokens.len() as f64;
        let (group, difference, max_by_mean) = (group.to_vec(), most - fewest, most as f64 / mean);
        loads.push(GroupLoad { group, difference, busiest, idlest, max_by_mean });
    }
    loads.sort_by_key(|load| Reverse(load.difference));
    loads.truncate(top);
    loads
}

fn rank_table(rows: &[RankLoad], compat: bool) -> ResultTable {
    let key = [("rank", ColumnKind::Int), ("epRanks", ColumnKind::Text), ("inputShapesSummary", ColumnKind::Int)];
    let more = [("kernelCount", ColumnKind::Int)];
    let columns = [&key[..], if compat { &[] } else { &more }].concat();
    let mut table = ResultTable::new("EPTokensSummary", "ep_tokens_summary", &columns);
    for row in rows {
        table.push([Cell::from(row.rank), listed(&row.group).into(), row.tokens.into(), row.kernels.into()]);
    }
    table
}

fn group_table(rows: &[GroupLoad], compat: bool) -> ResultTable {
    let key = [("epRanks", ColumnKind::Text), ("tokensDiff", ColumnKind::Int)];
    let more = [("maxRank", ColumnKind::Int), ("minRank", ColumnKind::Int), ("maxByMean", ColumnKind::Real)];
    let columns = [&key[..], if compat { &[] } else { &more }].concat();
    let mut table = ResultTable::new("TopEPTokensInfo", "top_ep_tokens_info", &columns);
    for row in rows {
        let key = [Cell::from(listed(&row.group)), row.difference.into()];
        table.push(key.into_iter().chain([row.busiest.into(), row.idlest.into(), row.max_by_mean.into()]));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_the_rows_of_what_is_multiplied() {
        assert_eq!(tokens_of("\"64,512;32,512;4,512,512;8\""), Some(96));
        assert_eq!(tokens_of("64,512;;4,512,512;8"), Some(64));
        assert_eq!(tokens_of("64,512"), None);
    }
}
