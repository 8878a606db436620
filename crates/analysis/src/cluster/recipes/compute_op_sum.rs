//! `compute_op_sum`: Summarize the durations of computing kernels.
//!
//! Reads `kernel` without communication kernels. A kernel is counted if it belongs to the selected step. Writes
//! tables of durations:
//!
//! - `ComputeOpAllRankStats`: per operator type and core over all ranks;
//! - `ComputeOpPerRankStatsByOpType`: per operator type, core and rank;
//! - `ComputeOpPerRankStatsByOpName`: per name, operator type, core, input shapes and rank; not written with
//!   `--exclude_op_name`.
//!
//! Rows are sorted by the sum of durations, longest first. Values that the profiler did not record, for example at
//! level0, are `N/A`.

use std::collections::{BTreeMap, HashMap};

use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_tables::column::CellView;
use npuscope_tables::table::kernel;
use npuscope_tables::{Rank, Selection, Str, TableId};
use serde::{Deserialize, Serialize};

use super::STAT_COLUMNS;
use crate::cluster::statistics::Summary;
use crate::cluster::{Absent, Answer, Failure, Job, Mode, RankData};
use crate::communication::is_communication_core;
use crate::extract::{Analysis, Text};
use crate::messages::collection;

pub const MODE: Mode =
    Mode { name: "compute_op_sum", folder: "ComputeOpSum", about: "Summarize the durations of computing kernels", run };

/// The extract of a rank.
#[derive(Serialize, Deserialize)]
struct Kernels {
    /// By name, type, core and shapes.
    by_name: Vec<([Text; 4], Summary)>,
    /// By type and core, with the durations in ns in the order of names.
    by_type: Vec<([Text; 2], Summary, Vec<i64>)>,
}

/// The computing kernels of each rank.
#[derive(Serialize)]
struct Computing;

impl Analysis for Computing {
    type Extract = Kernels;
    const NAME: &'static str = "compute_op_sum";
    const VERSION: u32 = 2;

    fn needs(&self) -> Selection {
        Selection::of(&[TableId::Kernel]).without_metrics()
    }

    fn map(&self, data: &RankData<'_>) -> Result<Kernels, Absent> {
        Ok(kernels(data))
    }
}

/// Durations of kernels of the same type or name, in ns. Values that the profiler did not record are `N/A`.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelTimes {
    /// Of kernels of one name and one list of shapes: these.
    pub name: Option<(Text, Text)>,
    pub op_type: Text,
    pub core: Text,
    /// `None` of all ranks together.
    pub rank: Option<Rank>,
    pub durations: Summary,
}

/// Durations of computing kernels, by sum, longest first.
#[derive(Clone, Debug, PartialEq)]
pub struct ComputeTimes {
    /// Over all ranks, by type and core.
    pub types: Vec<KernelTimes>,
    /// By rank, type and core.
    pub types_of_ranks: Vec<KernelTimes>,
    /// By rank, name, type, core and shapes.
    pub names: Vec<KernelTimes>,
}

/// Durations of computing kernels.
pub fn rows(job: &Job<'_>) -> Result<ComputeTimes, Failure> {
    let ranks = job.extracts(&Computing)?;
    if ranks.iter().all(|(_, kernels)| kernels.by_name.is_empty()) {
        let (what, hint) = (collection::data_computing_kernels(), collection::collect_npu_level0());
        return Err(Failure::missing(MODE.name, what, hint));
    }
    Ok(ComputeTimes { types: types(&ranks), types_of_ranks: types_of_ranks(&ranks), names: names(&ranks) })
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let times = rows(job)?;
    let of_type = ["OpType", "TaskType"];
    let mut tables = vec![
        table("ComputeOpAllRankStats", "all_stats", &of_type, times.types),
        table("ComputeOpPerRankStatsByOpType", "rank_stats_by_optype", &of_type, times.types_of_ranks),
    ];
    if !job.options.exclude_op_name {
        let of_name = ["OpName", "OpType", "TaskType", "InputShapes"];
        tables.push(table("ComputeOpPerRankStatsByOpName", "rank_stats_by_opname", &of_name, times.names));
    }
    Ok(Answer::of_tables(tables))
}

