//! `hccl_sum`: how long communication operations took.
//!
//! Reads `comm_op`; an operation counts if it belongs to the chosen step. Durations are grouped
//! - by type of operation over all ranks: `HcclAllRankStats`;
//! - by type and rank: `HcclPerRankStats`;
//! - by name over all ranks, the `--top_num` (15) with the greatest mean: `HcclTopOpStats`, with the ranks of
//!   the shortest and the longest;
//!
//! and `HcclGroupNameMap` lists the ranks of each communication group, with the last three digits of the
//! hash of its name, which names of operations carry.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_tables::table::comm_op;
use npuscope_tables::{Rank, Selection, Str, TableId};
use serde::{Deserialize, Serialize};

use super::STAT_COLUMNS;
use crate::cluster::statistics::{Sum, Summary};
use crate::cluster::{Absent, Answer, Failure, Job, Mode, RankData};
use crate::communication::op_type;
use crate::extract::{Analysis, Text};

pub const MODE: Mode =
    Mode { name: "hccl_sum", folder: "HcclSum", about: "How long communication operations took", run };

const DEFAULT_TOP: usize = 15;

/// Durations in ns by what they are grouped by.
type Durations<K> = BTreeMap<K, Vec<f64>>;

/// What is kept of a rank.
#[derive(Serialize, Deserialize)]
struct Part {
    by_type: Durations<Text>,
    /// Names and durations of all operations.
    operations: Vec<(Text, f64)>,
    /// Name and hash of each group.
    groups: BTreeMap<Text, Text>,
}

/// The communication operations of each rank.
#[derive(Serialize)]
struct Operations {
    compat: bool,
}

impl Analysis for Operations {
    type Extract = Part;
    const NAME: &'static str = "hccl_sum";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        Selection::of(&[TableId::CommOp])
    }

    fn map(&self, data: &RankData<'_>) -> Result<Part, Absent> {
        Ok(part(data, self.compat))
    }
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let parts = job.extracts(&Operations { compat: job.options.compat })?;
    if parts.iter().all(|(_, part)| part.operations.is_empty()) {
        let hint = "collect at level1, or level_none with mstx, on more than one NPU";
        return Err(Failure::missing(MODE.name, "communication operations", hint));
    }
    let top = job.options.top_num.unwrap_or(DEFAULT_TOP);
    Ok(Answer::of_tables([all_ranks(&parts), per_rank(&parts), top_operations(&parts, top), group_names(&parts)]))
}

fn part(data: &RankData<'_>, compat: bool) -> Part {
    let tables = &data.tables;
    let mut by_type: HashMap<&str, Vec<f64>> = HashMap::new();
    let mut operations = Vec::with_capacity(tables.len(TableId::CommOp));
    let mut names: HashMap<Str, Text> = HashMap::new();
    let mut groups: HashMap<Str, Str> = HashMap::new();
    for op in tables.rows::<comm_op::Row>().filter(|op| data.has_operation(op)) {
        let duration = op.duration.ns() as f64;
        // msprof-analyze has no type where the profiler recorded none.
        let kind = if compat { tables.opt_text(op.op_type).unwrap_or("N/A") } else { op_type(tables, &op) };
        by_type.entry(kind).or_default().push(duration);
        let name = names.entry(op.name).or_insert_with(|| tables.text(op.name).into());
        operations.push((name.clone(), duration));
        if let Some((name, hash)) = op.group_name.zip(op.group_hash) {
            groups.entry(name).or_insert(hash);
        }
    }
    let text = |id: Str| Text::from(tables.text(id));
    Part {
        by_type: by_type.into_iter().map(|(kind, durations)| (kind.into(), durations)).collect(),
        operations,
        groups: groups.into_iter().map(|(name, hash)| (text(name), text(hash))).collect(),
    }
}

fn all_ranks(parts: &[(Rank, Part)]) -> ResultTable {
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

fn per_rank(parts: &[(Rank, Part)]) -> ResultTable {
    let columns = [&[("OpType", ColumnKind::Text)], STAT_COLUMNS, &[("Rank", ColumnKind::Int)]].concat();
    let mut table = ResultTable::new("HcclPerRankStats", "rank_stats", &columns).indexed(1);
    for (rank, part) in parts {
        for (kind, durations) in &part.by_type {
            let cells = Summary::of(durations).cells();
            table.push([Cell::from(kind)].into_iter().chain(cells).chain([Cell::from(*rank)]));
        }
    }
    table
}

fn top_operations(parts: &[(Rank, Part)], top: usize) -> ResultTable {
    let ranks = [("MinRank", ColumnKind::Int), ("MaxRank", ColumnKind::Int)];
    let columns = [&[("OpName", ColumnKind::Text)], STAT_COLUMNS, &ranks].concat();
    let mut table = ResultTable::new("HcclTopOpStats", "top_op_stats", &columns).indexed(1);
    let mut means: HashMap<&str, (Sum, f64)> = HashMap::new();
    for (name, duration) in parts.iter().flat_map(|(_, part)| &part.operations) {
        let (sum, count) = means.entry(name).or_default();
        sum.add(*duration);
        *count += 1.0;
    }
    let mut means: Vec<(&str, f64)> =
        means.into_iter().map(|(name, (sum, count))| (name, sum.total() / count)).collect();
    means.sort_unstable_by(|(a_name, a), (b_name, b)| b.total_cmp(a).then_with(|| a_name.cmp(b_name)));
    means.truncate(top);
    let mut samples: HashMap<&str, Vec<(Rank, f64)>> = means.iter().map(|(name, _)| (*name, Vec::new())).collect();
    for (rank, part) in parts {
        for (name, duration) in &part.operations {
            if let Some(samples) = samples.get_mut(&**name) {
                samples.push((*rank, *duration));
            }
        }
    }
    for (name, _) in means {
        let samples = samples.remove(name).unwrap_or_default();
        let summary = Summary::of(&samples.iter().map(|(_, duration)| *duration).collect::<Vec<_>>());
        let rank_of = |value: f64| samples.iter().find(|(_, d)| *d == value).map_or(Rank(-1), |(rank, _)| *rank);
        let ranks = [summary.min, summary.max].map(|value| Cell::from(rank_of(value)));
        table.push([Cell::from(name)].into_iter().chain(summary.cells()).chain(ranks));
    }
    table
}

fn group_names(parts: &[(Rank, Part)]) -> ResultTable {
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
