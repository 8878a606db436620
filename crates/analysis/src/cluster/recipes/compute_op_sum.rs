//! `compute_op_sum`: how long kernels took that compute.
//!
//! Reads `kernel` without communication; a kernel counts if it belongs to the chosen step. Durations are grouped
//! - by operator type and core over all ranks: `ComputeOpAllRankStats`;
//! - by type, core and rank: `ComputeOpPerRankStatsByOpType`;
//! - by name, type, core, input shapes and rank: `ComputeOpPerRankStatsByOpName`, unless
//!   `--exclude_op_name` is given.
//!
//! The greatest sums come first. What the profiler did not record, as at level0, is `N/A`.

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

pub const MODE: Mode =
    Mode { name: "compute_op_sum", folder: "ComputeOpSum", about: "How long kernels took that compute", run };

/// What is kept of a rank.
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

/// Key, figures and, where it is of one rank, the rank.
struct Row<'a> {
    key: &'a [Text],
    summary: Summary,
    rank: Option<Rank>,
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let ranks = job.extracts(&Computing)?;
    if ranks.iter().all(|(_, kernels)| kernels.by_name.is_empty()) {
        let hint = "collect NPU activities at level0 or above";
        return Err(Failure::missing(MODE.name, "computing kernels", hint));
    }
    let mut tables = vec![all_ranks(&ranks), by_type(&ranks)];
    if !job.options.exclude_op_name {
        tables.push(by_name(&ranks));
    }
    Ok(Answer::of_tables(tables))
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

fn all_ranks(ranks: &[(Rank, Kernels)]) -> ResultTable {
    let mut groups: BTreeMap<&[Text; 2], Vec<&[i64]>> = BTreeMap::new();
    for (key, _, durations) in ranks.iter().flat_map(|(_, kernels)| &kernels.by_type) {
        groups.entry(key).or_default().push(durations);
    }
    let rows = groups.into_iter().map(|(key, durations)| {
        let summary = summary(durations.into_iter().flatten());
        Row { key: key.as_slice(), summary, rank: None }
    });
    table("ComputeOpAllRankStats", "all_stats", &["OpType", "TaskType"], rows.collect())
}

fn by_type(ranks: &[(Rank, Kernels)]) -> ResultTable {
    let rows = ranks.iter().flat_map(|(rank, kernels)| {
        kernels.by_type.iter().map(|(key, summary, _)| Row { key, summary: *summary, rank: Some(*rank) })
    });
    table("ComputeOpPerRankStatsByOpType", "rank_stats_by_optype", &["OpType", "TaskType"], rows.collect())
}

fn by_name(ranks: &[(Rank, Kernels)]) -> ResultTable {
    let rows = ranks.iter().flat_map(|(rank, kernels)| {
        kernels.by_name.iter().map(|(key, summary)| Row { key, summary: *summary, rank: Some(*rank) })
    });
    let key = ["OpName", "OpType", "TaskType", "InputShapes"];
    table("ComputeOpPerRankStatsByOpName", "rank_stats_by_opname", &key, rows.collect())
}

/// A table of rows, the greatest sum first; with a rank if the rows have one.
fn table(name: &str, file: &str, key: &[&str], mut rows: Vec<Row<'_>>) -> ResultTable {
    let mut columns: Vec<(&str, ColumnKind)> = key.iter().map(|name| (*name, ColumnKind::Text)).collect();
    columns.extend(STAT_COLUMNS);
    columns.extend(rows.first().and_then(|row| row.rank).map(|_| ("Rank", ColumnKind::Int)));
    let mut table = ResultTable::new(name, file, &columns).indexed(key.len());
    rows.sort_by(|a, b| b.summary.sum.total_cmp(&a.summary.sum));
    for row in rows {
        let key = row.key.iter().map(Cell::from);
        table.push(key.chain(row.summary.cells()).chain(row.rank.map(Cell::from)));
    }
    table
}
