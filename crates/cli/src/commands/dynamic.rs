//! `npuscope dynamic`.

mod set;
mod status;

use std::process::ExitCode;

use crate::error::CliError;
use crate::settings::Settings;

pub use set::{SetOptions, StartStep};
pub use status::StatusOptions;

/// What to do with a job's profiler_config.json.
#[derive(Clone, Debug)]
pub enum DynamicOptions {
    Set(Box<SetOptions>),
    Status(StatusOptions),
}

pub fn run(options: &DynamicOptions, settings: &Settings) -> Result<ExitCode, CliError> {
    match options {
        DynamicOptions::Set(options) => set::run(options, settings),
        DynamicOptions::Status(options) => status::run(options, settings),
    }
}
