//! Arguments of `npuscope info`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::values::FailOn;
use crate::commands::ReportFormat;
use crate::commands::info::InfoOptions;

/// Show the step time, where the time goes, and which rank is slow
#[derive(Debug, Args)]
pub struct InfoCommand {
    /// Profile: a directory, or a single deliverable
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// How to print the report
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: ReportFormat,
    /// Fail if anything could not be read, instead of answering from the rest
    #[arg(long)]
    pub strict: bool,
    /// Exit with 1 if there is a finding of this severity or above
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
}

impl From<InfoCommand> for InfoOptions {
    fn from(command: InfoCommand) -> InfoOptions {
        InfoOptions {
            path: command.path,
            format: command.format,
            strict: command.strict,
            fail_on: command.fail_on.map(Into::into),
        }
    }
}
