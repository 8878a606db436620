//! Arguments of `npuscope doctor`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::choice::ChoiceArguments;
use crate::commands::ReportFormat;
use crate::commands::doctor::DoctorOptions;

/// Show what a profile contains, what is missing and how to record it
///
/// Reads every rank and reports its files, profiler level, versions, steps, time range, rows per table and diagnostics.
/// For data that was not recorded, shows the setting that records it in MindSpeed-LLM, FSDP2, MindSpeed-RL, MindSpore
/// and torch_npu.
#[derive(Debug, Args)]
pub struct DoctorCommand {
    /// Profile: a directory, or a single deliverable such as trace_view.json
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    #[command(flatten)]
    pub choice: ChoiceArguments,
    /// Output format; json lists every rank, file and lane
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub format: ReportFormat,
    /// Fail if any data cannot be read, instead of continuing without it
    #[arg(long)]
    pub strict: bool,
}

impl From<DoctorCommand> for DoctorOptions {
    fn from(command: DoctorCommand) -> DoctorOptions {
        DoctorOptions { path: command.path, format: command.format, strict: command.strict }
    }
}
