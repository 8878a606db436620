//! `npuscope cluster`: one question asked of all ranks of a job.
//!
//! A question is a [`Mode`]. Its file in [`recipes`] says what it reads, how its figures are defined and what
//! it gives; [`run`] asks it of a [`Job`] and [`write()`] turns the [`Answer`] into files under the names that
//! msprof-analyze uses. [`ask`] does both, and keeps the files for the next time. With [`Options::compat`] the figures are those of msprof-analyze 26.2, its defects
//! included; without it they follow the definitions in the files, and are the same whether a job was saved
//! as text or as databases.

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

/// Asks a mode of a job, whether its answer is kept or not.
pub fn run(mode: &Mode, job: &Job<'_>) -> Result<Answer, Failure> {
    (mode.run)(job)
}
