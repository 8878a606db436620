//! `cluster_time_compare_summary`: Compare the time parts of steps with a baseline.
//!
//! Needs a baseline (`--bp`). `ClusterTimeCompareSummary` has one row per rank and step. For each time of
//! `ClusterTimeSummary` it has the value, the value of the baseline (`…Base`) and the difference (`…Diff`), in us.
//! Steps that the baseline lacks are skipped. If both directories contain results of `cluster_time_summary` in
//! `cluster_analysis_output/cluster_analysis.db`, these results are compared, and a note says so. Otherwise both
//! profiles are summarized again. A selection of ranks applies to both.
//!
//! With `--compat`: both directories must contain results, and all of their ranks are compared.

use std::path::Path;

use npuscope_formats::db;
use npuscope_formats::file_kind::FileKind;
use npuscope_formats::result::{Cell, ColumnKind, ResultTable};
use npuscope_formats::source::SourceFile;
use npuscope_tables::table::sheet;
use npuscope_tables::{Rank, RankBuilder, Selection, TableId};

use super::Microseconds;
use super::cluster_time_summary::{
    self, METRICS, NO_STEP, StepTimes, Summary, TABLE, notes_of_both, numbered, step_cell, summarise,
};
use crate::cluster::{Answer, DATABASE, Failure, Job, Mode, OUTPUT_DIRECTORY, Usage};
use crate::messages::cluster as messages;
use npuscope_messages::Message;

pub const MODE: Mode = Mode {
    name: "cluster_time_compare_summary",
    folder: "ClusterTimeCompareSummary",
    about: "Compare the time parts of steps with a baseline",
    run,
};

/// Steps of ranks beside the same steps of a baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedSteps {
    /// By rank and step.
    pub steps: Vec<ComparedStep>,
    /// Steps that the baseline lacks.
    pub lacking: Vec<(Rank, Option<i64>)>,
    pub notes: Vec<Message>,
}

/// A step of a rank beside the same of the baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComparedStep {
    pub rank: Rank,
    /// `None` for ranks without steps: all of their work.
    pub step: Option<i64>,
    pub times: StepTimes,
    pub baseline: StepTimes,
}

/// Compares the parts of step times with a baseline.
pub fn rows(job: &Job<'_>) -> Result<ComparedSteps, Failure> {
    let Some(baseline) = &job.options.baseline else {
        return Err(Usage::NoBaseline { mode: MODE.name }.into());
    };
    let ((ours, our_notes), (base, base_notes)) = match (result(job.root()), result(baseline)) {
        (Some(ours), Some(base)) => {
            let note = messages::note_earlier_results(cluster_time_summary::MODE.name);
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
    let notes = notes_of_both(our_notes, base_notes);
    let mut compared = ComparedSteps { steps: Vec::new(), lacking: Vec::new(), notes };
    for ((rank, step), times) in ours.into_iter().filter(|((rank, step), _)| is_chosen(*rank, *step)) {
        let number = numbered(step);
        match base.get(&(rank, step)) {
            Some(baseline) => compared.steps.push(ComparedStep { rank, step: number, times, baseline: *baseline }),
            None => compared.lacking.push((rank, number)),
        }
    }
    Ok(compared)
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let ComparedSteps { steps, lacking, notes } = rows(job)?;
    let answer = Answer { tables: vec![table(&steps)], notes, ..Answer::default() };
    let lacking: Vec<Message> =
        lacking.iter().map(|(rank, step)| messages::step_of_rank(step.unwrap_or(NO_STEP), *rank)).collect();
    Ok(match lacking.is_empty() {
        true => answer,
        false => answer.note(messages::note_baseline_lacks(lacking)),
    })
}

/// `ClusterTimeCompareSummary`.
fn table(steps: &[ComparedStep]) -> ResultTable {
    let mut columns = vec![("rank".to_owned(), ColumnKind::Int), ("step".to_owned(), ColumnKind::Int)];
    for (name, _) in METRICS {
        columns.extend(["", "Base", "Diff"].map(|suffix| (format!("{name}{suffix}"), ColumnKind::Real)));
    }
    let columns: Vec<(&str, ColumnKind)> = columns.iter().map(|(name, kind)| (name.as_str(), *kind)).collect();
    let mut table = ResultTable::new("ClusterTimeCompareSummary", "cluster_time_compare_summary", &columns);
    for ComparedStep { rank, step, times, baseline } in steps {
        let times = times.in_order().into_iter().zip(baseline.in_order());
        let compared = times.flat_map(|(time, base)| [time, base, time - base]);
        table.push([Cell::from(*rank), step_cell(*step)].into_iter().chain(compared.map(Cell::from)));
    }
    table
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
        let time = |(column, _): (&str, &str)| Microseconds::of_us(number(column).unwrap_or(f64::NAN));
        summary.insert(key, StepTimes::of(METRICS.map(time)));
    }
    Some(summary).filter(|summary| !summary.is_empty())
}
