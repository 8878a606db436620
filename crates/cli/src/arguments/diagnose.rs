//! Arguments of `npuscope diagnose`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::values::FailOn;
use crate::commands::ReportFormat;
use crate::commands::diagnose::DiagnoseOptions;

/// Find which ranks, hosts, stages and links are slow, why, and what they cost
///
/// Aligns the clocks of hosts by their common communication operations, finds out what had to wait for what, and
/// replays the job as if each rank, host, stage or link that differs from comparable ones did not: the time that a step
/// gains is the cost. Ranks that wait for others are never blamed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope diagnose DIR
  npuscope diagnose DIR --format json --fail-on warning")]
pub struct DiagnoseCommand {
    /// Profile: a directory with the ranks of a job
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// How to print the report; json has the evidence in full
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: ReportFormat,
    /// Exit with 1 if there is a finding of this severity or above
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
}

impl From<DiagnoseCommand> for DiagnoseOptions {
    fn from(command: DiagnoseCommand) -> DiagnoseOptions {
        DiagnoseOptions { path: command.path, format: command.format, fail_on: command.fail_on.map(Into::into) }
    }
}
