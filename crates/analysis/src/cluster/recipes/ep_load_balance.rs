//! `ep_load_balance`: how evenly tokens are divided among the ranks that hold experts.
//!
//! Reads the groups in `metadata` and kernels of type `GroupedMatmul` that start in the chosen step. Tokens of a
//! kernel are the first dimensions of its input tensors, added, without the last two, weights and sizes of groups.
//! - `EPTokensSummary`: tokens and kernels by rank, with the ranks of its expert group;
//! - `TopEPTokensInfo`: expert groups, the `--top_num` (20) with the greatest difference between ranks; the ranks
//!   with most and fewest tokens, and most by mean.
//!
//! An expert group is called exp, ep, expert, expert_parallel or expert_model_parallel, with or without `_group`.
//! With `--compat` it is called exp, and kernels must end in the step as well.

use std::collections::BTreeMap;

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_tables::column::CellView;
use npuscope_tables::table::kernel;
use npuscope_tables::{Selection, TableId};

use crate::cluster::{Answer, Failure, Job, Mode, RankData};
use crate::communication::parallel_groups;
use crate::layout::GroupKind;

pub const MODE: Mode = Mode {
    name: "ep_load_balance",
    folder: "EPLoadBalance",
    about: "How evenly tokens are divided among the ranks that hold experts",
    run,
};

const DEFAULT_TOP: usize = 20;

/// What is kept of a rank.
struct Part {
    /// Ranks of its expert group.
    group: Vec<i64>,
    tokens: i64,
    kernels: usize,
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let compat = job.options.compat;
    let parts = job.each(Selection::of(&[TableId::Kernel]).without_metrics(), |data| Ok(part(data, compat)))?;
    let parts: Vec<(i64, Part)> = parts.into_iter().filter_map(|(rank, part)| Some((rank, part?))).collect();
    if parts.is_empty() {
        let hint = "add parallel_group_info to the profiler's metadata, as Megatron and MindSpeed do";
        return Err(Failure::missing(MODE.name, "a group of ranks that share experts", hint));
    }
    if parts.iter().all(|(_, part)| part.kernels == 0) {
        let hint = "collect a model with grouped matrix products at level1 or above";
        return Err(Failure::missing(MODE.name, "kernels of type GroupedMatmul with their shapes", hint));
    }
    let top = job.options.top_num.filter(|_| !compat).unwrap_or(DEFAULT_TOP);
    Ok(Answer::of_tables([tokens(&parts, compat), differences(&parts, top, compat)]))
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
            let start = view.start.get(row);
            let end = if compat { start.plus(view.duration.get(row).ns()) } else { start };
            let shapes = tables.opt_text(view.input_shapes.get(row)).unwrap_or_default();
            if let Some(tokens) = tokens_of(shapes).filter(|_| data.is_in_window(start) && data.is_in_window(end)) {
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

fn listed(ranks: &[i64]) -> String {
    ranks.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}

fn tokens(parts: &[(i64, Part)], compat: bool) -> ResultTable {
    let key = [("rank", ColumnKind::Int), ("epRanks", ColumnKind::Text), ("inputShapesSummary", ColumnKind::Int)];
    let more = [("kernelCount", ColumnKind::Int)];
    let columns = [&key[..], if compat { &[] } else { &more }].concat();
    let mut table = ResultTable::new("EPTokensSummary", "ep_tokens_summary", &columns);
    for (rank, part) in parts {
        table.push([Cell::from(*rank), listed(&part.group).into(), part.tokens.into(), part.kernels.into()]);
    }
    table
}

fn differences(parts: &[(i64, Part)], top: usize, compat: bool) -> ResultTable {
    let key = [("epRanks", ColumnKind::Text), ("tokensDiff", ColumnKind::Int)];
    let more = [("maxRank", ColumnKind::Int), ("minRank", ColumnKind::Int), ("maxByMean", ColumnKind::Real)];
    let columns = [&key[..], if compat { &[] } else { &more }].concat();
    let mut table = ResultTable::new("TopEPTokensInfo", "top_ep_tokens_info", &columns);
    let mut groups: BTreeMap<&[i64], Vec<(i64, i64)>> = BTreeMap::new();
    for (rank, part) in parts {
        groups.entry(&part.group).or_default().push((part.tokens, *rank));
    }
    let mut rows = Vec::new();
    for (group, tokens) in groups {
        // Of several ranks with as many tokens, the first.
        let Some((most, busiest)) = tokens.iter().copied().max_by_key(|(tokens, rank)| (*tokens, -rank)) else {
            continue;
        };
        let Some((fewest, idlest)) = tokens.iter().copied().min() else { continue };
        let mean = tokens.iter().map(|(tokens, _)| *tokens as f64).sum::<f64>() / tokens.len() as f64;
        rows.push((most - fewest, group, busiest, idlest, most as f64 / mean));
    }
    rows.sort_by_key(|(difference, ..)| std::cmp::Reverse(*difference));
    for (difference, group, busiest, idlest, by_mean) in rows.into_iter().take(top) {
        table.push([Cell::from(listed(group)), difference.into(), busiest.into(), idlest.into(), by_mean.into()]);
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
