//! `cluster_time_compare_summary`: where the time of steps went, compared with a baseline.
//!
//! Needs a baseline (`--bp`). `ClusterTimeCompareSummary` has every time of `ClusterTimeSummary` by rank and step as
//! it is, as it is in the baseline (`…Base`) and their difference (`…Diff`), in us; steps that the baseline lacks
//! are left out. If there are results of `cluster_time_summary` for both, below their directories in
//! `cluster_analysis_output/cluster_analysis.db`, these are compared, which a note tells; else both are summed up anew.
//! Chosen ranks are chosen from both.
//!
//! With `--compat` there must be results for both, and all of their ranks count.

use std::path::Path;

use npuscope_formats::db;
use npuscope_formats::file_kind::FileKind;
use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_formats::source::SourceFile;
use npuscope_tables::table::sheet;
use npuscope_tables::{Rank, RankBuilder, Selection, TableId};

use super::cluster_time_summary::{self, METRICS, Summary, TABLE, notes_of_both, summarise};
use crate::cluster::{Answer, DATABASE, Failure, Job, Mode, OUTPUT_DIRECTORY, Usage};

pub const MODE: Mode = Mode {
    name: "cluster_time_compare_summary",
    folder: "ClusterTimeCompareSummary",
    about: "Where the time of steps went, compared with a baseline",
    run,
};

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let Some(baseline) = &job.options.baseline else {
        return Err(Usage::NoBaseline { mode: MODE.name }.into());
    };
    let ((ours, our_notes), (base, base_notes)) = match (result(job.root()), result(baseline)) {
        (Some(ours), Some(base)) => {
            let note = format!("both are results of earlier runs of {}", cluster_time_summary::MODE.name);
            ((ours, vec![note]), (base, Vec::new()))
        }
        (ours, _) if job.options.compat => {
            let path = if ours.is_none() { job.root() } else { baseline };
            return Err(Usage::NoResults { path: path.to_owned(), table: TABLE }.into());
        }
        _ => (summarise(job)?, job.of_baseline(baseline, job.options, summarise)?),
    };
    let is_chosen = |rank: Rank, step: i64| {
        job.options.step.is_none_or(|chosen| chosen == step) && (job.options.compat || job.is_chosen(rank))
    };
    let mut columns = vec![("rank".to_owned(), ColumnKind::Int), ("step".to_owned(), ColumnKind::Int)];
    for (name, _) in METRICS {
        columns.extend(["", "Base", "Diff"].map(|suffix| (format!("{name}{suffix}"), ColumnKind::Real)));
    }
    let columns: Vec<(&str, ColumnKind)> = columns.iter().map(|(name, kind)| (name.as_str(), *kind)).collect();
    let mut table = ResultTable::new("ClusterTimeCompareSummary", "cluster_time_compare_summary", &columns);
    let mut lacking = Vec::new();
    for ((rank, step), times) in ours.iter().filter(|((rank, step), _)| is_chosen(*rank, *step)) {
        let Some(base) = base.get(&(*rank, *step)) else {
            lacking.push(format!("step {step} of rank {rank}"));
            continue;
        };
        let compared = times.iter().zip(base).flat_map(|(time, base)| [*time, *base, time - base]);
        table.push([Cell::from(*rank), Cell::from(*step)].into_iter().chain(compared.map(Cell::from)));
    }
    let mut answer = Answer::of_tables([table]);
    answer.notes = notes_of_both(our_notes, base_notes);
    Ok(match lacking.is_empty() {
        true => answer,
        false => answer.note(format!("the baseline lacks {}", lacking.join(", "))),
    })
}

/// The results of an earlier run below a directory. Nothing is written, whatever is there.
fn result(directory: &Path) -> Option<Summary> {
    let path = directory.join(OUTPUT_DIRECTORY).join(DATABASE);
    let bytes = path.metadata().ok()?.len();
    let file = SourceFile { name: DATABASE.to_owned(), kind: FileKind::ClusterDb, bytes };
    let mut kept = RankBuilder::default();
    db::read_file(&path, &file, Selection::of(&[TableId::Sheet]), &mut kept);
    let tables = kept.finish();
    let cells: Vec<sheet::Row> =
        tables.rows::<sheet::Row>().filter(|cell| tables.opt_text(cell.sheet) == Some(TABLE)).collect();
    let mut summary = Summary::new();
    for row in cells.chunk_by(|a, b| a.row == b.row) {
        let number = |column: &str| {
            let cell = row.iter().find(|cell| tables.text(cell.column) == column)?;
            tables.opt_text(cell.value)?.parse::<f64>().ok()
        };
        let key = (Rank(number("rank")? as i64), number("step")? as i64);
        summary.insert(key, METRICS.map(|(column, _)| number(column).unwrap_or(f64::NAN)));
    }
    Some(summary).filter(|summary| !summary.is_empty())
}
