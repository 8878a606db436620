//! `npuscope dynamic`.

mod set;
mod status;

use std::process::ExitCode;

use crate::arguments::dynamic::{DynamicAction, DynamicCommand};
use crate::error::CliError;
use crate::settings::Settings;

pub fn run(command: &DynamicCommand, settings: &Settings) -> Result<ExitCode, CliError> {
    match &command.action {
        DynamicAction::Set(command) => set::run(command, settings),
        DynamicAction::Status(command) => status::run(command, settings),
    }
}
