//! Arguments of `npuscope parse`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use npuscope_store::parse::Export;

use crate::commands::parse::ParseOptions;

/// Parse raw data into deliverables
///
/// Finds every raw directory (one that contains FRAMEWORK) and writes ASCEND_PROFILER_OUTPUT into it. Other commands
/// also read raw directories; use parse for tools that need the deliverables, and to open large profiles faster. Broken
/// directories are reported and skipped.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope parse DIR
  npuscope parse DIR --format both
  # Parse again and replace the deliverables
  npuscope parse DIR --force")]
pub struct ParseCommand {
    /// Directory with raw data, or a directory that contains several of them
    #[arg(value_hint = ValueHint::DirPath)]
    pub path: PathBuf,
    /// Output format [default: as set for the recording, else text]
    #[arg(long = "format", alias = "export", value_enum, value_name = "FORMAT")] // older name
    pub export: Option<ParseExport>,
    /// Also parse directories that already have deliverables, and replace these
    #[arg(long)]
    pub force: bool,
    /// Exit with 2 if any directory cannot be parsed
    #[arg(long)]
    pub strict: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ParseExport {
    /// trace_view.json, csv and json files
    Text,
    /// Database
    Db,
    /// Text files and a database
    Both,
}

impl From<ParseExport> for Export {
    fn from(export: ParseExport) -> Export {
        match export {
            ParseExport::Text => Export::TEXT,
            ParseExport::Db => Export::DB,
            ParseExport::Both => Export::BOTH,
        }
    }
}

impl From<ParseCommand> for ParseOptions {
    fn from(command: ParseCommand) -> ParseOptions {
        ParseOptions {
            path: command.path,
            export: command.export.map(Into::into),
            force: command.force,
            strict: command.strict,
        }
    }
}