/// A table of rows; with a rank if the rows have one.
fn table(name: &str, file: &str, key: &[&str], rows: Vec<KernelTimes>) -> ResultTable {
    let mut columns: Vec<(&str, ColumnKind)> = key.iter().map(|name| (*name, ColumnKind::Text)).collect();
    columns.extend(STAT_COLUMNS);
    columns.extend(rows.first().and_then(|row| row.rank).map(|_| ("Rank", ColumnKind::Int)));
    let mut table = ResultTable::new(name, file, &columns).indexed(key.len());
    for row in rows {
        let (name, shapes) = row.name.unzip();
        let key = [name, Some(row.op_type), Some(row.core), shapes].into_iter().flatten().map(Cell::from);
        table.push(key.chain(row.durations.cells()).chain(row.rank.map(Cell::from)));
    }
    table
}

fn kernels(data: &RankData<'_>) -> Kernels {
    let tables = &data.tables;
    let mut groups: HashMap<(Str, [Option<Str>; 3]), Vec<i64>> = HashMap::new();
    for (view, rows) in tables.views::<kernel::Row>() {
        for row in (0..rows).filter(|row| data.has_kernel(&view, *row)) {
            let attributes = [view.op_type.get(row), view.core.get(row), view.input_shapes.get(row)];
            let key = (view.name.get(row), attributes);
            groups.entry(key).or_default().push(view.duration.get(row).ns());
        }
    }
    let mut by_name: BTreeMap<[Text; 4], Vec<i64>> = BTreeMap::new();
    for ((name, attributes), durations) in groups {
        let [op_type, core, shapes] = attributes.map(|text| tables.opt_text(text).unwrap_or("N/A"));
        if !is_communication_core(core) {
            let key = [tables.text(name), op_type, core, shapes].map(Text::from);
            by_name.entry(key).or_default().extend(durations);
        }
    }
    let mut by_type: BTreeMap<[Text; 2], Vec<i64>> = BTreeMap::new();
    for ([_, op_type, core, _], durations) in &by_name {
        by_type.entry([op_type.clone(), core.clone()]).or_default().extend(durations);
    }
    Kernels {
        by_name: by_name.into_iter().map(|(key, durations)| (key, summary(&durations))).collect(),
        by_type: by_type.into_iter().map(|(key, durations)| (key, summary(&durations), durations)).collect(),
    }
}

fn summary<'a>(durations: impl IntoIterator<Item = &'a i64>) -> Summary {
    Summary::of(&durations.into_iter().map(|ns| *ns as f64).collect::<Vec<_>>())
}

fn types(ranks: &[(Rank, Kernels)]) -> Vec<KernelTimes> {
    let mut groups: BTreeMap<&[Text; 2], Vec<&[i64]>> = BTreeMap::new();
    for (key, _, durations) in ranks.iter().flat_map(|(_, kernels)| &kernels.by_type) {
        groups.entry(key).or_default().push(durations);
    }
    let of_type = |(key, durations): (&[Text; 2], Vec<&[i64]>)| {
        let [op_type, core] = key.clone();
        KernelTimes { name: None, op_type, core, rank: None, durations: summary(durations.into_iter().flatten()) }
    };
    by_sum(groups.into_iter().map(of_type).collect())
}

fn types_of_ranks(ranks: &[(Rank, Kernels)]) -> Vec<KernelTimes> {
    let of_rank = |(rank, kernels): &(Rank, Kernels)| {
        let rank = Some(*rank);
        let of_type = move |([op_type, core], durations, _): &([Text; 2], Summary, Vec<i64>)| {
            let (op_type, core) = (op_type.clone(), core.clone());
            KernelTimes { name: None, op_type, core, rank, durations: *durations }
        };
        kernels.by_type.iter().map(of_type).collect::<Vec<_>>()
    };
    by_sum(ranks.iter().flat_map(of_rank).collect())
}

fn names(ranks: &[(Rank, Kernels)]) -> Vec<KernelTimes> {
    let of_rank = |(rank, kernels): &(Rank, Kernels)| {
        let rank = Some(*rank);
        let of_name = move |(key, durations): &([Text; 4], Summary)| {
            let [name, op_type, core, shapes] = key.clone();
            KernelTimes { name: Some((name, shapes)), op_type, core, rank, durations: *durations }
        };
        kernels.by_name.iter().map(of_name).collect::<Vec<_>>()
    };
    by_sum(ranks.iter().flat_map(of_rank).collect())
}

/// The greatest sum first.
fn by_sum(mut rows: Vec<KernelTimes>) -> Vec<KernelTimes> {
    rows.sort_by(|a, b| b.durations.sum.total_cmp(&a.durations.sum));
    rows
}
