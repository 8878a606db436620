//! Arguments of `npuscope doctor`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::commands::ReportFormat;
use crate::commands::doctor::DoctorOptions;

/// List what a profile contains, what is missing, and the setting that collects it
///
/// Reads every rank and reports its files, profiler level, versions, steps, time window, rows per table,
/// problems met while reading, and, for everything that was not collected, the exact setting to turn on
/// in MindSpeed-LLM, FSDP2, MindSpeed-RL, MindSpore and torch_npu.
#[derive(Debug, Args)]
pub struct DoctorCommand {
    /// Profile: a directory, or a single deliverable
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// How to print the report; json has every rank, file and lane
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: ReportFormat,
    /// Fail if anything could not be read
    #[arg(long)]
    pub strict: bool,
}

impl From<DoctorCommand> for DoctorOptions {
    fn from(command: DoctorCommand) -> DoctorOptions {
        DoctorOptions { path: command.path, format: command.format, strict: command.strict }
    }
}
