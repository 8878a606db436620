//! Arguments of `npuscope diagnose`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::choice::ChoiceArguments;
use super::values::FailOn;
use crate::commands::ReportFormat;
use crate::commands::diagnose::DiagnoseOptions;

/// Find slow ranks, hosts, stages and links, the causes, and the cost per step
///
/// Aligns the clocks of the hosts by their common communication operations and determines which work waited for which.
/// Then replays the job as if each slow rank, host, stage or link were as fast as comparable ones: the step time saved
/// is the cost. Ranks that only wait for others are not reported as slow.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope diagnose DIR
  npuscope diagnose DIR --format json --fail-on warning")]
pub struct DiagnoseCommand {
    /// Profile: a directory with the ranks of a job
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    #[command(flatten)]
    pub choice: ChoiceArguments,
    /// Step to diagnose [default: all]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub step: Option<i64>,
    /// Output format; json includes all evidence
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: ReportFormat,
    /// Exit with 1 if any finding has this severity or a higher one
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
}

impl From<DiagnoseCommand> for DiagnoseOptions {
    fn from(command: DiagnoseCommand) -> DiagnoseOptions {
        DiagnoseOptions {
            path: command.path,
            step: command.step,
            format: command.format,
            fail_on: command.fail_on.map(Into::into),
        }
    }
}
