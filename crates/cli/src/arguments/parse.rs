//! Arguments of `npuscope parse`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use npuscope_store::parse::Export;

use crate::commands::parse::ParseOptions;

/// Write deliverables from raw data, beside it
///
/// Finds every raw directory (with FRAMEWORK in it) and writes ASCEND_PROFILER_OUTPUT there: text, a database or both, as
/// set when recording. The other commands open raw directories as well; use parse for tools that need the files, and to
/// open large profiles faster. Broken directories are reported and skipped.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  npuscope parse DIR
  npuscope parse DIR --format both
  npuscope parse DIR --force                   parse again, replace the deliverables")]
pub struct ParseCommand {
    /// A raw directory, or a directory that contains raw directories
    #[arg(value_hint = ValueHint::DirPath)]
    pub path: PathBuf,
    /// Write text, a database or both [default: as set when recording, else text]
    #[arg(long = "format", alias = "export", value_enum, value_name = "FORMAT")]
    pub export: Option<ParseExport>,
    /// Parse directories again that already have deliverables
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
    /// A database
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
