//! `compute_op_sum`: how long kernels took that compute.
//!
//! Reads `kernel` without communication; a kernel counts if it starts in the chosen step. Durations are grouped
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
use npuscope_tables::{Selection, Str, TableId};

use super::STAT_COLUMNS;
use crate::cluster::statistics::Summary;
use crate::cluster::{Answer, Failure, Job, Mode, RankData};
use crate::communication::is_communication_core;

pub const MODE: Mode =
    Mode { name: "compute_op_sum", folder: "ComputeOpSum", about: "How long kernels took that compute", run };

/// Durations in ns by name, type, core and shapes.
type Kernels = BTreeMap<[String; 4], Vec<f64>>;

/// Key, figures and, where it is of one rank, the rank.
struct Row<'a> {
    key: Vec<&'a str>,
    summary: Summary,
    rank: Option<i64>,
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let ranks = job.each(Selection::of(&[TableId::Kernel]).without_metrics(), |data| Ok(kernels(data)))?;
    if ranks.iter().all(|(_, kernels)| kernels.is_empty()) {
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
    let mut groups: HashMap<(Str, [Option<Str>; 3]), Vec<f64>> = HashMap::new();
    for (view, rows) in tables.views::<kernel::Row>() {
        for row in (0..rows).filter(|row| data.is_in_window(view.start.get(*row))) {
            let attributes = [view.op_type.get(row), view.core.get(row), view.input_shapes.get(row)];
            let key = (view.name.get(row), attributes);
            groups.entry(key).or_default().push(view.duration.get(row).ns() as f64);
        }
    }
    let mut kernels = Kernels::new();
    for ((name, attributes), durations) in groups {
        let [op_type, core, shapes] = attributes.map(|text| tables.opt_text(text).unwrap_or("N/A"));
        if !is_communication_core(core) {
            let key = [tables.text(name), op_type, core, shapes].map(str::to_owned);
            kernels.entry(key).or_default().extend(durations);
        }
    }
    kernels
}

fn all_ranks(ranks: &[(i64, Kernels)]) -> ResultTable {
    let mut groups: BTreeMap<[&str; 2], Vec<f64>> = BTreeMap::new();
    for ([_, op_type, core, _], durations) in ranks.iter().flat_map(|(_, kernels)| kernels) {
        groups.entry([op_type, core]).or_default().extend(durations);
    }
    let rows = groups.iter().map(|(key, durations)| row(key, durations, None));
    table("ComputeOpAllRankStats", "all_stats", &["OpType", "TaskType"], rows.collect())
}

fn by_type(ranks: &[(i64, Kernels)]) -> ResultTable {
    let mut rows = Vec::new();
    for (rank, kernels) in ranks {
        let mut groups: BTreeMap<[&str; 2], Vec<f64>> = BTreeMap::new();
        for ([_, op_type, core, _], durations) in kernels {
            groups.entry([op_type, core]).or_default().extend(durations);
        }
        rows.extend(groups.iter().map(|(key, durations)| row(key, durations, Some(*rank))));
    }
    table("ComputeOpPerRankStatsByOpType", "rank_stats_by_optype", &["OpType", "TaskType"], rows)
}

fn by_name(ranks: &[(i64, Kernels)]) -> ResultTable {
    let rows = ranks.iter().flat_map(|(rank, kernels)| {
        kernels.iter().map(|(key, durations)| row(&key.each_ref().map(String::as_str), durations, Some(*rank)))
    });
    let key = ["OpName", "OpType", "TaskType", "InputShapes"];
    table("ComputeOpPerRankStatsByOpName", "rank_stats_by_opname", &key, rows.collect())
}

fn row<'a>(key: &[&'a str], durations: &[f64], rank: Option<i64>) -> Row<'a> {
    Row { key: key.to_vec(), summary: Summary::of(durations), rank }
}

/// A table of rows, the greatest sum first; with a rank if the rows have one.
fn table(name: &str, file: &str, key: &[&str], mut rows: Vec<Row<'_>>) -> ResultTable {
    let mut columns: Vec<(&str, ColumnKind)> = key.iter().map(|name| (*name, ColumnKind::Text)).collect();
    columns.extend(STAT_COLUMNS);
    columns.extend(rows.first().and_then(|row| row.rank).map(|_| ("Rank", ColumnKind::Int)));
    let mut table = ResultTable::new(name, file, &columns).indexed(key.len());
    rows.sort_by(|a, b| b.summary.sum.total_cmp(&a.summary.sum));
    for row in rows {
        let key = row.key.into_iter().map(Cell::from);
        table.push(key.chain(row.summary.cells()).chain(row.rank.map(Cell::from)));
    }
    table
}
