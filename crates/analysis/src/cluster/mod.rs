//! `npuscope cluster`: analyses of all ranks of a job.
//!
//! An analysis is a [`Mode`]. Its file in [`recipes`] says what it reads, how its figures are defined and what it
//! writes. [`run`] applies it to a [`Job`], and [`write()`] writes the [`Answer`] to files under the names that
//! msprof-analyze uses. [`ask`] does both, and caches the files. With [`Options::compat`] the figures are those of
//! msprof-analyze 26.2, including its errors. Without it they follow the definitions in the files, and are the same
//! for text and databases.

mod answer;
mod file_ids;
mod job;
mod kept;
mod mode;
mod notebook;
pub mod recipes;
pub mod statistics;
mod write;

pub use answer::{Answer, Failure, ResultFile, Usage};
pub use job::{Job, LeftOut};
pub use kept::{Asked, ask};
pub use mode::{Export, Mode, Options, find, modes};
pub use write::{DATABASE, OUTPUT_DIRECTORY, Written, write};

pub use crate::extract::{Absent, RankData};

/// Applies a mode to a job, without the cache.
pub fn run(mode: &Mode, job: &Job<'_>) -> Result<Answer, Failure> {
    (mode.run)(job)
}
