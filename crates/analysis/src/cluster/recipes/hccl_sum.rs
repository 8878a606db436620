//! `hccl_sum`: how long communication operations took.
//!
//! Reads `comm_op`; an operation counts if it starts in the chosen step. Durations are grouped
//! - by type of operation over all ranks: `HcclAllRankStats`;
//! - by type and rank: `HcclPerRankStats`;
//! - by name over all ranks, the `--top_num` (15) with the greatest mean: `HcclTopOpStats`, with the ranks of
//!   the shortest and the longest;
//!
//! and `HcclGroupNameMap` lists the ranks of each communication group, with the last three digits of the
//! hash of its name, which names of operations carry.

use std::collections::BTreeMap;

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_tables::table::comm_op;
use npuscope_tables::{Selection, TableId};

use super::STAT_COLUMNS;
use crate::cluster::statistics::Summary;
use crate::cluster::{Answer, Failure, Job, Mode, RankData};
use crate::communication::op_type;

pub const MODE: Mode =
    Mode { name: "hccl_sum", folder: "HcclSum", about: "How long communication operations took", run };

const DEFAULT_TOP: usize = 15;

/// Durations in ns by what they are grouped by.
type Durations<K> = BTreeMap<K, Vec<f64>>;

/// What is kept of a rank.
struct Part {
    by_type: Durations<String>,
    by_name: Durations<String>,
    /// Name and hash of each group.
    groups: BTreeMap<String, String>,
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let parts = job.each(Selection::of(&[TableId::CommOp]), |data| Ok(part(data, job.options.compat)))?;
    if parts.iter().all(|(_, part)| part.by_name.is_empty()) {
        let hint = "collect at level1, or level_none with mstx, on more than one NPU";
        return Err(Failure::missing(MODE.name, "communication operations", hint));
    }
    let top = job.options.top_num.unwrap_or(DEFAULT_TOP);
    Ok(Answer::of_tables([all_ranks(&parts), per_rank(&parts), top_operations(&parts, top), group_names(&parts)]))
}

fn part(data: &RankData<'_>, compat: bool) -> Part {
    let mut part = Part { by_type: Durations::new(), by_name: Durations::new(), groups: BTreeMap::new() };
    let tables = &data.tables;
    for op in tables.rows::<comm_op::Row>().filter(|op| data.is_in_window(op.start)) {
        let duration = op.duration.ns() as f64;
        // msprof-analyze has no type where the profiler recorded none.
        let kind = if compat { tables.opt_text(op.op_type).unwrap_or("N/A") } else { op_type(tables, &op) };
        part.by_type.entry(kind.to_owned()).or_default().push(duration);
        part.by_name.entry(tables.text(op.name).to_owned()).or_default().push(duration);
        if let Some((name, hash)) = tables.opt_text(op.group_name).zip(tables.opt_text(op.group_hash)) {
            part.groups.entry(name.to_owned()).or_insert_with(|| hash.to_owned());
        }
    }
    part
}

fn all_ranks(parts: &[(i64, Part)]) -> ResultTable {
    let columns = [&[("OpType", ColumnKind::Text)], STAT_COLUMNS].concat();
    let mut table = ResultTable::new("HcclAllRankStats", "all_stats", &columns).indexed(1);
    let mut by_type: Durations<&str> = Durations::new();
    for (kind, durations) in parts.iter().flat_map(|(_, part)| &part.by_type) {
        by_type.entry(kind).or_default().extend(durations);
    }
    for (kind, durations) in by_type {
        table.push([Cell::from(kind)].into_iter().chain(Summary::of(&durations).cells()));
    }
    table
}

fn per_rank(parts: &[(i64, Part)]) -> ResultTable {
    let columns = [&[("OpType", ColumnKind::Text)], STAT_COLUMNS, &[("Rank", ColumnKind::Int)]].concat();
    let mut table = ResultTable::new("HcclPerRankStats", "rank_stats", &columns).indexed(1);
    for (rank, part) in parts {
        for (kind, durations) in &part.by_type {
            let cells = Summary::of(durations).cells();
            table.push([Cell::from(kind.as_str())].into_iter().chain(cells).chain([Cell::from(*rank)]));
        }
    }
    table
}

fn top_operations(parts: &[(i64, Part)], top: usize) -> ResultTable {
    let ranks = [("MinRank", ColumnKind::Int), ("MaxRank", ColumnKind::Int)];
    let columns = [&[("OpName", ColumnKind::Text)], STAT_COLUMNS, &ranks].concat();
    let mut table = ResultTable::new("HcclTopOpStats", "top_op_stats", &columns).indexed(1);
    let mut by_name: BTreeMap<&str, Vec<(i64, f64)>> = BTreeMap::new();
    for (rank, part) in parts {
        for (name, durations) in &part.by_name {
            by_name.entry(name).or_default().extend(durations.iter().map(|duration| (*rank, *duration)));
        }
    }
    let mut rows: Vec<(&str, Summary, i64, i64)> = by_name
        .into_iter()
        .map(|(name, samples)| {
            let summary = Summary::of(&samples.iter().map(|(_, duration)| *duration).collect::<Vec<_>>());
            let rank_of = |value: f64| samples.iter().find(|(_, d)| *d == value).map_or(-1, |(rank, _)| *rank);
            (name, summary, rank_of(summary.min), rank_of(summary.max))
        })
        .collect();
    rows.sort_by(|a, b| b.1.mean.total_cmp(&a.1.mean));
    for (name, summary, min, max) in rows.into_iter().take(top) {
        table.push([Cell::from(name)].into_iter().chain(summary.cells()).chain([min.into(), max.into()]));
    }
    table
}

fn group_names(parts: &[(i64, Part)]) -> ResultTable {
    let columns = [("GroupName", ColumnKind::Text), ("GroupId", ColumnKind::Text), ("Ranks", ColumnKind::Text)];
    let mut table = ResultTable::new("HcclGroupNameMap", "group_name_map", &columns).indexed(1);
    let mut groups: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for (rank, part) in parts {
        for (name, hash) in &part.groups {
            let digits = hash.get(hash.len().saturating_sub(3)..).unwrap_or(hash);
            groups.entry((digits, name)).or_default().push(rank.to_string());
        }
    }
    for ((digits, name), ranks) in groups {
        table.push([name.into(), digits.into(), ranks.join(";").into()]);
    }
    table
}
