//! `export_summary`: the calls and kernels of each rank as csv files.
//!
//! Reads CANN calls and `kernel`; what counts belongs to the chosen step. For each rank it writes, into the
//! results and never into the profile,
//! - `api_statistic.csv`: how often each call was made and how long it took, the greatest sum first;
//! - `kernel_details.csv`: kernels and communication operations by start, with their tensors and AI Core
//!   metrics. Times are us; `task_wait_time` is from the latest end of all before to the start, 0 where
//!   they overlap.
//!
//! With `--compat` the calls have the times of the tasks they launched, `task_wait_time` is from the start of
//! the one before to the end, all steps count, and times and whole numbers are printed as floats.

mod calls;
mod files;
mod kernels;

use std::path::Path;

use npuscope_tables::table::host_op::Kind;
use npuscope_tables::{Rank, Selection, TableId};

use super::rank_files::path_of;
use crate::cluster::{Answer, Failure, Job, Mode, ResultFile};
use crate::messages::collection;

pub use calls::CallTime;
pub use kernels::{KernelDetail, Kernels};

pub const MODE: Mode = Mode {
    name: "export_summary",
    folder: "ExportSummary",
    about: "The calls and kernels of each rank as csv files",
    run,
};

/// The calls and kernels of a rank.
pub struct RankSummary {
    /// Those that took the longest first.
    pub calls: Vec<CallTime>,
    pub kernels: Kernels,
}

/// The calls and kernels of each rank.
///
/// Ranks are read anew each time: a row of the result is a row of `kernel`, so an extract would be as large as that.
pub fn rows(job: &Job<'_>) -> Result<Vec<(Rank, RankSummary)>, Failure> {
    let compat = job.options.compat;
    let wanted = Selection::of(&[TableId::Kernel]).and_host_ops(&[Kind::Cann]);
    let wanted = if compat { wanted.and(Selection::of(&[TableId::Task])) } else { wanted };
    job.each(wanted, |data| {
        let calls = if compat { calls::calls_as_peer(&data.tables) } else { calls::calls(data) };
        Ok(RankSummary { calls, kernels: Kernels::of(data, compat) })
    })
}

fn run(job: &Job<'_>) -> Result<Answer, Failure> {
    let compat = job.options.compat;
    let mut answer = Answer::default();
    for (rank, RankSummary { calls, kernels }) in rows(job)? {
        let Some(source) = job.source(rank) else { continue };
        if !calls.is_empty() {
            let write = move |path: &Path| files::write_calls(&calls, path);
            let path = path_of(&MODE, job, source, "api_statistic.csv");
            answer.files.push(ResultFile::new(path, write).of_rank(rank));
        }
        if !kernels.is_empty() {
            let write = move |path: &Path| files::write_kernels(&kernels, compat, path);
            let path = path_of(&MODE, job, source, "kernel_details.csv");
            answer.files.push(ResultFile::new(path, write).of_rank(rank));
        }
    }
    match answer.files.is_empty() {
        true => {
            Err(Failure::missing(MODE.name, collection::data_kernels_or_cann_calls(), collection::collect_level0()))
        }
        false => Ok(answer),
    }
}
