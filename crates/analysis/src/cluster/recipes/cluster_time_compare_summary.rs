//! `cluster_time_compare_summary`: where the time of steps went, compared with a baseline.
//!
//! Needs a baseline (`--bp`). `ClusterTimeCompareSummary` has every time of `ClusterTimeSummary` by rank and step as
//! it is, as it is in the baseline (`…Base`) and their difference (`…Diff`), in us; steps that the baseline lacks
//! are left out. If there are results of `cluster_time_summary` for both, below their directories in
//! `cluster_analysis_output/cluster_analysis.db`, these are compared; else both are summed up anew.
//!
//! With `--compat` there must be results for both.

use std::path::Path;

use npuscope_formats::db;
use npuscope_formats::discover::SourceFile;
use npuscope_formats::file_kind::FileKind;
use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_tables::RankBuilder;
use npuscope_tables::table::sheet;

use super::cluster_time_summary::{METRICS, Summary, TABLE, summarise};
use crate::cluster::{Answer, Failure, Job, Mode, OUTPUT_DIRECTORY, Options};

pub const MODE: Mode = Mode {
    name: "cluster_time_compare_summary",
    folder: "ClusterTimeCompareSummary",
    about: "Where the time of steps went, compared with a baseline",
    run,
};

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let Some(baseline) = &job.options.baseline else {
        return Err(Failure::Usage(format!("{} needs a baseline: --bp DIR", MODE.name)));
    };
    let (ours, base) = match (result(job.root()), result(baseline)) {
        (Some(ours), Some(base)) => (ours, base),
        (ours, _) if job.options.compat => {
            let path = if ours.is_none() { job.root() } else { baseline };
            let hint = "run cluster_time_summary there first";
            return Err(Failure::Usage(format!("{} has no results of {TABLE}: {hint}", path.display())));
        }
        _ => (summarise(job)?.0, summary_of(job, baseline)?),
    };
    let is_chosen = |step: i64| job.options.step.is_none_or(|chosen| chosen == step);
    let mut columns = vec![("rank".to_owned(), ColumnKind::Int), ("step".to_owned(), ColumnKind::Int)];
    for (name, _) in METRICS {
        columns.extend(["", "Base", "Diff"].map(|suffix| (format!("{name}{suffix}"), ColumnKind::Real)));
    }
    let columns: Vec<(&str, ColumnKind)> = columns.iter().map(|(name, kind)| (name.as_str(), *kind)).collect();
    let mut table = ResultTable::new("ClusterTimeCompareSummary", "cluster_time_compare_summary", &columns);
    let mut lacking = Vec::new();
    for ((rank, step), times) in ours.iter().filter(|((_, step), _)| is_chosen(*step)) {
        let Some(base) = base.get(&(*rank, *step)) else {
            lacking.push(format!("step {step} of rank {rank}"));
            continue;
        };
        let compared = times.iter().zip(base).flat_map(|(time, base)| [*time, *base, time - base]);
        table.push([Cell::from(*rank), Cell::from(*step)].into_iter().chain(compared.map(Cell::from)));
    }
    let answer = Answer::of_tables([table]);
    Ok(match lacking.is_empty() {
        true => answer,
        false => answer.note(format!("the baseline lacks {}", lacking.join(", "))),
    })
}

fn summary_of(job: &Job<'_>, baseline: &Path) -> Result<Summary, Failure> {
    let ranks = job.open_baseline(baseline)?;
    let options = Options { baseline: None, ..job.options.clone() };
    Ok(summarise(&Job::new(&ranks, None, &options))?.0)
}

/// The results of an earlier run below a directory. Nothing is written, whatever is there.
fn result(directory: &Path) -> Option<Summary> {
    let path = directory.join(OUTPUT_DIRECTORY).join("cluster_analysis.db");
    let bytes = std::fs::read(&path).ok()?;
    let file =
        SourceFile { name: "cluster_analysis.db".to_owned(), kind: FileKind::ClusterDb, bytes: bytes.len() as u64 };
    let mut kept = RankBuilder::default();
    db::read_bytes(&bytes, &path, &file, &mut kept);
    let tables = kept.finish();
    let cells: Vec<sheet::Row> =
        tables.rows::<sheet::Row>().filter(|cell| tables.opt_text(cell.sheet) == Some(TABLE)).collect();
    let mut summary = Summary::new();
    for row in cells.chunk_by(|a, b| a.row == b.row) {
        let number = |column: &str| {
            let cell = row.iter().find(|cell| tables.text(cell.column) == column)?;
            tables.opt_text(cell.value)?.parse::<f64>().ok()
        };
        let key = (number("rank")? as i64, number("step")? as i64);
        summary.insert(key, METRICS.map(|(column, _)| number(column).unwrap_or(f64::NAN)));
    }
    Some(summary).filter(|summary| !summary.is_empty())
}
