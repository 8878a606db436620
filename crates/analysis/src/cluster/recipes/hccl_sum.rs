//! `hccl_sum`: Summarize the durations of communication operations.
//!
//! Reads `comm_op`. An operation is counted if it belongs to the selected step. Writes these tables:
//!
//! - `HcclAllRankStats`: durations per operation type over all ranks;
//! - `HcclPerRankStats`: durations per operation type and rank;
//! - `HcclTopOpStats`: durations per operation name over all ranks, with the ranks of the shortest and of the longest
//!   operation; the `--top_num` (15) names with the longest mean duration;
//! - `HcclGroupNameMap`: the ranks of each communication group, with the last three digits of the hash of its name.
//!   Operation names contain these digits.

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
use crate::messages::collection;

pub const MODE: Mode =
    Mode { name: "hccl_sum", folder: "HcclSum", about: "Summarize the durations of communication operations", run };

const DEFAULT_TOP: usize = 15;

/// Durations in ns by what they are grouped by.
type Durations<K> = BTreeMap<K, Vec<f64>>;

/// The extract of a rank.
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

/// Durations of the operations of one type, in ns.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeTimes {
    pub op_type: Text,
    /// `None` of all ranks together.
    pub rank: Option<Rank>,
    pub durations: Summary,
}

/// Durations of the operations of one name on all ranks, in ns.
#[derive(Clone, Debug, PartialEq)]
pub struct NameTimes {
    pub name: Text,
    pub durations: Summary,
    /// The ranks of the shortest and of the longest.
    pub shortest_rank: Rank,
    pub longest_rank: Rank,
}

/// A communication group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedGroup {
    pub name: Text,
    /// The last three digits of the hash of its name.
    pub digits: String,
    pub ranks: Vec<Rank>,
}

/// How long communication operations took.
#[derive(Clone, Debug, PartialEq)]
pub struct OperationTimes {
    /// Over all ranks, by type.
    pub types: Vec<TypeTimes>,
    /// By rank and type.
    pub types_of_ranks: Vec<TypeTimes>,
    /// Those with the greatest mean, the greatest first.
    pub longest: Vec<NameTimes>,
    pub groups: Vec<NamedGroup>,
}

/// How long communication operations took, by type, rank and name.
pub fn rows(job: &Job<'_>) -> Result<OperationTimes, Failure> {
    let parts = job.extracts(&Operations { compat: job.options.compat })?;
    if parts.iter().all(|(_, part)| part.operations.is_empty()) {
        let (what, hint) = (collection::data_operations(), collection::collect_level1_or_mstx());
        return Err(Failure::missing(MODE.name, what, hint));
    }
    let top = job.options.top_num.unwrap_or(DEFAULT_TOP);
    Ok(OperationTimes {
        types: types(&parts),
        types_of_ranks: types_of_ranks(&parts),
        longest: longest(&parts, top),
        groups: groups(&parts),
    })
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let times = rows(job)?;
    let of_types = |name: &str, file: &str, rows: &[TypeTimes], with_rank: bool| {
        let rank: &[_] = if with_rank { &[("Rank", ColumnKind::Int)] } else { &[] };
        let columns = [&[("OpType", ColumnKind::Text)], STAT_COLUMNS, rank].concat();
        let mut table = ResultTable::new(name, file, &columns).indexed(1);
        for row in rows {
            let cells = [Cell::from(&row.op_type)].into_iter().chain(row.durations.cells());
            table.push(cells.chain(row.rank.map(Cell::from)));
        }
        table
    };
    Ok(Answer::of_tables([
        of_types("HcclAllRankStats", "all_stats", &times.types, false),
        of_types("HcclPerRankStats", "rank_stats", &times.types_of_ranks, true),
        longest_table(&times.longest),
        group_table(&times.groups),
    ]))
}

fn longest_table(rows: &[NameTimes]) -> ResultTable {
    let ranks = [("MinRank", ColumnKind::Int), ("MaxRank", ColumnKind::Int)];
    let columns = [&[("OpName", ColumnKind::Text)], STAT_COLUMNS, &ranks].concat();
    let mut table = ResultTable::new("HcclTopOpStats", "top_op_stats", &columns).indexed(1);
    for row in rows {
        let ranks = [row.shortest_rank, row.longest_rank].map(Cell::from);
        table.push([Cell::from(&row.name)].into_iter().chain(row.durations.cells()).chain(ranks));
    }
    table
}

