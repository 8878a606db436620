//! `export_summary`: Write the CANN calls and kernels of each rank as csv files.
//!
//! Reads CANN calls and `kernel`. Data of the selected step is counted. Writes two files per rank, into the output
//! directory and never into the profile:
//!
//! - `api_statistic.csv`: number and duration of each CANN call, sorted by total duration, longest first;
//! - `kernel_details.csv`: kernels and communication operations in order of start, with their tensors and AI Core
//!   metrics. Times are in us. `task_wait_time` is the time from the latest end of all previous kernels to the start,
//!   or 0 if they overlap.
//!
//! With `--compat`: calls have the durations of the tasks that they launched; `task_wait_time` is the time from the
//! start of the previous kernel to the end; all steps are counted; times and integers are printed as floats.

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
    about: "Write the CANN calls and kernels of each rank as csv files",
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
/// Ranks are read again each time, without the cache: an extract would be as large as `kernel`.
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
