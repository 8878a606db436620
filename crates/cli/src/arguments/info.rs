//! Arguments of `npuscope info`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::choice::ChoiceArguments;
use super::values::FailOn;
use crate::commands::ReportFormat;
use crate::commands::info::InfoOptions;

/// Show the step time, where the time goes and which rank is slow
#[derive(Debug, Args)]
pub struct InfoCommand {
    /// Profile: a directory, or a single deliverable such as trace_view.json
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    #[command(flatten)]
    pub choice: ChoiceArguments,
    /// Step to show [default: all]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub step: Option<i64>,
    /// Output format
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: ReportFormat,
    /// Fail if any data cannot be read, instead of continuing without it
    #[arg(long)]
    pub strict: bool,
    /// Exit with 1 if any finding has this severity or a higher one
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
}

impl From<InfoCommand> for InfoOptions {
    fn from(command: InfoCommand) -> InfoOptions {
        InfoOptions {
            path: command.path,
            step: command.step,
            format: command.format,
            strict: command.strict,
            fail_on: command.fail_on.map(Into::into),
        }
    }
}