fn group_table(rows: &[NamedGroup]) -> ResultTable {
    let columns = [("GroupName", ColumnKind::Text), ("GroupId", ColumnKind::Text), ("Ranks", ColumnKind::Text)];
    let mut table = ResultTable::new("HcclGroupNameMap", "group_name_map", &columns).indexed(1);
    for row in rows {
        let ranks: Vec<String> = row.ranks.iter().map(Rank::to_string).collect();
        table.push([Cell::from(&row.name), row.digits.as_str().into(), ranks.join(";").into()]);
    }
    table
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

fn types(parts: &[(Rank, Part)]) -> Vec<TypeTimes> {
    let mut by_type: Durations<&Text> = Durations::new();
    for (op_type, durations) in parts.iter().flat_map(|(_, part)| &part.by_type) {
        by_type.entry(op_type).or_default().extend(durations);
    }
    let of_type = |(op_type, durations): (&Text, Vec<f64>)| {
        let durations = Summary::of(&durations);
        TypeTimes { op_type: op_type.clone(), rank: None, durations }
    };
    by_type.into_iter().map(of_type).collect()
}

fn types_of_ranks(parts: &[(Rank, Part)]) -> Vec<TypeTimes> {
    let of_rank = |(rank, part): &(Rank, Part)| {
        let rank = Some(*rank);
        let of_type = move |(op_type, durations): (&Text, &Vec<f64>)| {
            let durations = Summary::of(durations);
            TypeTimes { op_type: op_type.clone(), rank, durations }
        };
        part.by_type.iter().map(of_type).collect::<Vec<_>>()
    };
    parts.iter().flat_map(of_rank).collect()
}

fn longest(parts: &[(Rank, Part)], top: usize) -> Vec<NameTimes> {
    let mut means: HashMap<&Text, (Sum, f64)> = HashMap::new();
    for (name, duration) in parts.iter().flat_map(|(_, part)| &part.operations) {
        let (sum, count) = means.entry(name).or_default();
        sum.add(*duration);
        *count += 1.0;
    }
    let mut means: Vec<(&Text, f64)> =
        means.into_iter().map(|(name, (sum, count))| (name, sum.total() / count)).collect();
    means.sort_unstable_by(|(a_name, a), (b_name, b)| b.total_cmp(a).then_with(|| a_name.cmp(b_name)));
    means.truncate(top);
    let mut samples: HashMap<&Text, Vec<(Rank, f64)>> = means.iter().map(|(name, _)| (*name, Vec::new())).collect();
    for (rank, part) in parts {
        for (name, duration) in &part.operations {
            if let Some(samples) = samples.get_mut(name) {
                samples.push((*rank, *duration));
            }
        }
    }
    let of_name = |(name, _): (&Text, f64)| {
        let samples = samples.remove(name).unwrap_or_default();
        let durations = Summary::of(&samples.iter().map(|(_, duration)| *duration).collect::<Vec<_>>());
        let rank_of = |value: f64| samples.iter().find(|(_, d)| *d == value).map_or(Rank(-1), |(rank, _)| *rank);
        let [shortest_rank, longest_rank] = [durations.min, durations.max].map(rank_of);
        NameTimes { name: name.clone(), durations, shortest_rank, longest_rank }
    };
    means.into_iter().map(of_name).collect()
}

fn groups(parts: &[(Rank, Part)]) -> Vec<NamedGroup> {
    let mut groups: BTreeMap<(&str, &Text), Vec<Rank>> = BTreeMap::new();
    for (rank, part) in parts {
        for (name, hash) in &part.groups {
            let digits = hash.get(hash.len().saturating_sub(3)..).unwrap_or(hash);
            groups.entry((digits, name)).or_default().push(*rank);
        }
    }
    let group = |((digits, name), ranks): ((&str, &Text), Vec<Rank>)| NamedGroup {
        name: name.clone(),
        digits: digits.to_owned(),
        ranks,
    };
    groups.into_iter().map(group).collect()
}
